"""A real LiteLLM proxy between the embedded service and a model server that fails.

LiteLLM rewrites the errors of model servers: their statuses, words and streams. People must see the
same sentences as without it, and no key may get into the log. LiteLLM is installed in a temporary
virtual environment, because Twindow does not depend on it: about 800 MB, in about two minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import venv
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.person import Person, wait_for_reply
from tests.support.processes import ServerProcess, free_port, run_server
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Answer, Call, send_reply
from tests.support.upstream_server import run_upstream
from tests.support.waiting import responds, wait_until
from tools.chaos.report import Expectations, Report, exactly
from tools.chaos.sent_messages import SentMessage, poll_until_ended

PACKAGE = "litellm[proxy]==1.108.7"
START_SECONDS = 60
MASTER_KEY = "sk-canary-5f2c9e"  # between Twindow and LiteLLM
MODEL_KEY = "sk-canary-77ab01"  # between LiteLLM and the model server
MODEL = "scripted"
FIRST_CHUNK = {"choices": [{"index": 0, "delta": {"content": "Hello"}, "finish_reason": None}]}
FIRST_EVENT = f"data: {json.dumps(FIRST_CHUNK)}\n\n".encode()
LONG_MESSAGE = ("word " * 1_600).strip()
TOO_LONG = "This model's maximum context length is 4096 tokens."
CONFIG = {
    "model_list": [{"model_name": MODEL, "litellm_params": {"model": "openai/m"}}],
    # LiteLLM retries by default, and refuses further requests for a few seconds after a failure.
    "router_settings": {"num_retries": 0, "disable_cooldowns": True},
    "general_settings": {"master_key": MASTER_KEY},
}


class Case(NamedTuple):
    """How the model server answers, and what the person should see.

    `log` is a part of the line in the log of Twindow.
    """

    answer: Answer
    state: str
    sentence: str
    log: str = ""


def _refuse(status: int, message: str, **fields: str) -> tuple[int, Any]:
    return status, {"error": {"message": message, **fields}}


def _refuse_history(call: Call) -> None:
    """Refuse a prompt that contains the long message as history."""
    if LONG_MESSAGE in (message["content"] for message in call.body["messages"][:-1]):
        call.respond(*_refuse(400, TOO_LONG, code="context_length_exceeded"))
    else:
        send_reply(call)


def _limit_rate(call: Call) -> None:
    call.respond(*_refuse(429, "Rate limit reached."), retry_after="7")


def _fail_in_stream(call: Call) -> None:
    call.start_stream().send_bytes(FIRST_EVENT)
    call.send_event(error={"message": "engine died", "code": 500})
    call.close()


def _break_off(call: Call) -> None:
    call.start_stream(transfer_encoding="chunked").send_chunk(FIRST_EVENT)
    call.close()  # without the last chunk


CASES = {
    "reply": Case(send_reply, "complete", ""),
    "too_long": Case(
        _refuse(400, TOO_LONG), "failed", "too long for this model", "maximum context"
    ),
    "key": Case(
        _refuse(401, f"Incorrect API key provided: {MODEL_KEY}."),
        "failed",
        "rejected the API key",
        "Incorrect API key",
    ),
    "rate": Case(_limit_rate, "failed", "The model is busy", "Rate limit reached"),
    "credit": Case(
        _refuse(402, "Insufficient credits"), "failed", "is used up", "Insufficient credits"
    ),
    "error": Case(
        _refuse(500, "CUDA out of memory"), "failed", "has a problem", "CUDA out of memory"
    ),
    "error_in_stream": Case(_fail_in_stream, "failed", "reported an error", "engine died"),
    # LiteLLM turns this into an error in its stream.
    "broken_off": Case(_break_off, "failed", "reported an error", "Connection error"),
    "filter": Case(
        lambda call: call.start_stream().complete(finish_reason="content_filter"),
        "failed",
        "The model server's content filter",
    ),
}
# Settings of Twindow that are wrong, and a part of the sentence that names the reason.
WRONG_SETTINGS = {
    "wrong_key": ({"MODEL_KEY": "sk-canary-000000"}, "rejected the API key"),
    "wrong_model": ({"MODEL": "nobody"}, "doesn't have this model"),
}

EXPECTATIONS: Expectations = {
    **{name: exactly(f"{case.state} {case.sentence}".strip()) for name, case in CASES.items()},
    **{name: exactly(f"failed {sentence}") for name, (_, sentence) in WRONG_SETTINGS.items()},
    "shortened": exactly("complete"),
    "unlogged": exactly([]),
    "keys_in_log": exactly(0),
}


def run() -> Report:
    """Send a message for each case, and one with each wrong setting."""
    with run_upstream() as model_server, _run_litellm(model_server.url) as url:
        model_server.answers[CHAT_COMPLETIONS_PATH] = _answer
        with _run_portal(url) as portal:
            report = {name: _ask(portal, name, case.sentence) for name, case in CASES.items()}
            model_server.answers[CHAT_COMPLETIONS_PATH] = _refuse_history
            report["shortened"] = _ask_twice(portal)
        output = "".join(portal.output)
        model_server.answers[CHAT_COMPLETIONS_PATH] = send_reply
        for name, (settings, sentence) in WRONG_SETTINGS.items():
            with _run_portal(url, **settings) as portal:
                report[name] = _ask(portal, name, sentence)
            output += "".join(portal.output)
    return report | {
        "unlogged": [name for name, case in CASES.items() if case.log not in output],
        "keys_in_log": output.count("canary"),
    }


def _answer(call: Call) -> None:
    """Answer as the case says whose name is the last message."""
    answer = CASES[call.body["messages"][-1]["content"]].answer
    answer(call) if callable(answer) else call.respond(*answer)


def _ask(portal: ServerProcess, content: str, expected_sentence: str) -> str:
    """Return the state of the reply, and its sentence or the expected part of it."""
    with closing(Person(portal.url)) as person:
        message = SentMessage(person, content)
        message.submit()
        poll_until_ended([message])
    is_expected = bool(expected_sentence) and expected_sentence in message.sentence
    return f"{message.state} {expected_sentence if is_expected else message.sentence}".strip()


def _ask_twice(portal: ServerProcess) -> str:
    """Return the state of a second reply, for which the long first message has to be left out."""
    with closing(Person(portal.url)) as person:
        page = wait_for_reply(person, person.start_conversation(LONG_MESSAGE))
        page = wait_for_reply(person, person.press(page, "Send", content="second"))
    return page.reply_states[-1]


@contextmanager
def _run_portal(model_url: str, **settings: str) -> Iterator[ServerProcess]:
    """Serve the portal with the embedded service."""
    model = {"MODEL_URL": model_url, "MODEL": MODEL, "MODEL_KEY": MASTER_KEY}
    with tempfile.TemporaryDirectory() as data, tempfile.TemporaryDirectory() as twins:
        # Not the bundled Ada, who answers without a model.
        Path(twins, "ada.md").write_text("---\nname: Ada\n---\n")
        model["TWINS_DIR"] = twins
        with run_server(Path(data), "app.py", **model | settings) as portal:
            portal.wait_until_ready()
            yield portal


@contextmanager
def _run_litellm(model_url: str) -> Iterator[str]:
    """Install LiteLLM, run its proxy in front of a model server, and yield its URL."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        programs = f"{folder}/bin"
        subprocess.run([f"{programs}/pip", "install", "-qq", PACKAGE], check=True)
        config, port = Path(folder) / "config.yaml", free_port()
        config.write_text(json.dumps(CONFIG))  # JSON is YAML
        environment = {
            "OPENAI_BASE_URL": f"{model_url}/v1",
            "OPENAI_API_KEY": MODEL_KEY,
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # instead of a download
        }
        command = [f"{programs}/litellm", "--config", str(config), "--host", "127.0.0.1"]
        with (Path(folder) / "output").open("w") as output:
            process = subprocess.Popen(
                [*command, "--port", str(port)],
                env=os.environ | environment,
                stdout=output,
                stderr=output,
            )
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until(lambda: responds(f"{url}/health/liveliness"), START_SECONDS)
            yield url
        finally:
            process.terminate()
            process.wait(START_SECONDS)
