"""Model servers on this machine, which an operator may prefer to the demo model."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from twindow.core.outbound.adapter import OutboundAdapter, open_session
from twindow.core.settings import Settings
from twindow.service.llm.model_list import can_chat, list_models

logger = logging.getLogger("twindow")

# The default ports, as documented by each project.
DEFAULT_PORTS = {"Ollama": 11434, "llama.cpp": 8080, "LM Studio": 1234}
TIMEOUT_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A model server on this machine, and its first chat model."""

    name: str
    url: str
    model: str

    @property
    def command(self) -> str:
        """Return the shell command that starts Twindow with the server."""
        return f"TWINDOW_MODEL_URL={self.url} TWINDOW_MODEL={shlex.quote(self.model)} make run"


def find_local_servers(
    settings: Settings, ports: Mapping[str, int] = DEFAULT_PORTS
) -> Iterator[LocalServer]:
    """Yield the model servers on the default ports; only their list of models is requested."""
    with open_session(OutboundAdapter(settings.outbound)) as session:
        for name, port in ports.items():
            url = f"http://127.0.0.1:{port}"
            if port == settings.port:
                continue
            models = list_models(session, f"{url}/v1/models", {}, timeout=TIMEOUT_SECONDS)
            usable = (model for model in models if can_chat(model) and model.isprintable())
            if model := next(usable, None):
                yield LocalServer(name, url, model)


def log_local_servers(settings: Settings) -> None:
    """Log how to connect the model servers on this machine, if none is configured."""
    for server in find_local_servers(settings) if not settings.model_url else ():
        line = "%s runs on this machine. To use it, start with: %s"
        logger.info(line, server.name, server.command)
