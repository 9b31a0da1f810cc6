"""Code examples for each operation, in curl and Python. The tests run them."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from typing import Any

import msgspec

from service.api import Operation
from service.docs.openapi import SCHEMA_REF, non_null_schema, path_template

# Environment variables in the examples, by path parameter or request header.
SHELL_VARIABLES = {
    "twinId": "TWIN",
    "conversationId": "CONVERSATION",
    "messageId": "MESSAGE",
    "keyId": "KEY_ID",
    "Idempotency-Key": "IDEMPOTENCY_KEY",
}


@dataclass(frozen=True, slots=True)
class Example:
    """One request, as a curl command and as a Python script."""

    curl: str
    python: str


def build_example(operation: Operation) -> Example:
    """Return the example for an operation."""
    credential_variable = "JWT" if operation.required_access == "a JWT" else "KEY"
    body = example_body(operation.body) if operation.body else None
    return Example(
        _curl_command(operation, credential_variable, body),
        _python_script(operation, credential_variable, body),
    )


def example_body(body_type: type[msgspec.Struct]) -> dict[str, Any]:
    """Return a body with the example values of its fields."""
    _, schemas = msgspec.json.schema_components([body_type], ref_template=SCHEMA_REF)
    schema = schemas[body_type.__name__]
    examples_by_field = {
        name: non_null_schema(about).get("examples") for name, about in schema["properties"].items()
    }
    return {name: examples[0] for name, examples in examples_by_field.items() if examples}


def _curl_command(
    operation: Operation, credential_variable: str, body: dict[str, Any] | None
) -> str:
    method = "" if operation.method == "GET" or body else f" -X {operation.method}"
    path = re.sub(
        r"{(\w+)}", lambda found: f"${SHELL_VARIABLES[found[1]]}", path_template(operation)
    )
    lines = [f'curl{" -N" if operation.is_stream else ""}{method} "$API{path}"']
    lines.append(f'-H "Authorization: Bearer ${credential_variable}"')
    lines += [f'-H "{name}: ${SHELL_VARIABLES[name]}"' for name in operation.request_headers]
    if body:
        lines += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(json.dumps(body))}"]
    return " \\\n  ".join(lines)


def _python_script(
    operation: Operation, credential_variable: str, body: dict[str, Any] | None
) -> str:
    path = re.sub(
        r"{(\w+)}",
        lambda found: f'{{environ["{SHELL_VARIABLES[found[1]]}"]}}',
        path_template(operation),
    )
    headers = [f"'Authorization': f'Bearer {{environ[\"{credential_variable}\"]}}'"]
    headers += [
        f"'{name}': environ['{SHELL_VARIABLES[name]}']" for name in operation.request_headers
    ]
    arguments = [f"f'{{environ[\"API\"]}}{path}'", f"headers={{{', '.join(headers)}}}"]
    arguments += [f"json={body!r}"] if body else []
    arguments += ["stream=True"] if operation.is_stream else []
    lines = [
        *(["import json"] if operation.is_stream else []),
        "from os import environ",
        "",
        "import requests",
        "",
        f"response = requests.{operation.method.lower()}(",
        *(f"    {line}," for line in arguments),
        ")",
        "response.raise_for_status()",
        *_print_response_lines(operation),
    ]
    return "\n".join(lines)


def _print_response_lines(operation: Operation) -> list[str]:
    if operation.is_stream:
        return [
            "for line in response.iter_lines(decode_unicode=True):",
            '    if line.startswith("data: "):',
            '        print(json.loads(line.removeprefix("data: ")))',
        ]
    return ['print(response.json()["data"])'] if operation.response_type is not None else []
