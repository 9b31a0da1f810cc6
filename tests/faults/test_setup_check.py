"""`twindow check` finds the cause of each wrong proxy set-up, with a real nginx and Apache."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support import nginx, upstream_server
from tests.support.apache import run_apache
from tests.support.certificates import CertificateAuthority
from tests.support.portals import serve
from tests.support.processes import ServerProcess, free_port, run_server
from tests.support.upstream import UPSTREAM_KEY, Upstream
from twindow.core.settings import Settings, load_settings
from twindow.web.commands.setup_check import find_problem

pytestmark = pytest.mark.usefixtures("processes")

SECRET_KEY = "secret" * 6
SIGN_IN = {
    "sign_in": "proxy",
    "proxy_user_header": "X-Remote-User",
    "proxy_networks": "127.0.0.1",
}
AUTHORIZATION = {"Authorization": f"Basic {base64.b64encode(b'anna:secret').decode()}"}


class Site:
    """Portals with various settings, and nginx in front of them."""

    def __init__(self, folder: Path, passwords: Path, upstream: Upstream, stack: ExitStack) -> None:
        self.folder = folder
        self.passwords = passwords
        self._stack = stack
        self._service = {"api_url": upstream.url, "api_key": UPSTREAM_KEY}
        self._servers: dict[str, ServerProcess] = {}
        certificates = folder / "certificates"
        certificates.mkdir()
        self.authority = CertificateAuthority(certificates)
        self.certificate = self.authority.make_signed("localhost")

    def settings(self, **settings: Any) -> Settings:
        """Return settings as the command reads them."""
        values = self._service | {"data_dir": self.folder, "secret_key": SECRET_KEY}
        return load_settings(values | {"ca_file": self.authority.root.pem} | settings)

    def portal(self, **settings: str) -> str:
        """Return the URL of a portal with these settings."""
        name = repr(settings)
        if name not in self._servers:
            values = self._service | {"secret_key": SECRET_KEY} | settings
            data_dir = self.folder / f"data{len(self._servers)}"
            environment = {key.upper(): value for key, value in values.items()}
            server = run_server(data_dir, "app.py", **environment)
            self._servers[name] = self._stack.enter_context(server)
        return self._servers[name].url

    def nginx(self, url: str, *removed: str, **options: Any) -> str:
        """Run nginx as documented, but without the `removed` headers, and return its URL."""
        folder = self.folder / f"nginx{free_port()}"
        options = {"certificate": self.certificate} | options
        return self._stack.enter_context(nginx.run_nginx(url, folder, removed=removed, **options))


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory, password_file: Path, processes: None
) -> Iterator[Site]:
    """Return portals and a factory of proxies."""
    with ExitStack() as stack:
        upstream = stack.enter_context(upstream_server.run_upstream())
        yield Site(tmp_path_factory.mktemp("site"), password_file, upstream, stack)


def problem_at(
    site: Site, url: str, headers: dict[str, str] | None = None, **settings: Any
) -> tuple[str, str]:
    """Return the cause of the problem and the line that fixes it, or two empty strings."""
    now = settings.pop("now", time.time())
    problem = find_problem(site.settings(**settings), SECRET_KEY, url, headers or {}, now)
    return (problem.cause, problem.line) if problem else ("", "")


def test_correct_set_ups_have_no_problem(site: Site):
    plain, signed_in = site.portal(), site.portal(**SIGN_IN)
    below_path = site.portal(public_url="https://localhost/chat")
    sign_in = nginx.documented_sign_in(site.passwords)
    port = int(plain.rpartition(":")[2])

    assert problem_at(site, plain, port=port) == ("", "")
    assert problem_at(site, site.nginx(plain)) == ("", "")
    assert problem_at(
        site, site.nginx(signed_in, in_location=sign_in), AUTHORIZATION, **SIGN_IN
    ) == ("", "")
    assert problem_at(
        site,
        f"{site.nginx(below_path, path='/chat/')}/chat",
        public_url="https://localhost/chat/",
    ) == ("", "")


def test_proxy_that_lets_browsers_remove_its_headers_is_reported(site: Site):
    signed_in = site.portal(**SIGN_IN)

    def problem_behind_apache(*removed: str) -> tuple[str, str]:
        with run_apache(signed_in, {"anna": "secret"}, *removed) as url:
            return problem_at(site, url, AUTHORIZATION, **SIGN_IN)

    cause, line = problem_behind_apache("RequestHeader unset Connection")

    assert problem_behind_apache() == ("", "")
    assert "can remove headers" in cause
    assert line == "RequestHeader unset Connection"


@pytest.fixture
def other_site() -> Iterator[str]:
    """Return the URL of another web site."""

    def page(_environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Type", "text/html")])
        return [b"<h1>Welcome to nginx!</h1>"]

    with serve(page) as url:
        yield url


def test_each_broken_set_up_is_reported_with_its_cause_and_a_line_to_fix_it(
    site: Site, other_site: str
):
    plain, signed_in = site.portal(), site.portal(**SIGN_IN)
    untrusting = site.portal(trusted_proxies="10.9.9.9")
    sign_in = nginx.documented_sign_in(site.passwords)
    with_groups = SIGN_IN | {"proxy_groups_header": "X-Remote-Groups"}
    unlisted = SIGN_IN | {"proxy_networks": "10.9.9.9"}
    comma = f"Basic {base64.b64encode(b'an,na:secret').decode()}"
    closed = free_port()
    found = {
        "scheme": problem_at(site, site.nginx(plain, "X-Forwarded-Proto")),
        "untrusted proxy": problem_at(site, site.nginx(untrusting), trusted_proxies="10.9.9.9"),
        "host": problem_at(site, site.nginx(plain, "Host")),
        "claimed address": problem_at(site, site.nginx(plain, "X-Forwarded-For")),
        "claimed Forwarded": problem_at(site, site.nginx(plain, "Forwarded")),
        "path": problem_at(site, f"{site.nginx(plain, path='/chat/')}/chat"),
        "nothing": problem_at(site, f"http://127.0.0.1:{closed}"),
        "something else": problem_at(site, site.nginx(other_site)),
        "fragments": problem_at(
            site, site.nginx(plain, in_location="        proxy_hide_header X-Fragment;\n")
        ),
        "clock": problem_at(site, site.nginx(plain), now=time.time() + 100),
        "sign-in": problem_at(site, site.nginx(signed_in, in_location=sign_in), **SIGN_IN),
        "forged name": problem_at(site, site.nginx(signed_in), **SIGN_IN),
        "forged groups": problem_at(
            site,
            site.nginx(site.portal(**with_groups), in_location=sign_in),
            AUTHORIZATION,
            **with_groups,
        ),
        "no name": problem_at(
            site,
            site.nginx(signed_in, in_location='        proxy_set_header X-Remote-User "";\n'),
            **SIGN_IN,
        ),
        "unlisted proxy": problem_at(
            site,
            site.nginx(site.portal(**unlisted), in_location=sign_in),
            AUTHORIZATION,
            **unlisted,
        ),
        "unacceptable name": problem_at(
            site,
            site.nginx(signed_in, in_location=sign_in),
            {"Authorization": comma},
            **SIGN_IN,
        ),
    }
    expected = {
        "scheme": ("sees http instead of https", "proxy_set_header X-Forwarded-Proto $scheme;"),
        "untrusted proxy": ("does not trust", "TWINDOW_TRUSTED_PROXIES=10.9.9.9,127.0.0.1"),
        "host": ("sees the host", "proxy_set_header Host $http_host;"),
        "claimed address": ("without adding the address", "$proxy_add_x_forwarded_for;"),
        "claimed Forwarded": ("passes on the header Forwarded", 'Forwarded "";'),
        "path": ("expects the path", "TWINDOW_PUBLIC_URL=https://localhost"),
        "nothing": ("Nothing responds", "systemctl status nginx"),
        "something else": ("Another server", "proxy_pass http://127.0.0.1:8000;"),
        "fragments": ("X-Fragment", "proxy_pass_header X-Fragment;"),
        "clock": ("differ by", "timedatectl"),
        "sign-in": ("requires a sign-in", '--header "Authorization: Basic …"'),
        "forged groups": ("does not replace the X-Remote-Groups", 'X-Remote-Groups "";'),
        "forged name": ("does not replace the X-Remote-User", "$remote_user;"),
        "no name": ("does not send X-Remote-User", "$remote_user;"),
        "unlisted proxy": (
            "does not contain the proxy",
            "TWINDOW_PROXY_NETWORKS=10.9.9.9,127.0.0.1",
        ),
        "unacceptable name": ("is not acceptable", "$remote_user;"),
    }
    wrong = {
        name: problem
        for name, problem in found.items()
        if expected[name][0] not in problem[0] or expected[name][1] not in problem[1]
    }
    assert wrong == {}


def test_certificates_of_unknown_authorities_and_expired_ones_are_told_apart(site: Site):
    portal = site.portal()
    unknown = problem_at(site, site.nginx(portal), ca_file=None)
    certificate = site.authority.make_signed("localhost", days=-1)
    expired = problem_at(site, site.nginx(portal, certificate=certificate))

    assert "unable to get local issuer certificate" in unknown[0]
    assert unknown[1] == "TWINDOW_CA_FILE=/path/to/your/authority.pem"
    assert "certificate has expired" in expired[0]
    assert expired[1] == "certbot renew"


def test_certificate_of_another_host_is_not_to_be_renewed(site: Site):
    certificate = site.authority.make_signed("other.example")
    cause, line = problem_at(site, site.nginx(site.portal(), certificate=certificate))

    assert "Hostname mismatch" in cause
    assert line == ""


def test_check_with_another_secret_key_is_refused_and_names_the_setting(site: Site):
    problem = find_problem(site.settings(), "another secret key", site.portal(), {}, time.time())

    assert problem is not None
    assert "TWINDOW_SECRET_KEY" in problem.cause
