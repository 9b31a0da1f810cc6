"""The settings with their types and default values."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import msgspec

from twindow.core.branding import Accent, FooterLinks, Logo
from twindow.core.outbound.outbound import Outbound
from twindow.core.secrets import load_or_create_secret
from twindow.core.settings.origins import AvatarOrigins, FrameAncestors
from twindow.core.settings.rate_limits import MessageLimits
from twindow.core.settings.sign_in_modes import SignInModes
from twindow.core.settings.trusted_proxies import IdentityProxies, PeerNetworks, TrustedProxies
from twindow.core.twin_groups import TwinGroups
from twindow.core.urls import path_of_url
from twindow.paths import TWINS

LOOPBACK_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104

Seconds = Annotated[float, msgspec.Meta(gt=0)]
Count = Annotated[int, msgspec.Meta(ge=1)]
Port = Annotated[int, msgspec.Meta(ge=1, le=65535)]
Url = Annotated[str, msgspec.Meta(pattern=r"^https?://[^\s/?#]+[^\s#]*\Z")]
# Visible ASCII characters, as in any header. Dots alone are a placeholder of a document.
Key = Annotated[str, msgspec.Meta(pattern=r"^(?!\.+\Z)[!-~]*\Z")]
# Header names must not contain underscores, which some servers treat as hyphens.
HeaderName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z][A-Za-z0-9-]{0,99}\Z")]


# Each of these may be in a file, as platforms provide secrets: TWINDOW_SECRET_KEY_FILE names the
# file of TWINDOW_SECRET_KEY.
SECRETS = (
    "api_key",
    "database_url",
    "jwt_secret",
    "model_key",
    "oidc_client_secret",
    "outbound_proxy",
    "secret_key",
)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings, validated.

    Times are in seconds, sizes in characters, unless the name says otherwise.
    """

    api_url: Url | None = None
    api_key: Key | None = None
    api_timeout: Seconds = 60
    api_reply_timeout: Seconds = 600
    avatar_origins: AvatarOrigins = AvatarOrigins("")

    host: str = "127.0.0.1"
    port: Port = 8000
    workers: Count = 1
    trusted_proxies: TrustedProxies = TrustedProxies("127.0.0.1,::1")
    metrics_from: PeerNetworks = PeerNetworks("")
    ca_file: Path | None = None
    outbound_proxy: Url | None = None
    no_proxy: str = ""

    data_dir: Path = Path("data")
    database_url: str | None = None
    secret_key: str | None = None
    jwt_secret: str | None = None
    jwt_jwks_url: Url | None = None
    jwt_issuer: str | None = None
    jwt_audience: str = "twindow"

    sign_in: SignInModes = SignInModes("")
    sign_in_idle_timeout: Seconds = 7 * 86_400
    sign_in_max_age: Seconds = 30 * 86_400
    public_url: Url | None = None
    frame_ancestors: FrameAncestors = FrameAncestors("")
    proxy_user_header: HeaderName | None = None
    proxy_networks: IdentityProxies = IdentityProxies("")
    proxy_groups_header: HeaderName | None = None
    oidc_issuer: Url | None = None
    oidc_client_id: str | None = None
    oidc_client_secret: str | None = None
    oidc_name: Annotated[str, msgspec.Meta(max_length=40)] = "OpenID Connect"
    oidc_scopes: str = "openid profile email"
    oidc_groups_claim: str | None = None
    oidc_allowed_groups: str = ""
    oidc_allowed_domains: str = ""
    oidc_max_age: Seconds = 8 * 3600
    twin_groups: TwinGroups = TwinGroups("")
    site_name: str = "Twindow"
    accent: Accent = Accent("oklch(44% 0.1 165)")
    logo: Logo | None = None
    logo_has_name: bool = False
    app_icon: Logo | None = None
    banner: Annotated[str, msgspec.Meta(max_length=120)] = ""
    welcome: str = ""
    reply_notice: str = ""
    footer_links: FooterLinks = FooterLinks("")
    limits: MessageLimits = MessageLimits("person=120/hour, address=300/hour")
    history_limit: Count = 10_000

    model_url: Url | None = None
    model: str | None = None
    model_key: Key | None = None
    model_window: Annotated[int, msgspec.Meta(ge=512)] = 4096
    model_parallel: Count | None = None
    model_timeout: Seconds = 300
    demo_model: bool = True
    twins_dir: Path = TWINS

    @property
    def is_embedded(self) -> bool:
        """Return whether the portal uses the embedded service."""
        return self.api_url is None

    @property
    def sub_path(self) -> str:
        """Return the path below which the portal is reached, such as /chat; "" is the root."""
        return path_of_url(self.public_url) if self.public_url else ""

    @property
    def own_url(self) -> str:
        """Return the URL at which this machine reaches the portal."""
        host = LOOPBACK_HOSTS.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def service_url(self) -> str:
        """Return the URL of the service; the embedded one uses the portal's own address."""
        return self.api_url or self.own_url

    @property
    def outbound(self) -> Outbound:
        """Return how other servers are reached."""
        return Outbound(self.ca_file, self.outbound_proxy, self.no_proxy)

    def database_url_for(self, name: str) -> str:
        """Return the URL of the database of `name`, which is "portal" or "service"."""
        # SQLAlchemy decodes the path; a folder may have a name with `?` or `%`.
        return self.database_url or f"sqlite:///{quote(f'{self.data_dir.resolve() / name}.db')}"

    def secret(self, name: str) -> str:
        """Return the setting `name`, or a secret generated once and stored in the data folder."""
        value: str | None = getattr(self, name)
        return (
            value
            if value
            else load_or_create_secret(self.data_dir / name, secrets.token_urlsafe(32))
        )


SETTING_NAMES = (*Settings.__struct_fields__, *(f"{name}_file" for name in SECRETS))
