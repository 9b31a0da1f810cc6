"""Data folders of releases: this version opens, upgrades and uses them."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from tests.support.databases import schema_difference
from tests.support.person import Person, wait_for_reply
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Upstream
from tools.release_data import (
    KEY_NAME,
    MESSAGE,
    QUESTION,
    RELEASES,
    REPLY,
    make_data,
    open_data,
    sign_in,
)
from twindow.core.db.database import Database

THIS_VERSION = "this version"
VERSION_TABLES = {"portal": "alembic_version", "service": "service_alembic_version"}


@pytest.mark.parametrize("release", [*sorted(RELEASES.glob("*.tar.gz")), THIS_VERSION], ids=str)
def test_data_of_a_release_is_opened_upgraded_and_used(
    release: Path | str, tmp_path: Path, upstream: Upstream
):
    made, data = tmp_path / "made", tmp_path / "data"
    made.mkdir()
    archive = release.read_bytes() if isinstance(release, Path) else make_data(made)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(data, filter="data")
    upstream.always_reply("You are welcome")

    with open_data(data, upstream.url) as (_, url):
        anna = Person(url)
        sign_in(anna)
        assert KEY_NAME in anna.get("/keys").text
        assert not anna.get("/help").html.select("[data-reply]")  # no reply is new
        [quoted] = [
            link
            for link in anna.get("/conversations").html.select("main a")
            if QUESTION in link.text
        ]
        assert "thirty days" in anna.get(str(quoted["href"])).html.select_one(".turn__reply").text

        found = anna.get("/conversations?q=scattering")
        link = found.html.select_one('main a[href*="/conversations/"]')
        page = anna.get(str(link["href"]).partition("#")[0])
        assert page.reply_states == ["complete"]
        assert MESSAGE in page.text
        assert page.html.select_one(".turn__reply strong").get_text() == "scattering"

        page = wait_for_reply(anna, anna.press(page, "Send", content="Thank you"))
        assert page.reply_states == ["complete"] * 2
        page = wait_for_reply(anna, anna.press(page, "Try again"))
        assert "2 of 2" in page.turns[1].get_text()
        assert page.reply_states == ["complete"] * 2
        assert "You are welcome" in page.text
        anna.close()

    # The service knows the conversation, too.
    call, _ = [call for call in upstream.calls if call.path == CHAT_COMPLETIONS_PATH]
    contents = [message["content"] for message in call.body["messages"]]
    assert contents == ["You are Ada.", MESSAGE, REPLY, "Thank you"]

    for name, version_table in VERSION_TABLES.items():
        database = Database(f"sqlite:///{data}/{name}.db")
        assert schema_difference(database, version_table, is_service=name == "service") == []
        database.close()
