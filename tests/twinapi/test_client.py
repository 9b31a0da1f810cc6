"""The calls of the service client: requests, accepted responses and errors."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.processes import free_port
from tests.support.upstream import UPSTREAM_KEY, Call, Upstream
from twindow import twinapi

Asked = Callable[..., tuple[Call, Any]]


@pytest.fixture
def asked(client: twinapi.Client, upstream: Upstream, pool: ThreadPoolExecutor) -> Asked:
    """Return a function that makes a call, answers it, and returns the request and the result."""

    def asked(name: str, *args: Any, answer: Any, status: int = 200, **headers: str):
        upstream.unanswered_paths |= {"/api/v1/twins", "/api/v1/conversations"}
        result: Future[Any] = pool.submit(getattr(client, name), *args)
        call = upstream.next_call()
        call.respond(status, answer, **headers)
        return call, result.result(10)

    return asked


def test_list_of_twins_is_requested_with_the_read_only_key(asked: Asked):
    call, page = asked("list_twins", 2, answer={"data": [{"id": "a", "name": "A"}]})

    assert call.path == "/api/v1/twins?page=2&limit=100"
    assert call.headers["Authorization"] == f"Bearer {UPSTREAM_KEY}"
    assert "X-Api-Key" not in {name.title() for name in call.headers}
    assert call.headers["Accept-Encoding"] == "identity"
    assert [(twin.id, twin.name) for twin in page.items] == [("a", "A")]


def test_get_twin_quotes_any_id(asked: Asked):
    call, twin = asked("get_twin", "a/b ?#ü", answer={"data": {"id": "a/b ?#ü"}})

    assert call.path == "/api/v1/twins/a%2Fb%20%3F%23%C3%BC"
    assert twin.name == "a/b ?#ü"


def test_name_and_avatar_url_of_a_twin_are_reduced_to_one_line(asked: Asked):
    name = " Ada\n\n## You,\u2028today\r\n"
    url = "https://a.example/a.png\n[ERROR] another line of the log\r\n"
    twin = {"id": "ada", "name": name, "avatarUrl": url}
    _, twin = asked("get_twin", "ada", answer={"data": twin})

    assert twin.name == "Ada ## You, today"
    assert twin.avatar_url == "https://a.example/a.png [ERROR] another line of the log"


def test_ids_that_are_relative_paths_are_not_requested(client: twinapi.Client, upstream: Upstream):
    for twin_id in ("", ".", ".."):
        with pytest.raises(twinapi.NotFound):
            client.get_twin(twin_id)
    assert upstream.calls == []


def test_create_conversation_sends_the_twin_and_the_title(asked: Asked):
    call, made = asked("create_conversation", "ada", "On heat", answer={"data": {"id": 7}})

    assert (call.method, call.path) == ("POST", "/api/v1/conversations")
    assert call.body == {"twinId": "ada", "title": "On heat"}
    assert call.headers["Authorization"] == f"Bearer {UPSTREAM_KEY}"
    assert (made.id, made.delete_url) == ("7", "")


def test_conversation_is_deleted_only_at_a_url_that_the_service_has_announced(
    client: twinapi.Client, asked: Asked, upstream: Upstream
):
    link = '</api/v1/conversations/7>; rel="delete"'
    _, announced = asked("create_conversation", "ada", answer={"data": {"id": 7}}, link=link)
    foreign = link.replace("</", "<https://example.org/")
    _, elsewhere = asked("create_conversation", "ada", answer={"data": {"id": 7}}, link=foreign)
    upstream.answers["/api/v1/conversations/7"] = 204, None

    assert elsewhere.delete_url == ""
    client.delete_conversation(announced.delete_url)
    call = upstream.calls[-1]
    assert (call.method, call.path) == ("DELETE", "/api/v1/conversations/7")
    with pytest.raises(twinapi.NotFound):  # the conversation of a service that was used before
        client.delete_conversation("https://example.org/api/v1/conversations/7")
    assert upstream.calls[-1] is call


def test_create_api_key_sends_the_jwt_instead_of_the_api_key(asked: Asked):
    call, key = asked(
        "create_api_key", "h.p.s", "laptop", "read_only", answer={"data": {"key": "tw_x"}}
    )

    assert call.path == "/api/v1/auth/api-keys"
    assert call.headers["Authorization"] == "Bearer h.p.s"
    assert call.body == {"name": "laptop", "scope": "read_only"}
    assert key.key == "tw_x"
    assert "tw_x" not in repr(key)


LISTS = [
    {"data": [{"id": "a"}]},
    {"data": {"items": [{"id": "a"}], "meta": {}}},
    {"data": {"data": [{"id": "a"}]}},
    [{"id": "a"}],
    {"data": [{"id": "a"}, {"name": "no id"}, None, 3, {"id": ""}, {"id": True}]},
]


def test_lists_of_every_shape_are_read(asked: Asked):
    pages = [asked("list_twins", answer=answer)[1] for answer in LISTS]

    assert [[twin.id for twin in page.items] for page in pages] == [["a"]] * len(LISTS)


def test_unreadable_list_or_conversation_raises_unexpected_response(asked: Asked):
    for answer in ({"data": None}, {}, "x", b"{", b"<html>", {"data": 3}, {"data": {"key": "x"}}):
        error = error_of(asked, answer=answer)
        assert type(error) is twinapi.UnexpectedResponse, answer
        error = error_of(asked, "create_conversation", "ada", answer=answer, status=201)
        assert type(error) is twinapi.UnexpectedResponse, answer


def error_of(asked: Asked, call: str = "list_twins", *args: Any, **answer: Any) -> Any:
    """Return the error that a call raises, or None."""
    try:
        asked(call, *args, **answer)
    except twinapi.TwinApiError as error:
        return error
    return None


PAGES = [
    ({"pagination": {"page": 1, "pages": 2}}, (True, None)),
    ({"pagination": {"page": 2, "pages": 2, "total": 7}}, (False, 7)),
    ({"meta": {"currentPage": 1, "totalPages": 3, "hasNext": True, "total": 134}}, (True, 134)),
    ({"meta": {"hasNextPage": False}}, (False, None)),
    ({"has_more": True, "total_count": 9}, (True, 9)),
    ({"total": "many", "page": True}, (None, None)),
    ({}, (None, None)),
]


def test_page_says_whether_there_are_more_and_how_many_in_all(asked: Asked):
    pages = [asked("list_twins", answer={"data": [{"id": "a"}]} | fields)[1] for fields, _ in PAGES]

    assert [(page.has_more, page.total) for page in pages] == [expected for _, expected in PAGES]


REFUSALS = [
    (400, twinapi.InvalidRequest),
    (401, twinapi.Unauthorized),
    (403, twinapi.Forbidden),
    (404, twinapi.NotFound),
    (409, twinapi.Conflict),
    (413, twinapi.InvalidRequest),
    (415, twinapi.InvalidRequest),
    (422, twinapi.InvalidRequest),
    (418, twinapi.UnexpectedResponse),
    (500, twinapi.ServiceFailed),
    (503, twinapi.ServiceFailed),
]


def test_each_error_status_raises_its_exception_class(asked: Asked):
    errors = [error_of(asked, answer={"error": "no"}, status=status) for status, _ in REFUSALS]

    assert [(error.status, type(error)) for error in errors] == REFUSALS


RUDE = "content is rude"
# The body of a refusal, and the reason in it that people may see.
REASONS: list[tuple[Any, str]] = [
    ({"error": RUDE}, RUDE),
    ({"message": RUDE}, RUDE),
    ({"detail": RUDE}, RUDE),
    ({"error": {"message": RUDE, "code": 3}}, RUDE),
    ({"errors": [RUDE]}, RUDE),
    ({"errors": [{"field": "content", "message": RUDE}]}, RUDE),
    ({"detail": [{"loc": ["body", "content"], "msg": "is rude"}]}, "content: is rude"),
    ({"error": f"bad key {UPSTREAM_KEY}!"}, "bad key •••!"),
    ({"error": "content is <b>rude</b>"}, ""),
    ({"error": "long " * 200}, ""),
    ({"error": 3}, ""),
    (b"{", ""),
]


def test_reason_of_a_refusal_is_a_short_plain_text(asked: Asked):
    errors = [error_of(asked, answer=body, status=422) for body, _ in REASONS]

    assert [error.params.get("reason", "") for error in errors] == [text for _, text in REASONS]


def test_text_of_an_html_page_is_no_reason(asked: Asked):
    for status in (400, 429, 502):
        error = error_of(asked, answer=b"<h1>Sorry", status=status, content_type="text/html")
        assert (error.status, error.detail) == (status, "")


RETRY_AFTER = [
    ("120", 120),
    ("0", 0),
    ("-5", 0),
    ("999999", 3600),
    ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
    ("soon", None),
    ("nan", None),
    ("", None),
]


def test_retry_after_is_read_as_seconds_or_date(asked: Asked):
    for header, seconds in RETRY_AFTER:
        error = error_of(asked, answer={}, status=429, retry_after=header)
        assert isinstance(error, twinapi.RateLimited), header
        assert error.retry_after == seconds, header
    busy = error_of(asked, answer={}, status=503, retry_after="120")
    assert isinstance(busy, twinapi.RateLimited)
    assert busy.retry_after == 120


def test_redirects_are_not_followed(asked: Asked, upstream: Upstream):
    statuses = (301, 302, 303, 307, 308)
    for status in statuses:
        location = f"{upstream.url}/elsewhere"
        error = error_of(asked, answer={}, status=status, location=location)
        assert type(error) is twinapi.UnexpectedResponse, status
    assert len(upstream.calls) == len(statuses)


def test_client_ignores_netrc_and_proxy_settings_of_the_environment(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, tmp_path
):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login evil password evil\n")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")

    call, _ = asked("list_twins", answer={"data": []})

    assert call.headers["Authorization"] == f"Bearer {UPSTREAM_KEY}"


def test_service_cookies_are_not_kept(asked: Asked):
    asked("list_twins", answer={"data": []}, set_cookie="session=somebody")

    call, _ = asked("list_twins", answer={"data": []})
    assert "Cookie" not in call.headers


@pytest.fixture
def full_url() -> Iterator[str]:
    """Return the URL of a server that accepts no connections, because its backlog is full."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.settimeout(0)
            each.connect_ex(server.getsockname())
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        for each in waiting:
            each.close()


@pytest.mark.limit("L20")
def test_unreachable_service_has_not_received_the_message(
    full_url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("twindow.twinapi.transport.CONNECT_TIMEOUT_SECONDS", 0.2)
    for url in ("http://name.invalid", f"http://127.0.0.1:{free_port()}", full_url):
        client = twinapi.Client(url, UPSTREAM_KEY)
        with pytest.raises(twinapi.ConnectionFailed) as error:
            list(client.stream_message("c1", "hello"))
        assert (error.value.code, error.value.perhaps_received) == ("not_connected", False), url
        assert UPSTREAM_KEY not in str(error.value)
        client.close()


# The bytes before the connection ends, and the code of the error.
BROKEN = [
    (b"", "connection_closed"),
    (b"garbage\r\n\r\n", "connection_closed"),
    (b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"data": {"id":', "connection_lost"),
]


def test_request_may_have_been_received_if_its_response_is_broken(
    client: twinapi.Client, upstream: Upstream, pool: ThreadPoolExecutor
):
    upstream.unanswered_paths.add("/api/v1/conversations")
    for response, code in BROKEN:
        result = pool.submit(client.create_conversation, "ada")
        call = upstream.next_call()
        call.send_bytes(response)
        call.close()

        with pytest.raises(twinapi.ConnectionFailed) as error:
            result.result(10)
        assert (error.value.code, error.value.perhaps_received) == (code, True)


def test_base_url_may_include_the_api_version(upstream: Upstream):
    client = twinapi.Client(f"{upstream.url}/api/v1/", UPSTREAM_KEY)

    assert client.list_twins().items[0].id == "ada"
    client.close()
