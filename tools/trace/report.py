"""Counts and lists of the functions in a recording."""

from __future__ import annotations

from dataclasses import dataclass

from tools.trace.recorder import Recording


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of distinct functions, distinct files, calls and transactions.

    `crossings` are calls from one top-level package to another. `web_to_chat` are the crossings
    from `web` and `blueprints` to `chat`.
    """

    functions: int
    files: int
    crossings: int
    web_to_chat: int
    reads: int
    writes: int


def functions_by_thread(recording: Recording) -> dict[str, list[str]]:
    """Return the functions of each thread in the order in which they first run."""
    functions: dict[str, dict[str, None]] = {}
    for call in recording.calls:
        names = functions.setdefault(call.thread, {})
        if call.caller:
            names.setdefault(call.caller)
        names.setdefault(call.function)
    return {thread: list(names) for thread, names in functions.items()}


def count(recording: Recording) -> Counts:
    """Count what a recording contains."""
    functions = {name for names in functions_by_thread(recording).values() for name in names}
    crossings = [
        (caller, called)
        for call in recording.calls
        if (caller := package_of(call.caller or ""))
        and (called := package_of(call.function))
        and caller != called
    ]
    return Counts(
        functions=len(functions),
        files=len({name.partition(":")[0] for name in functions}),
        crossings=len(crossings),
        web_to_chat=sum(
            caller in ("blueprints", "web") and called == "chat" for caller, called in crossings
        ),
        reads=sum(not one.is_write for one in recording.transactions),
        writes=sum(one.is_write for one in recording.transactions),
    )


def to_text(title: str, recording: Recording) -> str:
    """Return the functions and the counts of each thread as text."""
    lines = [title, ""]
    for thread, functions in functions_by_thread(recording).items():
        counts = count(recording.limited_to(thread.__eq__))
        lines += [f"  {thread}: {_describe(counts)}", ""]
        lines += [*(f"    {name}" for name in functions), ""]
    return "\n".join([*lines, f"  All: {_describe(count(recording))}", ""])


def _describe(counts: Counts) -> str:
    return (
        f"{counts.functions} functions in {counts.files} files, "
        f"{counts.crossings} calls between packages ({counts.web_to_chat} from the web to chat), "
        f"{counts.reads} read and {counts.writes} write transactions"
    )


def package_of(function: str) -> str:
    """Return the top-level package of a function; "" for a function in app.py."""
    folder, slash, _ = function.partition("/")
    return folder if slash else ""
