"""A Gradio chat with the scripted service, as in Gradio's guide to streaming chatbots."""

import json
import os
from collections.abc import Iterator
from typing import Any

import gradio
import httpx

SERVICE_URL = os.environ["SERVICE_URL"]
TURN_COUNT = int(os.environ["TURN_COUNT"])


def stream_reply(message: str, history: list[Any]) -> Iterator[str]:
    """Yield the reply so far, after each delta."""
    text = ""
    url = f"{SERVICE_URL}/api/v1/conversations/any/messages/stream"
    with httpx.stream("POST", url, json={"content": message}, timeout=600) as response:
        for line in response.iter_lines():
            event = json.loads(line[6:]) if line.startswith("data: ") else {}
            if event.get("type") == "delta":
                text += event["content"]
                yield text


def load_history() -> list[dict[str, str]]:
    """Return the existing conversation."""
    turns = (
        httpx.get(f"{SERVICE_URL}/history?turns={TURN_COUNT}", timeout=60).json()
        if TURN_COUNT
        else []
    )
    return [
        {"role": role, "content": turn[name]}
        for turn in turns
        for role, name in (("user", "message"), ("assistant", "reply"))
    ]


chat = gradio.ChatInterface(stream_reply, chatbot=gradio.Chatbot(value=load_history()), title="Ada")
chat.launch(server_name="127.0.0.1", server_port=int(os.environ["PORT"]), quiet=True)
