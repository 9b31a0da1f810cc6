"""Make the data of a release, which later versions must be able to open.

`python -m tools.release_data`, run by `make release`, writes `tests/releases/VERSION.tar.gz`: the
data folder of a portal with its own service, in which a person has signed in, had conversations
with a model and with files, and created an API key. `tests/test_upgrade.py` opens the data of each
release.
"""

from __future__ import annotations

import io
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.person import Person, wait_for_reply
from tests.support.portals import close_portal, get_portal, serve
from tests.support.processes import free_port
from tests.support.upstream_server import run_upstream
from twindow.application import Twindow
from twindow.core.settings import load_settings
from twindow.core.version import read_version
from twindow.paths import ROOT

RELEASES = ROOT / "tests" / "releases"
FILES = {
    "ada.md": "---\nname: Ada\ndescription: A twin.\n---\nYou are Ada.\n",
    "handbook.md": "---\nname: Handbook\nknowledge: quote\n---\n",
    "handbook/holidays.md": "# Holidays\n\nEverybody has thirty days of holiday in a year.\n",
}
NAME, PASSWORD = "Anna", "correct horse battery"
QUESTION, KEY_NAME = "How many days of holiday?", "laptop"
MESSAGE, REPLY = "Why is the sky blue?", "Because of **scattering**."


def main() -> None:
    """Write the data of this version."""
    RELEASES.mkdir(exist_ok=True)
    target = RELEASES / f"{read_version()}.tar.gz"
    if target.exists():
        raise SystemExit(f"{target.relative_to(ROOT)} exists: raise the version in pyproject.toml.")
    with tempfile.TemporaryDirectory() as folder:
        target.write_bytes(make_data(Path(folder)))
    print(f"Commit {target.relative_to(ROOT)} with the tag of the release.")


def make_data(folder: Path) -> bytes:
    """Return an archive of the data folder of a portal that a person has used."""
    (folder / "twins" / "handbook").mkdir(parents=True)
    for name, text in FILES.items():
        (folder / "twins" / name).write_text(text)
    with run_upstream() as model:
        model.always_reply(REPLY)
        with open_data(folder, model.url) as (twindow, url):
            accounts = get_portal(twindow.app).accounts
            accounts.use_link(accounts.create_link(accounts.people.add(NAME)), PASSWORD, "")
            anna = Person(url)
            sign_in(anna)
            key = {"name": KEY_NAME, "scope": "read_only"}
            anna.press(anna.get("/keys"), "Create key", **key)
            wait_for_reply(anna, anna.start_conversation(QUESTION, twin="handbook"))
            page = wait_for_reply(anna, anna.start_conversation(MESSAGE))
            anna.press(page, "Pin")
            anna.close()
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as files:
        files.add(folder, "", filter=_without_owner)
    return archive.getvalue()


@contextmanager
def open_data(folder: Path, model_url: str) -> Iterator[tuple[Twindow, str]]:
    """Serve a portal with this data folder, and yield it with its URL."""
    port = free_port()
    twindow = Twindow(
        load_settings(
            {
                "data_dir": folder,
                "twins_dir": folder / "twins",
                "port": port,
                "model_url": model_url,
                "model": "any",
                "sign_in": "visitor,password",
            }
        )
    )
    with serve(twindow, port) as url:
        yield twindow, url
    twindow.close()
    close_portal(twindow.app)
    twindow.disconnect()


def sign_in(person: Person) -> None:
    """Sign in as the person of the data."""
    person.press(person.get("/session/new"), "Sign in", name=NAME, password=PASSWORD)


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    main()
