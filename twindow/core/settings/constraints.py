"""Checks that types cannot express: files, and settings that need or exclude others."""

from __future__ import annotations

import ssl
from urllib.parse import urlsplit

from twindow.core.outbound.outbound import parse_networks, tls_context
from twindow.core.settings.environment import ENV_PREFIX, variable_name
from twindow.core.settings.errors import SettingsError
from twindow.core.settings.settings import Settings
from twindow.core.urls import is_https_or_loopback, path_of_url

# RFC 7518, 3.2: HS256 requires a key of 256 bits.
MIN_SECRET_CHARACTERS = 32
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


def check_constraints(settings: Settings) -> None:
    """Check rules that the types of the settings cannot express. Raises SettingsError."""
    _check_service(settings)
    _check_public_url(settings.public_url or "")
    _check_sign_in(settings)
    _check_logo(settings)
    _check_paths(settings)
    _check_outbound(settings)
    if settings.database_url:
        _check_database_url(settings.database_url)
    _check_secrets(settings)
    _check_jwt_provider(settings)
    _check_model(settings)


def _check_service(settings: Settings) -> None:
    if not settings.is_embedded:
        if not settings.api_key:
            raise _missing("api_url", "api_key")
        url = urlsplit(settings.api_url or "")
        if url.query or "@" in url.netloc:
            raise SettingsError(
                f"{ENV_PREFIX}_API_URL cannot be used: it should be like https://example.org/api, "
                "without a query, a user name and a password."
            )
        return
    if settings.api_key:
        raise _missing("api_key", "api_url")
    if settings.twin_groups.text.strip():
        raise SettingsError(
            f"{ENV_PREFIX}_TWIN_GROUPS is only for a remote service: write the groups into the "
            "twin's file instead, in the field access, such as “access: [group:sales]”."
        )


def _check_public_url(url: str) -> None:
    try:
        path_of_url(url)
    except ValueError:
        raise SettingsError(
            f"{ENV_PREFIX}_PUBLIC_URL={url} cannot be used: it should be like "
            "https://example.org/chat, without a query and special characters, and with a path "
            "that the portal does not use itself."
        ) from None


def _check_sign_in(settings: Settings) -> None:
    if settings.sign_in.has_proxy:
        _check_proxy_headers(settings)
    elif settings.proxy_groups_header:
        raise SettingsError(
            f"{ENV_PREFIX}_PROXY_GROUPS_HEADER is set, so {ENV_PREFIX}_SIGN_IN must contain proxy."
        )
    if settings.sign_in.has_oidc:
        _check_oidc(settings)
    elif settings.oidc_issuer:
        raise SettingsError(
            f"{ENV_PREFIX}_OIDC_ISSUER is set, so {ENV_PREFIX}_SIGN_IN must contain oidc."
        )


def _check_oidc(settings: Settings) -> None:
    for name in ("oidc_issuer", "oidc_client_id", "public_url"):
        if not getattr(settings, name):
            raise SettingsError(
                f"{ENV_PREFIX}_SIGN_IN contains oidc, so {variable_name(name)} is needed as well."
            )
    if not is_https_or_loopback(settings.oidc_issuer or ""):
        raise SettingsError(
            f"{ENV_PREFIX}_OIDC_ISSUER={settings.oidc_issuer} cannot be used: it must begin with "
            "https://."
        )
    if "openid" not in settings.oidc_scopes.split():
        raise SettingsError(f"{ENV_PREFIX}_OIDC_SCOPES must contain openid.")
    if settings.oidc_allowed_groups and not settings.oidc_groups_claim:
        raise _missing("oidc_allowed_groups", "oidc_groups_claim")


def _check_proxy_headers(settings: Settings) -> None:
    user_header, groups_header = settings.proxy_user_header, settings.proxy_groups_header
    if not user_header or not settings.proxy_networks.text.strip():
        raise SettingsError(
            f"{ENV_PREFIX}_SIGN_IN contains proxy, so {ENV_PREFIX}_PROXY_USER_HEADER and "
            f"{ENV_PREFIX}_PROXY_NETWORKS are needed as well."
        )
    if groups_header and groups_header.lower() == user_header.lower():
        raise SettingsError(
            f"{ENV_PREFIX}_PROXY_USER_HEADER and {ENV_PREFIX}_PROXY_GROUPS_HEADER must name "
            "different headers."
        )
    for name in ("proxy_user_header", "proxy_groups_header"):
        header = getattr(settings, name) or ""
        if header.lower() in COMMON_HEADERS:
            raise SettingsError(
                f"{variable_name(name)}={header} cannot be used: browsers set this header."
            )


def _check_logo(settings: Settings) -> None:
    if settings.logo_has_name and not settings.logo:
        raise _missing("logo_has_name", "logo")
    if settings.app_icon and settings.app_icon.path.suffix.lower() != ".png":
        raise SettingsError(
            f"{variable_name('app_icon')}={settings.app_icon.path}: it should be a .png file."
        )


def _check_paths(settings: Settings) -> None:
    if not settings.twins_dir.is_dir():
        raise SettingsError(f"{ENV_PREFIX}_TWINS_DIR={settings.twins_dir} is not a folder.")


def _check_outbound(settings: Settings) -> None:
    try:
        if settings.ca_file:
            tls_context(settings.ca_file)
    except OSError as error:  # an SSLError is one, too
        reason = "it is no PEM file with certificates"
        if not isinstance(error, ssl.SSLError):
            reason = error.strerror or reason
        raise SettingsError(
            f"{ENV_PREFIX}_CA_FILE={settings.ca_file} cannot be used: {reason}."
        ) from None
    try:
        parse_networks(settings.no_proxy)
    except ValueError as error:
        raise SettingsError(f"{ENV_PREFIX}_NO_PROXY cannot be used: {error}.") from None
    if settings.no_proxy and not settings.outbound_proxy:
        raise _missing("no_proxy", "outbound_proxy")


def _check_secrets(settings: Settings) -> None:
    for name in ("secret_key", "jwt_secret"):
        secret = getattr(settings, name)
        if secret and len(secret) < MIN_SECRET_CHARACTERS:
            raise SettingsError(
                f"{variable_name(name)} is too short: {MIN_SECRET_CHARACTERS} characters at least."
            )


def _check_jwt_provider(settings: Settings) -> None:
    if settings.jwt_jwks_url and not settings.jwt_issuer:
        raise _missing("jwt_jwks_url", "jwt_issuer")
    if settings.jwt_jwks_url and settings.jwt_secret:
        raise SettingsError(
            f"{ENV_PREFIX}_JWT_JWKS_URL and {ENV_PREFIX}_JWT_SECRET exclude each other: set one."
        )


def _check_model(settings: Settings) -> None:
    for name in ("model", "model_key"):
        if getattr(settings, name) and not settings.model_url:
            raise _missing(name, "model_url")


def _check_database_url(url: str) -> None:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    # Never include the URL in the message: it may contain a password.
    if url.count("@") > 1:
        raise SettingsError(
            f"{ENV_PREFIX}_DATABASE_URL has several “@”: write %40 for one in the password, and "
            "%25 for a “%”."
        )
    try:
        dialect = make_url(url).get_dialect()
        reason = "Twindow works with SQLite and PostgreSQL"
        if dialect.name in ("sqlite", "postgresql"):
            dialect.import_dbapi()
            return
    except (ArgumentError, NoSuchModuleError):
        reason = "it begins with neither postgresql+psycopg:// nor sqlite:///"
    except ImportError as error:
        reason = f"the package {error.name} is not installed"
    raise SettingsError(f"{ENV_PREFIX}_DATABASE_URL cannot be used: {reason}.")


def _missing(name: str, needed: str) -> SettingsError:
    """Return the error for a setting that needs another one."""
    return SettingsError(
        f"{variable_name(name)} is set, so {variable_name(needed)} is needed as well."
    )
