"""Operations: each is declared once, and obeyed, answered and described by that declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from flask import Blueprint, Response

from service.api import auth
from service.api.auth import Needs
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
    number: int | None
    summary: str
    needs: Needs
    query: type[msgspec.Struct] | None
    body: type[msgspec.Struct] | None
    headers: Mapping[str, str]
    gives: Mapping[str, str]
    answer: Any
    status: int
    also: tuple[int, ...]
    stream: bool

    @property
    def is_counted(self) -> bool:
        """Tell whether it costs one of the requests of the hour, and its answers say so."""
        return self.needs != "a JWT"

    @property
    def refusals(self) -> list[int]:
        """Return the statuses with which a request can be refused."""
        found = {400, 401, 500, 503, *self.also}
        if self.is_counted:
            found.add(429)
        if self.needs == "full_access":
            found.add(403)
        if "<" in self.path:
            found.add(404)
        if self.body:
            found |= {413, 415, 422}
        return sorted(found)


class Operations:
    """The operations of a blueprint, in the order of their declaration."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint
        self.all: list[Operation] = []

    def add(
        self,
        method: str,
        path: str,
        *,
        needs: Needs,
        number: int | None = None,
        query: type[msgspec.Struct] | None = None,
        body: type[msgspec.Struct] | None = None,
        headers: Mapping[str, str] | None = None,
        gives: Mapping[str, str] | None = None,
        answer: Any = None,
        status: int = 200,
        also: tuple[int, ...] = (),
        stream: bool = False,
    ) -> Callable[[View], View]:
        """Serve a view: it gets the caller, the ids of the path, and what the request holds.

        It returns what is written as the answer, or a Response. The first line of its docstring
        is the summary.
        """

        def declare(view: View) -> View:
            self.all.append(
                Operation(
                    name=view.__name__,
                    method=method,
                    path=path,
                    number=number,
                    summary=str(view.__doc__).splitlines()[0],
                    needs=needs,
                    query=query,
                    body=body,
                    headers=headers or {},
                    gives=gives or {},
                    answer=answer,
                    status=status,
                    also=also,
                    stream=stream,
                )
            )

            def call(**given: Any) -> Response:
                caller = auth.caller(needs)
                if query:
                    given["query"] = read_query(query)
                if body:
                    given["new"] = read_body(body)
                result = view(caller, **given)
                return result if isinstance(result, Response) else written(result, status)

            self._blueprint.add_url_rule(path, view.__name__, call, methods=[method])
            return view

        return declare


def written(result: msgspec.Struct | None, status: int) -> Response:
    """Write an answer."""
    if result is None:
        return Response(status=status)
    return Response(msgspec.json.encode(result), status, mimetype="application/json")
