"""Client with the calls of the interface that the portal needs, and optional extensions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote, urlsplit

import requests

from twindow.core.outbound.outbound import DIRECT, Outbound
from twindow.core.urls import origin_of
from twindow.twinapi import errors, models
from twindow.twinapi.bounded_adapter import AbortHandle
from twindow.twinapi.models import ApiKey, Conversation, ListedApiKey, Twin, parse_id
from twindow.twinapi.pages import Page, parse_page
from twindow.twinapi.rate_limit_headers import RateLimitReport, parse_report
from twindow.twinapi.stream import ReplyStream
from twindow.twinapi.transport import Transport, announced_url, read_json

PAGE_SIZE = 100
LOCAL_HOSTS = ("127.0.0.1", "::1", "localhost")


class Client:
    """A client for one service, with one API key.

    `timeout` is the time until a response must have begun, and in a streamed reply until the next
    event; `reply_timeout` is the time for a whole reply. Times are in seconds. `on_report` receives
    the rate limits of `key`. `pause_seconds` returns how long a streamed reply should wait before
    it reads again. Every call can raise TwinApiError.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        outbound: Outbound = DIRECT,
        timeout: float = 60,
        reply_timeout: float = 600,
        on_report: Callable[[RateLimitReport], None] = lambda _report: None,
        pause_seconds: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.on_report = on_report
        self._pause_seconds = pause_seconds
        self._key = key
        self._timeout = timeout
        self._reply_timeout = reply_timeout
        self._transport = Transport(
            base_url, outbound=outbound, timeout=timeout, on_response=self._read_headers
        )

    @property
    def base_url(self) -> str:
        """Return the base URL of the service, including the version."""
        return self._transport.base_url

    def list_twins(self, page: int = 1) -> Page[Twin]:
        """List the twins that the key can access."""
        payload = self._get("/twins", params={"page": page, "limit": PAGE_SIZE})
        return parse_page(payload, models.parse_twin)

    def get_twin(self, twin_id: str) -> Twin:
        """Return one twin."""
        payload = self._get(f"/twins/{_path_segment(twin_id)}")
        if (twin := models.parse_twin(_item_fields(payload))) is None:
            raise errors.UnexpectedResponse(200)
        return twin

    def create_conversation(self, twin_id: str, title: str | None = None) -> Conversation:
        """Create a conversation with a twin."""
        body = {"twinId": twin_id} | ({"title": title} if title else {})
        with self._transport.send("POST", "/conversations", self._key, body=body) as response:
            id_ = parse_id(_item_fields(read_json(response, self._timeout)).get("id"))
            if id_ is None:
                raise errors.UnexpectedResponse(response.status_code)
            return Conversation(id_, _deletion_url(response))

    def stream_message(
        self,
        conversation_id: str,
        content: str,
        *,
        idempotency_key: str | None = None,
        before_request: Callable[[], None] = lambda: None,
    ) -> ReplyStream:
        """Send a message once, and return its reply as a stream of events.

        If the service has no streams (405, 501), the whole reply is requested instead. A service
        that supports the header Idempotency-Key treats messages with equal keys as one. If
        `before_request` raises an exception, the request is not sent.
        """
        headers = {"Idempotency-Key": f'"{idempotency_key}"'} if idempotency_key else {}
        path = f"/conversations/{_path_segment(conversation_id)}/messages"

        def send_once(abort_handle: AbortHandle) -> requests.Response:
            send = partial(
                self._transport.send,
                "POST",
                key=self._key,
                body={"content": content},
                headers=headers,
                abort_handle=abort_handle,
            )
            before_request()
            try:
                return send(f"{path}/stream", accept="text/event-stream")
            except errors.ApiError as error:
                if error.status not in (405, 501):
                    raise
            before_request()
            # A response that is not streamed takes as long as the whole reply.
            return send(path, head_timeout=self._reply_timeout)

        return ReplyStream(
            send_once,
            key=self._key,
            pause_seconds=self._pause_seconds,
            timeout=self._timeout,
            total_timeout=self._reply_timeout,
        )

    def stop_reply(self, cancel_url: str) -> None:
        """Stop a reply by sending DELETE to `ReplyStream.cancel_url`.

        This call is an extension of the interface.
        """
        self._transport.request_json("DELETE", cancel_url, self._key)

    def delete_conversation(self, delete_url: str) -> None:
        """Delete a conversation by sending DELETE to `Conversation.delete_url`.

        This call is an extension of the interface. Raises NotFound if the conversation is at a
        service that was used before.
        """
        origin = origin_of(self.base_url)
        url = f"{origin}{delete_url}" if delete_url.startswith("/") else delete_url
        if origin_of(url) != origin:
            raise errors.NotFound(404)
        self._transport.request_json("DELETE", url, self._key)

    def create_api_key(self, jwt: str, name: str, scope: str) -> ApiKey:
        """Create an API key, authorised by a JWT."""
        body = {"name": name, "scope": scope}
        payload = self._transport.request_json("POST", "/auth/api-keys", jwt, body=body)
        fields = _item_fields(payload)
        if not isinstance(fields.get("key"), str):
            raise errors.UnexpectedResponse(200)
        return ApiKey(parse_id(fields.get("id")) or "", fields["key"])

    def list_api_keys(self, jwt: str) -> Sequence[ListedApiKey]:
        """List the newest API keys of the person that a JWT identifies.

        This call is an extension of the interface.
        """
        payload = self._transport.request_json(
            "GET", "/auth/api-keys", jwt, params={"page": 1, "limit": PAGE_SIZE}
        )
        return parse_page(payload, models.parse_listed_api_key).items

    def revoke_api_key(self, jwt: str, key_id: str) -> None:
        """Revoke an API key of the person that a JWT identifies.

        This call is an extension of the interface.
        """
        self._transport.request_json("DELETE", f"/auth/api-keys/{_path_segment(key_id)}", jwt)

    def close(self) -> None:
        """Close the idle connections."""
        self._transport.close()

    def _read_headers(self, key: str, response: requests.Response) -> None:
        if key == self._key and (report := parse_report(response.headers)):
            self.on_report(replace(report, elapsed=response.elapsed.total_seconds()))

    def _get(self, path: str, **options: Any) -> Any:
        return self._transport.request_json("GET", path, self._key, **options)


def _deletion_url(response: requests.Response) -> str:
    """Return the announced URL at which DELETE deletes what was created, or "".

    At a service on this machine, the URL has no origin, because its port may change.
    """
    url = announced_url(response, "delete") or ""
    parts = urlsplit(url)
    is_local = parts.hostname in LOCAL_HOSTS
    return parts._replace(scheme="", netloc="").geturl() if is_local else url


def _path_segment(identifier: str) -> str:
    """Quote an id as one path segment. Raises NotFound for an id that cannot be a path segment."""
    if identifier in {"", ".", ".."}:
        # URL parsers would resolve an empty or dot segment to another path.
        raise errors.NotFound(404)
    return quote(identifier, safe="")


def _item_fields(payload: object) -> Mapping[str, Any]:
    """Return the fields of an item, alone or in `data`; none if there is no object."""
    data = payload.get("data", payload) if isinstance(payload, Mapping) else payload
    return data if isinstance(data, Mapping) else {}
