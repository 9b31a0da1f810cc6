"""The service, put together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Flask

from core.clock import SYSTEM, Clock
from core.database import Database, migrate
from core.languages import N_
from core.settings import Settings
from service import health
from service.access.api_keys import Keys
from service.access.jwt_tokens import Tokens
from service.api import auth, avatars, errors, routes
from service.api.requests import refuse_nul
from service.cli import group
from service.container import EXTENSION, Parts
from service.conversations.conversations import Conversations
from service.conversations.leases import Leases
from service.conversations.messages import Messages
from service.conversations.queue import Line
from service.conversations.reply_manager import Replies
from service.conversations.slots import Places
from service.docs import pages
from service.llm.client import Model
from service.twins.repository import Twins

MIGRATIONS = Path(__file__).parent / "migrations"
SMALL_MODEL = (
    N_("Replies come from a small model"),
    N_(
        "It ships with Twindow and runs on this machine. It is quick and private, and often wrong: "
        "good enough to try the portal, too small to rely on."
    ),
)


def create_service(settings: Settings, clock: Clock = SYSTEM) -> Flask:
    """Put a service together and bring its tables up to date."""
    app = Flask("service", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = errors.MAX_BODY_BYTES
    app.url_map.merge_slashes = False
    database = Database(
        settings.database("service"), lock_timeout=settings.database_lock_timeout, clock=clock
    )
    migrate(database, MIGRATIONS, health.VERSIONS)
    messages = Messages(database)
    model = Model(settings)
    line = Line(Places(database, model.places)) if model.places else None
    app.extensions[EXTENSION] = Parts(
        settings=settings,
        database=database,
        keys=Keys(database),
        tokens=Tokens(settings, clock),
        twins=Twins(settings.twins_dir),
        conversations=Conversations(database),
        messages=messages,
        model=model,
        replies=Replies(messages, Leases(database), model, line),
    )
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.register_blueprint(routes.bp)
    app.register_blueprint(pages.bp)
    app.register_blueprint(health.bp)
    app.register_blueprint(avatars.bp)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.before_request(refuse_nul)
    app.after_request(auth.add_headers)
    errors.init_app(app)
    app.cli.add_command(group(app))
    return app


@dataclass(frozen=True, slots=True)
class ModelNote:
    """What people should know about the model that answers."""

    summary: str
    text: str


class Service:
    """A service that can be served: the app, and what runs beside its requests."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.parts = parts_of(app)

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Answer a request."""
        return self.app(environ, start_response)

    def note(self) -> ModelNote | None:
        """Say what people should know about the model, if it is the bundled one."""
        bundled = self.parts.model.bundled
        if bundled is None:
            return None
        if bundled.problem:
            return ModelNote(N_("There is no model at the moment"), bundled.problem)
        return ModelNote(*SMALL_MODEL)

    def check(self) -> bool:
        """Say what is wrong with the service, and whether anything is."""
        return health.check(self.parts)

    def start(self) -> None:
        """Start the bundled model, so that it is there when the first message comes."""
        if self.parts.model.bundled:
            self.parts.model.bundled.start()

    def close(self) -> None:
        """End the replies that are being written, and the bundled model."""
        self.parts.replies.close()
        self.parts.model.close()


def parts_of(app: Flask) -> Parts:
    """Return what a service is made of."""
    found: Parts = app.extensions[EXTENSION]
    return found
