"""A client that openapi-python-client generates from the document of the running service."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.upstream import Upstream
from twindow.core import sse

USE_THE_CLIENT = """
import json, os

from twin_client import AuthenticatedClient
from twin_client.api.conversations import create_conversation
from twin_client.api.messages import send_message, stream_message
from twin_client.api.twins import list_twins
from twin_client.models import NewConversation, NewMessage

url = os.environ["API"]
client = AuthenticatedClient(url, os.environ["KEY"], raise_on_unexpected_status=True)
twins = list_twins.sync(client=client)
body = NewConversation(twin_id=twins.data[0].id)
conversation = create_conversation.sync(client=client, body=body).data
hello = NewMessage(content="Hello")
reply = send_message.sync(conversation.id, client=client, body=hello).data
stream = stream_message.sync(conversation.id, client=client, body=hello, idempotency_key="one")
print(json.dumps([conversation.twin_id, reply.content, stream]))
"""


@pytest.mark.nightly
def test_generated_client_can_list_twins_create_conversations_and_get_replies(
    processes: None, url: str, full_key: str, model: Upstream, tmp_path: Path
):
    model.always_reply("Hi ", "there")
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"post_hooks": []}))  # do not format the code
    run(
        *("-m", "openapi_python_client", "generate", "--url", f"{url}/api/v1/openapi.json"),
        *("--meta", "none", "--config", str(config), "--fail-on-warning"),
        *("--output-path", str(tmp_path / "twin_client")),
    )

    output = run("-c", USE_THE_CLIENT, API=f"{url}/api/v1", KEY=full_key, PYTHONPATH=str(tmp_path))

    twin_id, content, stream = json.loads(output)
    assert (twin_id, content) == ("ada", "Hi there")
    events = [json.loads(event.data) for event in sse.read_events([stream.encode()])]
    assert events[-1]["message"]["content"] == "Hi there"


def run(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
        env=os.environ | environment | {"NO_PROXY": "*"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
