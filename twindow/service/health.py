"""Health checks: an endpoint for monitoring, and a report for the `check` command."""

from __future__ import annotations

import time
from collections.abc import Iterator

from flask import Blueprint
from sqlalchemy import text

from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.findings import Finding
from twindow.core.urls import without_credentials
from twindow.service.container import Container, container
from twindow.service.llm import ModelFailed, PromptTooLong, find_local_servers
from twindow.service.llm.demo import DemoModel
from twindow.service.twins import FrontMatter

bp = Blueprint("health", __name__)

VERSION_TABLE = "service_alembic_version"
# The last sentence of some error messages.
CONTACT = " Please contact your administrator."
TEXT_HEADERS = {"Content-Type": "text/plain; charset=utf-8"}
PROBE_PROMPT = [{"role": "user", "content": "Say yes"}]


@bp.get("/livez")
@bp.get("/healthz")
def live() -> tuple[str, int, dict[str, str]]:
    """Return 200: the process responds."""
    return "ok\n", 200, TEXT_HEADERS


@bp.get("/readyz")
def ready() -> tuple[str, int, dict[str, str]]:
    """Return 200, or 503 while the database is not writable."""
    try:
        with container().database.write() as connection:
            # Only a write shows that the disk is full.
            connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = version_num"))  # noqa: S608
    except DatabaseUnavailable:
        return "The database is not writable.\n", 503, TEXT_HEADERS
    return live()


def findings(service: Container, *, asks_model: bool) -> Iterator[Finding]:
    """Yield the state of database and twins and, on request, of the model."""
    if service.database.is_writable():
        yield Finding("The service's database is writable.")
    else:
        yield Finding("The service's database is not writable.", is_problem=True)
    for problem in [*service.twins.problems(), *service.knowledge.problems()]:
        yield Finding(problem, is_problem=True)
    if unlisted := service.twins.names_without_model():
        yield Finding(f"Not listed, because there is no model: {unlisted}.")
    if asks_model:
        if service.twins.has_model:
            yield _check_model(service)
        if isinstance(service.model, DemoModel):
            for server in find_local_servers(service.settings):
                yield Finding(f"{server.name} runs on this machine.", fix=server.command)


def _check_model(service: Container) -> Finding:
    """Request a short reply, which checks the key, the model name and the server together."""
    started_at = time.monotonic()
    try:
        pieces = list(service.model.stream_reply(PROBE_PROMPT, FrontMatter(name="check")))
    except ModelFailed as error:
        advice = f" Check {error.setting}." if error.setting else ""
        return Finding(f"{error.sentence.removesuffix(CONTACT)}{advice}", is_problem=True)
    except PromptTooLong:
        sentence = "The model rejects a prompt of two words as too long."
        return Finding(sentence, is_problem=True, fix="TWINDOW_MODEL=another model")
    if not "".join(pieces).strip():
        return Finding("The model returns empty replies.", is_problem=True)
    seconds = time.monotonic() - started_at
    url = service.settings.model_url
    name = f"model at {without_credentials(url)}" if url else "demo model"
    return Finding(f"The {name} responds in {seconds:.1f} s.")
