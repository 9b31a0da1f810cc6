"""The prompt fits the window of the model and keeps the most important messages."""

from tests.service.conftest import TWIN
from twindow.service.conversations.messages import Message
from twindow.service.conversations.prompt import build_prompt
from twindow.service.twins.parser import parse


def message(number: int, role: str, content: str, reply_to: int | None = None) -> Message:
    return Message(str(number), "c", role, content, reply_to and str(reply_to), float(number))


def test_prompt_keeps_the_newest_exchanges_that_fit():
    history = []
    for number in range(1, 40, 2):
        history.append(message(number, "user", f"question {number} " + "x" * 300))
        history.append(message(number + 1, "assistant", f"answer {number}", number))
    history.append(message(99, "user", "the last one"))

    prompt = build_prompt(parse("ada", TWIN, 1.0), history, window=1000)

    assert prompt[0] == {"role": "system", "content": "You are Ada."}
    assert prompt[-1] == {"role": "user", "content": "the last one"}
    assert prompt[-2] == {"role": "assistant", "content": "answer 39"}
    assert "question 1 " not in str(prompt)
    assert sum(len(m["content"]) for m in prompt) < 3000
    assert [m["role"] for m in prompt[1:]] == ["user", "assistant"] * ((len(prompt) - 2) // 2) + [
        "user"
    ]


def test_prompt_omits_messages_without_a_reply():
    history = [message(1, "user", "lost"), message(2, "user", "found")]

    prompt = build_prompt(parse("ada", TWIN, 1.0), history, window=1000)

    assert "lost" not in str(prompt)
    assert prompt[-1]["content"] == "found"


def test_prompt_puts_each_message_into_the_template_of_the_twin():
    template = "message_template: Tell a story about {message}.\nexamples:"
    twin = parse("ada", TWIN.replace("examples:", template), 1.0)
    assert twin.front_matter.examples
    history = [
        message(1, "user", "snow"),
        message(2, "assistant", "Once it snowed.", 1),
        message(3, "user", "a {cat}"),
    ]

    prompt = build_prompt(twin, history, window=1000)

    assert prompt[-3]["content"] == "Tell a story about snow."
    assert prompt[-1]["content"] == "Tell a story about a {cat}."
    assert prompt[1]["content"] == twin.front_matter.examples[0].message


def test_prompt_keeps_a_new_message_that_fills_the_window():
    prompt = build_prompt(parse("ada", TWIN, 1.0), [message(1, "user", "x" * 9000)], window=100)

    assert prompt[-1]["content"] == "x" * 9000
