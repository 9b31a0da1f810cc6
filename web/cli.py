"""What the operator of the portal does in a shell."""

from __future__ import annotations

import time
from collections.abc import Callable

import click
import requests

from blueprints.health import SECOND_EVENT, SECOND_EVENT_SECONDS
from core.database import DatabaseUnavailable
from twinapi import TwinApiError
from web.container import Portal

LATE_SECONDS = 2.0
GIVE_UP_SECONDS = 20.0

HELD_BACK = (
    "WARNING: something between here and the portal holds streams back: an event came {:.1f} "
    "seconds late. Switch its buffering off (in nginx: proxy_buffering off)."
)


def check(portal: Portal, inside: Callable[[], bool] | None = None) -> click.Command:
    """Return the command that says whether all is well.

    `inside` says what is wrong with the service beside the portal, and whether anything is.
    """

    @click.command("check", help="Say whether database, service and model answer.")
    @click.option("--through", metavar="URL", help="See too whether streams pass this address.")
    def command(through: str | None) -> None:
        problems = [_database(portal), _service(portal)]
        if inside:
            problems.append(inside())
        if through:
            problems.append(_stream(f"{through.rstrip('/')}/healthz/stream"))
        if any(problems):
            raise SystemExit(1)

    return command


def _database(portal: Portal) -> bool:
    try:
        with portal.database.write() as connection:
            portal.log.heartbeat.beat(connection)
            portal.log.heartbeat.leave(connection)
    except DatabaseUnavailable:
        return _say("The database cannot be written.", well=False)
    return _say("The database can be written.", well=True)


def _service(portal: Portal) -> bool:
    try:
        twins = portal.client.list_twins()
    except TwinApiError as error:
        return _say(f"The service at {portal.settings.service_url}: {error.sentence}", well=False)
    left = portal.allowance.left()
    sentence = f"The service answers, with {len(twins.items)} twins; "
    return _say(f"{sentence}{left.remaining} of {left.limit} requests are left.", well=True)


def _stream(url: str) -> bool:
    asked_at = time.monotonic()
    try:
        with requests.get(url, stream=True, timeout=GIVE_UP_SECONDS) as response:
            response.raise_for_status()
            seen = b""
            while SECOND_EVENT.encode() not in seen and (chunk := response.raw.read1(64)):
                seen += chunk
    except (requests.RequestException, OSError) as error:
        return _say(f"No stream came from {url}: {type(error).__name__}.", well=False)
    late = time.monotonic() - asked_at - SECOND_EVENT_SECONDS
    if late > LATE_SECONDS:
        return _say(HELD_BACK.format(late), well=False)
    return _say("Streams pass at once.", well=True)


def _say(sentence: str, *, well: bool) -> bool:
    """Print a sentence, and say whether it tells of a problem."""
    click.echo(sentence, err=not well)
    return not well
