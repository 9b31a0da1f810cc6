"""A chat with the scripted service in Gradio, as its guide on streaming chatbots says."""

import json
import os
from collections.abc import Iterator
from typing import Any

import gradio
import httpx

SERVICE = os.environ["SERVICE"]
TURNS = int(os.environ["TURNS"])


def reply(message: str, history: list[Any]) -> Iterator[str]:
    """Yield the reply so far, with each piece that comes."""
    said = ""
    address = f"{SERVICE}/api/v1/conversations/any/messages/stream"
    with httpx.stream("POST", address, json={"content": message}, timeout=600) as answer:
        for line in answer.iter_lines():
            event = json.loads(line[6:]) if line.startswith("data: ") else {}
            if event.get("type") == "delta":
                said += event["content"]
                yield said


def past() -> list[dict[str, str]]:
    """Return the conversation that is there already."""
    turns = httpx.get(f"{SERVICE}/history?turns={TURNS}", timeout=60).json() if TURNS else []
    return [
        {"role": role, "content": turn[name]}
        for turn in turns
        for role, name in (("user", "said"), ("assistant", "reply"))
    ]


chat = gradio.ChatInterface(reply, chatbot=gradio.Chatbot(value=past()), title="Ada")
chat.launch(server_name="127.0.0.1", server_port=int(os.environ["PORT"]), quiet=True)
