"""Make the data of a release, which later versions must be able to open.

`python -m tools.release_data`, run by `make release`, writes `tests/releases/VERSION.db.gz`: the
database of a portal in which a person has signed in and had a conversation. `tests/test_upgrade.py`
opens the data of each release.
"""

from __future__ import annotations

import gzip
import sqlite3
import tempfile
import tomllib
from contextlib import closing
from pathlib import Path

from app import create_app
from tests.support.person import Person, complete_first_turn
from tests.support.portals import close_portal, get_portal, serve
from tests.support.upstream import UPSTREAM_KEY
from tests.support.upstream_server import run_upstream

ROOT = Path(__file__).parents[1]
RELEASES = ROOT / "tests" / "releases"
SECRET_KEY = "the key of the portals whose data is kept"
NAME, PASSWORD = "Anna", "correct horse battery"
MESSAGE, REPLY = "Why is the sky blue?", "Because of **scattering**."


def main() -> None:
    """Write the data of this version."""
    RELEASES.mkdir(exist_ok=True)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    target = RELEASES / f"{version}.db.gz"
    with tempfile.TemporaryDirectory() as folder:
        target.write_bytes(gzip.compress(make_data(Path(folder)), mtime=0))
    print(f"Commit {target.relative_to(ROOT)} with the tag of the release.")


def make_data(folder: Path) -> bytes:
    """Return the database of a portal with an account, a conversation and a pinned title."""
    with run_upstream() as upstream:
        app = create_app(
            {
                "api_url": upstream.url,
                "api_key": UPSTREAM_KEY,
                "data_dir": folder,
                "secret_key": SECRET_KEY,
                "sign_in": "visitor,password",
            }
        )
        accounts = get_portal(app).accounts
        accounts.use_link(accounts.create_link(accounts.people.add(NAME)), PASSWORD, "")
        with serve(app) as url:
            anna = Person(url)
            sign_in(anna)
            page = complete_first_turn(anna, upstream, MESSAGE, REPLY)
            anna.press(page, "Pin")
            anna.close()
        close_portal(app)
    with closing(sqlite3.connect(folder / "portal.db")) as database:
        database.execute("VACUUM INTO ?", [str(folder / "whole.db")])
    return (folder / "whole.db").read_bytes()


def sign_in(person: Person) -> None:
    """Sign in as the person of the data."""
    person.press(person.get("/session/new"), "Sign in", name=NAME, password=PASSWORD)


if __name__ == "__main__":
    main()
