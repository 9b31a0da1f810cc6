"""What the demo model gets of a conversation, and how its reply begins."""

from __future__ import annotations

import pytest

from service.container import Container
from service.twins import FrontMatter
from tests.service.client import ApiClient
from tests.support.upstream import Upstream

FAY = """---
name: Fay
message_template: Tell a story about {message} now.
reply_start: Once upon a time
---
"""
pytestmark = pytest.mark.usefixtures("scripted_demo_model")
STORY = {"role": "assistant", "content": "Once upon a time there was a cat."}


@pytest.fixture
def conversation(api: ApiClient, container: Container, model: Upstream) -> str:
    """Start a conversation with Fay, who has one task."""
    model.always_reply(" there was a cat.")
    (container.twins.folder / "fay.md").write_text(FAY)
    return api.create_conversation("fay")


def reply(api: ApiClient, conversation: str, message: str) -> str:
    """Return the reply to a message."""
    [*_, end] = api.stream(conversation, message)
    return str(end["message"]["content"])


@pytest.mark.parametrize("message", ["snow and a cat", "Thanks!", "you idiot", "ein Hund"])
def test_any_message_gets_a_reply_that_begins_with_the_fixed_words(
    api: ApiClient, conversation: str, model: Upstream, message: str
):
    assert reply(api, conversation, message) == "Once upon a time there was a cat."
    assert model.calls[-1].body["max_tokens"] == FrontMatter(name="").max_tokens + 60
    assert model.calls[-1].body["messages"] == [
        {"role": "user", "content": f"Tell a story about {message} now."},
        {"role": "assistant", "content": "Once upon a time"},
    ]


def test_model_gets_the_last_exchange(api: ApiClient, conversation: str, model: Upstream):
    for message in ("a star", "snow", "make it funnier"):
        reply(api, conversation, message)

    assert model.calls[-1].body["messages"] == [
        {"role": "user", "content": "Tell a story about snow now."},
        STORY,
        {"role": "user", "content": "Tell a story about make it funnier now."},
        {"role": "assistant", "content": "Once upon a time"},
    ]


def test_reply_may_repeat_a_passage_that_the_model_was_given(
    api: ApiClient, container: Container, model: Upstream
):
    model.always_reply("Iron meets water and air and becomes rust.")
    (container.twins.folder / "ray.md").write_text("---\nname: Ray\nknowledge: prompt\n---\n")
    (container.twins.folder / "ray").mkdir()
    (container.twins.folder / "ray/rust.md").write_text(
        "# Rust\n\nIron meets water and air and becomes rust.\n"
    )

    text = reply(api, api.create_conversation("ray"), "How does iron become rust?")
    assert text == "Iron meets water and air and becomes rust."


def test_message_that_suggests_distress_gets_a_fixed_reply_and_no_story(
    api: ApiClient, conversation: str, model: Upstream
):
    assert "talk to somebody you trust" in reply(api, conversation, "I want to die")
    assert model.calls == []
