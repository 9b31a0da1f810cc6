"""Data of releases: this version opens, upgrades and shows it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from app import create_app
from tests.support.person import Person, wait_for_reply
from tests.support.portals import close_portal, serve
from tests.support.upstream import UPSTREAM_KEY, Upstream
from tools.release_data import MESSAGE, RELEASES, SECRET_KEY, make_data, sign_in

THIS_VERSION = "this version"


@pytest.mark.parametrize("release", [*sorted(RELEASES.glob("*.db.gz")), THIS_VERSION], ids=str)
def test_data_of_a_release_is_opened_upgraded_and_used(
    release: Path | str, tmp_path: Path, upstream: Upstream
):
    made, data = tmp_path / "made", tmp_path / "data"
    made.mkdir()
    data.mkdir()
    is_kept = isinstance(release, Path)
    database = gzip.decompress(release.read_bytes()) if is_kept else make_data(made)
    (data / "portal.db").write_bytes(database)
    settings = {"api_url": upstream.url, "api_key": UPSTREAM_KEY, "secret_key": SECRET_KEY}

    app = create_app(settings | {"data_dir": data, "sign_in": "visitor,password"})
    with serve(app) as url:
        anna = Person(url)
        sign_in(anna)
        found = anna.get("/conversations?q=scattering")
        link = found.html.select_one('main a[href*="/conversations/"]')
        page = anna.get(str(link["href"]).partition("#")[0])
        assert page.reply_states == ["complete"]
        assert MESSAGE in page.text
        assert page.html.select_one(".turn__reply strong").get_text() == "scattering"

        page = anna.press(page, "Send", content="Thank you")
        upstream.reply("You are welcome")
        assert wait_for_reply(anna, page).reply_states == ["complete"] * 2
        anna.close()
    close_portal(app)
