"""What the operator of the service does in a shell."""

from __future__ import annotations

import logging

import click
from flask import Flask

from service.current import EXTENSION, Parts
from service.tokens import LIFETIME_SECONDS


def group(service: Flask) -> click.Group:
    """Return the commands for one service."""
    parts: Parts = service.extensions[EXTENSION]

    @click.group("twindow", help="Make keys and tokens, and look after the twins.")
    def commands() -> None:
        pass

    @commands.command("token", help="Print a JWT, with which API keys can be made.")
    @click.option("--sub", required=True, help="Whom the token is for.")
    @click.option("--lifetime", default=LIFETIME_SECONDS, show_default=True, help="In seconds.")
    def token(sub: str, lifetime: int) -> None:
        click.echo(parts.tokens.sign(sub, lifetime))

    @commands.command("key", help="Print a new API key.")
    @click.option("--sub", required=True, help="Whom the key is for.")
    @click.option("--name", required=True, help="What the key is called.")
    @click.option("--scope", type=click.Choice(["read_only", "full_access"]), default="read_only")
    def key(sub: str, name: str, scope: str) -> None:
        click.echo(parts.keys.make(sub, name, scope)[1])

    @commands.command("twins", help="List the twins, and say what is wrong with broken files.")
    def twins() -> None:
        logging.getLogger("service.twins").setLevel(logging.ERROR)  # said below, once
        for twin in parts.twins.all():
            click.echo(f"{twin.id}\t{twin.about.name}")
        broken = parts.twins.broken()
        for problem in broken:
            click.echo(problem, err=True)
        if broken:
            raise SystemExit(1)

    return commands
