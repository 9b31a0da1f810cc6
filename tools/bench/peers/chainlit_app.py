"""A Chainlit chat with the scripted service, as in Chainlit's page on streaming."""

import json
import os

import chainlit
import httpx

SERVICE_URL = os.environ["SERVICE_URL"]
TURN_COUNT = int(os.environ["TURN_COUNT"])


@chainlit.on_chat_start
async def send_history() -> None:
    """Send the existing conversation, because Chainlit stores none unless people sign in."""
    if not TURN_COUNT:
        return
    async with httpx.AsyncClient() as client:
        answer = await client.get(f"{SERVICE_URL}/history?turns={TURN_COUNT}", timeout=60)
    for turn in answer.json():
        await chainlit.Message(turn["message"], type="user_message").send()
        await chainlit.Message(turn["reply"]).send()


@chainlit.on_message
async def stream_reply(message: chainlit.Message) -> None:
    """Stream the reply as it arrives."""
    written = chainlit.Message("")
    address = f"{SERVICE_URL}/api/v1/conversations/any/messages/stream"
    asked = {"json": {"content": message.content}, "timeout": 600}
    async with httpx.AsyncClient() as client, client.stream("POST", address, **asked) as answer:
        async for line in answer.aiter_lines():
            event = json.loads(line[6:]) if line.startswith("data: ") else {}
            if event.get("type") == "delta":
                await written.stream_token(event["content"])
    await written.update()
