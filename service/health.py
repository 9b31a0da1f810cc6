"""Whether the service lives, and whether it can work: for the operator and for machines."""

from __future__ import annotations

import click
from flask import Blueprint
from sqlalchemy import text

from core.database import DatabaseUnavailable
from service.container import Container, container
from service.llm import ModelFailed, PromptTooLong
from service.twins import Sampling

bp = Blueprint("health", __name__)

VERSION_TABLE = "service_alembic_version"
TEXT_HEADERS = {"Content-Type": "text/plain; charset=utf-8"}
PROBE_PROMPT = [{"role": "user", "content": "Say yes."}]


@bp.get("/healthz")
@bp.get("/readyz")
def live() -> tuple[str, int, dict[str, str]]:
    """Answer 200, or 503 while the database cannot be written."""
    if can_write(container()):
        return "ok\n", 200, TEXT_HEADERS
    return "The database cannot be written.\n", 503, TEXT_HEADERS


def can_write(service: Container) -> bool:
    """Tell whether what is said can be kept, by trying."""
    try:
        with service.database.write() as connection:
            # Something that is written: a full disk refuses nothing else.
            connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = version_num"))  # noqa: S608
    except DatabaseUnavailable:
        return False
    return True


def report_problems(service: Container) -> bool:
    """Say what is wrong with the service, and whether anything is."""
    results = [_report_database(service), _report_twins(service), _report_model(service)]
    return any(results)


def _report_database(service: Container) -> bool:
    if can_write(service):
        return _report("The service's database can be written.", is_ok=True)
    return _report("The service's database cannot be written.", is_ok=False)


def _report_twins(service: Container) -> bool:
    problems = service.twins.problems()
    for problem in problems:
        _report(problem, is_ok=False)
    return bool(problems)


def _report_model(service: Container) -> bool:
    """Ask for one word: only so it shows that key, name and server agree."""
    try:
        reply = "".join(service.model.stream_reply(PROBE_PROMPT, Sampling(max_tokens=8)))
    except ModelFailed as error:
        return _report(error.sentence, is_ok=False)
    except PromptTooLong:
        return _report("The model takes no message at all; is its window too small?", is_ok=False)
    return _report("The model answers." if reply else "The model says nothing.", is_ok=bool(reply))


def _report(sentence: str, *, is_ok: bool) -> bool:
    click.echo(sentence, err=not is_ok)
    return not is_ok
