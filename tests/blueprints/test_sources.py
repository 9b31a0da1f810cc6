"""Replies that quote passages of files."""

from __future__ import annotations

import json

import pytest

from tests.support.person import Page, Person, wait_for_reply
from tests.support.upstream import Upstream

PASSAGE = "Yeast makes **gas**."
SOURCE = {"file": "bread.md", "heading": "Why <b>bread</b> rises", "passage": PASSAGE}


def reply_with(alice: Person, upstream: Upstream, text: str, sources: object) -> Page:
    """Return the conversation after a reply with these sources."""
    page = alice.start_conversation("Why does bread rise?")
    call = upstream.next_call().start_stream()
    call.delta(text)
    call.send_event(type="complete", message={"content": text, "sources": sources})
    call.close()
    return wait_for_reply(alice, page)


def test_reply_that_is_a_passage_is_shown_with_its_heading_and_file(
    alice: Person, upstream: Upstream
):
    page = reply_with(alice, upstream, PASSAGE, [SOURCE])

    source = page.html.select_one(".turn__source")
    assert source.get_text() == "Quoted from “Why <b>bread</b> rises” (bread.md)"
    export = alice.get(f"{page.path}/export?format=md").response.text
    [line] = [line for line in export.splitlines() if "Quoted from" in line]
    assert line.startswith("*Quoted from “Why")
    assert line.endswith("rises” (bread.md)*")
    assert "<b>" not in line
    assert alice.get(f"{page.path}/export?format=json").response.json()["turns"][0]["sources"] == [
        SOURCE
    ]


def test_generated_replies_are_marked_for_machines_but_quotations_are_not(
    alice: Person, upstream: Upstream
):
    quoted = reply_with(alice, upstream, PASSAGE, [SOURCE])
    generated = reply_with(alice, upstream, "Because of yeast.", [])

    [marked, unmarked] = [
        page.html.select(".turn__reply[ai-disclosure]") for page in (generated, quoted)
    ]
    assert ([each["ai-disclosure"] for each in marked], unmarked) == (["ai-generated"], [])
    block = json.loads(generated.html.select_one("script[type='application/ld+json']").string)
    assert generated.html.select(block["hasPart"]["cssSelector"]) == marked
    digital_source = "https://schema.org/TrainedAlgorithmicMediaDigitalSource"
    assert block["hasPart"]["digitalSourceType"] == digital_source
    exported = [
        alice.get(f"{page.path}/export?format=json").response.json()["turns"][0]
        for page in (generated, quoted)
    ]
    assert [turn["digitalSourceType"] for turn in exported] == [
        "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia",
        None,
    ]


def test_reply_with_its_own_words_lists_the_passages(alice: Person, upstream: Upstream):
    page = reply_with(alice, upstream, "Because of yeast.", [SOURCE, SOURCE])

    assert page.html.select_one(".turn__source") is None
    passages = [each.decode_contents() for each in page.html.select(".sources blockquote")]
    assert passages == ["<p>Yeast makes <strong>gas</strong>.</p>"] * 2
    assert page.html.select(".sources details[open]") == []
    # The browser opens one at a time.
    [name] = {details["name"] for details in page.html.select(".sources details")}
    assert name


def test_messages_replies_and_passages_are_tagged_with_their_languages(
    alice: Person, upstream: Upstream
):
    german = SOURCE | {"passage": "Die Hefe ist der Grund, und das Gas bläht den Teig."}
    page = reply_with(alice, upstream, "C'est la levure qui est dans le pain [1].", [german])

    parts = page.html.select(".turn__text, .turn .turn__reply, .sources details")
    assert [part["lang"] for part in parts] == ["", "fr", "de"]


def test_only_passage_of_a_reply_is_open(alice: Person, upstream: Upstream):
    page = reply_with(alice, upstream, "This may answer it:", [SOURCE])

    assert page.html.select_one(".sources details[open] blockquote")


def test_web_address_of_a_source_is_a_link_and_in_the_export(alice: Person, upstream: Upstream):
    url = "https://bread.example/why_bread_rises"
    page = reply_with(alice, upstream, "Because of yeast.", [SOURCE | {"url": url}])

    [link] = page.html.select(".sources a")
    assert (link["href"], link.text) == (url, url)
    assert f"<{url}>" in alice.get(f"{page.path}/export?format=md").response.text


def test_mark_in_a_reply_links_to_its_passage(alice: Person, upstream: Upstream):
    page = reply_with(alice, upstream, "Because of yeast [1].", [SOURCE])

    [link] = page.html.select(".turn__reply a")
    assert page.html.select_one(f"blockquote{link['href']}")
    export = alice.get(f"{page.path}/export?format=md").response.text
    assert "Quoted from" not in export
    assert "*\\[1\\] Why" in export


@pytest.mark.parametrize("sources", ["bread.md", [1, {}, {"file": 1}]])
def test_sources_of_another_shape_are_ignored(alice: Person, upstream: Upstream, sources: object):
    page = reply_with(alice, upstream, PASSAGE, sources)

    assert page.reply_states == ["complete"]
    assert page.html.select(".turn__source, .sources") == []
