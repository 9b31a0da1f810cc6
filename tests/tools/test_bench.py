"""The benchmark tools produce the intended load; no test asserts a speed."""

from __future__ import annotations

from tools.bench import sample_markdown, scripted_service, servers
from tools.bench.table import Table
from twinapi import Client, Complete, Delta


def test_generated_reply_has_the_requested_number_of_deltas():
    for deltas in (20, 400, 10_000):
        reply = sample_markdown.make_reply("mixed", deltas, "7")
        assert [len(piece) for piece in reply.deltas] == [16] * deltas
        assert "".join(reply.deltas).endswith(reply.end)
        assert reply.text.count("No. ") == reply.marker_count


def test_generated_list_is_48_kilobytes_long():
    items = sample_markdown.make_reply("list", 0, "7").text.removesuffix("\n\nThat was reply 7.")

    assert len(items) > 48_000
    assert all(line.startswith("- ") for line in items.splitlines())


def test_generated_code_block_has_300_lines():
    fence, *code, end_of_fence = (
        sample_markdown.make_reply("code", 0, "7")
        .text.removesuffix("\n\nThat was reply 7.")
        .splitlines()
    )

    assert (fence, end_of_fence) == ("```python", "```")
    assert len(code) == 300


def test_scripted_service_sends_the_requested_reply_and_records_its_end(processes: None):
    order = scripted_service.make_message(50, tag="7", rate=0)
    with servers.run_scripted_service() as scripted:
        client = Client(scripted.url, "any")
        unheard = scripted.reply_ended_at("7")
        with client.stream_message("any", order) as stream:
            events = list(stream)
        heard = scripted.reply_ended_at("7")
        client.close()

    said = [event.text for event in events if isinstance(event, Delta)]
    assert said == sample_markdown.make_reply("mixed", 50, "7").deltas
    assert isinstance(events[-1], Complete)
    assert unheard is None
    assert heard is not None


def test_benchmark_table_shows_a_dash_for_missing_values():
    table = Table(
        "Sizes", [{"site": "one", "KB": 1.234}, {"site": "another", "KB": None, "n": 1000}]
    )

    assert table.to_text().splitlines() == [
        "Sizes",
        "site       KB      n",
        "one      1.23      -",
        "another     -  1,000",
    ]
