"""Code highlighting: tokens get classes, and the text remains unchanged."""

import pytest
from bs4 import BeautifulSoup

from twindow.rendering import code_highlighting
from twindow.rendering.code_highlighting import LANGUAGES, MAX_CODE_CHARACTERS, highlight_blocks
from twindow.rendering.render import render


def fenced(code: str, language: str) -> str:
    return f"~~~{language}\n{code}\n~~~"


def test_code_tokens_are_highlighted_with_classes():
    html = render(fenced("def f(x):  # <b>\n    return 'a' + 1", "python"))

    assert html == (
        '<div class="code" data-language="python"><pre tabindex="0"><code>'
        '<i class="k">def</i> <i class="f">f</i>(x):  <i class="c"># &lt;b&gt;</i>\n'
        '    <i class="k">return</i> <i class="s">\'a\'</i> + <i class="m">1</i>\n'
        "</code></pre></div>"
    )


def test_code_of_unknown_languages_is_not_highlighted():
    for language in ("mermaid", "nonsense", "", '"><script>', "a b"):
        html = render(fenced("int <a>;", language))
        assert "int &lt;a&gt;;" in html, language
        assert "<script" not in html, language


def test_highlighting_keeps_every_character():
    code = "  \n\tif (a < b && c) { 'x' \"y\" } # é\u00a0 \\ ${d} <!-- e --> %f\n\n  "
    wrong = []
    for language in sorted(LANGUAGES):
        html = render(fenced(code, language))
        found = BeautifulSoup(f"<pre>{html}</pre>", "html.parser").code
        if found.get_text() != code + "\n":
            wrong.append(language)

    assert wrong == []


def test_highlighting_keeps_byte_order_marks_at_the_beginning():
    for code in ("\ufeffint x;", "\ufeff\ufeffint x;"):
        html = highlight_blocks(
            f'<pre><code class="language-c">{code}</code></pre>', should_highlight=True
        )
        assert "<i " in html
        assert BeautifulSoup(html, "html.parser").code.get_text() == code


def test_long_code_is_not_highlighted():
    assert "<i" not in render(fenced("x = 1\n" * (10 * MAX_CODE_CHARACTERS // 6 + 1), "python"))
    assert "<i" not in render(fenced("x = " + "1 + " * 2_500, "python"))


def test_code_shows_bidirectional_control_characters():
    for language in ("", "python", "c"):
        html = render(f"```{language}\nuser \u202e# admin\n```")
        assert "[U+202E]" in html, language
        assert "\u202e" not in html, language


def test_highlighting_stops_when_its_cpu_time_is_used_up(monkeypatch: pytest.MonkeyPatch):
    code = fenced("int x;\nint y;", "c")

    assert "<i " in render(code)
    monkeypatch.setattr(code_highlighting, "MAX_CPU_SECONDS", -1)
    assert "<i " not in render(code)


def test_code_with_very_long_whitespace_is_not_highlighted():
    for gap in ("\n", " \n", "\t\n"):
        assert "<i" in render(fenced(f"int a{gap * 60}x;", "c")), gap
        assert "<i" not in render(fenced(f"int a{gap * 6_000}x;", "c")), gap


# By language: code that makes the lexer need 2^n steps if n backslash escapes follow.
EXPONENTIAL = {
    "scala": ('"', 'raw"'),
    "perl": ("s!",),
    "bash": ("echo $'",),
    "console": ("$ echo $'",),
    "dockerfile": ("RUN echo $'",),
}


def test_code_for_which_a_lexer_backtracks_for_ever_is_not_highlighted():
    for language, beginnings in EXPONENTIAL.items():
        for beginning in beginnings:
            for escape in ("\\", "\\1"):
                code = f"x = 1 {beginning}{escape * 80}\n"
                assert "<i " not in render(fenced(code, language)), (language, beginning, escape)


def test_code_with_a_few_escape_sequences_is_highlighted_in_every_language():
    for language in EXPONENTIAL:
        prompt = "$ " if language == "console" else ""
        code = f"{prompt}RUN echo \"a\\tb\\n\" # 'c'"
        assert "<i " in render(fenced(code, language)), language
