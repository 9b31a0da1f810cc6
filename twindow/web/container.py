"""The portal's dependency container, built once per process and attached to the app."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

from flask import current_app

from twindow.accounts import TABLES as ACCOUNT_TABLES
from twindow.accounts import Accounts, KeyIssuer, People
from twindow.chat.adoption import Adoption
from twindow.chat.catalogue import Avatars, TwinCatalogue, TwinListStore, advise_operator
from twindow.chat.conversations import Conversations
from twindow.chat.deletion import Deletions
from twindow.chat.limits import Limits, ServiceQuota
from twindow.chat.log import HtmlCache, Log
from twindow.chat.reply_worker import ReplyWorker
from twindow.chat.schema import TABLES as CHAT_TABLES
from twindow.chat.schema import counters as counters_table
from twindow.chat.search import Search
from twindow.chat.submissions import Submissions
from twindow.chat.turns import Turns
from twindow.core.clock import Clock
from twindow.core.db.counters import Counters
from twindow.core.db.database import Database
from twindow.core.db.table_copy import Schema
from twindow.core.metrics import Metrics
from twindow.core.server.process_load import ProcessLoad
from twindow.core.settings import Settings, SettingsError
from twindow.core.twin_groups import TwinPermissions
from twindow.paths import MIGRATIONS
from twindow.rendering import RENDERER_VERSION, RenderProcess, render_plain
from twindow.twinapi import AvatarDownloader, Client
from twindow.web.oidc.provider import Provider
from twindow.web.prometheus import create_metrics
from twindow.web.session.rows import sessions
from twindow.web.streaming.reply_renderer import ReplyRenderers

EXTENSION_KEY = "twindow"
SCHEMA = Schema("portal", (*ACCOUNT_TABLES, *CHAT_TABLES, sessions), MIGRATIONS, "alembic_version")
# Without this error, a portal that has lost its environment file would admit everyone.
MISSING_SIGN_IN = (
    "TWINDOW_SIGN_IN is not set, but people have signed in to this portal. Set it to what it was: "
    "password, proxy, or a list; with visitor, people without an account may use it as well."
)


@dataclass(frozen=True, slots=True)
class Portal:
    """The dependencies that all requests of a portal share.

    `model_note` returns a note for visitors about the model of a twin of the embedded service, or
    None. `twin_permissions` returns the twins that people in some groups may use. Only the embedded
    service has a `key_issuer`, and only a portal with OpenID Connect a `provider`.
    """

    settings: Settings
    database: Database
    counters: Counters
    accounts: Accounts
    client: Client
    catalogue: TwinCatalogue
    avatars: Avatars
    conversations: Conversations
    turns: Turns
    submissions: Submissions
    limits: Limits
    reply_worker: ReplyWorker
    adoption: Adoption
    deletions: Deletions
    search: Search
    log: Log
    renderer: RenderProcess
    html_cache: HtmlCache
    reply_renderers: ReplyRenderers
    model_note: Callable[[str], object | None]
    twin_permissions: Callable[[Collection[str]], TwinPermissions]
    key_issuer: KeyIssuer | None = None
    provider: Provider | None = None

    @property
    def clock(self) -> Clock:
        """Return the clock of this portal."""
        return self.database.clock

    @property
    def metrics(self) -> Metrics:
        """Return the receiver of what is counted."""
        return self.database.metrics


def require_sign_in_mode(settings: Settings, people: People) -> None:
    """Raise SettingsError if people exist, but no setting says how they sign in.

    A lost environment file must not open the portal to everyone.
    """
    if not settings.sign_in.is_set and people.exist():
        raise SettingsError(MISSING_SIGN_IN)


def portal() -> Portal:
    """Return the portal of the current app."""
    instance: Portal = current_app.extensions[EXTENSION_KEY]
    return instance


def build_portal(
    settings: Settings,
    api_key: str,
    clock: Clock,
    load: ProcessLoad,
    model_note: Callable[[str], object | None],
    twin_permissions: Callable[[Collection[str]], TwinPermissions],
    key_issuer: KeyIssuer | None = None,
    *,
    upgrades_tables: bool = True,
) -> Portal:
    """Upgrade the tables and build the portal. `api_key` is the service's API key.

    From now on, `load` also goes to the metrics of the portal.

    Without `upgrades_tables`, nothing is written, and outdated tables raise UnsupportedDatabase.

    Raises DatabaseUnavailable when the database cannot be migrated, and SettingsError when the
    sign-in mode is missing.
    """
    metrics = create_metrics(settings, clock.time())
    load.metrics = metrics
    database = Database(settings.database_url_for("portal"), clock=clock, metrics=metrics)
    SCHEMA.prepare(database, may_upgrade=upgrades_tables)
    secret_key = settings.secret("secret_key")
    counters = Counters(counters_table)
    accounts = Accounts(
        database,
        counters,
        secret_key,
        idle_seconds=settings.sign_in_idle_timeout,
        max_seconds=settings.sign_in_max_age,
        key_issuer=key_issuer,
        oidc_issuer=settings.oidc_issuer or "",
    )
    require_sign_in_mode(settings, accounts.people)
    quota = ServiceQuota(database, api_key)
    client = Client(
        settings.service_url,
        api_key,
        outbound=settings.outbound,
        timeout=settings.api_timeout,
        reply_timeout=settings.api_reply_timeout,
        on_report=quota.record_report,
        pause_seconds=load.pause_seconds,
    )
    catalogue = TwinCatalogue(
        client,
        TwinListStore(database, client.base_url),
        advise=partial(advise_operator, settings=settings),
    )
    conversations = Conversations(database)
    renderer = RenderProcess()
    html_cache = HtmlCache(database, renderer.render, render_plain, RENDERER_VERSION)
    log = Log(database, load, on_stored=html_cache.add)
    limits = Limits(
        database, counters, quota, settings.limits, history_limit=settings.history_limit
    )
    turns = Turns(database)
    return Portal(
        settings=settings,
        database=database,
        counters=counters,
        accounts=accounts,
        client=client,
        catalogue=catalogue,
        avatars=Avatars(
            AvatarDownloader(client.base_url, settings.avatar_origins, settings.outbound),
            settings.data_dir / "avatars",
            clock,
        ),
        conversations=conversations,
        turns=turns,
        submissions=Submissions(database, log, limits, secret_key),
        limits=limits,
        reply_worker=ReplyWorker(conversations, log, catalogue, quota),
        adoption=Adoption(database),
        deletions=Deletions(database, counters, turns, log, client),
        search=Search(database),
        log=log,
        renderer=renderer,
        html_cache=html_cache,
        reply_renderers=ReplyRenderers(clock, log.is_writing),
        model_note=model_note,
        twin_permissions=twin_permissions,
        key_issuer=key_issuer,
        provider=Provider(settings, clock) if settings.sign_in.has_oidc else None,
    )
