"""OpenAPI 3.1 document, generated from the declared operations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from twindow.service.api import IDEMPOTENCY_KEY_PATTERN, ErrorResponse, Event, Operation

SCHEMA_REF = "#/components/schemas/{name}"
API_VERSION = "1"
# A parameter of a Flask URL rule: <key_id>, <string(minlength=8):message_id>.
PATH_PARAMETER = re.compile(r"<(?:\w+(?:\(minlength=(\d+)\))?:)?(\w+)>")
SUMMARY = "List AI twins, chat with them and create API keys."
CONTACT = {"name": "The administrator of this service"}
LICENSE = {"name": "All rights reserved", "identifier": "LicenseRef-All-Rights-Reserved"}
SECURITY_BY_CREDENTIAL: Mapping[str, Sequence[Mapping[str, Sequence[str]]]] = {
    "read_only": [{"bearer": []}, {"header": []}],
    "full_access": [{"bearer": []}, {"header": []}],
    "a JWT": [{"jwt": []}],
}
SECURITY_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "API key."},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "API key."},
    "jwt": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
}
JsonObject = dict[str, Any]
# The schema of the stream is a string: otherwise generated clients would parse the whole stream as
# one event.
STREAM_SCHEMA = {
    "type": "string",
    "description": "Server-sent events; the data of each is one Event as JSON.",
    "contentMediaType": "text/event-stream",
    "contentSchema": {"$ref": SCHEMA_REF.format(name="Event")},
}


def build_document(operations: Sequence[Operation], base_path: str = "") -> JsonObject:
    """Return the document; its server URL is /api/v1 below `base_path`."""
    types: list[Any] = [Event, ErrorResponse]
    for operation in operations:
        types += [kind for kind in (operation.body, operation.response_type) if kind is not None]
    (event_schema, *_), schemas = msgspec.json.schema_components(types, ref_template=SCHEMA_REF)
    schemas |= {"Event": event_schema}
    tags = {operation.tag: operation.tag_description for operation in operations}
    paths: dict[str, JsonObject] = {}
    for operation in operations:
        methods = paths.setdefault(path_template(operation), {})
        methods[operation.method.lower()] = _describe_operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Conversational AI Twin Service Interface",
            "version": API_VERSION,
            "description": SUMMARY,
            "contact": CONTACT,
            "license": LICENSE,
        },
        "servers": [{"url": f"{base_path}/api/v1"}],
        "tags": [{"name": name, "description": tags[name]} for name in sorted(tags)],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": {
                "Error": {
                    "description": "An error, with its code and a sentence.",
                    "content": {"application/json": {"schema": _schema_of(ErrorResponse)}},
                }
            },
            "securitySchemes": SECURITY_SCHEMES,
        },
    }


def path_template(operation: Operation) -> str:
    """Return the path of an operation in OpenAPI syntax: /twins/{twinId}."""
    return PATH_PARAMETER.sub(lambda found: f"{{{_camel_case(found[2])}}}", operation.path)


def _describe_parameters(operation: Operation) -> Iterator[JsonObject]:
    """Yield the path, query and header parameters of an operation."""
    for min_length, name in PATH_PARAMETER.findall(operation.path):
        schema = {"type": "string", "minLength": int(min_length or 1), "pattern": r"^[^\x00/]+$"}
        about = f"Id of the {name.removesuffix('_id')}."
        yield _parameter(_camel_case(name), "path", schema, about)
    if operation.query:
        (_, schemas) = msgspec.json.schema_components([operation.query], ref_template=SCHEMA_REF)
        for name, schema in schemas[operation.query.__name__]["properties"].items():
            kind = _non_null_schema(schema)
            yield _parameter(name, "query", kind, kind.pop("title"))
    for name, description in operation.request_headers.items():
        schema = {"type": "string", "pattern": IDEMPOTENCY_KEY_PATTERN}
        yield _parameter(name, "header", schema, description)


def _parameter(name: str, place: str, schema: JsonObject, description: str) -> JsonObject:
    return {
        "name": name,
        "in": place,
        "required": place == "path",
        "description": description,
        "schema": schema,
    }


def _non_null_schema(schema: Mapping[str, Any]) -> JsonObject:
    """Return the first variant of `anyOf` that is not null, or else the schema itself."""
    variants = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    return dict(variants[0]) if variants else dict(schema)


def _describe_operation(operation: Operation) -> JsonObject:
    operation_object: JsonObject = {
        "operationId": operation.name,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": _describe_requirement(operation),
        "parameters": list(_describe_parameters(operation)),
        "security": SECURITY_BY_CREDENTIAL[operation.required_credential],
        "responses": {
            str(operation.status): _success_response(operation),
            "default": {"$ref": "#/components/responses/Error"},
        },
    }
    if operation.body:
        content = {"application/json": {"schema": _schema_of(operation.body)}}
        operation_object["requestBody"] = {"required": True, "content": content}
    return operation_object


def _describe_requirement(operation: Operation) -> str:
    origin = f"Endpoint {operation.spec_number}." if operation.spec_number else "An extension."
    required = operation.required_credential
    credential = required if required == "a JWT" else f"an API key with the scope {required}"
    return f"{origin} Requires {credential}."


def _success_response(operation: Operation) -> JsonObject:
    response: JsonObject = {"description": "Success."}
    if operation.is_stream:
        response["description"] = "Server-sent events. Read them with fetch, not with EventSource."
        response["content"] = {"text/event-stream": {"schema": STREAM_SCHEMA}}
    elif operation.response_type is not None:
        response["content"] = {"application/json": {"schema": _schema_of(operation.response_type)}}
    return response


def _schema_of(schema_type: Any) -> JsonObject:
    (schema,), _ = msgspec.json.schema_components([schema_type], ref_template=SCHEMA_REF)
    return dict(schema)


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)
