"""`python -m service` runs the service alone."""

# ruff: noqa: E402
from gevent import monkey

monkey.patch_all()

import sys

import config
from server import Server
from service import Service, create_service


def main() -> None:
    """Serve the service, and nothing else."""
    try:
        settings = config.load()
    except config.SettingsError as error:
        sys.exit(str(error))
    Server(
        lambda: Service(create_service(settings)),
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
    ).run()


if __name__ == "__main__":
    main()
