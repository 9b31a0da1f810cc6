"""Declarations of API operations, used for routing, validation and documentation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from flask import Blueprint, Response

from twindow.service.api import auth
from twindow.service.api.auth import RequiredCredential
from twindow.service.api.requests import read_body, read_query

View = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """The declaration of one API operation.

    `tag` is the name of the module of its view, and `tag_description` the first line of the
    docstring of that module. `spec_number` is the number of the endpoint in the interface document,
    None for extensions. `request_headers`, which are optional, map names to descriptions.
    `response_type` is a Struct, or None for an empty body.
    """

    name: str
    tag: str
    tag_description: str
    method: str
    path: str
    spec_number: int | None
    summary: str
    required_credential: RequiredCredential
    query: type[msgspec.Struct] | None
    body: type[msgspec.Struct] | None
    request_headers: Mapping[str, str]
    response_type: Any
    status: int
    is_stream: bool


class Operations:
    """The operations of a blueprint, in `all`."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint
        self.all: list[Operation] = []

    def route(
        self,
        method: str,
        path: str,
        *,
        required_credential: RequiredCredential,
        spec_number: int | None = None,
        query: type[msgspec.Struct] | None = None,
        body: type[msgspec.Struct] | None = None,
        request_headers: Mapping[str, str] | None = None,
        response_type: Any = None,
        status: int = 200,
        is_stream: bool = False,
    ) -> Callable[[View], View]:
        """Return a decorator that registers a view as an operation.

        The view receives the caller's Identity, the path parameters, and `query` and `body` if
        declared. It returns a Struct or None for the response body, or a Response. The
        first line of its docstring is the summary in the OpenAPI document.
        """

        def decorator(view: View) -> View:
            self.all.append(
                Operation(
                    name=view.__name__,
                    tag=view.__module__.rpartition(".")[2],
                    tag_description=str(view.__globals__["__doc__"]).splitlines()[0],
                    method=method,
                    path=path,
                    spec_number=spec_number,
                    summary=str(view.__doc__).splitlines()[0],
                    required_credential=required_credential,
                    query=query,
                    body=body,
                    request_headers=request_headers or {},
                    response_type=response_type,
                    status=status,
                    is_stream=is_stream,
                )
            )

            def handle_call(**arguments: Any) -> Response:
                caller = auth.authenticate(required_credential)
                if query:
                    arguments["query"] = read_query(query)
                if body:
                    arguments["body"] = read_body(body)
                result = view(caller, **arguments)
                return result if isinstance(result, Response) else json_response(result, status)

            self._blueprint.add_url_rule(path, view.__name__, handle_call, methods=[method])
            return view

        return decorator


def created_response(result: msgspec.Struct, url: str) -> Response:
    """Return the response for what was created, with its URL in `Location`."""
    response = json_response(result, 201)
    response.headers["Location"] = url
    return response


def json_response(result: msgspec.Struct | None, status: int) -> Response:
    """Return the result as a JSON response; None gives an empty body."""
    if result is None:
        return Response(status=status)
    return Response(msgspec.json.encode(result), status, mimetype="application/json")
