"""Report how the twins in a folder answer the questions in their `questions.yaml`.

Run `python -m tools.knowledge_questions [FOLDER [TWIN …]]`. Each line of the file is a question, a
colon and the heading that answers it; without a heading, no file answers the question.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from twindow.core.text_files import decode_text
from twindow.paths import TWINS
from twindow.service.knowledge import KnowledgeIndex, Source, find_answer, split_into_passages
from twindow.service.twins import Twin, TwinRepository

FILE_NAME = "questions.yaml"


def main() -> None:
    """Print the report of each twin with questions, or of some."""
    parser = argparse.ArgumentParser(prog="python -m tools.knowledge_questions")
    parser.add_argument("folder", nargs="?", type=Path, default=TWINS)
    parser.add_argument("twins", nargs="*", help="ids of twins, by default all")
    options = parser.parse_args()
    folder = options.folder
    twins = [
        twin
        for twin in TwinRepository(folder).list_all()
        if (not options.twins or twin.id in options.twins)
        and (folder / twin.id / FILE_NAME).exists()
    ]
    if not twins:
        parser.error(f"No twin in {folder} has a file {FILE_NAME} in its folder.")
    with TemporaryDirectory() as data_folder:
        index = KnowledgeIndex(Path(data_folder, "knowledge.db"), folder)
        index.update(twins)
        for twin in twins:
            try:
                print(*report(index, twin), sep="\n")
            except (yaml.YAMLError, AttributeError) as error:
                parser.error(f"{twin.id}/{FILE_NAME}: {error}")


def report(index: KnowledgeIndex, twin: Twin) -> Iterator[str]:
    """Yield how many questions are answered how, then a line for each that is not answered well."""
    text = (index.folder_of(twin) / FILE_NAME).read_text()
    # All scalars are text: a question can be `1984`.
    questions = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506
    counts, lines = Counter[str](), []
    for question, heading in questions.items():
        answer = find_answer(index, twin, question)
        paths = [_headings(index, twin, source) for source in answer.sources]
        outcome = f"unanswerable, {answer.kind}"
        if heading:
            outcome = _outcome(answer.kind, [heading in path for path in paths])
        counts[outcome] += 1
        if outcome not in ("certain", "open", "unanswerable, topics"):
            headings = ", ".join(source.heading for source in answer.sources)
            lines.append(f"  {outcome}: {question} ({headings})")
    yield f"{twin.id}: " + ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    yield from lines


def _headings(index: KnowledgeIndex, twin: Twin, source: Source) -> Sequence[str]:
    """Return the path of headings of a passage."""
    path = index.folder_of(twin) / source.file
    passages = split_into_passages(decode_text(path.read_bytes()), path.stem)
    return next(each.headings for each in passages if each.text == source.passage)


def _outcome(kind: str, are_right: Sequence[bool]) -> str:
    """Return where the right passage is: certain, open, closed or missing."""
    if kind == "topics" or not any(are_right):
        return "wrong" if kind == "certain" else "missing"
    if kind == "certain":
        return "certain"
    return "open" if are_right[0] else "closed"


if __name__ == "__main__":
    main()
