"""Glewlwyd, a provider of OpenID Connect from Debian, as a process with a new database."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import requests
from cryptography.hazmat.primitives import serialization as pem
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.support.apache import run_proxy
from tests.support.packages import find_program
from tests.support.processes import free_port

PROGRAM = "glewlwyd"
CLIENT_ID, CLIENT_SECRET = "twindow", "a-secret"
PERSON, PERSON_PASSWORD = "anna", "password-of-anna"
SCOPES = ["openid", "profile", "email"]
# What the package brings: its tables, with the administrator's first password, and its pages.
TABLES = Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
FILES = Path("/usr/share/glewlwyd")
ADMINISTRATOR = {"username": "admin", "password": "password"}
CONFIG = """
port = {port}
bind_address = "127.0.0.1"
external_url = "http://127.0.0.1:{port}"
login_url = "login.html"
api_prefix = "api"
static_files_path = "{folder}/pages/"
static_files_mime_types = (
  {{ extension = ".html"; mime_type = "text/html"; }},
  {{ extension = ".js"; mime_type = "text/javascript"; }},
  {{ extension = ".json"; mime_type = "application/json"; }}
)
log_mode = "console"
log_level = "ERROR"
cookie_secure = 0
session_key = "GLEWLWYD2_SESSION_ID"
admin_scope = "g_admin"
profile_scope = "g_profile"
user_module_path = "/usr/lib/glewlwyd/user"
client_module_path = "/usr/lib/glewlwyd/client"
user_auth_scheme_module_path = "/usr/lib/glewlwyd/scheme"
plugin_module_path = "/usr/lib/glewlwyd/plugin"
hash_algorithm = "SHA512"
database = {{ type = "sqlite3"; path = "{folder}/glewlwyd.db"; }};
"""


@contextmanager
def run_glewlwyd(folder: Path, portal_url: str) -> Iterator[str]:
    """Run a provider that knows a portal and one person, and yield its issuer."""
    program, port = find_program(PROGRAM, PROGRAM), free_port()
    with closing(sqlite3.connect(folder / "glewlwyd.db")) as database:
        database.executescript(TABLES.read_text())
    # Glewlwyd follows no links to other packages, and the one to the configuration is wrong.
    ignored = shutil.ignore_patterns("config.json")
    shutil.copytree(FILES / "webapp", folder / "pages", ignore=ignored)
    shutil.copy(FILES / "templates" / "config.json", folder / "pages")
    config = folder / "glewlwyd.conf"
    config.write_text(CONFIG.format(port=port, folder=folder))
    with run_proxy([program, "--config-file", str(config)], port) as url:
        issuer = f"{url}/api/oidc"
        _configure(f"{url}/api", issuer, portal_url)
        yield issuer


def _configure(api: str, issuer: str, portal_url: str) -> None:
    """Add the scopes, the person, the client and the plugin, as the administrator."""
    with requests.Session() as session:
        session.trust_env = False

        def post(path: str, **body: Any) -> None:
            response = session.post(f"{api}/{path}", json=body, timeout=10)
            assert response.ok, (path, response.text)

        post("auth", **ADMINISTRATOR)
        for name in SCOPES[1:]:
            post("scope", name=name, password_required=True, password_max_age=0, scheme={})
        person = {"username": PERSON, "password": PERSON_PASSWORD, "scope": [*SCOPES, "g_profile"]}
        post("user", name="Anna Berg", email="anna@example.org", enabled=True, **person)
        post(
            "client",
            client_id=CLIENT_ID,
            client_secret=CLIENT_SECRET,
            confidential=True,
            enabled=True,
            scope=[],
            redirect_uri=[f"{portal_url}/session/oidc"],
            authorization_type=["code"],
            token_endpoint_auth_method=["client_secret_basic", "client_secret_post"],
        )
        parameters = _plugin_parameters(issuer)
        post("mod/plugin", module="oidc", name="oidc", enabled=True, parameters=parameters)


def _plugin_parameters(issuer: str) -> dict[str, Any]:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        pem.Encoding.PEM, pem.PrivateFormat.PKCS8, pem.NoEncryption()
    ).decode()
    public = (
        key.public_key()
        .public_bytes(pem.Encoding.PEM, pem.PublicFormat.SubjectPublicKeyInfo)
        .decode()
    )
    return {
        "iss": issuer,
        "jwt-type": "rsa",
        "jwt-key-size": "256",
        "key": private,
        "cert": public,
        **dict.fromkeys(("access-token-duration", "refresh-token-duration", "code-duration"), 600),
        "auth-type-code-enabled": True,
        "subject-type": "public",
        "pkce-allowed": True,
        "allowed-scope": SCOPES,
        "name-claim": "mandatory",
        "name-claim-scope": ["profile"],
        "email-claim": "mandatory",
        "email-claim-scope": ["email"],
    }
