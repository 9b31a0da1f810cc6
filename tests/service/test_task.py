"""Twins with one task: what the bundled model gets of a message, and how its reply begins."""

from __future__ import annotations

import pytest

from service.container import Container
from tests.service.client import ApiClient
from tests.support.upstream import Upstream

FAY = """---
name: Fay
greeting: Two words, please.
message_template: Write a rhyme about {message} now.
reply_start: About {message}.
---
"""


@pytest.fixture
def conversation(
    api: ApiClient, container: Container, model: Upstream, scripted_bundled_model: None
) -> str:
    """Start a conversation with Fay, who has one task."""
    model.always_reply(" There was a cat.")
    (container.twins.folder / "fay.md").write_text(FAY)
    return api.create_conversation("fay")


def reply(api: ApiClient, conversation: str, message: str) -> str:
    """Return the reply to a message."""
    [*_, end] = api.stream(conversation, message)
    return end["message"]["content"]


@pytest.mark.parametrize(
    "message", ["Thanks!", "Make it funnier", "Who are you, cat?", "ein Hund und eine Katze"]
)
def test_message_that_is_no_task_gets_the_greeting(
    api: ApiClient, conversation: str, model: Upstream, message: str
):
    assert reply(api, conversation, message) == "Two words, please."
    assert model.calls == []


@pytest.mark.parametrize(
    ("message", "task"),
    [
        ("snow, a cat!", "snow and a cat"),
        ("Can you tell me something about a dragon?", "a dragon"),
        ("One with a train and a star in it, please?", "a train and a star"),
        ("ok, new words: snow penguin", "snow and penguin"),
    ],
)
def test_reply_begins_with_the_task(
    api: ApiClient, conversation: str, model: Upstream, message: str, task: str
):
    assert reply(api, conversation, message).startswith(f"About {task}. ")
    *_, user, assistant = model.calls[-1].body["messages"]
    assert user["content"] == f"Write a rhyme about {task} now."
    assert assistant == {"role": "assistant", "content": f"About {task}."}


@pytest.mark.parametrize("message", ["Another one!", "Now a funnier story, please", "longer"])
def test_request_for_a_variation_repeats_the_last_task(
    api: ApiClient, conversation: str, message: str
):
    for each in ("snow and a cat", "again", message):
        text = reply(api, conversation, each)

    assert text.startswith("About snow and a cat. ")


def test_long_task_is_not_repeated(api: ApiClient, conversation: str):
    assert not reply(api, conversation, "cats and dogs " * 10).startswith("About")
