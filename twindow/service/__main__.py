"""`python -m twindow.service`: serve the service alone, or run one of its commands."""

# ruff: noqa: E402
import signal

# Until the server installs its handlers, Ctrl-C ends the process without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

from gevent import monkey

monkey.patch_all()

import os
import sys
from contextlib import closing

from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.db.migrations import UnsupportedDatabase
from twindow.core.db.startup_lock import startup_lock
from twindow.core.server.gunicorn_server import BindError, Server
from twindow.core.server.logs import configure_logging, log_start
from twindow.core.settings import Settings, SettingsError, load_env_file, load_settings
from twindow.service.app import SCHEMA, Service, create_service_app, log_unlisted_twins
from twindow.service.cli import create_cli_group
from twindow.service.llm import log_local_servers
from twindow.service.llm.demo import is_available


def build_service(settings: Settings) -> Service:
    """Create the service; the startup lock serialises this across processes."""
    with startup_lock(settings.data_dir):
        return Service(create_service_app(settings))


def main() -> None:
    """Run the command in `sys.argv`, or serve the service without the portal."""
    try:
        arguments = load_env_file(sys.argv[1:])
        if arguments == ["upgrade"]:
            build_service(load_settings()).disconnect()
            print("The tables are up to date.")
            return
        is_upgrading = arguments != ["--no-migrate"]
        if arguments and is_upgrading:
            app = create_service_app(load_settings(create_data_dir=False), upgrades_tables=False)
            create_cli_group(app)(arguments, prog_name="python -m twindow.service")
        configure_logging()
        settings = load_settings(create_data_dir=is_upgrading)
        with (
            startup_lock(settings.data_dir),
            closing(Database(settings.database_url_for(SCHEMA.name))) as database,
        ):
            SCHEMA.prepare(database, may_upgrade=is_upgrading)
        server = Server(lambda: build_service(settings), settings)
    except (SettingsError, BindError, DatabaseUnavailable, UnsupportedDatabase) as error:
        print(error, file=sys.stderr)
        sys.exit(os.EX_CONFIG)
    log_start(settings, is_portal=False, has_demo_model=is_available(settings))
    log_local_servers(settings)
    log_unlisted_twins(settings)
    server.run()


if __name__ == "__main__":
    main()
