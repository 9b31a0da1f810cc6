"""Lists: their pages, and the parameters `page` and `limit`, which are the same in every list."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from tests.service.client import ApiClient
from tests.support.upstream import Upstream
from twindow.service.container import Container


@pytest.fixture
def lists(
    api: ApiClient, model: Upstream, container: Container, jwt_headers: dict[str, str]
) -> dict[str, dict[str, str]]:
    """Return the path of each list, and the headers that it requires; each has two entries."""
    model.always_reply("Hi")
    (container.twins.folder / "bob.md").write_text("---\nname: Bob\n---\n")
    conversation, _ = api.create_conversation(), api.create_conversation()
    api.send(conversation)
    key = {"name": "laptop", "scope": "read_only"}
    api.post("/auth/api-keys", json=key, headers=jwt_headers)
    paths = ("/twins", "/conversations", f"/conversations/{conversation}/messages")
    return dict.fromkeys(paths, api.headers) | {"/auth/api-keys": jwt_headers}


@pytest.mark.spec("S11", "S23", "S35", "S36", "S46", "S47", "S62", "S91")
def test_every_list_has_numbered_pages_of_up_to_100_entries(
    api: ApiClient, lists: dict[str, dict[str, str]]
):
    for path, headers in lists.items():

        def page(path: str = path, headers: dict[str, str] = headers, **query: int) -> Any:
            return api.get(path, params=query, headers=headers).json()

        whole = page(page=1, limit=100)
        second = page(page=2, limit=1)

        assert list(whole) == ["data", "pagination"]
        assert second["data"] == whole["data"][1:]
        assert second["pagination"] == {"page": 2, "limit": 1, "total": 2, "pages": 2}
        assert page(page=3, limit=1)["data"] == []


@pytest.mark.spec("S61", "S91")
def test_page_has_20_entries_unless_the_client_chooses_another_number(
    api: ApiClient, container: Container
):
    for number in range(100):
        (container.twins.folder / f"t{number}.md").write_text(f"---\nname: T{number}\n---\n")

    assert len(api.get("/twins").json()["data"]) == 20
    assert api.get("/twins").json() == api.get("/twins?page=1&limit=20").json()
    assert len(api.get("/twins?limit=100").json()["data"]) == 100


@pytest.mark.spec("S35", "S36", "S46", "S47", "S91")
def test_invalid_page_or_limit_is_rejected_by_every_list(
    api: ApiClient, lists: dict[str, dict[str, str]]
):
    values = ["0", "-1", "1.5", "x", "", "1e400", "9" * 400, "٣", "NaN", "null", "1,2", "0x10"]
    values += ["1e1", "1E1", "10.0", "+5", " 5 ", "1_0"]
    invalid = [*product(("page", "limit"), values), ("limit", "101"), ("page", "1000001")]
    wrong = []
    for (path, headers), (name, value) in product(lists.items(), invalid):
        answer = api.get(path, params={name: value}, headers=headers)
        if answer.status_code != 400 or answer.json()["details"][0]["field"] != name:
            wrong.append((path, name, value, answer.text))
    assert wrong == []
