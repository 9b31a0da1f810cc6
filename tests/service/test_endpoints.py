"""Rules common to all endpoints, and the endpoints for twins (1, 2) and API keys (7)."""

from __future__ import annotations

import pytest

from service.container import Container
from tests.service.client import ApiClient
from tests.service.credentials import Credentials
from tests.support.upstream import Upstream


@pytest.mark.spec("S26", "S27", "S28", "S29", "S30", "S31", "S32", "S33")
def test_each_endpoint_accepts_only_its_specified_credentials(
    api: ApiClient, credentials: Credentials
):
    messages = f"/conversations/{api.create_conversation()}/messages"
    table = [
        ("GET", "/twins", "read_only"),
        ("GET", "/twins/ada", "read_only"),
        ("POST", "/conversations", "full_access"),
        ("GET", "/conversations", "read_only"),
        ("POST", messages, "full_access"),
        ("POST", f"{messages}/stream", "full_access"),
        ("POST", "/auth/api-keys", "JWT"),
    ]
    made = {name: credentials.make(name) for name in ("read_only key", "full_access key", "JWT")}
    wrong = []
    for method, path, scope in table:
        # The body is empty, so an accepted credential gets the error for missing fields.
        accepted = 200 if method == "GET" else 422
        wanted = {
            "read_only": [accepted, accepted, 401],
            "full_access": [403, accepted, 401],
            "JWT": [401, 401, accepted],
        }[scope]
        statuses = [
            api._send(
                method, path, json={}, headers={"Authorization": f"Bearer {secret}"}
            ).status_code
            for secret in made.values()
        ]
        if statuses != wanted:
            wrong.append((method, path, statuses))
    assert wrong == []


@pytest.mark.spec("S34", "S38")
def test_every_listed_twin_can_be_read_and_used_in_a_conversation(
    api: ApiClient, container: Container
):
    (container.twins.folder / "bob.md").write_text("---\nname: A man called Bob\n---\n")
    listed = api.get("/twins").json()["data"]

    assert [twin["id"] for twin in listed] == ["bob", "ada"]
    for twin in listed:
        assert api.get(f"/twins/{twin['id']}").json()["data"] == twin
        assert api.post("/conversations", json={"twinId": twin["id"]}).status_code == 201


@pytest.mark.spec("S37")
def test_twin_list_is_wrapped_in_data_with_pagination(api: ApiClient):
    answer = api.get("/twins").json()

    assert [twin["id"] for twin in answer["data"]] == ["ada"]
    assert answer["pagination"] == {"page": 1, "limit": 20, "total": 1, "pages": 1}


@pytest.mark.spec("S35")
def test_twin_list_page_numbers_start_at_1(api: ApiClient, container: Container):
    for number in range(5):
        (container.twins.folder / f"t{number}.md").write_text(f"---\nname: T{number}\n---\n")

    second = api.get("/twins?page=2&limit=2").json()
    beyond = api.get("/twins?page=9&limit=2").json()

    assert [twin["id"] for twin in second["data"]] == ["t1", "t2"]
    assert second["pagination"] == {"page": 2, "limit": 2, "total": 6, "pages": 3}
    assert beyond["data"] == []


@pytest.mark.spec("S36", "S61", "S91")
def test_twin_list_page_has_20_twins_by_default_and_at_most_100(
    api: ApiClient, container: Container
):
    for number in range(100):
        (container.twins.folder / f"t{number}.md").write_text(f"---\nname: T{number}\n---\n")

    assert len(api.get("/twins").json()["data"]) == 20
    assert api.get("/twins").json() == api.get("/twins?page=1&limit=20").json()
    assert len(api.get("/twins?limit=100").json()["data"]) == 100
    assert api.get("/twins?limit=101").status_code == 400


@pytest.mark.spec("S13", "S38", "S40")
def test_twin_resource_excludes_its_instructions(api: ApiClient):
    twin = api.get("/twins/ada").json()["data"]

    assert twin["name"] == "Ada"
    assert twin["starters"] == ["One", "Two", "Three"]
    assert "You are Ada" not in str(twin)
    assert set(twin) == {
        "id",
        "name",
        "description",
        "language",
        "avatarUrl",
        "greeting",
        "starters",
        "createdAt",
        "updatedAt",
    }


@pytest.mark.spec("S28", "S39")
def test_twin_is_found_only_by_its_exact_id(api: ApiClient, container: Container):
    (container.twins.folder / "bob.md").write_text("---\nname: Bob\n---\n")

    assert api.get("/twins/bob").json()["data"]["name"] == "Bob"
    assert api.get("/twins/ada").json()["data"]["name"] == "Ada"
    for unknown in ("nobody", "ADA", "ada.md", "..%2Fada", "ada/"):
        assert api.get(f"/twins/{unknown}").status_code == 404


@pytest.mark.spec("S58", "S59")
def test_api_key_requires_a_name_and_a_scope(api: ApiClient, credentials: Credentials):
    headers = {"Authorization": f"Bearer {credentials.make('JWT')}"}
    refused = [
        api.post("/auth/api-keys", json=body, headers=headers)
        for body in ({"scope": "read_only"}, {"name": "laptop"})
    ]

    told = [(answer.status_code, answer.json()["details"][0]["field"]) for answer in refused]
    assert told == [(422, "name"), (422, "scope")]


@pytest.mark.spec("S56", "S60")
def test_api_key_is_created_with_a_jwt(api: ApiClient, url: str, container: Container):
    token = container.jwt_tokens.sign("alice")
    answer = api.post(
        "/auth/api-keys",
        json={"name": "laptop", "scope": "read_only"},
        headers={"Authorization": f"Bearer {token}"},
    )

    assert answer.status_code == 201
    made = answer.json()["data"]
    assert (made["name"], made["scope"]) == ("laptop", "read_only")
    friend = ApiClient(url, made["key"])
    assert friend.get("/twins").status_code == 200
    assert friend.post("/conversations", json={"twinId": "ada"}).status_code == 403
    friend.session.close()


@pytest.mark.spec("S11", "S62")
def test_every_non_streaming_response_wraps_its_result_in_data(
    api: ApiClient, model: Upstream, credentials: Credentials
):
    model.always_reply("Hi")
    path = f"/conversations/{api.create_conversation()}/messages"
    jwt = {"Authorization": f"Bearer {credentials.make('JWT')}"}
    answers = [
        api.get("/twins"),
        api.get("/twins/ada"),
        api.post("/conversations", json={"twinId": "ada"}),
        api.get("/conversations"),
        api.post(path, json={"content": "Hello"}),
        api.post("/auth/api-keys", json={"name": "x", "scope": "read_only"}, headers=jwt),
    ]

    assert [answer.status_code for answer in answers] == [200, 200, 201, 200, 201, 201]
    assert [list(answer.json()) for answer in answers] == [
        ["data", "pagination"],
        ["data"],
        ["data"],
        ["data", "pagination"],
        ["data"],
        ["data"],
    ]
