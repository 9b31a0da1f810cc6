"""A partner with FastAPI, uvicorn and sse-starlette, and their defaults.

Names are in snake_case, invalid requests get 422 with `detail`, streams have CRLF and pings, and
the state is in memory. The event `complete` says “Message completed”, and `Location` of the stream
names the conversation.
"""

import json
import threading
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Annotated

import anyio
import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, Field
from sse_starlette import EventSourceResponse

from tests.partners.partner import (
    FULL_KEY,
    LIMIT_SENTENCE,
    PAGE_SIZE,
    READ_KEY,
    SCOPE_SENTENCE,
    TWIN_COUNT,
    Partner,
    State,
)
from tests.support.processes import free_port

bearer = HTTPBearer()


class ConversationCreate(BaseModel):
    """Body of a new conversation."""

    twin_id: str = Field(alias="twinId")
    title: str | None = None


class MessageCreate(BaseModel):
    """Body of a message."""

    content: str = Field(max_length=2000)


def create_app(state: State) -> FastAPI:
    """Create the application."""
    app = FastAPI()
    twins = [
        {"id": f"twin-{n}", "display_name": f"Twin {n}", "avatar_url": None}
        for n in range(TWIN_COUNT)
    ]

    @app.middleware("http")
    async def log_request(request: Request, call_next):  # type: ignore[no-untyped-def]
        state.requests.append((request.method, request.url.path))
        return await call_next(request)

    def reader(token: Annotated[HTTPAuthorizationCredentials, Depends(bearer)]) -> str:
        if token.credentials not in (FULL_KEY, READ_KEY):
            raise HTTPException(401, "Could not validate credentials")
        return token.credentials

    def writer(key: Annotated[str, Depends(reader)]) -> str:
        if key != FULL_KEY:
            raise HTTPException(403, SCOPE_SENTENCE)
        return key

    def twin_or_404(twin_id: str) -> dict[str, str | None]:
        found = next((twin for twin in twins if twin["id"] == twin_id), None)
        if found is None:
            raise HTTPException(404, "Twin not found")
        return found

    @app.get("/api/v1/twins", dependencies=[Depends(reader)])
    def list_twins(page: int = 1, limit: int = 20):  # type: ignore[no-untyped-def]
        size = min(limit, PAGE_SIZE)
        return {"data": twins[(page - 1) * size : page * size]}

    @app.get("/api/v1/twins/{twin_id}", dependencies=[Depends(reader)])
    def get_twin(twin_id: str):  # type: ignore[no-untyped-def]
        return {"data": twin_or_404(twin_id)}

    @app.post("/api/v1/conversations", status_code=201, dependencies=[Depends(writer)])
    def create_conversation(body: ConversationCreate):  # type: ignore[no-untyped-def]
        twin_or_404(body.twin_id)
        conversation_id = str(uuid.uuid4())
        state.conversations[conversation_id] = 0
        return {"data": {"id": conversation_id, "twin_id": body.twin_id, "created_at": time.time()}}

    @app.post(
        "/api/v1/conversations/{conversation_id}/messages/stream", dependencies=[Depends(writer)]
    )
    async def stream_message(
        conversation_id: str,
        body: MessageCreate,
        idempotency_key: Annotated[str, Header()] = "",
    ) -> Response:
        if conversation_id not in state.conversations:
            raise HTTPException(404, "Conversation not found")
        state.keys.append(idempotency_key)
        if body.content == "Limit":
            raise HTTPException(429, LIMIT_SENTENCE, {"Retry-After": "120"})
        pieces = state.reply_to(body.content)

        async def events() -> AsyncIterator[dict[str, str]]:
            yield {"data": json.dumps({"type": "progress", "progress": 1})}
            for piece in pieces:
                if not piece:
                    return
                await anyio.to_thread.run_sync(state.pause_before, piece, body.content)
                yield {"data": json.dumps({"type": "delta", "content": piece})}
            yield {"data": json.dumps({"type": "complete", "message": "Message completed"})}

        location = f"/api/v1/conversations/{conversation_id}"
        return EventSourceResponse(events(), headers={"Location": location}, ping=1)

    return app


@contextmanager
def run_fastapi() -> Iterator[Partner]:
    """Run the partner with uvicorn; a restart loses its conversations."""
    state, port = State(), free_port()
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start() -> None:
        config = uvicorn.Config(
            create_app(state), port=port, log_level="error", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.005)
        running.append((server, thread))

    def stop() -> None:
        server, thread = running.pop()
        state.go_on.set()
        server.should_exit = True
        thread.join(10)

    def restart() -> None:
        stop()
        state.conversations.clear()
        start()

    start()
    yield Partner(f"http://127.0.0.1:{port}", state, restart)
    stop()
