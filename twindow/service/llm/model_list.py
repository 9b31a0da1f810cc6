"""The list of models of a model server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import requests

from twindow.core.outbound.responses import NETWORK_ERRORS, read_bounded

MAX_LIST_BYTES = 1024 * 1024
LIST_TIMEOUT_SECONDS = 10.0

# Names of models that cannot chat.
_NO_CHAT = re.compile(
    r"embed|rerank|whisper|transcri|speech|(?:^|[-_/])tts|audio|realtime|dall-e|image|diffusion"
    r"|flux|moderation|guard|babbage|davinci|gpt-[\w.-]*instruct|(?:^|[-_/])(?:bge|gte|e5|clip|ocr)[-_]",
    re.IGNORECASE,
)


def list_models(
    session: requests.Session,
    url: str,
    headers: Mapping[str, str],
    *,
    timeout: float = LIST_TIMEOUT_SECONDS,
) -> list[str]:
    """Return the names of the models, or no names if the server returns no usable list."""
    try:
        with session.get(
            url,
            headers=headers,
            timeout=(min(5, timeout), timeout),
            allow_redirects=False,
            stream=True,
        ) as response:
            return list(_model_names(json.loads(read_bounded(response, MAX_LIST_BYTES, timeout))))
    except (*NETWORK_ERRORS, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return []


def can_chat(model: str) -> bool:
    """Return whether the name is not that of a model for embeddings, speech or images."""
    # The name may be the path of a file.
    return not _NO_CHAT.search(model.rpartition("/")[2])


def _model_names(data: Any) -> Iterator[str]:
    """Yield the names in a list of models: `data`, `models`, or a bare array."""
    items = (data.get("data") or data.get("models")) if isinstance(data, dict) else data
    for item in items or ():
        name = (item.get("id") or item.get("name") or item.get("model")) if item else ""
        is_other_type = str(item.get("type", "")).lower() in ("embedding", "embeddings", "reranker")
        if isinstance(name, str) and name and not is_other_type:
            yield name
