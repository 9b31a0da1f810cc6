"""The benchmark tools produce the intended load; no test asserts a speed."""

from __future__ import annotations

from tools.bench.table import Table
from tools.bench.texts import make_deltas, reply_end
from tools.scripted_service import make_message, run_scripted_service
from twindow.twinapi import Client, Complete, Delta


def test_generated_replies_have_the_requested_size():
    items, code = (
        "".join(make_deltas(kind, 0, "7")).removesuffix(f"\n\n{reply_end('7')}")
        for kind in ("list", "code")
    )
    mixed = make_deltas("mixed", 10_000, "7")

    assert [len(delta) for delta in mixed] == [16] * 10_000
    assert "".join(mixed).endswith(f"\n\n{reply_end('7')}")
    assert len(items) > 48_000
    assert all(line.startswith("- ") for line in items.splitlines())
    assert (code[:10], len(code.splitlines()), code[-3:]) == ("```python\n", 302, "```")


def test_scripted_service_sends_the_requested_reply_and_records_it(processes: None):
    message = make_message(50, "7", text="mixed")
    with run_scripted_service() as service:
        client = Client(service.url, "any")
        assert service.received_messages() == {}
        with client.stream_message("any", message) as stream:
            events = list(stream)
        record = service.received_messages()[message]
        client.close()

    deltas = [event.text for event in events if isinstance(event, Delta)]
    assert "".join(deltas) == "".join(make_deltas("mixed", 50, "7"))
    assert isinstance(events[-1], Complete)
    assert (record.count, len(record.sent_times)) == (1, 50)


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
