"""Command line interface of the service."""

from __future__ import annotations

import logging

import click
from flask import Flask

from twindow.core.findings import print_findings
from twindow.core.server.logs import audit_logger, configure_logging
from twindow.service import health
from twindow.service.container import get_container
from twindow.service.credentials import (
    DEFAULT_LIFETIME_SECONDS,
    ReservedName,
    SigningDisabled,
    TooManyKeys,
)
from twindow.service.interface_types import Scope
from twindow.service.owners import owner_named

DAY_SECONDS = 24 * 3600


def _log_key(name: str, sub: str) -> None:
    handler = configure_logging()  # to standard error, beside the key on standard output
    audit_logger.info("The operator has created the API key “%s” of “%s”.", name, sub)
    logging.getLogger().removeHandler(handler)


def create_cli_group(app: Flask) -> click.Group:
    """Return the command group for the service of `app`."""
    container = get_container(app)

    @click.group("twindow", help="Create keys and tokens, and check the twins.")
    def commands() -> None:
        pass

    @commands.command("token", help="Create a JWT for creating API keys.")
    @click.option("--sub", required=True, help="Subject (user) of the token.")
    @click.option("--group", "groups", multiple=True, help="Group of the user; can be repeated.")
    @click.option(
        "--lifetime",
        default=DEFAULT_LIFETIME_SECONDS,
        show_default=True,
        help="Lifetime in seconds.",
    )
    def token(sub: str, groups: tuple[str, ...], lifetime: int) -> None:
        try:
            click.echo(container.jwt_tokens.sign(sub, lifetime, groups))
        except SigningDisabled:
            raise click.ClickException(
                "JWTs are issued by the identity provider of TWINDOW_JWT_JWKS_URL."
            ) from None
        except ReservedName:
            raise click.ClickException("This name is reserved: no JWT may claim it.") from None

    @commands.command("key", help="Create an API key.")
    @click.option("--sub", required=True, help="Owner (user) of the key.")
    @click.option("--name", required=True, help="Name of the key.")
    @click.option("--scope", type=click.Choice(["read_only", "full_access"]), default="read_only")
    @click.option("--group", "groups", multiple=True, help="Group of the user; can be repeated.")
    @click.option(
        "--days", type=click.FloatRange(min=0, min_open=True), help="Days until the key expires."
    )
    def key(sub: str, name: str, scope: Scope, groups: tuple[str, ...], days: float | None) -> None:
        expires_at = container.database.clock.time() + days * DAY_SECONDS if days else None
        try:
            _, secret = container.api_keys.create(
                owner_named(sub), name, scope, groups=groups, expires_at=expires_at
            )
            _log_key(name, sub)
            click.echo(secret)
        except TooManyKeys as error:
            raise click.ClickException(str(error)) from None

    @commands.command("twins", help="List the twins and check their files.")
    @click.argument("ids", nargs=-1)
    def twins(ids: tuple[str, ...]) -> None:
        logging.getLogger("twindow.service").setLevel(logging.ERROR)
        listed = container.twins.list_all()
        if unknown := set(ids) - {twin.id for twin in listed}:
            raise click.BadParameter(f"There is no twin {', '.join(sorted(unknown))}.")
        for twin in listed:
            if not ids or twin.id in ids:
                click.echo(f"{twin.id}\t{twin.front_matter.name}")
        problems = [*container.twins.problems(), *container.knowledge.problems()]
        for problem in problems:
            click.echo(problem, err=True)
        if unlisted := container.twins.names_without_model():
            click.echo(f"Not listed, because there is no model: {unlisted}.", err=True)
        if problems:
            raise SystemExit(1)

    @commands.command("check", help="Check database, twins and model with one short reply.")
    @click.option("--offline", is_flag=True, help="Do not ask the model.")
    def check(*, offline: bool) -> None:
        if print_findings(health.findings(container, asks_model=not offline)):
            raise SystemExit(1)

    return commands
