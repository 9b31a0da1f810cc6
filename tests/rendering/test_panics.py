"""If the Markdown parser panics or fails, the reply only loses its formatting."""

from __future__ import annotations

from typing import Any

import pytest

from twindow.core.panics import ParserPanicked, panics_as_errors
from twindow.rendering.render import render_plain
from twindow.rendering.stream.open_block import OpenBlock

TEXT = "The area is $\\pi r^2$.\n"
# An invalid `MathBudget`, with which rendering a formula raises ValueError.
BROKEN_BUDGET: Any = ()


class PanicException(BaseException):
    """Exception with the class name of a panic in a Rust library."""


def test_parser_panic_raises_an_error_that_omits_the_parsed_text():
    @panics_as_errors
    def parse(text: str) -> str:
        raise PanicException(text)

    with pytest.raises(ParserPanicked) as raised:
        parse("a secret")

    assert "secret" not in f"{raised.value!r} {raised.value.__cause__!r}"
    assert raised.value.__suppress_context__


def test_keyboard_interrupt_is_not_reported_as_a_parser_panic():
    @panics_as_errors
    def parse() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parse()


def test_open_block_that_cannot_be_rendered_is_shown_as_plain_text():
    block = OpenBlock("x")
    block._tail_budget = BROKEN_BUDGET

    assert block.append(TEXT) == ""

    assert block.html.full_html == render_plain(TEXT)


def test_block_that_cannot_be_rendered_when_it_closes_loses_no_text():
    block = OpenBlock("x")
    block._block_budget = BROKEN_BUDGET

    assert block.append(f"{TEXT}\nThe end") == ""

    assert block.html.full_html == render_plain(f"{TEXT}\nThe end")
