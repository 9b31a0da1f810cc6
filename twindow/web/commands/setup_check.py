"""Check of a portal behind a proxy: it reports the first problem, and a possible fix."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from urllib.parse import urlsplit

import msgspec
import requests

from twindow.core.outbound.adapter import OutboundAdapter, open_session
from twindow.core.outbound.outbound import Outbound
from twindow.core.outbound.responses import describe_network_error
from twindow.core.settings import Settings
from twindow.web.http.same_origin import DEFAULT_PORTS
from twindow.web.probes import PROBE_HEADER, Observation, probe_signature

# Forged values that the portal must not accept. The address is for documentation (RFC 5737).
FORGED_ADDRESS = "192.0.2.99"
FORGED_FORWARDED = f"for={FORGED_ADDRESS}"
FORGED_NAME = "forged-by-twindow-check"
TIMEOUT_SECONDS = 20.0
MAX_CLOCK_DIFFERENCE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Problem:
    """The cause of a problem, and a setting, nginx directive or command that may fix it, or ""."""

    cause: str
    line: str


def find_problem(
    settings: Settings, secret_key: str, url: str, headers: dict[str, str], now: float
) -> Problem | None:
    """Request the portal at its public URL once or twice, and return the first problem, or None.

    The second request shows whether a browser can remove headers that the proxy sets. `headers`
    are added to both, for a proxy that requires a sign-in.
    """
    url_path = urlsplit(url).path.rstrip("/")
    if url_path != settings.sub_path:
        return Problem(
            f"The portal expects the path “{settings.sub_path}/”, but {url} has “{url_path}/”.",
            f"TWINDOW_PUBLIC_URL={url}",
        )
    forged = {
        "X-Forwarded-For": FORGED_ADDRESS,
        "Forwarded": FORGED_FORWARDED,
        "HX-Request": "true",
        **dict.fromkeys(_identity_headers(settings), FORGED_NAME),
    }
    # RFC 9110, 7.6.1: a proxy removes the headers that Connection names.
    removing = {"Connection": ", ".join(("X-Forwarded-Proto", *_identity_headers(settings)))}
    session = open_session(OutboundAdapter(Outbound(settings.ca_file)))
    try:
        response = _probe(session, secret_key, url, forged | headers)
        observation = _read_observation(response)
        if observation is None:
            return _wrong_response(settings, url, response)
        problem = (
            _transport_problem(settings, url, observation)
            or _address_problem(settings, url, observation)
            or _identity_problem(settings, observation)
        )
        if problem:
            return problem
        second_observation = _read_observation(_probe(session, secret_key, url, removing | headers))
    except requests.exceptions.SSLError as error:
        reason = describe_network_error(error)
        is_own = "issuer certificate" in reason or "self-signed" in reason
        renewal = "certbot renew" if "expired" in reason else ""
        return Problem(
            f"The certificate of {url} is not valid: {reason}.",
            "TWINDOW_CA_FILE=/path/to/your/authority.pem" if is_own else renewal,
        )
    except requests.RequestException as error:
        reason = describe_network_error(error)
        return Problem(f"Nothing responds at {url}: {reason}.", "systemctl status nginx")
    return _removal_problem(observation, second_observation) or _response_problem(
        response, observation, now
    )


def _probe(
    session: requests.Session, secret_key: str, url: str, headers: dict[str, str]
) -> requests.Response:
    signature = {PROBE_HEADER: probe_signature(secret_key, secrets.token_hex(8))}
    return session.get(
        f"{url.rstrip('/')}/healthz/request",
        headers=headers | signature,
        timeout=TIMEOUT_SECONDS,
        allow_redirects=False,
    )


def _read_observation(response: requests.Response) -> Observation | None:
    try:
        return msgspec.json.decode(response.content, type=Observation)
    except msgspec.MsgspecError:
        return None


def _wrong_response(settings: Settings, url: str, response: requests.Response) -> Problem:
    status = response.status_code
    if status in (301, 302, 303, 307, 401, 403):
        return Problem(
            f"The proxy at {url} requires a sign-in (status {status}).",
            f'twindow check --through {url} --header "Authorization: Basic …"',
        )
    return Problem(
        f"Another server responds at {url} (status {status}), or the portal has another "
        "TWINDOW_SECRET_KEY.",
        f"proxy_pass {settings.own_url};",
    )


def _transport_problem(settings: Settings, url: str, seen: Observation) -> Problem | None:
    public = urlsplit(url)
    if seen.scheme != public.scheme:
        if not seen.is_peer_trusted:
            return _untrusted_peer(settings, seen)
        return Problem(
            f"The portal sees {seen.scheme} instead of {public.scheme}.",
            "proxy_set_header X-Forwarded-Proto $scheme;",
        )
    host = public.netloc.lower().removesuffix(f":{DEFAULT_PORTS.get(public.scheme)}")
    if host not in map(str.lower, seen.hosts):
        return Problem(
            f"The portal sees the host {seen.hosts[0]} instead of {host}.",
            "proxy_set_header Host $http_host;",
        )
    return None


def _address_problem(settings: Settings, url: str, seen: Observation) -> Problem | None:
    own, public = urlsplit(settings.own_url), urlsplit(url)
    if own.netloc == public.netloc:
        return None  # the URL is the portal's own: there is no proxy
    is_named = bool({seen.forwarded_for, seen.forwarded} - {"", FORGED_ADDRESS, FORGED_FORWARDED})
    if is_named and not seen.is_peer_trusted:
        return _untrusted_peer(settings, seen)
    if seen.forwarded_for == FORGED_ADDRESS:
        return Problem(
            "The proxy passes X-Forwarded-For on without adding the address of the browser.",
            "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
        )
    if not is_named:
        return Problem(
            "The proxy does not send the address of the browser.",
            "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
        )
    if seen.forwarded == FORGED_FORWARDED:
        return Problem(
            "The proxy passes on the header Forwarded that a browser sends.",
            'proxy_set_header Forwarded "";',
        )
    return None


def _untrusted_peer(settings: Settings, seen: Observation) -> Problem:
    listed = f"{settings.trusted_proxies.text},{seen.peer}".strip(",")
    return Problem(
        f"The portal does not trust the proxy at {seen.peer}.", f"TWINDOW_TRUSTED_PROXIES={listed}"
    )


def _identity_headers(settings: Settings) -> list[str]:
    headers = settings.proxy_user_header, settings.proxy_groups_header
    return [header for header in headers if header]


def _identity_problem(settings: Settings, seen: Observation) -> Problem | None:
    header = settings.proxy_user_header
    if not settings.sign_in.has_proxy or not header:
        return None
    set_header = f"proxy_set_header {header} $remote_user;"
    groups_header = settings.proxy_groups_header
    if groups_header and FORGED_NAME in seen.groups_header:
        return Problem(
            f"The proxy does not replace the {groups_header} that a browser sends.",
            f'proxy_set_header {groups_header} "";',
        )
    if FORGED_NAME in seen.identity_header:
        return Problem(f"The proxy does not replace the {header} that a browser sends.", set_header)
    if not seen.identity_header:
        return Problem(f"The proxy does not send {header}.", set_header)
    if seen.identity is None and not settings.proxy_networks.lists(seen.peer):
        listed = f"{settings.proxy_networks.text},{seen.peer}".strip(",")
        return Problem(
            f"TWINDOW_PROXY_NETWORKS does not contain the proxy at {seen.peer}.",
            f"TWINDOW_PROXY_NETWORKS={listed}",
        )
    if seen.identity is None:
        return Problem(
            f"The name “{seen.identity_header}” is not acceptable: it has a comma or a control "
            "character, is too long, or is a placeholder.",
            set_header,
        )
    return None


def _removal_problem(seen: Observation, second: Observation | None) -> Problem | None:
    # Without an observation, the proxy has refused the request.
    if second is None or _values_of_proxy(second) == _values_of_proxy(seen):
        return None
    return Problem(
        "A browser can remove headers that the proxy sets, by naming them in Connection.",
        "RequestHeader unset Connection",
    )


def _values_of_proxy(seen: Observation) -> tuple[object, ...]:
    return seen.scheme, seen.identity, seen.groups_header


def _response_problem(response: requests.Response, seen: Observation, now: float) -> Problem | None:
    if "X-Fragment" not in response.headers:
        return Problem("The proxy removes the header X-Fragment.", "proxy_pass_header X-Fragment;")
    if abs(seen.time - now) > MAX_CLOCK_DIFFERENCE_SECONDS:
        return Problem(
            f"The clocks of the portal and of this machine differ by {abs(seen.time - now):.0f} "
            "seconds.",
            "timedatectl set-ntp true",
        )
    return None
