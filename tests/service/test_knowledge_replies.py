"""Replies of a twin that answers from its knowledge folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from service.container import Container
from tests.service.client import ApiClient
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Upstream

HEADINGS = ["Why bread rises", "Why rust forms"]


@pytest.fixture
def conversation(api: ApiClient, container: Container) -> str:
    """Start a conversation with Guide, who has two articles."""
    folder: Path = container.twins.folder
    (folder / "guide").mkdir()
    (folder / "guide.md").write_text(
        "---\nname: Guide\ngreeting: Hello, I am Guide.\nknowledge: quote\n---\n"
    )
    (folder / "guide/bread.md").write_text("# Why bread rises\n\nYeast makes **gas**.\n")
    (folder / "guide/rust.md").write_text("# Why rust forms\n\nIron meets water.\n")
    return api.create_conversation("guide")


def test_passage_is_streamed_with_its_source_and_without_the_model(
    api: ApiClient, conversation: str, model: Upstream
):
    events = list(api.stream(conversation, "why bread rises?"))

    assert [e["progress"]["stage"] for e in events if e["type"] == "progress"] == [
        "searching",
        "writing",
    ]
    assert "".join(e["content"] for e in events if e["type"] == "delta") == "Yeast makes **gas**."
    assert events[-1]["message"]["sources"] == [
        {"file": "bread.md", "heading": "Why bread rises", "passage": "Yeast makes **gas**."}
    ]
    [_, stored] = api.get(f"/conversations/{conversation}/messages").json()["data"]
    assert stored["sources"] == events[-1]["message"]["sources"]
    assert model.calls == []


def test_passage_that_may_answer_is_introduced(api: ApiClient, conversation: str):
    end = list(api.stream(conversation, "Does bread make gas?"))[-1]["message"]

    assert end["content"] == "This may answer it:\n\nYeast makes **gas**."
    assert [source["heading"] for source in end["sources"]] == ["Why bread rises"]


@pytest.mark.parametrize("message", ["Who won the cup?", "Thanks!", "こんにちは", "you idiot"])
def test_message_without_an_answer_gets_the_topics(api: ApiClient, conversation: str, message: str):
    end = list(api.stream(conversation, message))[-1]["message"]

    assert end["content"] == "I can only answer from my files. They are about, for example:"
    assert [source["heading"] for source in end["sources"]] == HEADINGS


def test_follow_up_is_searched_with_the_last_question_that_names_a_subject(
    api: ApiClient, container: Container, conversation: str
):
    text = "# Why rust forms\n\nIron meets water.\n\n## Rust in bricks\n\nIt makes them red.\n"
    (container.twins.folder / "guide/rust.md").write_text(text)
    for message in ("Why does rust form?", "Is it dangerous?", "Thanks!"):
        list(api.stream(conversation, message))
    end = list(api.stream(conversation, "And is it in bricks?"))[-1]["message"]

    assert end["content"] == "This may answer it:\n\nIt makes them red."


def test_message_that_suggests_distress_is_not_answered_with_a_passage(
    api: ApiClient, container: Container, conversation: str
):
    (container.twins.folder / "guide/rust.md").write_text("# Rust\n\nAcid can kill rust.\n")
    end = list(api.stream(conversation, "I want to kill myself"))[-1]["message"]

    assert "talk to somebody you trust" in end["content"]
    assert end["sources"] == []


def test_portal_without_such_a_twin_has_no_index(container: Container):
    container.knowledge.update()

    assert not container.knowledge.index.file.exists()


def test_command_twins_reports_files_that_cannot_be_read(
    container: Container, conversation: str, service: Flask
):
    (container.twins.folder / "guide/latin.md").write_bytes(b"caf\xe9")
    result = service.test_cli_runner().invoke(args=["twindow", "twins"])

    assert result.exit_code == 1
    assert result.stderr == "guide/latin.md is not valid UTF-8 in line 1.\n"


def test_changed_file_changes_the_next_reply(
    api: ApiClient, conversation: str, container: Container
):
    list(api.stream(conversation, "Why bread rises"))
    file = container.twins.folder / "guide/bread.md"
    file.write_text("# Why bread rises\n\nYeast makes bubbles.\n")
    container.knowledge.update()

    end = list(api.stream(conversation, "Why bread rises"))[-1]["message"]
    assert end["content"] == "Yeast makes bubbles."


def let_a_model_answer(container: Container, model: Upstream) -> None:
    """Turn Guide into a twin that answers with a model."""
    file: Path = container.twins.folder / "guide.md"
    file.write_text(file.read_text().replace("quote", "prompt"))
    model.always_reply("Because of yeast [1].")


def test_model_gets_numbered_passages_and_the_reply_has_them_as_sources(
    api: ApiClient, conversation: str, container: Container, model: Upstream
):
    let_a_model_answer(container, model)
    end = list(api.stream(conversation, "Why does bread rise?"))[-1]["message"]

    assert [source["heading"] for source in end["sources"]] == ["Why bread rises"]
    question = model.calls[-1].body["messages"][-1]["content"]
    assert "[1] Why bread rises\nYeast makes **gas**." in question
    assert question.endswith("Message: Why does bread rise?")


def test_model_gets_up_to_four_passages(
    api: ApiClient, conversation: str, container: Container, model: Upstream
):
    let_a_model_answer(container, model)
    folder: Path = container.twins.folder / "guide"
    for number in range(4):
        (folder / f"{number}.md").write_text(f"# Why bread rises on day {number}\n\nYeast.\n")
    container.knowledge.update()
    end = list(api.stream(conversation, "Why does bread rise?"))[-1]["message"]

    assert len(end["sources"]) == 4


@pytest.mark.parametrize(
    ("message", "has_note"), [("Who won the cup?", True), ("Thanks!", False), ("Okay!", False)]
)
def test_reply_of_a_model_says_if_no_passage_was_found(
    api: ApiClient,
    conversation: str,
    container: Container,
    model: Upstream,
    message: str,
    *,
    has_note: bool,
):
    let_a_model_answer(container, model)
    end = list(api.stream(conversation, message))[-1]["message"]

    assert end["content"].startswith("*My files say nothing about this.*\n\n") == has_note
    assert end["sources"] == []


def test_message_after_two_without_a_reply_is_answered(
    api: ApiClient, conversation: str, container: Container, model: Upstream
):
    let_a_model_answer(container, model)
    model.answers[CHAT_COMPLETIONS_PATH] = 400, {"error": {"message": "no"}}
    for _ in range(2):
        assert list(api.stream(conversation, "Why does bread rise?"))[-1]["type"] == "error"
    model.always_reply("Because of yeast [1].")
    end = list(api.stream(conversation, "Why does bread rise?"))[-1]

    assert end["type"] == "complete"
