"""Forged names behind Apache and Caddy, configured as docs/operating.md describes.

Ben is signed in at the proxy and sends headers that name Anna. The portal must take him for Ben, or
refuse the request. (nginx is part of the test suite.)
"""

from __future__ import annotations

import base64
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

from tests.support.apache import documented, find_program, run_apache, run_proxy
from tests.support.forged_identity import FORGERIES, request_raw
from tests.support.person import Person
from tests.support.processes import free_port, run_portal
from tools.chaos.report import Expectations, Report, at_least, exactly
from tools.scripted_service import make_message, run_scripted_service

PASSWORD = "correct horse battery"
# The reply in Anna's conversation, which Ben must not see.
SECRET = "words-of-Anna"

EXPECTATIONS: Expectations = {
    "forgeries": at_least(len(FORGERIES)),
    "believed": exactly([]),
    "names_lost": exactly(0),
}


def run() -> dict[str, Report]:
    """Return a report for each proxy that can be installed."""
    people = {"anna": PASSWORD, "ben": PASSWORD}
    proxies = {"apache": partial(run_apache, people=people), "caddy": run_caddy}
    return {name: _attack(proxy) for name, proxy in proxies.items()}


def _attack(run_documented: Callable[[str], AbstractContextManager[str]]) -> Report:
    with tempfile.TemporaryDirectory() as folder, run_scripted_service() as service:
        settings = {
            "SIGN_IN": "proxy",
            "PROXY_USER_HEADER": "X-Remote-User",
            "PROXY_NETWORKS": "127.0.0.1",
        }
        with (
            run_portal(Path(folder), service.url, **settings) as portal,
            run_documented(portal.url) as url,
        ):
            anna, ben = (_browser(url, name) for name in ("anna", "ben"))
            path = anna.start_conversation(make_message(1, SECRET)).path
            names_lost = (anna.get(path).status != 200) + (ben.get(path).status != 404)
            token = base64.b64encode(f"ben:{PASSWORD}".encode()).decode()
            authorization = ("Authorization", f"Basic {token}")
            statuses = {
                name: request_raw(url, path, [authorization, *headers])
                for name, headers in FORGERIES.items()
            }
    return {
        "forgeries": len(statuses),
        "believed": [name for name, status in statuses.items() if status == 200],
        "names_lost": names_lost,
    }


def _browser(url: str, name: str) -> Person:
    person = Person(url)
    person.session.auth = (name, PASSWORD)
    return person


@contextmanager
def run_caddy(portal_url: str) -> Iterator[str]:
    """Run Caddy with the documented site, and yield its URL."""
    program = find_program("caddy", "caddy")
    port = free_port()
    hashed = subprocess.run(
        [program, "hash-password", "--plaintext", PASSWORD],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    site = documented("chat.example.org {", "}")
    site = site.replace("chat.example.org", f"http://127.0.0.1:{port}")
    site = site.replace("127.0.0.1:8000", portal_url.removeprefix("http://"))
    site = re.sub(r"anna .*", lambda _: f"anna {hashed}\n            ben {hashed}", site)
    with tempfile.NamedTemporaryFile("w") as config:
        config.write(f"{{\n    admin off\n    auto_https off\n}}\n{site}")
        config.flush()
        command = [program, "run", "--config", config.name, "--adapter", "caddyfile"]
        with run_proxy(command, port) as proxy_url:
            yield proxy_url
