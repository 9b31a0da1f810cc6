"""Syntax highlighting with classes only; the stylesheet sets the colours."""

from __future__ import annotations

import html
import math
import re
import time
from collections.abc import Iterable, Iterator
from functools import cache

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, _TokenType

# Only these languages are highlighted, because many other lexers take minutes for some texts.
LANGUAGES = (
    {"bash", "console", "powershell", "sh", "shell", "zsh"}
    | {"c", "c++", "cpp", "cs", "csharp", "go", "golang", "haskell", "java", "kotlin"}
    | {"css", "html", "javascript", "js", "jsx", "ts", "tsx", "typescript", "xml"}
    | {"diff", "docker", "dockerfile", "ini", "json", "nginx", "sql", "toml", "yaml", "yml"}
    | {"lua", "perl", "php", "py", "python", "python3", "r", "rb", "ruby"}
    | {"rs", "rust", "scala", "swift"}
)
MAX_CODE_CHARACTERS = 20_000
MAX_LINE_LENGTH = 1_000
# CPU time for all code blocks of a text; when it is used up, further code is not highlighted. A
# limit of wall-clock time would leave ordinary code without highlighting on a busy machine.
MAX_CPU_SECONDS = 0.25

CSS_CLASSES: dict[_TokenType, str] = {
    Comment: "c",
    Keyword: "k",
    Operator.Word: "k",
    Name.Builtin: "b",
    Name.Class: "f",
    Name.Decorator: "b",
    Name.Function: "f",
    Name.Tag: "k",
    Number: "m",
    String: "s",
    Generic.Deleted: "d",
    Generic.Inserted: "i",
}

_CODE_BLOCK = re.compile(
    r'<pre><code(?: class="(?:language-)?([^"]*)")?>(.*?)</code></pre>', re.DOTALL
)
_CODE_WITH_CLASS = re.compile(r'<code class="[^"]*">')
# The regular expressions of the C lexer backtrack over long white space.
_LONG_WHITESPACE = re.compile(r"\s{200}")
# The lexers of these languages backtrack over many backslashes in some strings. Each value is the
# text that opens such a string; "" stands for any code.
_SHELLS = ("bash", "sh", "shell", "zsh", "console", "docker", "dockerfile")
_BACKTRACKING = dict.fromkeys(_SHELLS, "$'") | {"scala": '"', "perl": ""}
MAX_ESCAPES = 12
_lexer_by_name = cache(get_lexer_by_name)
_LANGUAGE_NAME = re.compile(r"[\w+#.-]{1,20}", re.ASCII)


def highlight_blocks(clean_html: str, *, should_highlight: bool) -> str:
    """Wrap the code blocks of sanitised HTML in frames, and highlight their code."""
    deadline = time.thread_time() + MAX_CPU_SECONDS if should_highlight else -math.inf
    clean_html = _CODE_BLOCK.sub(lambda found: _highlight_block(found, deadline), clean_html)
    return _CODE_WITH_CLASS.sub("<code>", clean_html)


def _highlight_block(match: re.Match[str], deadline: float) -> str:
    language = (match[1] or "").lower()
    attribute = f' data-language="{language}"' if _LANGUAGE_NAME.fullmatch(language) else ""
    code = _highlight_code(match[2], language, deadline)
    return f'<div class="code"{attribute}><pre tabindex="0"><code>{code}</code></pre></div>'


def _highlight_code(escaped_code: str, language: str, deadline: float) -> str:
    if time.thread_time() > deadline or language not in LANGUAGES:
        return escaped_code
    if len(escaped_code) > MAX_CODE_CHARACTERS:
        return escaped_code
    code = html.unescape(escaped_code)
    if max(map(len, code.split("\n"))) > MAX_LINE_LENGTH or _LONG_WHITESPACE.search(code):
        return escaped_code
    before_escapes = _BACKTRACKING.get(language)
    if before_escapes is not None and before_escapes in code and code.count("\\") > MAX_ESCAPES:
        return escaped_code
    tokens: list[tuple[_TokenType, str]] = []
    # Lexer.get_tokens would remove a byte order mark, and add or remove line ends.
    for _, token, text in _lexer_by_name(language).get_tokens_unprocessed(code):
        if time.thread_time() > deadline:
            return escaped_code
        tokens.append((token, text))
    return "".join(_spans(tokens))


def _spans(tokens: Iterable[tuple[_TokenType, str]]) -> Iterator[str]:
    pending_text, pending_class = "", ""
    for token, text in tokens:
        css_class = "" if text.isspace() and not pending_class else _css_class(token)
        if text.isspace() or css_class == pending_class:
            pending_text += text
            continue
        yield _span(pending_text, pending_class)
        pending_text, pending_class = text, css_class
    yield _span(pending_text, pending_class)


def _span(text: str, css_class: str) -> str:
    inner = text.rstrip()
    escaped = html.escape(inner, quote=False)
    return (f'<i class="{css_class}">{escaped}</i>' if css_class and inner else escaped) + text[
        len(inner) :
    ]


@cache
def _css_class(token: _TokenType) -> str:
    while token and token not in CSS_CLASSES:
        token = token.parent
    return CSS_CLASSES.get(token, "")
