"""Titles of conversations."""

from __future__ import annotations

from twindow.chat.titles import make_title

TITLES = [
    ("Hello", "Hello"),
    ("  two\n lines ", "two lines"),
    ("word " * 30, "word " * 10 + "word…"),
    ("x" * 100, "x" * 59 + "…"),
    ("Was ist ein " + "x" * 100, "Was ist ein " + "x" * 47 + "…"),
    ("Why?\r\n```py\r\nprint(1)\r\n```\r\nThanks", "Why? Thanks"),
    ("Why?\n  ````\n```\n````\nThanks", "Why? Thanks"),
    ("Why?\n```\nopen", "Why?"),
    ("```py\n\nimport os\nprint(1)\n```", "import os"),
    ("```\n```", "``` ```"),
    ("Is ```one line``` code?", "Is ```one line``` code?"),
    ("How do steam engines work? I have ten minutes.", "How do steam engines work?"),
    ("Write it again. Shorter, please.", "Write it again."),
    ("Hm" + "!" * 32_000 + "x", "Hm" + "!" * 57 + "…"),
    ("Hi! Can you help me? It is urgent.", "Can you help me?"),
    ("Hello, how do I bake bread?", "How do I bake bread?"),
    ("Hello!", "Hello!"),
    ("Hello Ada, hello, what is tea?", "What is tea?"),
    ("Hello world in Python, please", "Hello world in Python, please"),
    ("[urgent] Hi, why is it cold?", "Why is it cold?"),
    ("[x] is done", "[x] is done"),
    ("[ticket](https://id.example) is open", "[ticket](https://id.example) is open"),
    ("<b>", "<b>"),
    ("Guten Morgen, wie viel Uhr ist es?", "Wie viel Uhr ist es?"),
    ("¡Hola! ¿Qué hora es?", "¿Qué hora es?"),
    ("Good morning routine: ideas", "Good morning routine: ideas"),
    ("Bonjour, où est la gare ?", "Où est la gare ?"),
    ("مرحبا، كيف الحال؟", "كيف الحال؟"),
    ("こんにちは。京都の天気は?", "京都の天気は?"),
    ("Dear " * 3_000, "Dear " * 10 + "Dear…"),
    ("Who was Dr. Watson? A friend?", "Who was Dr. Watson?"),
    (
        "Explain Python 3.12 and e.g. its type aliases",
        "Explain Python 3.12 and e.g. its type aliases",
    ),
    (
        "京都の三日間の計画を立ててください。電車で行きます。",
        "京都の三日間の計画を立ててください。",
    ),
]


def test_title_is_the_first_sentence_of_the_message_cut_at_a_word():
    assert [(content, make_title(content)) for content, _ in TITLES] == TITLES
