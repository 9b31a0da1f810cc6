"""An example of each operation, for curl and for Python. The tests run them."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from typing import Any

import msgspec

from service.api.operations import Operation
from service.docs.openapi import REF, address, given

# What stands in for the ids of an address, and for the headers of a request.
VARIABLES = {
    "twinId": "TWIN",
    "conversationId": "CONVERSATION",
    "messageId": "MESSAGE",
    "keyId": "KEY_ID",
    "Idempotency-Key": "PRESS",
}


@dataclass(frozen=True, slots=True)
class Example:
    """The same request in two languages."""

    curl: str
    python: str


def of(operation: Operation) -> Example:
    """Return the examples of an operation."""
    secret = "JWT" if operation.needs == "a JWT" else "KEY"
    body = _body(operation.body) if operation.body else None
    return Example(_curl(operation, secret, body), _python(operation, secret, body))


def _body(kind: type[msgspec.Struct]) -> dict[str, Any]:
    _, known = msgspec.json.schema_components([kind], ref_template=REF)
    schema = known[kind.__name__]
    found = {name: given(about).get("examples") for name, about in schema["properties"].items()}
    return {name: examples[0] for name, examples in found.items() if examples}


def _curl(operation: Operation, secret: str, body: dict[str, Any] | None) -> str:
    method = "" if operation.method == "GET" or body else f" -X {operation.method}"
    path = re.sub(r"{(\w+)}", lambda found: f"${VARIABLES[found[1]]}", address(operation))
    lines = [f'curl{" -N" if operation.stream else ""}{method} "$API{path}"']
    lines.append(f'-H "Authorization: Bearer ${secret}"')
    lines += [f'-H "{name}: ${VARIABLES[name]}"' for name in operation.headers]
    if body:
        lines += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(json.dumps(body))}"]
    return " \\\n  ".join(lines)


def _python(operation: Operation, secret: str, body: dict[str, Any] | None) -> str:
    path = re.sub(
        r"{(\w+)}", lambda found: f'{{environ["{VARIABLES[found[1]]}"]}}', address(operation)
    )
    headers = [f"'Authorization': f'Bearer {{environ[\"{secret}\"]}}'"]
    headers += [f"'{name}': environ['{VARIABLES[name]}']" for name in operation.headers]
    sent = [f"f'{{environ[\"API\"]}}{path}'", f"headers={{{', '.join(headers)}}}"]
    sent += [f"json={body!r}"] if body else []
    sent += ["stream=True"] if operation.stream else []
    lines = [
        *(["import json"] if operation.stream else []),
        "from os import environ",
        "",
        "import requests",
        "",
        f"answer = requests.{operation.method.lower()}(",
        *(f"    {line}," for line in sent),
        ")",
        "answer.raise_for_status()",
        *_reading(operation),
    ]
    return "\n".join(lines)


def _reading(operation: Operation) -> list[str]:
    if operation.stream:
        return [
            "for line in answer.iter_lines(decode_unicode=True):",
            '    if line.startswith("data: "):',
            '        print(json.loads(line.removeprefix("data: ")))',
        ]
    return ['print(answer.json()["data"])'] if operation.answer is not None else []
