"""Time of an answer from 10,000 passages, compared with a plain scan of the same text."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from statistics import quantiles

from service.knowledge import KnowledgeIndex, find_answer
from service.twins import parser
from tools.bench.table import Row, ratio

PASSAGES = 10_000
PASSAGES_PER_FILE = 20
WORDS_PER_PASSAGE = 80
QUESTIONS = 200
SYLLABLES = ("ba", "co", "du", "fe", "gi", "ka", "lo", "mi", "nu", "pe", "ro", "sa", "ti", "vu")
VOCABULARY = ["".join(syllables) for syllables in product(SYLLABLES, repeat=4)][:20_000]
# Word frequencies of a natural language (Zipf's law) without its 50 most frequent words, which are
# no search terms. The most frequent word is in about a fifth of the passages.
WEIGHTS = [1 / (rank + 50) for rank in range(1, len(VOCABULARY) + 1)]


def measure() -> Row:
    """Index the passages, and ask questions of two to twelve words that occur in them."""
    chance = random.Random(1)  # noqa: S311
    with tempfile.TemporaryDirectory() as folder:
        twins = Path(folder)
        (twins / "ada").mkdir()
        (twins / "ada.md").write_text("---\nname: Ada\nknowledge: quote\n---\n")
        texts = [_write_file(twins / "ada", number, chance) for number in range(_file_count())]
        twin = parser.load(twins / "ada.md", 0)
        index = KnowledgeIndex(twins / "knowledge.db", twins)
        started_at = time.perf_counter()
        index.update([twin])
        build_seconds = time.perf_counter() - started_at
        questions = [_words(chance, chance.randint(2, 12)) for _ in range(QUESTIONS)]
        answer = _durations(lambda question: find_answer(index, twin, question), questions)
        scan = _durations(
            lambda question: sum(question.split()[0] in text for text in texts), questions
        )
    return {
        "passages": PASSAGES,
        "index built (s)": build_seconds,
        "answer p50 (ms)": answer[9],
        "answer p95 (ms)": answer[18],
        "scan p95 (ms)": scan[18],
        "answer/scan": ratio(answer[18], scan[18]),
    }


def _file_count() -> int:
    return PASSAGES // PASSAGES_PER_FILE


def _write_file(folder: Path, number: int, chance: random.Random) -> str:
    sections = (
        f"## {_words(chance, 4)}\n\n{_words(chance, WORDS_PER_PASSAGE)}.\n"
        for _ in range(PASSAGES_PER_FILE)
    )
    text = "\n".join(sections)
    (folder / f"{number}.md").write_text(text)
    return text


def _words(chance: random.Random, count: int) -> str:
    return " ".join(chance.choices(VOCABULARY, WEIGHTS, k=count))


def _durations(function: Callable[[str], object], questions: Sequence[str]) -> list[float]:
    """Return 19 percentiles (5, 10, …) of the time of a call, in ms."""
    durations = []
    for question in questions:
        started_at = time.perf_counter()
        function(question)
        durations.append((time.perf_counter() - started_at) * 1000)
    return quantiles(durations, n=20)
