"""The portal's `check` command, for operators."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import click
import requests

from chat.twins import advise_operator, list_error_code
from core.http import describe_network_error
from core.outbound import Outbound, OutboundAdapter, open_session
from core.twin_groups import OTHER_TWINS
from core.urls import without_credentials
from twinapi import Twin, TwinApiError, Unauthorized
from web.commands.probes import DELAYED_EVENT, EVENT_DELAY_SECONDS
from web.commands.setup_check import find_problem
from web.container import Portal
from web.i18n import english_message

# The check command removes this sentence from messages: administrators run the command.
CONTACT = " Please contact your administrator."
MAX_DELAY_SECONDS = 2.0
TIMEOUT_SECONDS = 20.0

BUFFERING_WARNING = (
    "WARNING: A proxy buffers streams: an event arrived {:.1f} seconds late. "
    "Turn off its buffering (nginx: proxy_buffering off)."
)


def create_check_command(
    portal: Portal, check_embedded_service: Callable[[], bool] | None = None
) -> click.Command:
    """Return the command that checks the database, the service and, on request, streaming.

    `check_embedded_service` prints the state of the embedded service and returns True if it found
    a problem. The command exits with status 1 if any check found a problem.
    """

    @click.command("check", help="Check database, service and model.")
    @click.option(
        "--through",
        metavar="URL",
        help="Also check the proxy at this URL; by default, at TWINDOW_PUBLIC_URL.",
    )
    @click.option(
        "--header",
        "headers",
        multiple=True,
        metavar="'NAME: VALUE'",
        help="Header for a proxy that requires a sign-in; can be repeated.",
    )
    def command(through: str | None, headers: tuple[str, ...]) -> None:
        through = through or portal.settings.public_url
        if invalid := [header for header in headers if ": " not in header]:
            raise click.BadParameter(f"“{invalid[0]}” is not like 'NAME: VALUE'.")
        problems = [_check_database(portal), _check_service(portal)]
        if check_embedded_service:
            problems.append(check_embedded_service())
        if through:
            proxy_headers = dict(header.split(": ", 1) for header in headers)
            is_problem = _check_proxy(portal, through, proxy_headers)
            problems.append(
                is_problem or _check_stream(through, proxy_headers, portal.settings.ca_file)
            )
        if any(problems):
            raise SystemExit(1)

    return command


def _check_database(portal: Portal) -> bool:
    can_write = portal.log.can_write()
    message = "The database is writable." if can_write else "The database is not writable."
    return _report(message, is_ok=can_write)


def _check_service(portal: Portal) -> bool:
    has_key = portal.settings.is_embedded or bool(portal.settings.api_key)
    try:
        twins = portal.service.client.list_twins()
    except TwinApiError as error:
        if isinstance(error, Unauthorized) and not has_key:
            return _report("The service responds. People bring their own keys.", is_ok=True)
        message = english_message(list_error_code(error), error.params).removesuffix(CONTACT)
        url = without_credentials(portal.settings.service_url)
        advice = advise_operator(error, portal.settings)
        return _report(f"The service at {url}: {message} {advice}".rstrip(), is_ok=False)
    rules = portal.settings.twin_groups.groups_by_twin.keys() - {OTHER_TWINS}
    if not twins.has_more and (unknown := sorted(rules - {twin.id for twin in twins.items})):
        names = ", ".join(unknown)
        return _report(f"TWINDOW_TWIN_GROUPS names unknown twins: {names}.", is_ok=False)
    _report_avatar_origins(portal, twins.items)
    database = portal.database
    with database.read() as connection:
        report = portal.service.quota.read(connection, database.now(connection))
    sentence = f"The service responds with {len(twins.items)} twins"
    if report.remaining is None:
        return _report(f"{sentence}.", is_ok=True)
    limit = f" of {report.limit}" if report.limit else ""
    return _report(f"{sentence}; {report.remaining}{limit} requests left.", is_ok=True)


def _report_avatar_origins(portal: Portal, twins: Iterable[Twin]) -> None:
    missing_origin = portal.avatars.downloader.missing_origin
    origins = {missing_origin(twin.avatar_url) for twin in twins if twin.avatar_url}
    if missing := {origin for origin in origins if origin}:
        names = ",".join(sorted(missing | portal.settings.avatar_origins))
        advice = f"To show them, set TWINDOW_AVATAR_ORIGINS={names}"
        _report(f"Some avatars are on other sites. {advice}", is_ok=True)


def _check_proxy(portal: Portal, url: str, headers: dict[str, str]) -> bool:
    settings = portal.settings
    secret_key = settings.secret("secret_key")
    problem = find_problem(settings, secret_key, url, headers, portal.clock.time())
    if problem:
        return _report(f"{problem.cause} Try:\n    {problem.line}", is_ok=False)
    return _report("The proxy is set up correctly.", is_ok=True)


def _check_stream(base_url: str, headers: dict[str, str], ca_file: Path | None) -> bool:
    url = f"{base_url.rstrip('/')}/healthz/stream"
    requested_at = time.monotonic()
    session = open_session(OutboundAdapter(Outbound(ca_file)))
    try:
        with session.get(url, headers=headers, stream=True, timeout=TIMEOUT_SECONDS) as response:
            response.raise_for_status()
            received = b""
            while DELAYED_EVENT.encode() not in received and (chunk := response.raw.read1(64)):
                received += chunk
    except (requests.RequestException, OSError) as error:
        return _report(f"No stream from {url}: {describe_network_error(error)}.", is_ok=False)
    delay = time.monotonic() - requested_at - EVENT_DELAY_SECONDS
    if delay > MAX_DELAY_SECONDS:
        return _report(BUFFERING_WARNING.format(delay), is_ok=False)
    return _report("Streams are not buffered.", is_ok=True)


def _report(sentence: str, *, is_ok: bool) -> bool:
    """Print the result of a check, and return whether the check found a problem."""
    click.echo(sentence, err=not is_ok)
    return not is_ok
