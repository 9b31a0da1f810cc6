"""The portal's `check` command, for operators."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import requests

from twindow.core.findings import Finding, print_findings
from twindow.core.outbound.adapter import OutboundAdapter, open_session
from twindow.core.outbound.outbound import Outbound
from twindow.core.outbound.responses import describe_network_error
from twindow.web.commands.provider_check import check_provider
from twindow.web.commands.service_check import check_service
from twindow.web.commands.setup_check import find_problem
from twindow.web.container import Portal
from twindow.web.probes import DELAYED_EVENT, EVENT_DELAY_SECONDS

MAX_DELAY_SECONDS = 2.0
TIMEOUT_SECONDS = 20.0


def create_check_command(
    portal: Portal, check_embedded: Callable[[bool], Iterable[Finding]] = lambda _asks_model: ()
) -> click.Command:
    """Return the command that checks the database, the service and, on request, streaming.

    `check_embedded` yields findings about the embedded service; its argument says whether to ask
    the model. The command exits with status 1 if any check found a problem.
    """

    @click.command("check", help="Check database, service and model with one message.")
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
    @click.option("--offline", is_flag=True, help="Send nothing: no requests, no message.")
    def command(through: str | None, headers: tuple[str, ...], *, offline: bool) -> None:
        if invalid := [header for header in headers if ": " not in header]:
            raise click.BadParameter(f"“{invalid[0]}” is not like 'NAME: VALUE'.")
        if offline and through:
            raise click.UsageError("--offline and --through exclude each other.")
        through = through or portal.settings.public_url
        has_problems = print_findings([_check_database(portal), *check_embedded(not offline)])
        # Through the service, a problem of the model would be reported twice.
        if not (offline or has_problems):
            with _silenced_catalogue():
                has_problems = print_findings(check_service(portal))
        if portal.provider and not offline:
            has_problems |= print_findings(check_provider(portal.provider, portal.settings))
        if through and not offline:
            proxy_headers = dict(header.split(": ", 1) for header in headers)
            has_problems |= print_findings(_check_proxy(portal, through, proxy_headers))
        if has_problems:
            raise SystemExit(1)

    return command


@contextmanager
def _silenced_catalogue() -> Iterator[None]:
    """Log nothing about the list of twins: the findings say the same."""
    logger = logging.getLogger("twindow.chat.catalogue")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def _check_database(portal: Portal) -> Finding:
    if portal.database.is_writable():
        return Finding("The database is writable.")
    return Finding("The database is not writable.", is_problem=True)


def _check_proxy(portal: Portal, url: str, headers: dict[str, str]) -> Iterator[Finding]:
    settings = portal.settings
    secret_key = settings.secret("secret_key")
    problem = find_problem(settings, secret_key, url, headers, portal.clock.time())
    if problem:
        yield Finding(problem.cause, is_problem=True, fix=problem.line)
        return
    yield Finding("The proxy sends the right addresses and headers.")
    yield _check_stream(url, headers, settings.ca_file)


def _check_stream(base_url: str, headers: dict[str, str], ca_file: Path | None) -> Finding:
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
        return Finding(f"No stream from {url}: {describe_network_error(error)}.", is_problem=True)
    delay = time.monotonic() - requested_at - EVENT_DELAY_SECONDS
    if delay > MAX_DELAY_SECONDS:
        sentence = f"A proxy buffers streams: an event arrived {delay:.1f} seconds late."
        return Finding(sentence, is_problem=True, fix="proxy_buffering off;")
    return Finding("Streams are not buffered.")
