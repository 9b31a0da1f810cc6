"""Knowledge: files become passages, and a question finds the passage that answers it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.knowledge import (
    Answer,
    Knowledge,
    KnowledgeIndex,
    Passage,
    find_answer,
    split_into_passages,
)
from service.twins import Twin, TwinRepository, parser

FRIDGE = """# How a refrigerator keeps food cold

A refrigerator moves heat from its inside to the room. A liquid evaporates in thin pipes.

## Why the back is warm

The pipes at the back of a refrigerator give off the heat.

Also asked: Why is my fridge hot behind? | What are the coils for?
"""
BREAD = "# Why bread rises\n\nYeast turns sugar into gas, and the gas lifts the dough.\n"


@pytest.fixture
def twin(tmp_path: Path) -> Twin:
    """Create a twin with a knowledge folder."""
    folder = tmp_path / "twins"
    (folder / "ada").mkdir(parents=True)
    (folder / "ada.md").write_text("---\nname: Ada\n---\n")
    (folder / "ada" / "fridge.md").write_text(FRIDGE)
    (folder / "ada" / "bread.md").write_text(BREAD)
    return parser.load(folder / "ada.md", 0)


@pytest.fixture
def index(tmp_path: Path, twin: Twin) -> KnowledgeIndex:
    """Index the knowledge of the twin."""
    index = KnowledgeIndex(tmp_path / "knowledge.db", tmp_path / "twins")
    index.update([twin])
    return index


def test_passage_has_the_blocks_of_one_section_and_the_path_of_its_headings():
    assert split_into_passages(FRIDGE, "fridge") == [
        Passage(
            ("How a refrigerator keeps food cold",),
            "A refrigerator moves heat from its inside to the room. "
            "A liquid evaporates in thin pipes.",
        ),
        Passage(
            ("How a refrigerator keeps food cold", "Why the back is warm"),
            "The pipes at the back of a refrigerator give off the heat.",
            ("Why is my fridge hot behind?", "What are the coils for?"),
        ),
    ]


def test_text_before_the_first_heading_has_the_name_of_the_file_as_heading():
    assert split_into_passages("One.\n\nTwo.", "notes") == [Passage(("notes",), "One.\n\nTwo.")]


def test_comment_in_code_is_no_heading():
    [passage] = split_into_passages("```sh\n# install\n\nmake run\n```", "notes")

    assert passage.text == "```sh\n# install\n\nmake run\n```"


def test_heading_ends_before_its_closing_marks_only():
    text = "# Learning C#\n\nOne.\n\n## Room 12 ##\n\nTwo."

    passages = split_into_passages(text, "notes")

    assert [passage.heading for passage in passages] == ["Learning C#", "Room 12"]


def test_heading_is_plain_text_of_limited_length():
    headings = f"# Room{' ' * 100_000}`12`", "A *second*\nheading\n===", f"# {'x' * 1000}"
    text = "".join(f"{heading}\n\nText.\n\n" for heading in headings)

    passages = split_into_passages(text, "notes")

    assert [passage.heading for passage in passages] == ["Room 12", "A second heading", "x" * 200]


@pytest.mark.parametrize(
    "text",
    [
        "```make run``` starts it.\n\n# One\n\nTwo.",
        "```\n```python\n```\n\n# One\n\nTwo.",
        "> # Quoted\n\n# One\n\nTwo.",
        "~~~\n```\n# no heading\n~~~\n\n# One\n\nTwo.",
    ],
    ids=["inline code", "info string in code", "quotation", "other fence"],
)
def test_headings_are_found_as_in_markdown(text: str):
    passages = split_into_passages(text, "notes")

    assert [passage.heading for passage in passages] == ["notes", "One"]


def test_line_of_questions_does_not_take_the_lines_around_it():
    text = "Before.\nAlso asked: One? | Two? |\n  Three?\nAfter."

    assert split_into_passages(text, "notes") == [
        Passage(("notes",), "Before.\nAfter.", ("One?", "Two?", "Three?"))
    ]


@pytest.mark.parametrize(
    "block",
    [
        "````python\n" + "    print(1)\n" * 300 + "````",
        "| a | b |\n| - | - |" + "\n| 1 | 2 |" * 300,
    ],
    ids=["code", "table"],
)
def test_code_and_tables_are_passages_of_their_own_up_to_a_length(block: str):
    assert [p.text for p in split_into_passages(f"One.\n\n{block}\n\nTwo.", "notes")] == [
        "One.",
        block,
        "Two.",
    ]
    assert max(len(p.text) for p in split_into_passages(block * 100, "notes")) <= 9_000


def test_part_of_a_long_list_does_not_begin_as_code():
    passages = split_into_passages("- one\n\n" + "    more text\n" * 100, "notes")

    assert passages[1].text.startswith("more text\n")


@pytest.mark.parametrize(
    "block",
    ["One sentence. " * 200, "word " * 400, "x" * 2_000, "| a | b |\n" * 200, "日本語です。" * 400],
    ids=["sentences", "words", "letters", "rows", "Japanese"],
)
def test_long_block_is_split_without_losing_a_character(block: str):
    passages = split_into_passages(block, "notes")

    assert max(len(passage.text) for passage in passages) <= 900
    assert "".join("".join(p.text for p in passages).split()) == "".join(block.split())


def kind_and_headings(answer: Answer) -> tuple[str, list[str]]:
    return answer.kind, [source.heading for source in answer.sources]


@pytest.mark.parametrize(
    "question",
    ["why is my fridge hot behind", "What are the COILS for", "Why the back is warm"],
)
def test_question_that_a_section_lists_word_for_word_is_quoted(
    index: KnowledgeIndex, twin: Twin, question: str
):
    answer = find_answer(index, twin, question)

    assert kind_and_headings(answer) == ("certain", ["Why the back is warm"])


@pytest.mark.parametrize("question", ["क्या", "मुफ़्त है", "มันฟรี"])
def test_part_of_a_listed_question_is_not_quoted(
    index: KnowledgeIndex, twin: Twin, tmp_path: Path, question: str
):
    text = "# Preis\n\nNichts.\n\nAlso asked: क्या यह मुफ़्त है | มันฟรีหรือไม่\n"
    (tmp_path / "twins/ada/price.md").write_text(text)
    index.update([twin])

    assert find_answer(index, twin, "क्या यह मुफ़्त है").kind == "certain"
    assert find_answer(index, twin, question).kind != "certain"


def test_passage_with_rare_words_of_the_question_may_answer_it_before_two_others(
    index: KnowledgeIndex, twin: Twin, tmp_path: Path
):
    (tmp_path / "twins/ada/shop.md").write_text(
        "# Buying\n\nA refrigerator costs much.\n\n# Selling\n\nSell a refrigerator.\n"
    )
    index.update([twin])
    answer = find_answer(index, twin, "How warm does the back of a refrigerator get?")

    kind, headings = kind_and_headings(answer)
    assert (kind, headings[0], len(headings)) == ("possible", "Why the back is warm", 3)


@pytest.mark.parametrize(
    "question",
    [
        "Why does bread taste salty?",
        "Who won the cup?",
        "What?",
        '" OR NEAR(',
        "冷蔵庫",
        "Bye!",
        "",
    ],
)
def test_question_that_shares_fewer_rare_words_gets_examples_of_the_topics(
    index: KnowledgeIndex, twin: Twin, tmp_path: Path, question: str
):
    kind, headings = kind_and_headings(find_answer(index, twin, question))
    assert (kind, len(headings)) == ("topics", 3)

    (tmp_path / "twins/ada.md").write_text(
        "---\nname: Ada\nstarters:\n  - Why bread rises\n  - Who won?\n---\n"
    )
    answer = find_answer(index, parser.load(tmp_path / "twins/ada.md", 0), question)
    assert kind_and_headings(answer) == ("topics", ["Why bread rises"])


def test_headings_that_are_near_to_the_question_are_before_other_topics(
    index: KnowledgeIndex, twin: Twin
):
    answer = find_answer(index, twin, "Why do coils rust in salty fog and salty air?")

    assert kind_and_headings(answer)[0] == "topics"
    assert kind_and_headings(answer)[1][0] == "Why the back is warm"


def test_two_words_of_a_long_question_are_not_enough(index: KnowledgeIndex, twin: Twin):
    words = "yeast dough river castle violin anchor lantern meadow harbour"

    assert find_answer(index, twin, "yeast dough river castle").kind == "possible"
    assert find_answer(index, twin, words).kind == "topics"


def test_words_that_are_in_many_passages_find_nothing(
    index: KnowledgeIndex, twin: Twin, tmp_path: Path
):
    for number in range(6):
        (tmp_path / f"twins/ada/{number}.md").write_text("# Halle\n\nUnsere Maschine läuft.\n")
    index.update([twin])

    assert find_answer(index, twin, "Was kostet unsere Maschine?").kind == "topics"


def test_question_without_a_subject_is_about_the_one_before_and_never_certain(
    index: KnowledgeIndex, twin: Twin, tmp_path: Path
):
    text = "# Ada\n\nAda is a program.\n\nAlso asked: Is it safe?\n"
    (tmp_path / "twins/ada/about.md").write_text(text)
    index.update([twin])
    earlier = "Why does the dough of bread rise?"

    first = find_answer(index, twin, "Is it safe?")
    answers = [find_answer(index, twin, q, earlier) for q in ("Is it safe?", "Is it dangerous?")]
    thanks = find_answer(index, twin, "That helped, thanks!", earlier)

    assert kind_and_headings(first) == ("certain", ["Ada"])
    assert [kind_and_headings(each)[0] for each in answers] == ["possible"] * 2
    assert answers[1].sources[0].heading == "Why bread rises"
    assert thanks.kind == "topics"


def test_question_with_ten_thousand_words_is_answered(index: KnowledgeIndex, twin: Twin):
    words = " ".join(f"word{number}" for number in range(10_000))

    answers = [find_answer(index, twin, f"yeast dough {words}") for words in (words, "a+" * 16_000)]

    assert [kind_and_headings(each)[1][0] for each in answers] == ["Why bread rises"] * 2


def test_section_is_found_by_its_first_hundred_questions():
    questions = " | ".join(f"Question {number}?" for number in range(1_000))
    [passage] = split_into_passages(f"# One\n\nText.\n\nAlso asked: {questions}\n", "notes")

    assert passage.questions[-1] == "Question 99?"
    assert len(passage.questions) == 100


@pytest.mark.parametrize("text", [">" * 100_000, "*a _b " * 20_000 + "b_ a*" * 20_000])
def test_file_that_is_nested_too_deeply_is_reported(
    index: KnowledgeIndex, twin: Twin, tmp_path: Path, text: str
):
    (tmp_path / "twins/ada/deep.md").write_text(f"{text}x")
    index.update([twin])

    assert [*index.problems(twin)] == ["ada/deep.md is nested too deeply."]


def test_words_are_compared_by_their_stems(index: KnowledgeIndex, twin: Twin, tmp_path: Path):
    file = tmp_path / "twins/ada.md"
    for language, question, text in (
        ("de", "In welchen alten Häusern wohnt Lehm?", "# Haus\n\nAltes Haus aus Holz.\n"),
        ("ja", "冷蔵庫の温度は?", "# 家電\n\n冷蔵庫は食べ物を冷やす。\n"),
    ):
        (tmp_path / "twins/ada/houses.md").write_text(text)
        index.update([twin])  # as English
        file.write_text(f"---\nname: Ada\nlanguage: {language}\n---\n")
        foreign_twin = parser.load(file, 0)
        index.update([foreign_twin])

        answer = find_answer(index, foreign_twin, question)
        assert (answer.kind, answer.sources[0].file) == ("possible", "houses.md"), language


def test_changed_added_and_removed_files_are_found_after_an_update(
    index: KnowledgeIndex, twin: Twin, tmp_path: Path
):
    folder = tmp_path / "twins/ada"
    (folder / "bread.md").write_text("# Why cheese ages\n\nBacteria change the milk.\n")
    (folder / "deeper").mkdir()
    (folder / "deeper/rust.txt").write_text("Iron and water become rust.")
    (folder / "fridge.md").unlink()
    index.update([twin])

    def answers(question: str) -> bool:
        return find_answer(index, twin, question).kind == "possible"

    assert answers("Why does cheese age?")
    assert answers("water rust")
    assert not answers("What makes bread rise?")
    assert not answers("How does a refrigerator keep my food cold?")


def test_unusable_files_are_reported_and_the_others_work(
    index: KnowledgeIndex, twin: Twin, tmp_path: Path
):
    folder = tmp_path / "twins/ada"
    (folder / "latin.md").write_bytes(b"caf\xe9")
    (folder / "binary.txt").write_bytes(b"\0\1\2")
    (tmp_path / "secret.md").write_text("# Secret\n\nword")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    os.mkfifo(folder / "pipe.md")
    (folder / "empty.md").write_text("")
    Path(os.fsdecode(bytes(folder) + b"/caf\xe9.md")).write_text("# Crema\n\nword")
    index.update([twin])

    assert list(index.problems(twin)) == [
        "ada/binary.txt is not a text file.",
        "ada/latin.md is not valid UTF-8 in line 1.",
        "ada/link.md is outside the twins folder.",
        "ada/pipe.md is a pipe or a device, not a file.",
    ]
    assert find_answer(index, twin, "Crema").sources[0].file == "caf\N{REPLACEMENT CHARACTER}.md"
    assert find_answer(index, twin, "Why does bread rise?").kind == "possible"


class InterruptedConnection:
    """A connection after each of whose statements another process updates the index."""

    def __init__(self, connection: sqlite3.Connection, update: Callable[[], None]) -> None:
        self._connection = connection
        self._update = update

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        cursor = self._connection.execute(*arguments)
        self._update()
        return cursor


@pytest.mark.parametrize("method", ["search", "first_passages"])
def test_update_during_a_search_never_leads_to_passages_of_another_twin(
    index: KnowledgeIndex,
    twin: Twin,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
):
    folder = tmp_path / "twins"
    (folder / "ben").mkdir()
    ben = replace(twin, id="ben")

    def update() -> None:
        (folder / "ada/bread.md").unlink(missing_ok=True)
        (folder / "ada/fridge.md").write_text("# Fridge\n\nCold.\n")
        (folder / "ben/secret.md").write_text("# Secret\n\nbread\n\n" * 20)
        KnowledgeIndex(index.file, folder).update([twin, ben])

    open_index = index._open

    @contextmanager
    def open_interrupted() -> Iterator[Any]:
        with open_index() as connection:
            yield InterruptedConnection(connection, update)

    monkeypatch.setattr(index, "_open", open_interrupted)
    if method == "search":
        found = [each.source for each in index.search(twin, "cold bread")]
    else:
        found = list(index.first_passages(twin))

    assert found
    assert [each.file for each in found if each.file == "secret.md"] == []


def test_files_beyond_the_limit_of_a_twin_are_reported(
    index: KnowledgeIndex, twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("service.knowledge.index.MAX_KNOWLEDGE_BYTES", 1024**2)
    for number in range(10):
        (tmp_path / f"twins/ada/large{number}.md").write_text("word " * 150_000)
    index.update([twin])

    sentence = "exceeds the 1 MiB of all files of a twin."
    assert list(index.problems(twin)) == [
        f"ada/large{number}.md {sentence}" for number in range(1, 10)
    ]

    (tmp_path / "twins/ada/large0.md").unlink()
    index.update([twin])

    assert list(index.problems(twin)) == [
        f"ada/large{number}.md {sentence}" for number in range(2, 10)
    ]


def test_folder_without_text_files_is_reported(index: KnowledgeIndex, twin: Twin, tmp_path: Path):
    for file in (tmp_path / "twins/ada").iterdir():
        file.rename(file.with_suffix(".docx"))
    index.update([twin])

    assert list(index.problems(twin)) == ["ada/ contains no files that end in .md or .txt."]


def test_knowledge_of_one_twin_is_unknown_to_another(
    index: KnowledgeIndex, twin: Twin, tmp_path: Path
):
    folder = tmp_path / "twins"
    (folder / "ben.md").write_text("---\nname: Ben\n---\n")
    (folder / "ben").mkdir()
    (folder / "ben/sky.md").write_text("# Why the sky is blue\n\nAir scatters blue light.\n")
    ben = parser.load(folder / "ben.md", 0)
    index.update([twin, ben])

    assert find_answer(index, ben, "Why is the sky blue?").kind == "possible"
    assert find_answer(index, twin, "Why is the sky blue?").kind == "topics"
    assert find_answer(index, ben, "Why does bread rise?").kind == "topics"
    assert find_answer(index, ben, "Why bread rises").kind == "topics"

    (folder / "ben/sky.md").unlink()
    (folder / "ben").rmdir()
    index.update([twin, ben])
    assert find_answer(index, ben, "Why the sky is blue").sources == []


@pytest.mark.parametrize("damage", ["DROP TABLE twins", "DROP TABLE passages", ""])
def test_damaged_index_is_built_again_for_the_next_question(
    twin: Twin, tmp_path: Path, damage: str
):
    twins = TwinRepository(tmp_path / "twins")
    (tmp_path / "twins/ada.md").write_text("---\nname: Ada\nknowledge: quote\n---\n")
    knowledge = Knowledge(tmp_path / "knowledge.db", twins)
    assert knowledge.answer(twin, "Why bread rises").sources
    if damage:
        with closing(sqlite3.connect(knowledge.index.file)) as database:
            database.execute(damage)
    else:
        knowledge.index.file.write_bytes(b"no database" * 1000)

    assert knowledge.answer(twin, "Why bread rises").sources


def test_damaged_or_missing_index_is_built_again(tmp_path: Path, twin: Twin):
    file = tmp_path / "knowledge.db"
    file.write_bytes(b"no database, but long enough to be read as one" * 100)
    index = KnowledgeIndex(file, tmp_path / "twins")
    index.update([twin])

    assert find_answer(index, twin, "Why does bread rise?").kind == "possible"
