"""Settings: defaults, overridden by environment variables with the prefix TWINDOW_."""

from __future__ import annotations

import difflib
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import msgspec

from core.branding import Accent, FooterLinks, Logo
from core.environment import ENV_PREFIX, read_variables
from core.sign_in_modes import SignInModes
from core.stored_secrets import load_or_create_secret
from core.sub_path import path_of_url
from core.trusted_proxies import IdentityProxies, TrustedProxies
from core.twin_groups import TwinGroups

ROOT = Path(__file__).parent.parent
LOOPBACK_HOSTS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
# Earlier names of settings, which still work.
ALIASES = {"proxy_ips": "trusted_proxies"}

Seconds = Annotated[float, msgspec.Meta(gt=0)]
Count = Annotated[int, msgspec.Meta(ge=1)]
Port = Annotated[int, msgspec.Meta(ge=1, le=65535)]
Share = Annotated[float, msgspec.Meta(gt=0, le=1)]
Url = Annotated[str, msgspec.Meta(pattern=r"^https?://[^\s/]+")]
# Header names must not contain underscores, which some servers treat as hyphens.
HeaderName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z][A-Za-z0-9-]{0,99}\Z")]
# Headers that browsers or HTTP itself set.
COMMON_HEADERS = {
    "authorization",
    "connection",
    "cookie",
    "host",
    "origin",
    "referer",
    "user-agent",
}

REASON_REPLACEMENTS = (
    (r"Expected int, got str", "it should be a whole number"),
    (r"Expected float, got str", "it should be a number"),
    (r"Expected bool, got str", "it should be true or false"),
    (r"Expected (int|float|str)\b ?", "it should be "),
    (r"<= ", "at most "),
    (r">= ", "at least "),
    (r"< ", "below "),
    (r"> ", "above "),
    (r"matching regex .*A-Za-z.*", "the name of a header: letters, digits and hyphens"),
    (r"matching regex .*", "an address that begins with http:// or https://"),
)


class SettingsError(Exception):
    """Raised for an unusable setting; the message is one sentence that names the setting."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings, validated.

    Times are in seconds, sizes in characters, unless the name says otherwise.
    """

    api_url: Url | None = None
    api_key: str | None = None
    api_read_key: str | None = None
    api_ca_file: Path | None = None
    api_connect_timeout: Seconds = 5
    api_answer_timeout: Seconds = 30
    api_idle_timeout: Seconds = 60
    api_reply_timeout: Seconds = 600
    api_hourly_limit: Count = 500
    api_fair_share: Share = 0.5
    api_address_share: Share = 0.8

    host: str = "127.0.0.1"
    port: Port = 8000
    workers: Count = 1
    trusted_proxies: TrustedProxies = TrustedProxies("127.0.0.1,::1")

    data_dir: Path = Path("data")
    database_url: str | None = None
    database_lock_timeout: Annotated[float, msgspec.Meta(gt=0, le=3600)] = 2.5
    secret_key: str | None = None
    jwt_secret: str | None = None
    jwt_jwks_url: Url | None = None
    jwt_issuer: str | None = None
    jwt_audience: str = "twindow"

    sign_in: SignInModes = SignInModes("")
    sign_in_idle_timeout: Seconds = 7 * 86_400
    sign_in_max_age: Seconds = 30 * 86_400
    sign_in_attempt_limit: Count = 10
    sign_in_address_limit: Count = 50
    public_url: Url | None = None
    proxy_user_header: HeaderName | None = None
    proxy_networks: IdentityProxies = IdentityProxies("")
    proxy_groups_header: HeaderName | None = None
    proxy_token_header: HeaderName | None = None
    twin_groups: TwinGroups = TwinGroups("")
    site_name: str = "Twindow"
    accent: Accent = Accent("oklch(44% 0.1 165)")
    logo: Logo | None = None
    logo_has_name: bool = False
    welcome: str = ""
    footer_links: FooterLinks = FooterLinks("")
    key_hourly_limit: Count = 30
    history_limit: Count = 10_000
    running_replies_limit: Count = 10
    message_limit: Annotated[int, msgspec.Meta(ge=1, le=32_000)] = 32_000
    twins_cache: Seconds = 60

    model_url: Url | None = None
    model: str | None = None
    model_key: str | None = None
    model_window: Annotated[int, msgspec.Meta(ge=512)] = 4096
    model_parallel: Count | None = None
    model_timeout: Seconds = 120
    twins_dir: Path = ROOT / "twins"

    debug: bool = False

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

    def database_url_for(self, name: str) -> str:
        """Return the URL of the database of `name`, which is "portal" or "service"."""
        return self.database_url or f"sqlite:///{self.data_dir.resolve() / name}.db"

    def secret(self, name: str) -> str:
        """Return the setting `name`, or a secret generated once and stored in the data folder."""
        value: str | None = getattr(self, name)
        return (
            value
            if value
            else load_or_create_secret(self.data_dir / name, secrets.token_urlsafe(32))
        )


def load_settings(
    overrides: Mapping[str, object] | None = None, *, create_data_dir: bool = True
) -> Settings:
    """Read the settings from the environment, and create the data folder.

    `overrides` maps lower-case names to values that take precedence. Without `create_data_dir`, the
    data folder must exist. Raises SettingsError.
    """
    values = _without_aliases(read_variables())
    for name in values.keys() - set(Settings.__struct_fields__):
        raise SettingsError(_unknown_setting_error(name))
    values |= overrides or {}
    try:
        settings = msgspec.convert(values, Settings, strict=False, dec_hook=_convert_custom_type)
    except msgspec.ValidationError as error:
        raise SettingsError(_invalid_value_error(str(error), values)) from None
    _check_combinations(settings)
    if not create_data_dir and not settings.data_dir.is_dir():
        raise SettingsError(
            f"The data folder {settings.data_dir.resolve()} does not exist. Use the settings of "
            f"the server: --env-file, or {ENV_PREFIX}_DATA_DIR."
        )
    try:
        settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"{ENV_PREFIX}_DATA_DIR={settings.data_dir} cannot be used: {error.strerror}."
        ) from None
    with suppress(OSError):  # the volume may belong to another account
        settings.data_dir.chmod(0o700)
        # The folder holds secrets, and may be inside a Git working tree.
        (settings.data_dir / ".gitignore").write_text("*\n")
    return settings


def _without_aliases(values: Mapping[str, object]) -> dict[str, object]:
    for alias, name in ALIASES.items():
        if alias in values and name in values:
            raise SettingsError(
                f"{ENV_PREFIX}_{alias.upper()} is the earlier name of "
                f"{ENV_PREFIX}_{name.upper()}: set only the latter."
            )
    return {ALIASES.get(name, name): value for name, value in values.items()}


def _convert_custom_type(kind: type[Any], value: Any) -> Any:
    return kind(value)


def _unknown_setting_error(name: str) -> str:
    sentence = f"{ENV_PREFIX}_{name.upper()} is not a setting of Twindow"
    close_matches = difflib.get_close_matches(name, Settings.__struct_fields__, 1)
    return (
        f"{sentence}; did you mean {ENV_PREFIX}_{close_matches[0].upper()}?"
        if close_matches
        else f"{sentence}."
    )


def _invalid_value_error(message: str, values: Mapping[str, object]) -> str:
    match = re.search(r"`?\$\.(\w+)", message)
    name = match[1] if match else ""
    reason = message.split(" - at ")[0].replace("`", "")
    for pattern, replacement in REASON_REPLACEMENTS:
        reason = re.sub(pattern, replacement, reason)
    return f"{ENV_PREFIX}_{name.upper()}={values.get(name)!s} cannot be used: {reason}."


def _check_combinations(settings: Settings) -> None:
    if not (settings.is_embedded or settings.api_key or settings.sign_in.has_only_keys):
        raise SettingsError(
            f"{ENV_PREFIX}_API_URL is set, so {ENV_PREFIX}_API_KEY is needed as well."
        )
    for name in ("api_key", "api_read_key"):
        if settings.is_embedded and getattr(settings, name):
            raise SettingsError(
                f"{ENV_PREFIX}_{name.upper()} is set, so {ENV_PREFIX}_API_URL is needed as well."
            )
    try:
        path_of_url(settings.public_url or "")
    except ValueError:
        raise SettingsError(
            f"{ENV_PREFIX}_PUBLIC_URL={settings.public_url} cannot be used: it should be like "
            "https://example.org/chat, without a query and special characters, and with a path "
            "that the portal does not use itself."
        ) from None
    if settings.sign_in.has_proxy:
        _check_proxy_sign_in(settings)
    else:
        for name in ("proxy_groups_header", "proxy_token_header"):
            if getattr(settings, name):
                raise SettingsError(
                    f"{ENV_PREFIX}_{name.upper()} is set, so {ENV_PREFIX}_SIGN_IN must contain "
                    "proxy."
                )
    if settings.logo_has_name and not settings.logo:
        raise SettingsError(
            f"{ENV_PREFIX}_LOGO_HAS_NAME is set, so {ENV_PREFIX}_LOGO is needed as well."
        )
    if settings.api_ca_file and not settings.api_ca_file.is_file():
        raise SettingsError(f"{ENV_PREFIX}_API_CA_FILE={settings.api_ca_file} is not a file.")
    if not settings.twins_dir.is_dir():
        raise SettingsError(f"{ENV_PREFIX}_TWINS_DIR={settings.twins_dir} is not a folder.")
    if settings.database_url:
        _check_database_url(settings.database_url)
    for name in ("secret_key", "jwt_secret"):
        # RFC 7518, 3.2: HS256 requires a key of 256 bits.
        if len(getattr(settings, name) or "x" * 32) < 32:
            raise SettingsError(
                f"{ENV_PREFIX}_{name.upper()} is too short: 32 characters at least."
            )
    if settings.jwt_jwks_url and not settings.jwt_issuer:
        raise SettingsError(
            f"{ENV_PREFIX}_JWT_JWKS_URL is set, so {ENV_PREFIX}_JWT_ISSUER is needed as well."
        )
    if settings.jwt_jwks_url and settings.jwt_secret:
        raise SettingsError(
            f"{ENV_PREFIX}_JWT_JWKS_URL and {ENV_PREFIX}_JWT_SECRET exclude each other: set one."
        )
    for name in ("model", "model_key"):
        if getattr(settings, name) and not settings.model_url:
            raise SettingsError(
                f"{ENV_PREFIX}_{name.upper()} is set, so {ENV_PREFIX}_MODEL_URL is needed as well."
            )


def _check_proxy_sign_in(settings: Settings) -> None:
    header = settings.proxy_user_header
    if not header or not settings.proxy_networks.text.strip():
        raise SettingsError(
            f"{ENV_PREFIX}_SIGN_IN contains proxy, so {ENV_PREFIX}_PROXY_USER_HEADER and "
            f"{ENV_PREFIX}_PROXY_NETWORKS are needed as well."
        )
    headers = {"USER": header, "GROUPS": settings.proxy_groups_header or ""}
    names = [
        name.lower() for name in (*headers.values(), settings.proxy_token_header or "") if name
    ]
    if len(names) != len(set(names)):
        raise SettingsError(
            f"{ENV_PREFIX}_PROXY_USER_HEADER, {ENV_PREFIX}_PROXY_GROUPS_HEADER and "
            f"{ENV_PREFIX}_PROXY_TOKEN_HEADER must name different headers."
        )
    if settings.is_embedded and settings.proxy_token_header:
        raise SettingsError(
            f"{ENV_PREFIX}_PROXY_TOKEN_HEADER is set, so {ENV_PREFIX}_API_URL is needed as well: "
            "the embedded service accepts API keys only."
        )
    for name, value in headers.items():
        if value.lower() in COMMON_HEADERS:
            raise SettingsError(
                f"{ENV_PREFIX}_PROXY_{name}_HEADER={value} cannot be used: "
                "browsers set this header."
            )


def _check_database_url(url: str) -> None:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    # Never include the URL in the message: it may contain a password.
    try:
        dialect = make_url(url).get_dialect()
        reason = "Twindow works with SQLite and PostgreSQL"
        if dialect.name in ("sqlite", "postgresql"):
            dialect.import_dbapi()
            return
    except (ArgumentError, NoSuchModuleError):
        reason = "it is no address of a database"
    except ImportError as error:
        reason = f"the package {error.name} is not installed"
    raise SettingsError(f"{ENV_PREFIX}_DATABASE_URL cannot be used: {reason}.")
