"""Whether the service lives, and whether it can work: for the operator and for machines."""

from __future__ import annotations

import click
from flask import Blueprint
from sqlalchemy import text

from core.database import DatabaseUnavailable
from service.container import Parts, parts
from service.llm.client import ModelFailed, TooLong
from service.twins.sampling import Sampling

bp = Blueprint("health", __name__)

VERSIONS = "service_alembic_version"
TEXT = {"Content-Type": "text/plain; charset=utf-8"}
HELLO = [{"role": "user", "content": "Say yes."}]


@bp.get("/healthz")
@bp.get("/readyz")
def live() -> tuple[str, int, dict[str, str]]:
    """Answer 200, or 503 while the database cannot be written."""
    if can_write(parts()):
        return "ok\n", 200, TEXT
    return "The database cannot be written.\n", 503, TEXT


def can_write(service: Parts) -> bool:
    """Tell whether what is said can be kept, by trying."""
    try:
        with service.database.write() as connection:
            # Something that is written: a full disk refuses nothing else.
            connection.execute(text(f"UPDATE {VERSIONS} SET version_num = version_num"))  # noqa: S608
    except DatabaseUnavailable:
        return False
    return True


def check(service: Parts) -> bool:
    """Say what is wrong with the service, and whether anything is."""
    found = [_database(service), _twins(service), _model(service)]
    return any(found)


def _database(service: Parts) -> bool:
    if can_write(service):
        return _say("The service's database can be written.", well=True)
    return _say("The service's database cannot be written.", well=False)


def _twins(service: Parts) -> bool:
    problems = service.twins.problems()
    for problem in problems:
        _say(problem, well=False)
    return bool(problems)


def _model(service: Parts) -> bool:
    """Ask for one word: only so it shows that key, name and server agree."""
    try:
        said = "".join(service.model.reply(HELLO, Sampling(max_tokens=8)))
    except ModelFailed as error:
        return _say(error.sentence, well=False)
    except TooLong:
        return _say("The model takes no message at all; is its window too small?", well=False)
    return _say("The model answers." if said else "The model says nothing.", well=bool(said))


def _say(sentence: str, *, well: bool) -> bool:
    click.echo(sentence, err=not well)
    return not well
