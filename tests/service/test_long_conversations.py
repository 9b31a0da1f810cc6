"""Long conversations: the prompt contains as many of the newest messages as fit the window."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest

from tests.service.client import ApiClient
from tests.service.conftest import TWIN
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Call, Upstream
from twindow.service.container import Container
from twindow.service.conversations.messages import Message
from twindow.service.conversations.prompt import TOKENS_PER_MESSAGE, TOKENS_PER_PROMPT, build_prompt
from twindow.service.llm.client import ModelClient, Prompt
from twindow.service.twins.parser import parse

ADA = parse("ada", TWIN, 1.0)
WINDOW = 512
TURNS = 20
MESSAGES = (
    "What is a bicycle?",
    "自行车为什么不会倒下来" * 3,
    "🚲🧑‍🚀" * 9,
    "Zwölf Boxkämpfer jagen Viktor. " * 4,
)


def text_of(turn: int) -> str:
    """Return the text of a turn; different turns have different numbers of tokens per byte."""
    return f"{turn} {MESSAGES[turn % len(MESSAGES)]}"


def cost(prompt: Prompt) -> int:
    """Count tokens as the scripted model does: one per character, plus five per message."""
    return sum(len(message["content"]) + 5 for message in prompt)


def test_every_prompt_of_a_long_conversation_fits_the_window(
    api: ApiClient, model: Upstream, container: Container
):
    container.model._settings = msgspec.structs.replace(container.settings, model_window=WINDOW)
    prompts: list[Prompt] = []

    def reply(call: Call) -> None:
        prompts.append(prompt := call.body["messages"])
        if cost(prompt) + call.body["max_tokens"] > WINDOW:
            call.respond(400, {"error": "maximum context length"})
        else:
            call.start_stream().delta(text_of(int(prompt[-1]["content"].split()[0]) + 1))
            call.complete()

    model.answers[CHAT_COMPLETIONS_PATH] = reply
    model.answers["/tokenize"] = lambda call: call.respond(
        200, {"tokens": [1] * len(call.body["content"])}
    )
    # The second conversation grows longer than ModelClient.max_history_messages.
    for stored in (0, ModelClient.max_history_messages // 2 - TURNS // 2):
        conversation = api.create_conversation()
        for turn in range(stored):
            message, holder = container.messages.add(conversation, text_of(turn))
            container.messages.store_reply(
                message, str(holder), text_of(turn + 1), is_complete=True
            )
        prompts.clear()
        turns = range(stored, stored + TURNS)
        for turn in turns:
            *_, end = api.stream(conversation, text_of(turn))
            assert end["type"] == "complete", end

        assert len(prompts) == TURNS, "some were refused"
        for turn, prompt in zip(turns, prompts, strict=True):
            assert prompt[:3] == prompts[0][:3]
            assert prompt[-1] == {"role": "user", "content": text_of(turn)}
        assert prompts[-1][0] == {"role": "system", "content": ADA.instructions}
        assert prompts[-1][-3:-1] == [
            {"role": "user", "content": text_of(turns[-2])},
            {"role": "assistant", "content": text_of(turns[-1])},
        ]


def history(turns: int) -> list[Message]:
    messages = []
    for turn in range(turns):
        messages += [
            Message(f"message {turn}", "c", "user", text_of(turn), None, 1.0),
            Message(f"reply {turn}", "c", "assistant", text_of(turn + 1), f"message {turn}", 1.0),
        ]
    return [*messages, Message("new", "c", "user", "And now?", None, 1.0)]


def test_at_most_9_tokenizer_calls_find_two_thirds_of_the_history_that_fits_a_prompt():
    for window in (100, 333, 700, 1500, 5000, 9000):
        counts: list[str] = []

        def tokens(text: str, counts: list[str] = counts) -> int:
            counts.append(text)
            return len(text.replace("\n", ""))

        prompt = build_prompt(ADA, history(100), window=window, count_tokens=tokens)

        told = (len(prompt) - 4) // 2
        assert [m["content"] for m in prompt[3:-1:2]] == [
            text_of(t) for t in range(100 - told, 100)
        ]
        assert told == 0 or fits(told, window)
        assert not fits(told * 3 // 2 + 2, window)
        assert len(counts) <= 9, window


def fits(turns: int, window: int) -> bool:
    """Return whether the newest `turns` turns fit the window."""
    longer = [m for m in history(100) if m.id == "new" or int(m.id.split()[1]) >= 100 - turns]
    prompt = build_prompt(ADA, longer, window=10**9)
    left = window - TOKENS_PER_PROMPT - TOKENS_PER_MESSAGE * len(prompt)
    return sum(len(message["content"]) for message in prompt) <= left


@pytest.mark.parametrize("is_whole", [True, False])
def test_beginning_of_the_history_in_the_prompt_is_stable_for_some_turns(is_whole: bool):
    """A model server caches a known beginning of the prompt and reads only what follows it."""
    prompts = [
        build_prompt(ADA, history(turn), window=5000, count_tokens=len)
        if is_whole
        else build_prompt(ADA, history(turn)[-121:], window=10**6, is_full_history=False)
        for turn in range(100, 160)
    ]

    moved = [a[3] != b[3] for a, b in pairwise(prompts)]
    assert 2 <= sum(moved) <= len(moved) / 4


def test_prompt_has_only_the_last_reply_to_a_message():
    messages = [
        Message("message", "c", "user", "Hello", None, 1.0),
        Message("half", "c", "assistant", "Half", "message", 2.0, complete=False),
        Message("whole", "c", "assistant", "Whole", "message", 3.0),
        Message("new", "c", "user", "And now?", None, 4.0),
    ]

    assert [m["content"] for m in build_prompt(ADA, messages, window=10**6)[3:]] == [
        "Hello",
        "Whole",
        "And now?",
    ]


def test_history_with_few_enough_bytes_to_fit_is_not_tokenized():
    def tokens(text: str) -> int:
        raise AssertionError(text)

    assert len(build_prompt(ADA, history(10), window=4000, count_tokens=tokens)) == 24
    assert len(build_prompt(ADA, history(0), window=1, count_tokens=tokens)) == 4
