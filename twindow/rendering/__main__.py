"""The child process of `RenderProcess`: renders the texts that arrive on standard input.

Each line is a JSON array of the arguments of `render`; the response is a line of HTML as JSON.
"""

from __future__ import annotations

import json
import os
import resource
import select
import sys

from twindow.rendering.render import render

# This process has a lower priority than the server, so that requests of other people go first.
NICENESS = 5
MEMORY_LIMIT_BYTES = 1 << 30


def main(idle_seconds: float) -> None:
    """Render until the server closes the connection, or sends nothing for `idle_seconds`."""
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))
    while select.select([sys.stdin], [], [], idle_seconds)[0] and (line := sys.stdin.readline()):
        text, scope = json.loads(line)
        print(json.dumps(render(text, scope)), flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]))
