"""Replies of a twin that answers from its knowledge folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from service.container import Container
from tests.service.client import ApiClient
from tests.support.upstream import Upstream

HEADINGS = "- Why bread rises\n- Why rust forms"


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
    events = list(api.stream(conversation, "Why does bread rise?"))

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


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("Who won the cup?", f"I don't know that. I can tell you about:\n\n{HEADINGS}"),
        ("Thanks!", f"Hello, I am Guide.\n\n{HEADINGS}"),
    ],
)
def test_message_without_an_answer_gets_headings_and_no_source(
    api: ApiClient, conversation: str, message: str, reply: str
):
    end = list(api.stream(conversation, message))[-1]["message"]

    assert (end["content"], end["sources"]) == (reply, [])


def test_follow_up_is_searched_with_the_question_before_it(api: ApiClient, conversation: str):
    list(api.stream(conversation, "Why does bread rise?"))
    end = list(api.stream(conversation, "And what gas is it?"))[-1]["message"]

    assert end["content"] == "Yeast makes **gas**."


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
    list(api.stream(conversation, "Why does bread rise?"))
    file = container.twins.folder / "guide/bread.md"
    file.write_text("# Why bread rises\n\nYeast makes bubbles.\n")
    container.knowledge.update()

    end = list(api.stream(conversation, "Why does bread rise?"))[-1]["message"]
    assert end["content"] == "Yeast makes bubbles."
