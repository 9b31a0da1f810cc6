"""Twins are files: a changed one counts at once, a broken one names its line."""

import os
from pathlib import Path

import pytest

from service.context import build
from service.messages import Message
from service.twins import BrokenTwin, Twins, read
from tests.service.conftest import TWIN

ROOT = Path(__file__).parent.parent.parent


def test_a_file_is_a_twin():
    twin = read("ada", TWIN, 1.0)

    assert (twin.id, twin.about.name, twin.instructions) == ("ada", "Ada", "You are Ada.")
    assert twin.about.examples[0].reply == "Two."


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("You are Ada.", "line 1: front matter"),
        ("---\nname: Ada\n", "line 1: front matter"),
        ("---\ndescription: x\n---\n", "line 1: Object missing required field `name`"),
        ("---\nname: Ada\nstarters: one\n---\n", "line 3: Expected `array`, got `str`"),
        ("---\nname: Ada\n\ntemprature: 1\n---\n", "line 4: Object contains unknown field"),
        ("---\nname: Ada\ntemperature: 9\n---\n", "line 3: Expected `float` <= 2.0"),
        ("---\nname: [Ada\n---\n", "line 3: "),
        ("---\n- a\n---\n", "line 1: Expected `object`, got `array`"),
    ],
)
def test_a_broken_file_names_its_line(text: str, problem: str):
    with pytest.raises(BrokenTwin) as error:
        read("ada", text, 1.0)
    assert problem in str(error.value)


def test_a_changed_file_counts_at_once_and_a_broken_one_harms_no_other(tmp_path: Path):
    twins = Twins(tmp_path)
    ada, bob = tmp_path / "ada.md", tmp_path / "bob.md"
    ada.write_text(TWIN)
    bob.write_text("---\nname: Bob\n---\n")
    assert [twin.about.name for twin in twins.all()] == ["Ada", "Bob"]

    ada.write_text(TWIN.replace("name: Ada", "name: Countess"))
    os.utime(ada, (1, 1))
    bob.write_text("no front matter")

    assert [twin.about.name for twin in twins.all()] == ["Countess"]
    assert twins.broken() == ["bob.md: line 1: front matter between two lines of --- is missing."]
    bob.unlink()
    assert twins.broken() == []


def test_the_demo_twins_are_sound():
    twins = Twins(ROOT / "twins")

    assert twins.broken() == []
    assert len(twins.all()) == 3
    for twin in twins.all():
        assert twin.about.greeting
        assert len(twin.about.starters) == 3


def message(number: int, role: str, content: str, reply_to: int | None = None) -> Message:
    return Message(str(number), "c", role, content, reply_to and str(reply_to), float(number))


def test_the_prompt_keeps_the_newest_exchanges_that_fit():
    history = []
    for number in range(1, 40, 2):
        history.append(message(number, "user", f"question {number} " + "x" * 300))
        history.append(message(number + 1, "assistant", f"answer {number}", number))
    history.append(message(99, "user", "the last one"))

    prompt = build(read("ada", TWIN, 1.0), history, window=1000)

    assert prompt[0] == {"role": "system", "content": "You are Ada."}
    assert prompt[-1] == {"role": "user", "content": "the last one"}
    assert prompt[-2] == {"role": "assistant", "content": "answer 39"}
    assert "question 1 " not in str(prompt)
    assert sum(len(m["content"]) for m in prompt) < 3000
    assert [m["role"] for m in prompt[1:]] == ["user", "assistant"] * ((len(prompt) - 2) // 2) + [
        "user"
    ]


def test_what_was_never_answered_is_left_out_of_the_prompt():
    history = [message(1, "user", "lost"), message(2, "user", "found")]

    prompt = build(read("ada", TWIN, 1.0), history, window=1000)

    assert "lost" not in str(prompt)
    assert prompt[-1]["content"] == "found"


def test_a_message_that_fills_the_window_is_still_asked():
    prompt = build(read("ada", TWIN, 1.0), [message(1, "user", "x" * 9000)], window=100)

    assert prompt[-1]["content"] == "x" * 9000
