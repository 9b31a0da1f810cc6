"""Twindow, put together: the portal's pages, and the service beside them at /api/v1."""

import signal

if __name__ == "__main__":
    # Until the server takes signals, Ctrl-C ends this and prints no traceback of an import.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from gevent import monkey

if __name__ == "__main__":
    monkey.patch_all()

import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import click
from flask import Flask
from werkzeug.exceptions import BadRequest

import blueprints
import twinapi
from chat.conversations import Conversations
from chat.deletion import Deletions
from chat.log.log import Log
from chat.missed_replies import History
from chat.quota import Allowance
from chat.reply_worker import Producer
from chat.search.search import Search, grouped
from chat.turns import Turns
from chat.twins.avatar_fetcher import Avatars
from chat.twins.catalogue import Directory
from chat.twins.recent_twins import Gallery
from core.clock import SYSTEM, Clock
from core.database import Database, DatabaseUnavailable, migrate
from core.settings import Settings, SettingsError, load_settings
from core.startup_lock import startup_lock
from core.stored_secrets import load_or_create_secret
from core.threadpool import beside, beside_in_turn
from rendering.export_markdown import within
from rendering.render import render
from service.app import Service, create_service
from service.cli import group
from web.assets.warm_up import warm_up
from web.cli import check
from web.container import EXTENSION, Portal
from web.views.search_marks import marked

MIGRATIONS = Path(__file__).parent / "migrations"
API = "/api/v1"
# RFC 1035, 2.3.4.
MAX_LABEL = 63
NO_DATABASE = "The database does not answer. TWINDOW_DATABASE_URL says where it is."


class Twindow:
    """The portal and, where no other is set, the service beside it, as one application."""

    def __init__(self, settings: Settings, clock: Clock = SYSTEM) -> None:
        with startup_lock(settings.data_dir):
            self.service = Service(create_service(settings, clock)) if settings.embedded else None
            self.portal = Flask("app", root_path=str(Path(__file__).parent), static_folder=None)
            self.log = _put_together(self.portal, settings, self.service, clock)
        self._pages = self.portal.wsgi_app
        self.portal.wsgi_app = self  # type: ignore[method-assign]

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Answer a request: the service knows what is under its path, the portal all else."""
        if not _is_host(environ.get("HTTP_HOST", "")):
            return BadRequest()(environ, start_response)
        if self.service and environ["PATH_INFO"].startswith(f"{API}/"):
            return self.service(environ, start_response)
        return self._pages(environ, start_response)

    def start(self) -> None:
        """Begin what runs beside requests."""
        self.log.orphans.start()
        self.portal.extensions[EXTENSION].deletions.start()
        if self.service:
            self.service.start()
        Thread(target=warm_up, args=(self.portal, beside), daemon=True).start()

    def close(self) -> None:
        """Let every open stream go, and end what runs beside requests."""
        self.log.close()
        if self.service:
            self.service.close()


def _is_host(name: str) -> bool:
    # Of another, not even the links of an error page could be built.
    return all(len(label) <= MAX_LABEL for label in name.split("."))


def create_app(overrides: Mapping[str, Any] | None = None, *, clock: Clock = SYSTEM) -> Flask:
    """Make the app from the environment; the overrides are settings by their lower-case names.

    Raises config.SettingsError.
    """
    try:
        settings = load_settings(_address_of_flask_run() | dict(overrides or {}))
    except SettingsError as error:
        if click.get_current_context(silent=True):
            raise click.ClickException(str(error)) from None
        raise
    return Twindow(settings, clock).portal


def main() -> None:
    """Serve."""
    from core.gunicorn_server import AddressUnusable, CannotBegin, Server

    def make() -> Twindow:
        try:
            return Twindow(settings)
        except DatabaseUnavailable:
            raise CannotBegin(NO_DATABASE) from None

    try:
        settings = load_settings()
        server = Server(
            make,
            host=settings.host,
            port=settings.port,
            workers=settings.workers,
            forwarded_allow_ips=settings.proxy_ips,
        )
    except (SettingsError, AddressUnusable) as error:
        sys.exit(str(error))
    server.run()


def _put_together(app: Flask, settings: Settings, service: Service | None, clock: Clock) -> Log:
    app.debug = settings.debug
    database = Database(
        settings.database("portal"), lock_timeout=settings.database_lock_timeout, clock=clock
    )
    migrate(database, MIGRATIONS, "alembic_version")
    key = settings.api_key or (_own_key(service, settings) if service else "")
    allowance = Allowance(
        database, key, limit=settings.api_hourly_limit, share=settings.api_fair_share
    )
    client = twinapi.Client(
        settings.service_url,
        key,
        read_key=settings.api_read_key,
        ca_file=settings.api_ca_file,
        connect_timeout=settings.api_connect_timeout,
        answer_timeout=settings.api_answer_timeout,
        idle_timeout=settings.api_idle_timeout,
        reply_timeout=settings.api_reply_timeout,
        heard=allowance.heard,
    )
    log = Log(database, beside(render))
    directory = Directory(client, database, keep=settings.twins_cache)
    conversations = Conversations(database)
    turns = Turns(database, log, allowance)
    history = History(client, turns, log)
    portal = Portal(
        settings=settings,
        database=database,
        client=client,
        directory=directory,
        gallery=Gallery(database),
        avatars=Avatars(client, directory, database),
        conversations=conversations,
        deletions=Deletions(database, turns, log),
        search=Search(database, beside(grouped)),
        turns=turns,
        allowance=allowance,
        log=log,
        producer=Producer(conversations, log, client, allowance, history),
        within=beside_in_turn(within),
        marked=beside_in_turn(marked),
        model_note=service.note if service else lambda: None,
    )
    blueprints.init_app(app, portal)
    commands = group(service.app) if service else click.Group("twindow", help="Look after it.")
    commands.add_command(check(portal, service.check if service else None))
    app.cli.add_command(commands)
    return log


def _own_key(service: Service, settings: Settings) -> str:
    """Return the portal's key to the service beside it: made once, by the rules for any other."""
    path = settings.data_dir / "portal_key"
    keys = service.parts.keys
    if path.exists() and keys.find(path.read_text().strip()) is None:
        path.unlink(missing_ok=True)  # the service's database was replaced
    if path.exists():
        return path.read_text().strip()
    return load_or_create_secret(path, keys.make("portal", "The portal", "full_access")[1])


def _address_of_flask_run() -> dict[str, Any]:
    """Read where `flask run` serves: the portal has to find the service there."""
    context = click.get_current_context(silent=True)
    if context is None or context.info_name != "run":
        return {}
    return {name: context.params[name] for name in ("host", "port") if context.params.get(name)}


if __name__ == "__main__":
    main()
