"""The interface as an OpenAPI 3.1 document, made of what the operations declare."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from apispec import APISpec

from service.api.errors import MEANINGS
from service.api.operations import Operation
from service.api.requests import IDEMPOTENCY_KEY
from service.api.schemas import Event, Refusal

REF = "#/components/schemas/{name}"
VERSION = "1"
# A part of an address, as Flask declares it: <key_id>, <string(minlength=8):message_id>.
PART = re.compile(r"<(?:\w+(?:\(minlength=(\d+)\))?:)?(\w+)>")
SUMMARY = "List AI twins, talk with them, and make API keys."
NEEDED_BY: Mapping[str, Sequence[Mapping[str, Sequence[str]]]] = {
    "read_only": [{"bearer": []}, {"header": []}],
    "full_access": [{"bearer": []}, {"header": []}],
    "a JWT": [{"jwt": []}],
}
SECURITY = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An API key."},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "The same."},
    "jwt": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
}
LIMIT_HEADERS = {
    "RateLimit-Policy": 'q requests of this key in w seconds: "hour";q=500;w=3600.',
    "RateLimit": 'r requests left, and t seconds until one more is free: "hour";r=499;t=3600.',
    "X-RateLimit-Limit": "The older form of q.",
    "X-RateLimit-Remaining": "The older form of r.",
    "X-RateLimit-Reset": "The older form of t: seconds.",
}
# What comes with a refusal besides.
REFUSAL_HEADERS = {
    401: {"WWW-Authenticate": "How to say who you are: Bearer."},
    429: {"Retry-After": "Seconds until one more request is free."},
    503: {"Retry-After": "Seconds, where the service knows how many."},
}
Json = dict[str, Any]
EVENT = {
    "type": "object",
    "properties": {
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"$ref": REF.format(name="Event")},
        }
    },
    "required": ["data"],
}


def document(operations: Sequence[Operation], root: str = "") -> Json:
    """Return the document; its addresses begin at /api/v1, below the path of the base address."""
    kinds: list[Any] = [Event, Refusal]
    for operation in operations:
        kinds += [kind for kind in (operation.body, operation.answer) if kind is not None]
    (event, *_), schemas = msgspec.json.schema_components(kinds, ref_template=REF)
    spec = APISpec(
        "Conversational AI Twin Service Interface",
        VERSION,
        "3.1.0",
        info={"description": SUMMARY},
        servers=[{"url": f"{root}/api/v1"}],
    )
    for name, schema in (schemas | {"Event": event}).items():
        spec.components.schema(name, schema)
    for name, about in LIMIT_HEADERS.items():
        spec.components.header(name, _header(about))
    refusals = {(status, each.is_counted) for each in operations for status in each.refusals}
    for status, counted in sorted(refusals):
        spec.components.response(_name(status, counted=counted), _refusal(status, counted=counted))
    for name, scheme in SECURITY.items():
        spec.components.security_scheme(name, scheme)
    for operation in operations:
        spec.path(address(operation), operations={operation.method.lower(): _operation(operation)})
    return dict(spec.to_dict())


def address(operation: Operation) -> str:
    """Return the address of an operation as the field writes it: /twins/{twinId}."""
    return PART.sub(lambda found: f"{{{_camel(found[2])}}}", operation.path)


def parameters(operation: Operation) -> Iterator[Json]:
    """Yield what the address and the headers of a request may hold."""
    for least, name in PART.findall(operation.path):
        schema = {"type": "string", "minLength": int(least or 1), "pattern": r"^[^\x00/]+$"}
        yield {"name": _camel(name), "in": "path", "required": True, "schema": schema}
    if operation.query:
        (_, known) = msgspec.json.schema_components([operation.query], ref_template=REF)
        for name, schema in known[operation.query.__name__]["properties"].items():
            yield {"name": name, "in": "query", "required": False, "schema": given(schema)}
    for name, why in operation.headers.items():
        schema = {"type": "string", "pattern": IDEMPOTENCY_KEY}
        about = {"description": why, "schema": schema}
        yield {"name": name, "in": "header", "required": False, **about}


def given(schema: Mapping[str, Any]) -> Json:
    """Return what a value is where there is one: null says that there is none."""
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    return dict(kinds[0]) if kinds else dict(schema)


def _operation(operation: Operation) -> Json:
    found: Json = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": _scope(operation),
        "parameters": list(parameters(operation)),
        "security": NEEDED_BY[operation.needs],
        "responses": {str(operation.status): _answer(operation)},
    }
    for status in operation.refusals:
        name = _name(status, counted=operation.is_counted)
        found["responses"][str(status)] = {"$ref": f"#/components/responses/{name}"}
    if operation.body:
        content = {"application/json": {"schema": _ref(operation.body)}}
        found["requestBody"] = {"required": True, "content": content}
    return found


def _scope(operation: Operation) -> str:
    number = f"Endpoint {operation.number}." if operation.number else "An extension."
    return f"{number} Needs {_needs(operation.needs)}."


def _needs(needs: str) -> str:
    return needs if needs == "a JWT" else f"a key of the scope {needs}"


def _answer(operation: Operation) -> Json:
    found: Json = {"description": "Done.", "headers": _headers(operation)}
    if operation.stream:
        found["description"] = "Server-sent events. Each holds an Event as JSON in its data."
        found["content"] = {"text/event-stream": {"schema": EVENT}}
    elif operation.answer is not None:
        found["content"] = {"application/json": {"schema": _ref(operation.answer)}}
    return found


def _headers(operation: Operation) -> Json:
    own = {name: _header(about) for name, about in operation.gives.items()}
    return own | _limit_headers(counted=operation.is_counted)


def _limit_headers(*, counted: bool) -> Json:
    names = LIMIT_HEADERS if counted else ()
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _header(about: str) -> Json:
    return {"description": about, "schema": {"type": "string"}}


def _name(status: int, *, counted: bool) -> str:
    return str(status) if counted else f"{status}-jwt"


def _refusal(status: int, *, counted: bool) -> Json:
    own = {name: _header(about) for name, about in REFUSAL_HEADERS.get(status, {}).items()}
    said = "\n".join(f"- `{code}`: {sentence}" for code, sentence in MEANINGS[status].items())
    return {
        "description": said,
        "headers": own | _limit_headers(counted=counted and status != 401),
        "content": {"application/json": {"schema": _ref(Refusal)}},
    }


def _ref(kind: Any) -> Json:
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=REF)
    return dict(schema)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)
