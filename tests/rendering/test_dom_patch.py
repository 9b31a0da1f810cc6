"""DOM patches: minimal changes between two versions of the HTML of a reply."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.support.html import parse_html
from tests.support.turn_dom import TurnDom
from twindow.rendering.stream.dom_patch import MAX_DIFF_LENGTH, DomPatch, diff
from twindow.web.streaming import htmx_frames


def shown(old: str, *steps: tuple[DomPatch, ...]) -> str:
    """Apply each step, a tuple of patches, to the HTML `old`, and return the resulting HTML."""
    page = TurnDom("x")
    page.apply_frame(parse_html(htmx_frames.render_patches(1, (DomPatch(0, "updateInner", old),))))
    for step in steps:
        page.apply_frame(parse_html(htmx_frames.render_patches(1, step)))
    return plain(page.reply.decode_contents())


def plain(html: str) -> str:
    """Remove invisible line breaks around tags."""
    whole = parse_html(f"<article>{html}</article>").article.decode_contents()
    return re.sub(r">\n+|\n+<", lambda found: found[0].strip("\n"), whole).strip("\n")


CHANGES = [
    ("<p>a</p>", "<p>a b</p>", [DomPatch(1, "beforeend", " b")]),
    ("<p>a</p>", "<p>a</p><p>b</p>", [DomPatch(0, "beforeend", "<p>b</p>")]),
    ("<p>**b</p>", "<p><strong>b</strong></p>", [DomPatch(1, "updateInner", "<strong>b</strong>")]),
    (
        "<pre><code>a if b</code></pre>",
        "<pre><code>a <i>if</i> b</code></pre>",
        [DomPatch(2, "updateInner", "a <i>if</i> b")],
    ),
    ("<p>-</p>", "<ul><li>a</li></ul>", [DomPatch(1, "updateRest", "<ul><li>a</li></ul>")]),
    ("<p>a &lt;</p>", "<p>a &lt;b</p>", [DomPatch(1, "beforeend", "b")]),
    ("<p>a &lt;</p>", "<p>a &amp;</p>", [DomPatch(1, "updateInner", "a &amp;")]),
    ("<p>a\u3000</p>", "<p>a</p>", [DomPatch(1, "updateInner", "a")]),
    ("<hr>", "<hr>\n<p>a</p>", [DomPatch(0, "beforeend", "\n<p>a</p>")]),
    ("<p>a</p>", "<p>a</p>", []),
    (
        "<ul></ul><hr>",
        "<ul><li>a</li></ul>",
        [DomPatch(1, "updateRest", "<ul><li>a</li></ul>", 2)],
    ),
    (
        "<ul><li>a</li><li>b</li></ul>",
        "<ul><li>a</li><li>b c</li><li>d</li></ul><p>e</p>",
        [
            DomPatch(2, "beforeend", " c"),
            DomPatch(1, "beforeend", "<li>d</li>"),
            DomPatch(0, "beforeend", "<p>e</p>"),
        ],
    ),
    (
        "<h3>a</h3><p>b</p><p>|</p>",
        "<h3>a</h3><h3>b</h3>",
        [DomPatch(1, "updateRest", "<h3>b</h3>", 2)],
    ),
]


def test_patches_touch_only_what_differs():
    found = [(old, new, list(diff(old, new))) for old, new, _ in CHANGES]

    assert found == CHANGES
    assert [old for old, new, steps in CHANGES if shown(old, tuple(steps)) != plain(new)] == []


def test_patch_continues_inside_open_elements():
    assert diff("a</li></ul>", "a b</li><li>c</li></ul>", 2) == (
        DomPatch(2, "beforeend", " b"),
        DomPatch(1, "beforeend", "<li>c</li>"),
    )
    assert diff("a\n</code></pre></div>", "b</code></pre></div>", 3) is None


def test_very_long_html_is_continued_or_replaced_without_a_comparison():
    html = "<p>a</p>" * (MAX_DIFF_LENGTH // 16 + 1)

    assert diff(html, html + "<p>b</p>") == (DomPatch(0, "beforeend", "<p>b</p>"),)
    assert diff(html, html[:-8] + "<p>b</p>") is None


def trimmed(parts: st.SearchStrategy[str], most: int) -> st.SearchStrategy[str]:
    """Generate texts without surrounding white space, which Markdown removes."""
    return st.lists(parts, max_size=most).map("".join).map(str.strip)


WORDS = st.sampled_from(["a", " b", "&lt;", "&amp;", "\n", " ", "<br>"])
INLINE = st.recursive(
    WORDS,
    lambda inner: (
        st.builds("<{0}>{1}</{0}>".format, st.sampled_from(["em", "strong"]), trimmed(inner, 3))
        | st.builds("<code>{}</code>".format, st.lists(inner, max_size=3).map("".join))
    ),
    max_leaves=4,
)
LEAVES = st.builds("<{0}>{1}</{0}>".format, st.sampled_from(["p", "h3", "pre"]), trimmed(INLINE, 4))
BLOCKS = st.recursive(
    LEAVES | st.just("<hr>"),
    lambda inner: (
        st.lists(st.lists(inner, max_size=2).map("".join).map("<li>{}</li>".format), max_size=3)
        .map("".join)
        .map("<ul>{}</ul>".format)
    ),
    max_leaves=5,
)
DOCUMENTS = st.lists(BLOCKS, max_size=4).map("\n".join)


@given(DOCUMENTS, DOCUMENTS, DOCUMENTS)
def test_applied_patches_produce_the_new_html(kept: str, old: str, new: str):
    found = diff(kept + old, kept + new)

    after = shown(
        kept + old, found if found is not None else (DomPatch(0, "updateInner", kept + new),)
    )
    assert after == plain(kept + new)
