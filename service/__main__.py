"""`python -m service` runs the service alone; with a command behind it, it does that instead."""

# ruff: noqa: E402
import signal

# Until the server takes signals, Ctrl-C ends this and prints no traceback of an import.
signal.signal(signal.SIGINT, signal.SIG_DFL)

from gevent import monkey

monkey.patch_all()

import sys

from core.gunicorn_server import BindError, Server
from core.settings import Settings, SettingsError, load_settings
from core.startup_lock import startup_lock
from service.app import Service, create_service
from service.cli import create_cli_group


def build_service(settings: Settings) -> Service:
    """Put the service together."""
    with startup_lock(settings.data_dir):
        return Service(create_service(settings))


def main() -> None:
    """Serve the service, and nothing else."""
    try:
        settings = load_settings()
        if len(sys.argv) > 1:
            create_cli_group(build_service(settings).app)(prog_name="python -m service")
        server = Server(
            lambda: build_service(settings),
            host=settings.host,
            port=settings.port,
            workers=settings.workers,
        )
    except (SettingsError, BindError) as error:
        sys.exit(str(error))
    server.run()


if __name__ == "__main__":
    main()
