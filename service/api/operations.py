"""Operations: each is declared once, and obeyed, answered and described by that declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from flask import Blueprint, Response

from service.api import auth
from service.api.auth import RequiredAccess
from service.api.requests import read_body, read_query

View = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """What a request may hold, and what comes of it.

    `number` is the one in the interface document; operations without are extensions. `headers` may
    be sent, and `gives` comes back. `answer` is a Struct, or None where there is no body; `also`
    are statuses of its own that refuse.
    """

    name: str
    method: str
    path: str
    spec_number: int | None
    summary: str
    needs: RequiredAccess
    query: type[msgspec.Struct] | None
    body: type[msgspec.Struct] | None
    request_headers: Mapping[str, str]
    response_headers: Mapping[str, str]
    response_type: Any
    status: int
    extra_error_statuses: tuple[int, ...]
    stream: bool

    @property
    def is_rate_limited(self) -> bool:
        """Tell whether it costs one of the requests of the hour, and its answers say so."""
        return self.needs != "a JWT"

    @property
    def error_statuses(self) -> list[int]:
        """Return the statuses with which a request can be refused."""
        statuses = {400, 401, 500, 503, *self.extra_error_statuses}
        if self.is_rate_limited:
            statuses.add(429)
        if self.needs == "full_access":
            statuses.add(403)
        if "<" in self.path:
            statuses.add(404)
        if self.body:
            statuses |= {413, 415, 422}
        return sorted(statuses)


class Operations:
    """The operations of a blueprint, in the order of their declaration."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint
        self.all: list[Operation] = []

    def route(
        self,
        method: str,
        path: str,
        *,
        needs: RequiredAccess,
        spec_number: int | None = None,
        query: type[msgspec.Struct] | None = None,
        body: type[msgspec.Struct] | None = None,
        request_headers: Mapping[str, str] | None = None,
        response_headers: Mapping[str, str] | None = None,
        response_type: Any = None,
        status: int = 200,
        extra_error_statuses: tuple[int, ...] = (),
        stream: bool = False,
    ) -> Callable[[View], View]:
        """Serve a view: it gets the caller, the ids of the path, and what the request holds.

        It returns what is written as the answer, or a Response. The first line of its docstring
        is the summary.
        """

        def decorator(view: View) -> View:
            self.all.append(
                Operation(
                    name=view.__name__,
                    method=method,
                    path=path,
                    spec_number=spec_number,
                    summary=str(view.__doc__).splitlines()[0],
                    needs=needs,
                    query=query,
                    body=body,
                    request_headers=request_headers or {},
                    response_headers=response_headers or {},
                    response_type=response_type,
                    status=status,
                    extra_error_statuses=extra_error_statuses,
                    stream=stream,
                )
            )

            def handle_call(**arguments: Any) -> Response:
                caller = auth.authenticate(needs)
                if query:
                    arguments["query"] = read_query(query)
                if body:
                    arguments["new"] = read_body(body)
                result = view(caller, **arguments)
                return result if isinstance(result, Response) else json_response(result, status)

            self._blueprint.add_url_rule(path, view.__name__, handle_call, methods=[method])
            return view

        return decorator


def json_response(result: msgspec.Struct | None, status: int) -> Response:
    """Write an answer."""
    if result is None:
        return Response(status=status)
    return Response(msgspec.json.encode(result), status, mimetype="application/json")
