"""Health checks: an endpoint for monitoring, and a report for the `check` command."""

from __future__ import annotations

import click
from flask import Blueprint
from sqlalchemy import text

from core.db.database import DatabaseUnavailable
from service.container import Container, container
from service.llm import ModelFailed, PromptTooLong
from service.twins import Sampling

bp = Blueprint("health", __name__)

VERSION_TABLE = "service_alembic_version"
# The last sentence of some error messages.
CONTACT = " Please contact your administrator."
TEXT_HEADERS = {"Content-Type": "text/plain; charset=utf-8"}
PROBE_PROMPT = [{"role": "user", "content": "Say yes."}]


@bp.get("/livez")
@bp.get("/healthz")
def live() -> tuple[str, int, dict[str, str]]:
    """Return 200: the process responds."""
    return "ok\n", 200, TEXT_HEADERS


@bp.get("/readyz")
def ready() -> tuple[str, int, dict[str, str]]:
    """Return 200, or 503 while the database is not writable."""
    if can_write(container()):
        return live()
    return "The database is not writable.\n", 503, TEXT_HEADERS


def can_write(service: Container) -> bool:
    """Return whether the database is writable, by writing to it."""
    try:
        with service.database.write() as connection:
            # Only a write shows that the disk is full.
            connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = version_num"))  # noqa: S608
    except DatabaseUnavailable:
        return False
    return True


def report_problems(service: Container) -> bool:
    """Print the state of database, twins and model; return whether there are problems."""
    results = [_check_database(service), _check_twins(service), _check_model(service)]
    return any(results)


def _check_database(service: Container) -> bool:
    if can_write(service):
        return _report("The service's database is writable.", is_ok=True)
    return _report("The service's database is not writable.", is_ok=False)


def _check_twins(service: Container) -> bool:
    problems = service.twins.problems()
    for problem in problems:
        _report(problem, is_ok=False)
    return bool(problems)


def _check_model(service: Container) -> bool:
    """Request a short reply, which checks the key, the model name and the server together."""
    try:
        reply = "".join(service.model.stream_reply(PROBE_PROMPT, Sampling(max_tokens=8)))
    except ModelFailed as error:
        sentence = error.sentence.removesuffix(CONTACT)
        advice = f" Check {error.setting}." if error.setting else ""
        return _report(f"{sentence}{advice}", is_ok=False)
    except PromptTooLong:
        return _report(
            "The model rejects every message. Is its context window too small?", is_ok=False
        )
    return _report(
        "The model responds." if reply else "The model returns empty replies.", is_ok=bool(reply)
    )


def _report(sentence: str, *, is_ok: bool) -> bool:
    click.echo(sentence, err=not is_ok)
    return not is_ok
