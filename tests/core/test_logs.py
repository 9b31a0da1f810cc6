"""The format of log lines."""

from __future__ import annotations

import io
import logging
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from tests.support.clock import AdjustableClock
from twindow.core.server import logs
from twindow.core.settings import Settings

logger = logging.getLogger(__name__)
START = rf"\[\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{{4}}\] \[{os.getpid()}\] \[%s\] "


@pytest.fixture
def output() -> Iterator[io.StringIO]:
    output = io.StringIO()
    handler = logs.configure_logging(output)
    yield output
    logging.getLogger().removeHandler(handler)


def test_log_line_has_time_process_level_and_message(output: io.StringIO):
    logger.warning("Something failed.")

    assert re.fullmatch(START % "WARNING" + r"Something failed\.\n", output.getvalue())


@pytest.mark.parametrize("name", ["turn", "reply"])
def test_log_line_about_a_turn_or_reply_contains_the_id_exactly_once(
    output: io.StringIO, name: str
):
    def write() -> None:
        logger.error("Something failed.")
        logger.error("%s some-id: it failed.", name)

    thread = threading.Thread(target=write, name=f"{name}-some-id")
    thread.start()
    thread.join()

    lines = [line.partition("[ERROR] ")[2] for line in output.getvalue().splitlines()]
    assert lines == [f"{name} some-id: Something failed.", f"{name} some-id: it failed."]


def test_log_line_of_a_request_has_its_id(output: io.StringIO, app: Flask):
    with app.test_request_context("/"):
        logger.error("Something failed.")
    response = app.test_client().get("/nowhere")
    with app.test_request_context("/"):
        logger.error("Something failed.")

    ids = re.findall(r"request (\w{8}): Something failed\.", output.getvalue())
    assert len({*ids, response.headers["X-Request-Id"]}) == 3


def test_start_is_logged_without_secrets(output: io.StringIO, tmp_path: Path):
    settings = Settings(
        data_dir=tmp_path,
        database_url="postgresql+psycopg://twindow:secret@db.example/portal?password=secret",
        model_url="https://someone:secret@models.example/v1",
        model_key="secret",
        workers=2,
    )

    logs.log_start(settings, is_portal=True, has_demo_model=False)

    line = output.getvalue()
    assert re.match(START % "INFO" + r"Twindow \d+\.\d+\.\d+ starts\. ", line)
    assert f"data folder: {tmp_path}, " in line
    assert "database: postgresql+psycopg://twindow:***@db.example/portal, " in line
    assert "service: embedded, model: first listed at https://models.example/v1, " in line
    assert line.endswith("workers: 2, sign-in: visitor\n")
    assert "secret" not in line


def test_warnings_of_a_minute_are_limited_and_errors_are_not(
    output: io.StringIO, clock: AdjustableClock
):
    logger.addFilter(limit := logs.WarningLimit(clock.monotonic))
    for _ in range(10 * logs.MAX_WARNINGS_PER_MINUTE):
        logger.warning("Invalid request: %s", "100%")
        logger.error("Failed.")
    clock.advance(60)
    logger.warning("Later")
    logger.removeFilter(limit)

    lines = [line.rpartition("] ")[2] for line in output.getvalue().splitlines()]
    last = "Invalid request: 100% (Further warnings of this minute are left out.)"
    assert lines.count("Invalid request: 100%") == logs.MAX_WARNINGS_PER_MINUTE - 1
    assert lines.count(last) == 1
    assert lines.count("Failed.") == 10 * logs.MAX_WARNINGS_PER_MINUTE
    assert lines[-1] == "Later"
