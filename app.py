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
import web
from core.clock import SYSTEM_CLOCK, Clock
from core.database import DatabaseUnavailable
from core.settings import Settings, SettingsError, load_settings
from core.startup_lock import startup_lock
from core.stored_secrets import load_or_create_secret
from core.threadpool import in_threadpool
from service.app import Service, create_service
from service.cli import create_cli_group
from web.assets import warm_up
from web.cli import check_command
from web.container import Portal, build_portal

API_PREFIX = "/api/v1"
# RFC 1035, 2.3.4.
MAX_HOST_LABEL_CHARACTERS = 63
DATABASE_UNREACHABLE = "The database does not answer. TWINDOW_DATABASE_URL says where it is."


class Twindow:
    """The portal and, where no other is set, the service beside it, as one application."""

    def __init__(self, settings: Settings, clock: Clock = SYSTEM_CLOCK) -> None:
        with startup_lock(settings.data_dir):
            self.service = (
                Service(create_service(settings, clock)) if settings.is_embedded else None
            )
            self.portal = Flask("app", root_path=str(Path(__file__).parent), static_folder=None)
            self.portal.debug = settings.debug
            api_key = settings.api_key or (
                _embedded_service_key(self.service, settings) if self.service else ""
            )
            model_note = self.service.model_note if self.service else lambda: None
            portal = build_portal(settings, api_key, clock, model_note)
        self.log = portal.log
        self.deletions = portal.deletions
        web.init_app(self.portal, portal)
        blueprints.register(self.portal)
        _add_commands(self.portal, portal, self.service)
        self._portal_wsgi = self.portal.wsgi_app
        self.portal.wsgi_app = self  # type: ignore[method-assign]

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Answer a request: the service knows what is under its path, the portal all else."""
        if not _is_valid_host(environ.get("HTTP_HOST", "")):
            return BadRequest()(environ, start_response)
        if self.service and environ["PATH_INFO"].startswith(f"{API_PREFIX}/"):
            return self.service(environ, start_response)
        return self._portal_wsgi(environ, start_response)

    def start(self) -> None:
        """Begin what runs beside requests."""
        self.log.recovery.start()
        self.deletions.start()
        if self.service:
            self.service.start()
        Thread(target=warm_up, args=(self.portal, in_threadpool), daemon=True).start()

    def close(self) -> None:
        """Let every open stream go, and end what runs beside requests."""
        self.log.close()
        if self.service:
            self.service.close()


def _is_valid_host(name: str) -> bool:
    # Of another, not even the links of an error page could be built.
    return all(len(label) <= MAX_HOST_LABEL_CHARACTERS for label in name.split("."))


def create_app(overrides: Mapping[str, Any] | None = None, *, clock: Clock = SYSTEM_CLOCK) -> Flask:
    """Make the app from the environment; the overrides are settings by their lower-case names.

    Raises config.SettingsError.
    """
    try:
        settings = load_settings(_flask_run_address() | dict(overrides or {}))
    except SettingsError as error:
        if click.get_current_context(silent=True):
            raise click.ClickException(str(error)) from None
        raise
    return Twindow(settings, clock).portal


def main() -> None:
    """Serve."""
    from core.gunicorn_server import BindError, Server, StartupError

    def make_app() -> Twindow:
        try:
            return Twindow(settings)
        except DatabaseUnavailable:
            raise StartupError(DATABASE_UNREACHABLE) from None

    try:
        settings = load_settings()
        server = Server(
            make_app,
            host=settings.host,
            port=settings.port,
            workers=settings.workers,
            forwarded_allow_ips=settings.proxy_ips,
        )
    except (SettingsError, BindError) as error:
        sys.exit(str(error))
    server.run()


def _add_commands(app: Flask, portal: Portal, service: Service | None) -> None:
    commands = (
        create_cli_group(service.app) if service else click.Group("twindow", help="Look after it.")
    )
    commands.add_command(check_command(portal, service.report_problems if service else None))
    app.cli.add_command(commands)


def _embedded_service_key(service: Service, settings: Settings) -> str:
    """Return the portal's key to the service beside it: made once, by the rules for any other."""
    path = settings.data_dir / "portal_key"
    keys = service.container.api_keys
    if path.exists() and keys.find_by_secret(path.read_text().strip()) is None:
        path.unlink(missing_ok=True)  # the service's database was replaced
    if path.exists():
        return path.read_text().strip()
    return load_or_create_secret(path, keys.create("portal", "The portal", "full_access")[1])


def _flask_run_address() -> dict[str, Any]:
    """Read where `flask run` serves: the portal has to find the service there."""
    context = click.get_current_context(silent=True)
    if context is None or context.info_name != "run":
        return {}
    return {name: context.params[name] for name in ("host", "port") if context.params.get(name)}


if __name__ == "__main__":
    main()
