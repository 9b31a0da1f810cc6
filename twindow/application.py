"""The application: the portal and, unless `api_url` is set, the embedded service at /api/v1."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing, nullcontext, suppress
from functools import partial
from threading import Thread
from typing import Any

import click
from flask import Flask
from sqlalchemy.exc import IntegrityError
from werkzeug.exceptions import BadRequest
from werkzeug.utils import redirect

import blueprints
from twindow import web
from twindow.accounts import People
from twindow.core.clock import SYSTEM_CLOCK, Clock
from twindow.core.db.checkpoints import Checkpoints
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.db.migrations import UnsupportedDatabase
from twindow.core.db.secret_fingerprints import check_fingerprints
from twindow.core.db.startup_lock import startup_lock
from twindow.core.db.table_copy import Schema
from twindow.core.secrets import keyed_hash, write_private_file
from twindow.core.server import logs
from twindow.core.server.process_load import ProcessLoad
from twindow.core.settings import (
    Settings,
    SettingsError,
    check_env_files,
    load_settings,
    read_settings,
)
from twindow.core.threadpool import in_threadpool
from twindow.core.urls import enter_sub_path
from twindow.paths import ROOT
from twindow.service.app import SCHEMA as SERVICE_SCHEMA
from twindow.service.app import Service, create_service_app, log_unlisted_twins
from twindow.service.cli import create_cli_group
from twindow.service.llm import log_local_servers
from twindow.service.llm.demo import is_available
from twindow.service.owners import EVERY_GROUP, PORTAL_OWNER
from twindow.web.assets import warm_up
from twindow.web.commands import add_commands, create_restore_command
from twindow.web.container import SCHEMA as PORTAL_SCHEMA
from twindow.web.container import Portal, build_portal, require_sign_in_mode

API_PREFIX = "/api"
NEW_SECRETS = (
    "The secrets of this machine are now those of the database. Restart the server on every "
    "machine, with the same secrets: all sessions end then."
)
# RFC 1035, 2.3.4.
MAX_HOST_LABEL_CHARACTERS = 63


class Twindow:
    """WSGI application: the portal and, unless `api_url` is set, the embedded service."""

    def __init__(
        self, settings: Settings, clock: Clock = SYSTEM_CLOCK, *, is_server: bool = True
    ) -> None:
        load = ProcessLoad()
        # Commands write neither tables nor secrets: a server of another version may be running.
        with startup_lock(settings.data_dir) if is_server else nullcontext():
            self.service = (
                Service(create_service_app(settings, clock, load, upgrades_tables=is_server))
                if settings.is_embedded
                else None
            )
            self.app = Flask("app", root_path=str(ROOT), static_folder=None)
            api_key = settings.api_key or ""
            if self.service:
                api_key = _embedded_service_key(self.service, settings, may_create=is_server)
            model_note = self.service.model_note if self.service else lambda _twin_id: None
            key_issuer = self.service.key_issuer if self.service else None
            twin_permissions = (
                self.service.container.twins.portal_permissions
                if self.service
                else settings.twin_groups.permissions_for
            )
            portal = build_portal(
                settings,
                api_key,
                clock,
                load,
                model_note,
                twin_permissions,
                key_issuer,
                upgrades_tables=is_server,
            )
        self.log = portal.log
        self.checkpoints = Checkpoints(portal.database)
        self.deletions = portal.deletions
        self.renderer = portal.renderer
        web.init_app(self.app, portal)
        blueprints.register(self.app)
        _add_commands(self.app, portal, self.service)
        self._sub_path = settings.sub_path
        self._portal_wsgi = self.app.wsgi_app
        self.app.wsgi_app = self  # type: ignore[method-assign]

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Pass requests at or below `API_PREFIX` to the embedded service, and others to the portal.

        The portal responds 400 if the Host header is invalid.
        """
        if self._sub_path:
            if environ["PATH_INFO"] == self._sub_path:
                # Browsers do not send the cookies of /chat/ to /chat.
                return redirect(f"{self._sub_path}/", 308)(environ, start_response)
            enter_sub_path(environ, self._sub_path)
        if self.service and f"{environ['PATH_INFO']}/".startswith(f"{API_PREFIX}/"):
            return self.service(environ, start_response)
        if not _is_valid_host(environ.get("HTTP_HOST", "")):
            return BadRequest()(environ, start_response)
        return self._portal_wsgi(environ, start_response)

    def start(self) -> None:
        """Start recovery, deletions, checkpoints, the service and the asset warm-up."""
        self.log.start()
        self.deletions.start()
        self.checkpoints.start()
        if self.service:
            self.service.start()
        Thread(target=warm_up, args=(self.app, in_threadpool), daemon=True).start()

    def close(self) -> None:
        """Close all open streams, and stop the log, the deletions and the service."""
        self.log.close()
        self.deletions.close()
        if self.service:
            self.service.close()

    def disconnect(self) -> None:
        """Close the databases and the renderer, after the last request."""
        if self.service:
            self.service.disconnect()
        self.checkpoints.close()
        self.renderer.close()


def _is_valid_host(host: str) -> bool:
    # If a label of the host is empty or too long, no URL can be built, not even for the error page.
    labels = host.partition(":")[0].removesuffix(".").split(".")
    return not host or all(0 < len(label) <= MAX_HOST_LABEL_CHARACTERS for label in labels)


def create_app(overrides: Mapping[str, Any] | None = None, *, clock: Clock = SYSTEM_CLOCK) -> Flask:
    """Create the portal's Flask application from the environment.

    `overrides` maps lower-case setting names to values that take precedence.
    Raises SettingsError, DatabaseUnavailable and UnsupportedDatabase. In a command of Flask, raises
    ClickException with the same message; in a command of the portal, returns an app in which only
    the commands work that need no portal.
    """
    context = click.get_current_context(silent=True)
    is_server = context is None or context.info_name == "run"
    values = _flask_run_address() | dict(overrides or {})
    try:
        if context:
            check_env_files(sys.argv[1:])  # Flask itself skips lines that it cannot read
        settings = load_settings(values, create_data_dir=is_server)
        return Twindow(settings, clock, is_server=is_server).app
    except (SettingsError, DatabaseUnavailable, UnsupportedDatabase) as error:
        if context is None:
            raise
        failure = click.ClickException(str(error))
        with suppress(SettingsError):
            if context.parent is None:  # a command of this app, not one of Flask
                return _app_without_portal(read_settings(values), failure)
        raise failure from None


class DataGroup(click.Group):
    """The commands of a portal that cannot be built: all except two fail."""

    def __init__(self, failure: click.ClickException, *commands: click.Command) -> None:
        super().__init__("twindow", help=failure.message, commands=commands)
        self._failure = failure

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command. Raises ClickException for other names."""
        if name not in self.commands:
            raise self._failure
        return super().get_command(context, name)


def _app_without_portal(settings: Settings, failure: click.ClickException) -> Flask:
    app = Flask("app", static_folder=None)
    restore = create_restore_command(settings, _schemas(settings))
    app.cli.add_command(DataGroup(failure, upgrade, restore))
    return app


@click.command("upgrade", help="Create or upgrade the tables and secrets, and exit.")
@click.option(
    "--new-secrets", is_flag=True, help="Accept the secrets of this machine. All sessions end."
)
def upgrade(*, new_secrets: bool) -> None:
    """Do what a start of the server does before it listens."""
    try:
        settings = load_settings()
        Twindow(settings).disconnect()
        with closing(Database(settings.database_url_for(PORTAL_SCHEMA.name))) as database:
            check_fingerprints(database, settings, accept=new_secrets)
        if new_secrets:
            click.echo(NEW_SECRETS)
    except (SettingsError, DatabaseUnavailable, UnsupportedDatabase) as error:
        raise click.ClickException(str(error)) from None
    click.echo("The tables are up to date.")


def prepare_databases(settings: Settings, *, may_upgrade: bool) -> None:
    """Do before the server listens what may fail, so that it is not reported by each worker."""
    with startup_lock(settings.data_dir):
        for schema in _schemas(settings):
            with closing(Database(settings.database_url_for(schema.name))) as database:
                schema.prepare(database, may_upgrade=may_upgrade)
                if schema is PORTAL_SCHEMA:
                    check_fingerprints(database, settings)
                    require_sign_in_mode(settings, People(database))


def log_start(settings: Settings) -> None:
    """Log what the server uses, and what the operator may want to change."""
    logs.log_start(settings, is_portal=True, has_demo_model=is_available(settings))
    if settings.is_embedded:
        log_local_servers(settings)
        log_unlisted_twins(settings)


def _add_commands(app: Flask, portal: Portal, service: Service | None) -> None:
    sources = [(PORTAL_SCHEMA, portal.database)]
    if service:
        commands = create_cli_group(service.app)
        sources.append((SERVICE_SCHEMA, service.container.database))
        add_commands(commands, portal, sources, service.findings)
    else:
        commands = click.Group("twindow", help="Check the portal.")
        add_commands(commands, portal, sources)
    commands.add_command(upgrade)
    app.cli.add_command(commands)


def _schemas(settings: Settings) -> list[Schema]:
    return [PORTAL_SCHEMA, SERVICE_SCHEMA] if settings.is_embedded else [PORTAL_SCHEMA]


def _embedded_service_key(service: Service, settings: Settings, *, may_create: bool) -> str:
    """Return the portal's API key for the embedded service, which is stored in the data folder.

    The key is derived from the secret key, so all machines with this secret have the same one, and
    a container with a new data folder needs no new one.
    """
    path = settings.data_dir / "portal_key"
    secret = path.read_text().strip() if path.exists() else ""
    keys = service.container.api_keys
    if not may_create or ((key := keys.find_by_secret(secret)) and EVERY_GROUP in key.groups):
        return secret
    create = partial(keys.create, PORTAL_OWNER, "The portal", "full_access", groups=[EVERY_GROUP])
    secret = f"tw_{keyed_hash(settings.secret('secret_key'), 'portal key')}"
    if not keys.find_by_secret(secret):
        try:
            create(secret=secret)
        except IntegrityError:
            if not keys.find_by_secret(secret):  # it was revoked
                _, secret = create()
    write_private_file(path, secret)
    return secret


def _flask_run_address() -> dict[str, Any]:
    """Return the host and port of `flask run`, at which the portal reaches the embedded service."""
    context = click.get_current_context(silent=True)
    if context is None or context.info_name != "run":
        return {}
    return {name: context.params[name] for name in ("host", "port") if context.params.get(name)}
