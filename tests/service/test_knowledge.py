"""Knowledge: files become passages, and a question gets the passage that answers it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.service.client import ApiClient
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Upstream
from twindow.service.container import Container
from twindow.service.knowledge import (
    Knowledge,
    KnowledgeIndex,
    Passage,
    find_answer,
    split_into_passages,
)
from twindow.service.twins import Twin, TwinRepository, parser

FRIDGE = """# How a refrigerator keeps food cold

A refrigerator moves heat from its inside to the room. A liquid evaporates in thin pipes.

## Why the back is warm

The pipes at the back of a refrigerator give off the heat.

Also asked: Why is my fridge hot behind? | What are the coils for?
"""
BREAD = "# Why bread rises\n\nYeast turns sugar into gas, and the gas lifts the dough.\n"
ADA = "---\nname: Ada\nknowledge: quote\n---\n"


def write_files(folder: Path) -> None:
    """Write Ada, who answers from two files, into a folder of twins."""
    (folder / "ada").mkdir(parents=True)
    (folder / "ada.md").write_text(ADA)
    (folder / "ada/fridge.md").write_text(FRIDGE)
    (folder / "ada/bread.md").write_text(BREAD)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of twins, with Ada and her files."""
    write_files(tmp_path / "twins")
    return tmp_path / "twins"


@pytest.fixture
def twin(folder: Path) -> Twin:
    return parser.load(folder / "ada.md", 0)


@pytest.fixture
def index(tmp_path: Path, folder: Path, twin: Twin) -> KnowledgeIndex:
    """Index the files of Ada."""
    index = KnowledgeIndex(tmp_path / "knowledge.db", folder)
    index.update([twin])
    return index


# Passages ----------------------------------------------------------------------------------------


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


HEADINGS = {
    "none": ("One.\n\nTwo.", ["notes"]),
    "comment in code": ("```sh\n# install\n\nmake run\n```", ["notes"]),
    "inline code": ("```make run``` starts it.\n\n# One\n\nTwo.", ["notes", "One"]),
    "info string in code": ("```\n```python\n```\n\n# One\n\nTwo.", ["notes", "One"]),
    "other fence": ("~~~\n```\n# no heading\n~~~\n\n# One\n\nTwo.", ["notes", "One"]),
    "quotation": ("> # Quoted\n\n# One\n\nTwo.", ["notes", "One"]),
    "closing marks": ("# Learning C#\n\nOne.\n\n## Room 12 ##\n\nTwo.", ["Learning C#", "Room 12"]),
    "marks and spaces": (f"# Room{' ' * 100_000}`12`\n\nText.", ["Room 12"]),
    "lines": ("A *second*\nheading\n===\n\nText.", ["A second heading"]),
    "limit": (f"# {'x' * 1000}\n\nText.", ["x" * 200]),
}


@pytest.mark.parametrize(("text", "headings"), HEADINGS.values(), ids=HEADINGS)
def test_passages_have_their_heading_in_markdown_or_the_name_of_the_file(
    text: str, headings: list[str]
):
    assert [each.heading for each in split_into_passages(text, "notes")] == headings


def test_line_of_questions_does_not_take_the_lines_around_it():
    text = "Before.\nAlso asked: One? | Two? |\n  Three?\nAfter."

    assert split_into_passages(text, "notes") == [
        Passage(("notes",), "Before.\nAfter.", ("One?", "Two?", "Three?"))
    ]


def test_section_is_found_by_its_first_hundred_questions():
    questions = " | ".join(f"Question {number}?" for number in range(1_000))
    [passage] = split_into_passages(f"# One\n\nText.\n\nAlso asked: {questions}\n", "notes")

    assert passage.questions[-1] == "Question 99?"
    assert len(passage.questions) == 100


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


# Answers -----------------------------------------------------------------------------------------


ANSWERS = [
    ("why is my fridge hot behind", "certain", "Why the back is warm"),
    ("What are the COILS for", "certain", "Why the back is warm"),
    ("Why the back is warm", "certain", "Why the back is warm"),
    ("yeast dough river castle", "possible", "Why bread rises"),
    # Two words of a long question are not enough. Near headings are before other topics.
    ("yeast dough river castle violin anchor lantern meadow harbour", "topics", "Why bread rises"),
    ("Why do coils rust in salty fog and salty air?", "topics", "Why the back is warm"),
]


@pytest.mark.parametrize(("question", "kind", "heading"), ANSWERS)
def test_answer_is_certain_for_a_listed_question_and_possible_for_enough_rare_words(
    index: KnowledgeIndex, twin: Twin, question: str, kind: str, heading: str
):
    answer = find_answer(index, twin, question)

    assert (answer.kind, answer.sources[0].heading) == (kind, heading)


@pytest.mark.parametrize("question", ["क्या", "मुफ़्त है", "มันฟรี"])
def test_part_of_a_listed_question_is_not_quoted(
    index: KnowledgeIndex, twin: Twin, folder: Path, question: str
):
    text = "# Preis\n\nNichts.\n\nAlso asked: क्या यह मुफ़्त है | มันฟรีหรือไม่\n"
    (folder / "ada/price.md").write_text(text)
    index.update([twin])

    assert find_answer(index, twin, "क्या यह मुफ़्त है").kind == "certain"
    assert find_answer(index, twin, question).kind != "certain"


def test_passage_with_rare_words_of_the_question_may_answer_it_before_two_others(
    index: KnowledgeIndex, twin: Twin, folder: Path
):
    (folder / "ada/shop.md").write_text(
        "# Buying\n\nA refrigerator costs much.\n\n# Selling\n\nSell a refrigerator.\n"
    )
    index.update([twin])
    answer = find_answer(index, twin, "How warm does the back of a refrigerator get?")

    assert (answer.kind, len(answer.sources)) == ("possible", 3)
    assert answer.sources[0].heading == "Why the back is warm"


def test_question_that_shares_fewer_rare_words_gets_examples_of_the_topics(
    index: KnowledgeIndex, twin: Twin, folder: Path
):
    questions = ("Why does bread taste salty?", "What?", '" OR NEAR(', "冷蔵庫", "Bye!", "")
    (folder / "ada.md").write_text(
        "---\nname: Ada\nstarters:\n  - Why bread rises\n  - Who won?\n---\n"
    )
    with_starters = parser.load(folder / "ada.md", 0)
    for question in questions:
        answer = find_answer(index, twin, question)
        assert (answer.kind, len(answer.sources)) == ("topics", 3), question
        [source] = find_answer(index, with_starters, question).sources
        assert source.heading == "Why bread rises", question


def test_words_that_are_in_many_passages_find_nothing(
    index: KnowledgeIndex, twin: Twin, folder: Path
):
    for number in range(6):
        (folder / f"ada/{number}.md").write_text("# Halle\n\nUnsere Maschine läuft.\n")
    index.update([twin])

    assert find_answer(index, twin, "Was kostet unsere Maschine?").kind == "topics"


def test_question_without_a_subject_is_about_the_one_before_and_never_certain(
    index: KnowledgeIndex, twin: Twin, folder: Path
):
    text = "# Ada\n\nAda is a program.\n\nAlso asked: Is it safe?\n"
    (folder / "ada/about.md").write_text(text)
    index.update([twin])
    earlier = "Why does the dough of bread rise?"

    assert find_answer(index, twin, "Is it safe?").kind == "certain"
    assert find_answer(index, twin, "Is it safe?", earlier).kind == "possible"
    answer = find_answer(index, twin, "Is it dangerous?", earlier)
    assert (answer.kind, answer.sources[0].heading) == ("possible", "Why bread rises")
    assert find_answer(index, twin, "That helped, thanks!", earlier).kind == "topics"


def test_question_with_ten_thousand_words_is_answered(index: KnowledgeIndex, twin: Twin):
    for words in (" ".join(f"word{number}" for number in range(10_000)), "a+" * 16_000):
        answer = find_answer(index, twin, f"yeast dough {words}")
        assert answer.sources[0].heading == "Why bread rises"


def test_words_are_compared_by_their_stems(index: KnowledgeIndex, twin: Twin, folder: Path):
    file = folder / "ada.md"
    for language, question, text in (
        ("de", "In welchen alten Häusern wohnt Lehm?", "# Haus\n\nAltes Haus aus Holz.\n"),
        ("ja", "冷蔵庫の温度は?", "# 家電\n\n冷蔵庫は食べ物を冷やす。\n"),
    ):
        (folder / "ada/houses.md").write_text(text)
        index.update([twin])  # as English
        file.write_text(f"---\nname: Ada\nlanguage: {language}\n---\n")
        foreign_twin = parser.load(file, 0)
        index.update([foreign_twin])

        answer = find_answer(index, foreign_twin, question)
        assert (answer.kind, answer.sources[0].file) == ("possible", "houses.md"), language


# Index -------------------------------------------------------------------------------------------


def test_changed_added_and_removed_files_are_found_after_an_update(
    index: KnowledgeIndex, twin: Twin, folder: Path
):
    (folder / "ada/bread.md").write_text("# Why cheese ages\n\nBacteria change the milk.\n")
    (folder / "ada/deeper").mkdir()
    (folder / "ada/deeper/rust.txt").write_text("Iron and water become rust.")
    (folder / "ada/fridge.md").unlink()
    index.update([twin])

    def answers(question: str) -> bool:
        return find_answer(index, twin, question).kind == "possible"

    assert answers("Why does cheese age?")
    assert answers("water rust")
    assert not answers("What makes bread rise?")
    assert not answers("How does a refrigerator keep my food cold?")


def test_unusable_files_are_reported_and_the_others_work(
    index: KnowledgeIndex, twin: Twin, tmp_path: Path, folder: Path
):
    ada = folder / "ada"
    (ada / "latin.md").write_bytes(b"caf\xe9")
    (ada / "binary.txt").write_bytes(b"\0\1\2")
    (tmp_path / "secret.md").write_text("# Secret\n\nword")
    (ada / "link.md").symlink_to(tmp_path / "secret.md")
    os.mkfifo(ada / "pipe.md")
    (ada / "empty.md").write_text("")
    (ada / "deep.md").write_text(f"{'>' * 100_000}x")
    (ada / "nested.md").write_text("*a _b " * 20_000 + "b_ a*" * 20_000)
    Path(os.fsdecode(bytes(ada) + b"/caf\xe9.md")).write_text("# Crema\n\nword")
    index.update([twin])

    assert list(index.problems(twin)) == [
        "ada/binary.txt is not a text file.",
        "ada/deep.md is nested too deeply.",
        "ada/latin.md is not valid UTF-8 in line 1.",
        "ada/link.md is outside the twins folder.",
        "ada/nested.md is nested too deeply.",
        "ada/pipe.md is a pipe or a device, not a file.",
    ]
    assert find_answer(index, twin, "Crema").sources[0].file == "caf\N{REPLACEMENT CHARACTER}.md"
    assert find_answer(index, twin, "Why does bread rise?").kind == "possible"


def test_files_beyond_the_limit_of_a_twin_are_reported(
    index: KnowledgeIndex, twin: Twin, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("twindow.service.knowledge.index.MAX_KNOWLEDGE_BYTES", 1024**2)
    for number in range(10):
        (folder / f"ada/large{number}.md").write_text("word " * 150_000)
    index.update([twin])

    sentence = "exceeds the 1 MiB of all files of a twin."
    assert list(index.problems(twin)) == [
        f"ada/large{number}.md {sentence}" for number in range(1, 10)
    ]

    (folder / "ada/large0.md").unlink()
    index.update([twin])

    assert list(index.problems(twin)) == [
        f"ada/large{number}.md {sentence}" for number in range(2, 10)
    ]


def test_folder_without_text_files_is_reported(index: KnowledgeIndex, twin: Twin, folder: Path):
    for file in (folder / "ada").iterdir():
        file.rename(file.with_suffix(".docx"))

    assert list(index.problems(twin)) == ["ada/ contains no files that end in .md or .txt."]


def test_knowledge_of_one_twin_is_unknown_to_another(
    index: KnowledgeIndex, twin: Twin, folder: Path
):
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
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
):
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


@pytest.mark.parametrize("damage", ["DROP TABLE twins", "DROP TABLE passages"])
def test_index_without_a_table_is_built_again_for_the_next_question(
    index: KnowledgeIndex, twin: Twin, folder: Path, damage: str
):
    knowledge = Knowledge(index.file, TwinRepository(folder))
    knowledge.update()
    with closing(sqlite3.connect(index.file)) as database:
        database.execute(damage)

    assert knowledge.answer(twin, "Why bread rises").sources


def test_damaged_index_is_built_again_by_an_update_and_for_the_next_question(
    index: KnowledgeIndex, twin: Twin, folder: Path
):
    knowledge = Knowledge(index.file, TwinRepository(folder))
    knowledge.update()
    junk = b"no database, but long enough to be read as one" * 100
    index.file.write_bytes(junk)
    index.update([twin])
    assert find_answer(index, twin, "Why bread rises").kind == "certain"

    index.file.write_bytes(junk)
    assert knowledge.answer(twin, "Why bread rises").sources


# Replies -----------------------------------------------------------------------------------------


@pytest.fixture
def conversation(api: ApiClient, container: Container) -> str:
    """Start a conversation with Ada."""
    write_files(container.twins.folder)
    return api.create_conversation()


def reply(api: ApiClient, conversation: str, message: str) -> Any:
    """Return the message of a reply."""
    *_, end = api.stream(conversation, message)
    return end["message"]


def test_passage_is_streamed_with_its_source_and_without_the_model(
    api: ApiClient, conversation: str, model: Upstream
):
    events = list(api.stream(conversation, "why bread rises?"))

    passage = BREAD.splitlines()[2]
    stages = [e["progress"]["stage"] for e in events if e["type"] == "progress"]
    assert stages == ["searching", "writing"]
    assert "".join(e["content"] for e in events if e["type"] == "delta") == passage
    sources = [{"file": "bread.md", "heading": "Why bread rises", "passage": passage}]
    [_, stored] = api.get(f"/conversations/{conversation}/messages").json()["data"]
    assert events[-1]["message"]["sources"] == stored["sources"] == sources
    assert model.calls == []


def test_passages_are_introduced_unless_they_are_certain(api: ApiClient, conversation: str):
    possible = reply(api, conversation, "Does dough make gas?")
    assert possible["content"] == f"This may answer it:\n\n{BREAD.splitlines()[2]}"
    assert possible["sources"][0]["heading"] == "Why bread rises"

    topics = reply(api, conversation, "Who won the cup?")
    assert topics["content"] == "I can only answer from my files. They are about, for example:"
    assert len(topics["sources"]) == 3


def test_follow_up_is_searched_with_the_last_question_that_names_a_subject(
    api: ApiClient, container: Container, conversation: str
):
    text = "# Why rust forms\n\nIron meets water.\n\n## Rust in bricks\n\nIt makes them red.\n"
    (container.twins.folder / "ada/rust.md").write_text(text)
    for message in ("Why does rust form?", "Is it dangerous?", "Thanks!"):
        reply(api, conversation, message)

    content = reply(api, conversation, "And is it in bricks?")["content"]
    assert content == "This may answer it:\n\nIt makes them red."


def test_portal_without_such_a_twin_has_no_index(container: Container):
    container.knowledge.update()

    assert not container.knowledge.index.file.exists()


def test_command_twins_reports_files_that_cannot_be_read(
    container: Container, conversation: str, service: Flask
):
    (container.twins.folder / "ada/latin.md").write_bytes(b"caf\xe9")
    result = service.test_cli_runner().invoke(args=["twindow", "twins"])

    assert result.exit_code == 1
    assert result.stderr == "ada/latin.md is not valid UTF-8 in line 1.\n"


# Prompts -----------------------------------------------------------------------------------------


@pytest.fixture
def prompted(container: Container, conversation: str, model: Upstream) -> str:
    """Start a conversation with Ada, whose model gets passages."""
    (container.twins.folder / "ada.md").write_text(ADA.replace("quote", "prompt"))
    model.always_reply("Because of yeast [1].")
    return conversation


def test_model_gets_up_to_four_numbered_passages_which_are_the_sources_of_its_reply(
    api: ApiClient, prompted: str, container: Container, model: Upstream
):
    sources = reply(api, prompted, "Why does bread rise?")["sources"]
    assert [source["heading"] for source in sources] == ["Why bread rises"]
    question = model.calls[-1].body["messages"][-1]["content"]
    assert f"[1] Why bread rises\n{BREAD.splitlines()[2]}" in question
    assert question.endswith("Message: Why does bread rise?")

    for number in range(4):
        file = container.twins.folder / f"ada/{number}.md"
        file.write_text(f"# Why bread rises on day {number}\n\nYeast.\n")
    container.knowledge.update()
    assert len(reply(api, prompted, "Why does bread rise?")["sources"]) == 4


def test_reply_of_a_model_says_if_no_passage_was_found_for_a_question(
    api: ApiClient, prompted: str
):
    text = "Because of yeast [1]."
    note = "*My files say nothing about this.*\n\n"
    for message, content in (("Who won the cup?", note + text), ("Thanks!", text), ("Okay!", text)):
        answer = reply(api, prompted, message)
        assert (answer["content"], answer["sources"]) == (content, [])


def test_message_after_two_without_a_reply_is_answered(
    api: ApiClient, prompted: str, model: Upstream
):
    model.answers[CHAT_COMPLETIONS_PATH] = 400, {"error": {"message": "no"}}
    for _ in range(2):
        assert [*api.stream(prompted, "Why does bread rise?")][-1]["type"] == "error"
    model.always_reply("Because of yeast [1].")

    assert reply(api, prompted, "Why does bread rise?")["content"] == "Because of yeast [1]."
