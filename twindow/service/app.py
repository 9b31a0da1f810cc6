"""Application factory of the service."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Flask

from twindow.core.clock import SYSTEM_CLOCK, Clock
from twindow.core.db.checkpoints import Checkpoints
from twindow.core.db.database import Database
from twindow.core.db.table_copy import Schema
from twindow.core.findings import Finding
from twindow.core.languages import N_
from twindow.core.server.process_load import ProcessLoad
from twindow.core.settings import Settings
from twindow.service import docs, health
from twindow.service.api import add_response_headers, auth, avatars, errors, reject_nul, routes
from twindow.service.cli import create_cli_group
from twindow.service.container import EXTENSION_KEY, Container, get_container
from twindow.service.conversations import (
    Conversations,
    Leases,
    Messages,
    ReplyManager,
    ReplyQueue,
)
from twindow.service.credentials import ApiKeys, JwtTokens
from twindow.service.key_issuer import KeyIssuer
from twindow.service.knowledge import Knowledge
from twindow.service.llm import ModelClient
from twindow.service.llm.demo import DemoModel, is_available
from twindow.service.schema import TABLES
from twindow.service.twins import TwinRepository

logger = logging.getLogger(__name__)

MIGRATIONS_DIR = Path(__file__).parent / "migrations"
SCHEMA = Schema("service", TABLES, MIGRATIONS_DIR, health.VERSION_TABLE)
DEMO_MODEL_NOTE = (
    N_("Demo model: answers are often wrong"),
    N_(
        "This tiny demo model runs on the same machine as the portal, so that you can try it out. "
        "Don't rely on its answers."
    ),
)


def create_service_app(
    settings: Settings,
    clock: Clock = SYSTEM_CLOCK,
    load: ProcessLoad | None = None,
    *,
    upgrades_tables: bool = True,
) -> Flask:
    """Create the Flask app of the service, and upgrade its tables.

    An embedded service gets the `load` of its portal.

    Without `upgrades_tables`, nothing is written, and outdated tables raise UnsupportedDatabase.
    """
    app = Flask("service", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = errors.MAX_BODY_BYTES
    app.url_map.merge_slashes = False
    database = Database(settings.database_url_for("service"), clock=clock)
    SCHEMA.prepare(database, may_upgrade=upgrades_tables)
    secret_key = settings.secret("secret_key")
    messages = Messages(database)
    load = load or ProcessLoad()
    model_class = ModelClient if settings.model_url else DemoModel
    model: ModelClient = model_class(settings, load.pause_seconds)
    twins = _open_twins(settings)
    knowledge = Knowledge(settings.data_dir / "knowledge.db", twins)
    parallel = model.max_parallel_replies
    # Round the number of slots up, because the model server queues requests beyond its limit.
    queue = ReplyQueue(math.ceil(parallel / settings.workers) if parallel else math.inf)
    app.extensions[EXTENSION_KEY] = Container(
        settings=settings,
        secret_key=secret_key,
        database=database,
        api_keys=ApiKeys(database),
        jwt_tokens=JwtTokens(settings, clock),
        twins=twins,
        conversations=Conversations(database),
        messages=messages,
        model=model,
        knowledge=knowledge,
        reply_manager=ReplyManager(messages, Leases(database), model, queue, knowledge, load),
    )
    app.register_blueprint(routes.bp)
    app.register_blueprint(docs.bp)
    app.register_blueprint(health.bp)
    app.register_blueprint(avatars.bp)
    app.before_request(reject_nul)
    app.after_request(auth.add_rate_limit_headers)
    app.after_request(add_response_headers)
    errors.init_app(app)
    app.cli.add_command(create_cli_group(app))
    return app


def log_unlisted_twins(settings: Settings) -> None:
    """Log the twins that nobody sees because there is no model."""
    if unlisted := _open_twins(settings).names_without_model():
        logger.warning("Not listed, because there is no model: %s", unlisted)


def _open_twins(settings: Settings) -> TwinRepository:
    has_model = bool(settings.model_url) or is_available(settings)
    return TwinRepository(settings.twins_dir, has_model=has_model)


@dataclass(frozen=True, slots=True)
class ModelNote:
    """A note for people about the model in use."""

    summary: str
    text: str


class Service:
    """The WSGI application of the service, with its background tasks."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.container = get_container(app)
        self.checkpoints = Checkpoints(self.container.database)

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Handle a WSGI request."""
        return self.app(environ, start_response)

    @property
    def key_issuer(self) -> KeyIssuer:
        """Return the issuer of tokens for the people of the portal."""
        return KeyIssuer(
            self.container.jwt_tokens, self.container.api_keys, self.container.conversations
        )

    def model_note(self, twin_id: str) -> ModelNote | None:
        """Return a note about the demo model, or None if the twin uses another model or none."""
        model, twins = self.container.model, self.container.twins
        is_used = twins.has_model and twins.needs_model(twin_id)
        if not isinstance(model, DemoModel) or not is_used:
            return None
        if model.process.problem:
            return ModelNote(N_("No model is available"), model.process.problem)
        return ModelNote(*DEMO_MODEL_NOTE)

    def findings(self, asks_model: bool) -> Iterable[Finding]:  # noqa: FBT001
        """Return the state of database, twins and, on request, model."""
        return health.findings(self.container, asks_model=asks_model)

    def start(self) -> None:
        """Start the background work, and begin to load the demo model if a twin needs it."""
        self.checkpoints.start()
        self.container.knowledge.start()
        model, twins = self.container.model, self.container.twins
        needs_model = any(twin.needs_model for twin in twins.list_all())
        if isinstance(model, DemoModel) and twins.has_model and needs_model:
            model.process.start()

    def close(self) -> None:
        """Stop the running replies, the index of files and the demo model."""
        self.container.reply_manager.close()
        self.container.knowledge.close()
        self.container.model.close()

    def disconnect(self) -> None:
        """Close the database, after the last request."""
        self.checkpoints.close()
