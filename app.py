"""Entry point: `python app.py` starts the server, and `flask --app app` runs the commands."""

import signal

if __name__ == "__main__":
    # Until the server handles signals, Ctrl+C exits without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from gevent import monkey

if __name__ == "__main__":
    monkey.patch_all()

import os
import sys

from twindow.application import Twindow, create_app, log_start, prepare_databases
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.db.migrations import UnsupportedDatabase
from twindow.core.server.logs import configure_logging
from twindow.core.settings import SettingsError, load_env_file, load_settings
from twindow.web import prometheus

__all__ = ["create_app", "main"]


def main() -> None:
    """Run the server."""
    from twindow.core.server.gunicorn_server import BindError, Server

    configure_logging()
    try:
        arguments = load_env_file(sys.argv[1:])
        if arguments not in ([], ["--no-migrate"]):
            sys.exit("Usage: python app.py [--env-file FILE] [--no-migrate]")
        settings = load_settings(create_data_dir=not arguments)
        prepare_databases(settings, may_upgrade=not arguments)
        options = prometheus.server_options(settings)
        server = Server(lambda: Twindow(settings), settings, **options)
    except (SettingsError, BindError, DatabaseUnavailable, UnsupportedDatabase) as error:
        print(error, file=sys.stderr)
        sys.exit(os.EX_CONFIG)
    log_start(settings)
    server.run()


if __name__ == "__main__":
    main()
