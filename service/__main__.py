"""`python -m service` runs the service alone; with a command behind it, it does that instead."""

# ruff: noqa: E402
from gevent import monkey

monkey.patch_all()

import sys

import config
from server import AddressUnusable, Server
from service.application import Service, create_service
from service.commands import group


def main() -> None:
    """Serve the service, and nothing else."""
    try:
        settings = config.load()
        if len(sys.argv) > 1:
            group(create_service(settings))(prog_name="python -m service")
        server = Server(
            lambda: Service(create_service(settings)),
            host=settings.host,
            port=settings.port,
            workers=settings.workers,
        )
    except (config.SettingsError, AddressUnusable) as error:
        sys.exit(str(error))
    server.run()


if __name__ == "__main__":
    main()
