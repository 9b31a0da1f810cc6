"""Report how the twins in a folder answer the questions in their `questions.yaml`.

Run `python -m tools.knowledge_questions [FOLDER]`. Each line of the file is a question, a colon and
the heading that answers it; without a heading, no file answers the question.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from core.settings import ROOT
from service.knowledge import Answer, KnowledgeIndex, find_answer
from service.twins import Twin, TwinRepository


def main(folder: Path) -> None:
    """Print the report of each twin with questions."""
    twins = [
        twin
        for twin in TwinRepository(folder).list_all()
        if (folder / twin.id / "questions.yaml").exists()
    ]
    with TemporaryDirectory() as data_folder:
        index = KnowledgeIndex(Path(data_folder, "knowledge.db"), folder)
        index.update(twins)
        for twin in twins:
            print(*report(index, twin), sep="\n")


def report(index: KnowledgeIndex, twin: Twin) -> Iterator[str]:
    """Yield how many questions are answered how, then a line for each that is not answered well."""
    text = (index.folder_of(twin) / "questions.yaml").read_text()
    # All scalars are text: a question can be `1984`.
    questions = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506
    counts, lines = Counter[str](), []
    for question, heading in questions.items():
        answer = find_answer(index, twin, question)
        outcome = _outcome(answer, heading) if heading else f"unanswerable, {answer.kind}"
        counts[outcome] += 1
        if outcome not in ("certain", "open", "unanswerable, topics"):
            headings = ", ".join(each.headings[-1] for each in answer.passages)
            lines.append(f"  {outcome}: {question} ({headings})")
    yield f"{twin.id}: " + ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    yield from lines


def _outcome(answer: Answer, heading: str) -> str:
    """Return where the passage below a heading is: certain, open, closed, missing; or wrong."""
    if answer.kind == "topics":
        return "missing"
    if heading in answer.passages[0].headings:
        return "certain" if answer.kind == "certain" else "open"
    if answer.kind == "certain":
        return "wrong"
    return "closed" if any(heading in each.headings for each in answer.passages) else "missing"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "twins")
