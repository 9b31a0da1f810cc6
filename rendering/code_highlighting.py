"""Code with its parts marked: classes only, the colours are the page's."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

# Some of the other five hundred can be made to search for minutes.
LANGUAGES = {
    *("bash", "c", "c++", "console", "cpp", "cs", "csharp", "css", "diff", "docker", "dockerfile"),
    *("go", "golang", "haskell", "html", "ini", "java", "javascript", "js", "json", "jsx"),
    *("kotlin", "lua", "nginx", "perl", "php", "powershell", "py", "python", "python3", "r"),
    *("rb", "rs", "ruby", "rust", "scala", "sh", "shell", "sql", "swift", "toml", "ts", "tsx"),
    *("typescript", "xml", "yaml", "yml", "zsh"),
}
MAX_LENGTH = 20_000
MAX_LINE = 1_000
# Of work, for all code of a text: whatever is made to be searched for long stays as it is. By the
# clock on the wall, honest code would stay so on a busy machine.
MAX_SECONDS = 0.25

CLASSES: dict[_TokenType, str] = {
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

FRAME_END = "</code></pre></div>"

_BLOCK = re.compile(r'<pre><code(?: class="(?:language-)?([^"]*)")?>(.*?)</code></pre>', re.DOTALL)
_OTHER_CLASS = re.compile(r'<code class="[^"]*">')
# In C, what may begin a function is looked for in all ways in which blanks can be divided.
_GAP = re.compile(r"\s{200}")
_NAME = re.compile(r"[\w+#.-]{1,20}", re.ASCII)


def blocks(cleaned: str, *, marked: bool, cpu_time: Callable[[], float] = time.thread_time) -> str:
    """Frame the blocks of code in clean HTML, and mark the parts of their code."""
    if "<code" not in cleaned:
        return cleaned
    if "<pre>" in cleaned:
        over = _timer(cpu_time) if marked else lambda: True
        cleaned = _BLOCK.sub(lambda found: _block(found, over), cleaned)
    return _OTHER_CLASS.sub("<code>", cleaned)


def frame(language: str) -> str:
    """Return how a block of code begins."""
    named = f' data-language="{language}"' if _NAME.fullmatch(language) else ""
    return f'<div class="code"{named}><pre tabindex="0"><code>'


def _timer(cpu_time: Callable[[], float]) -> Callable[[], bool]:
    until = cpu_time() + MAX_SECONDS
    return lambda: cpu_time() > until


def _block(found: re.Match[str], over: Callable[[], bool]) -> str:
    language = (found[1] or "").lower()
    return f"{frame(language)}{_marked(found[2], language, over)}{FRAME_END}"


def _marked(escaped: str, language: str, over: Callable[[], bool]) -> str:
    if over() or language not in LANGUAGES or len(escaped) > MAX_LENGTH:
        return escaped
    code = html.unescape(escaped)
    if max(map(len, code.split("\n"))) > MAX_LINE or _GAP.search(code):
        return escaped
    lexer = _lexer(language)
    if lexer is None:
        return escaped
    tokens: list[tuple[_TokenType, str]] = []
    for token in lexer.get_tokens(code):
        if over():
            return escaped
        tokens.append(token)
    return "".join(_spans(tokens))


def _spans(tokens: Iterable[tuple[_TokenType, str]]) -> Iterator[str]:
    held, held_class = "", ""
    for token, text in tokens:
        name = "" if text.isspace() and not held_class else _class(token)
        if text.isspace() or name == held_class:
            held += text
            continue
        yield _span(held, held_class)
        held, held_class = text, name
    yield _span(held, held_class)


def _span(text: str, name: str) -> str:
    inner = text.rstrip()
    escaped = html.escape(inner, quote=False)
    return (f'<i class="{name}">{escaped}</i>' if name and inner else escaped) + text[len(inner) :]


@cache
def _class(token: _TokenType) -> str:
    while token and token not in CLASSES:
        token = token.parent
    return CLASSES.get(token, "")


@cache
def _lexer(language: str) -> Lexer | None:
    try:
        # What it changes besides would be lost from what people copy.
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
