"""Wire formats of chat-completion servers: one recording of each shape that the client tells apart.

The shapes (field names, order, line ends, error sentences) follow the sources; identifiers are
shortened, texts of models are our own. The name of a recording begins with its product, and its
source names the version, or the day when it was seen. A "public recording" is a file of captured
traffic in a public repository.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

Json = dict[str, Any]
DONE = b"data: [DONE]\n\n"


class Recording(NamedTuple):
    """What a server sent: JSON, or the bytes of a stream.

    `expected` depends on the table.
    """

    source: str
    body: Any
    expected: Any = None
    status: int = 400


def sse(*chunks: Any, done: bytes = DONE) -> bytes:
    """Return a stream: one `data:` event per chunk; bytes are put in as they are."""
    parts = (
        each if isinstance(each, bytes) else f"data: {json.dumps(each)}\n\n".encode()
        for each in chunks
    )
    return b"".join(parts) + done


def chunk(delta: Json, reason: str | None = None, **extra: Any) -> Json:
    """Return a chunk with one choice; `extra` are fields of the chunk."""
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return envelope(choices=[choice], **extra)


def text(content: str, reason: str | None = None, **extra: Any) -> Json:
    """Return a chunk with text."""
    return chunk({"content": content}, reason, **extra)


def envelope(**fields: Any) -> Json:
    """Return a chunk with the fields that all servers send."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1764657993,
        "model": "m-1",
        **fields,
    }


ROLE = chunk({"role": "assistant", "content": ""})
END = chunk({}, "stop")


def usage(prompt: int, completion: int) -> Json:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _error(message: str, code: object = None, **extra: Any) -> Json:
    return {"error": {"message": message, "code": code, **extra}}


# Streams with the text "Hi there"; expected are the tokens of the prompt, or None ----------------

_SAFE = {name: {"filtered": False, "severity": "safe"} for name in ("hate", "violence")}
_WAIT = b": OPENROUTER PROCESSING\n\n"
_MINIMAX_M2 = (
    "minimax-m2, seen 2025-11-03: github.com/pydantic/pydantic-ai test_openrouter_stream_error.yaml"
)


def _openrouter(delta: Json, reason: str | None = None, **extra: Any) -> Json:
    delta = {"role": "assistant", "content": "", **delta}
    return chunk(delta, reason, provider="Minimax", **extra)


STREAMS = {
    # Groq, vLLM, SGLang, Ollama and llama.cpp send the same shape.
    "OpenAI": Recording(
        "gpt-4o-2024-08-06, seen 2025-11-06: github.com/envoyproxy/ai-gateway/pull/1503",
        sse(
            chunk({"role": "assistant", "content": "", "refusal": None}, usage=None),
            text("Hi", usage=None, obfuscation="Q"),
            text(" there", usage=None, obfuscation="9sK"),
            chunk({}, "stop", usage=None, obfuscation="w"),
            envelope(choices=[], usage=usage(12, 2), obfuscation="T7"),
        ),
        12,
    ),
    "Azure OpenAI: empty choices first, filter offsets after the end": Recording(
        "seen 2025-11-05, asynchronous filter: github.com/vercel/ai, azure-text.chunks.txt",
        sse(
            {
                "choices": [],
                "id": "",
                "model": "",
                "object": "",
                "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": _SAFE}],
            },
            chunk({"content": "", "refusal": None, "role": "assistant"}, usage=None),
            text("Hi", usage=None),
            text(" there", usage=None),
            chunk({}, "stop", usage=None),
            envelope(
                choices=[
                    {
                        "content_filter_offsets": {"check_offset": 0, "end_offset": 11},
                        "content_filter_results": _SAFE,
                        "finish_reason": None,
                        "index": 0,
                    }
                ]
            ),
            envelope(choices=[], usage=usage(15, 2)),
        ),
        15,
    ),
    "OpenRouter: comments, and the usage in a choice": Recording(
        _MINIMAX_M2,
        sse(
            _WAIT,
            _WAIT,
            _openrouter({"content": "Hi"}),
            _openrouter({"content": " there"}),
            _openrouter({}, "stop"),
            _openrouter({}, usage=usage(43, 2)),
        ),
        43,
    ),
    "Mistral: text, end and usage at once": Recording(
        "mistral-small-latest, seen 2026-08-27: github.com/vercel/ai, mistral-usage-raw-live",
        sse(
            ROLE,
            text("Hi", p="abcdefghijklmnopqrstuvwxyz0123456789"),
            text(" there", "stop", usage=usage(19, 2), p="abcdef"),
        ),
        19,
    ),
    "Gemini: usage without completion_tokens first": Recording(
        "gemini-2.5-flash, seen 2026-09-30: public recording",
        sse(
            chunk({"content": "Hi", "role": "assistant"}, usage={"prompt_tokens": 8}),
            chunk({"content": " there", "role": "assistant"}, "stop", usage=usage(8, 2)),
        ),
        8,
    ),
    "Alibaba DashScope: the text so far in each chunk": Recording(
        "Coding Plan, seen 2026-05-07: github.com/QwenLM/qwen-code/pull/3896",
        sse(ROLE, text("Hi"), text("Hi the"), text("Hi there"), text("Hi there", "stop")),
    ),
    # The final chunk without a delta is sourced, the shape of its message is that of a completion.
    "MiniMax: a final message without a delta": Recording(
        "seen 2025-12-04: github.com/mozilla-ai/any-llm/pull/657",
        sse(
            chunk({"role": "assistant", "content": "Hi"}),
            chunk({"role": "assistant", "content": " there"}),
            envelope(choices=[{"message": {"content": "Hi there"}, "finish_reason": "stop"}]),
            done=b"",
        ),
    ),
}

# Streams with reasoning before "Hi there"; expected is the first reply, if it is another ----------

REASONING = {
    # Ollama, vLLM and Groq send the field `reasoning`, too.
    "OpenRouter: reasoning": Recording(
        _MINIMAX_M2,
        sse(
            _WAIT,
            _openrouter(
                {
                    "reasoning": "A greeting",
                    "reasoning_details": [{"type": "reasoning.text", "text": "A greeting"}],
                }
            ),
            _openrouter({"content": "Hi there", "reasoning": None, "reasoning_details": []}),
            _openrouter({"reasoning": None, "reasoning_details": []}, "stop"),
        ),
    ),
    "DeepSeek: reasoning_content": Recording(
        "deepseek-v4-flash, seen 2026-08-24: github.com/vercel/ai, deepseek-v4-sampling-live",
        sse(
            b": keep-alive\n\n",
            chunk({"role": "assistant", "content": None, "reasoning_content": ""}),
            chunk({"content": None, "reasoning_content": "A greeting"}),
            chunk({"content": "Hi there", "reasoning_content": None}),
            chunk({"content": "", "reasoning_content": None}, "stop", usage=usage(87, 8)),
        ),
    ),
    "Mistral: both parts in one chunk, then a string": Recording(
        "mistral-small-latest, seen 2026-07-22: github.com/vercel/ai, issue-13703",
        sse(
            ROLE,
            chunk(
                {
                    "content": [
                        {"type": "thinking", "thinking": [{"type": "text", "text": "A greet"}]},
                        {"type": "text", "text": "Hi"},
                    ]
                }
            ),
            text(" there", "stop", usage=usage(28, 9)),
        ),
    ),
    "Gemini: thoughts are content with extra_content": Recording(
        "gemini-2.5-flash, seen 2025-07-12: github.com/mozilla-ai/any-llm/pull/1320",
        sse(
            chunk({"content": "A greeting", "extra_content": {"google": {"thought": True}}}),
            text("Hi there"),
            chunk({}, "stop", usage=usage(8, 2)),
        ),
    ),
    "llama.cpp without a parser: tags": Recording(
        "commit 00efb3e1: github.com/ggml-org/llama.cpp/issues/14268",
        sse(
            chunk({"role": "assistant", "content": None}),
            text("<think>"),
            text("\nA greeting\n"),
            text("</think>"),
            text("\n\nHi there"),
            END,
        ),
    ),
    # SGLang's conversation templates end the prompt with "<think>". It is recognised from the
    # second reply on.
    "SGLang without a parser: closing tag only": Recording(
        "commit 002897c2: github.com/sgl-project/sglang, openai/serving_chat.py",
        sse(ROLE, text("A greeting"), text("</think>\n\nHi there"), END),
        "A greeting</think>\n\nHi there",
    ),
}

# Lists of models; expected is the chosen model ---------------------------------------------------

MODEL_LISTS = {
    "Gemini: names with models/": Recording(
        "seen 2026-06-15: public recording",
        {
            "object": "list",
            "data": [
                {"id": "models/text-embedding-004", "object": "model", "owned_by": "google"},
                {"id": "models/gemini-2.5-flash", "object": "model", "owned_by": "google"},
            ],
        },
        "models/gemini-2.5-flash",
    ),
    "Ollama without models: null": Recording(
        "commit 077a50ba: github.com/ollama/ollama, middleware/openai.go",
        {"object": "list", "data": None},
        "default",
    ),
    "llama.cpp: data and models": Recording(
        "seen 2026-10-06: public recording",
        {
            "models": [{"name": "gemma.gguf", "type": "model", "capabilities": ["completion"]}],
            "object": "list",
            "data": [{"id": "models/gemma.gguf", "owned_by": "llamacpp", "aliases": []}],
        },
        "models/gemma.gguf",
    ),
}

# Streams that fail; expected are words of the log ------------------------------------------------

FAILURES = {
    # The place of the error is from the source; the sentence is that of any exception.
    "vLLM: generation error": Recording(
        "commit 006c49d4: github.com/vllm-project/vllm, chat_completion/serving.py",
        sse(text("Half"), _error("Internal server error", 500, type="InternalServerError")),
        "Internal server error",
    ),
    "SGLang: graceful abort": Recording(
        "commit 002897c2: github.com/sgl-project/sglang, openai/serving_chat.py",
        sse(text("Half"), chunk({}, "abort")),
        "abort",
    ),
    "llama.cpp: error line": Recording(
        "b5966, before PR 16109 (2025-09): github.com/ggml-org/llama.cpp/pull/16109",
        sse(text("Half"), b'error: {"code":500,"message":"Context size has been exceeded."}\n\n'),
        "Context size has been exceeded.",
    ),
    "OpenRouter: error after finish_reason length": Recording(
        _MINIMAX_M2,
        sse(
            _openrouter({"content": "Half"}),
            _openrouter({}, "length"),
            _openrouter({}, **_error("Token limit reached", 400)),
        ),
        "Token limit reached",
    ),
    # The sentence is lost, and the stream ends without finish_reason and [DONE].
    "Ollama: empty chunk, then the end": Recording(
        "commit 077a50ba: github.com/ollama/ollama, server/routes.go streamResponse",
        sse(text("Half"), text(""), done=b""),
        "",
    ),
}

# "The prompt does not fit" -----------------------------------------------------------------------


def _flat_error(message: str) -> Json:
    return {"object": "error", "message": message, "type": "BadRequestError", "code": 400}


def _lm_studio(message: str) -> bytes:
    data = json.dumps({"error": {"message": message}, "message": message})
    return f"event: error\ndata: {data}\n\n".encode()


OVERFLOWS = {
    "Groq: in the code only": Recording(
        "seen 2025-03-04: github.com/thepersonalaicompany/amurex-backend/issues/51",
        _error(
            "Please reduce the length of the messages or completion.",
            "context_length_exceeded",
            param="messages",
        ),
    ),
    "OpenRouter: more than the window": Recording(
        "seen 2025-07-31: github.com/refly-ai/refly/issues/1177",
        _error(
            "This endpoint's maximum context length is 32768 tokens. However, you requested about "
            "42832 tokens (42832 of text input). Please reduce the length of either one.",
            400,
        ),
    ),
    "Gemini: in an array": Recording(
        "gemini-2.5-pro, seen 2025-08-20: github.com/google-gemini/gemini-cli/issues/6678",
        [
            _error(
                "The input token count (1200293) exceeds the maximum number of tokens allowed "
                "(1048576).",
                400,
                status="INVALID_ARGUMENT",
            )
        ],
    ),
    # A shorter reply would fit, but be of no use.
    "vLLM, new: at least": Recording(
        "0.16 and later, seen 2026: public recording",
        _error(
            "This model's maximum context length is 131072 tokens. However, you requested 1024 "
            "output tokens and your prompt contains at least 130049 input tokens, for a total of "
            "at least 131073 tokens. Please reduce the length of the input prompt or the number "
            "of requested output tokens. (parameter=input_tokens, value=130049)",
            400,
            param="input_tokens",
        ),
    ),
    "vLLM: decoder prompt": Recording(
        "multimodal models, seen 2025-07-14: github.com/Gabesarch/grounded-rl/issues/16",
        _flat_error(
            "The decoder prompt (length 10127) is longer than the maximum model length of 8192. "
            "Make sure that `max_model_len` is no smaller than the number of text tokens."
        ),
    ),
    "SGLang": Recording(
        "seen 2025-04-29: github.com/QwenLM/Qwen3/issues/1321",
        _flat_error(
            "The input (61709 tokens) is longer than the model's context length (40960 tokens)."
        ),
    ),
    "llama.cpp, old: error line with status 200": Recording(
        "b5966, before PR 16109 (2025-09): github.com/coddy-project/coddy-agent/pull/106",
        b'error: {"code":400,"message":"the request exceeds the available context size. try '
        b'increasing the context size or enable context shift"}\n\n' + DONE,
        status=200,
    ),
    "llama.cpp: full while generating": Recording(
        "seen 2026-05-21: github.com/llmmllab/llmmllab-api/issues/202",
        _error("Context size has been exceeded.", 500, type="server_error"),
        status=500,
    ),
    # The sentence is that of 0.4.6, the event that of 0.4.21.
    "LM Studio: event error with status 200": Recording(
        "0.4.6 and 0.4.21: github.com/anomalyco/opencode/issues/11141, "
        "github.com/aaif-goose/goose/issues/11318",
        _lm_studio("Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"),
        status=200,
    ),
}

# Other limits, which are no overflow; expected is the beginning of the sentence for people --------

_CREDIT = "The model server has reached its usage limit."
_KEY = "The model server rejected the API key."
_QUOTA = "You exceeded your current quota, please check your plan and billing details."

OTHER_LIMITS = {
    "OpenAI: insufficient_quota": Recording(
        "documentation: platform.openai.com/docs/guides/error-codes",
        _error(_QUOTA, "insufficient_quota"),
        _CREDIT,
        429,
    ),
    "Gemini: a quota of the minute": Recording(
        "seen 2026-06-15: github.com/continuedev/continue/issues/12643",
        [_error(f"{_QUOTA} Please retry in 11.665902715s.", 429, status="RESOURCE_EXHAUSTED")],
        "The model is busy.",
        429,
    ),
    "Groq: TPM with status 413": Recording(
        "seen 2026-05-16: github.com/HunorLaczko/ha-groq-cloud-api/issues/27",
        _error(
            "Request too large for model llama-3.1-8b-instant in organization org_x on tokens per "
            "minute (TPM): Limit 6000, Requested 12328, please reduce your message size and try "
            "again. Need more tokens? Upgrade at https://console.groq.com/settings/billing",
            "rate_limit_exceeded",
            type="tokens",
        ),
        _CREDIT,
        413,
    ),
    "OpenRouter: credits": Recording(
        "seen 2026-05-12: github.com/Gitlawb/openclaude/issues/1125",
        _error(
            "This request requires more credits, or fewer max_tokens. You requested up to 32000 "
            "tokens, but can only afford 27342.",
            402,
        ),
        _CREDIT,
        402,
    ),
    "LiteLLM: budget": Recording(
        "1.108.7: litellm/proxy/auth/auth_checks.py",
        _error("Budget has been exceeded! Current cost: 1.2", "422", type="budget_exceeded"),
        _CREDIT,
        422,
    ),
    "Azure OpenAI: filter of the prompt": Recording(
        "gpt-4o, seen 2025-02-27: github.com/compl-ai/compl-ai/issues/20",
        _error(
            "The response was filtered due to the prompt triggering Azure OpenAI's content "
            "management policy. Please modify your prompt and retry.",
            "content_filter",
            param="prompt",
            innererror={"code": "ResponsibleAIPolicyViolation"},
        ),
        "The model server's content filter stopped this reply.",
    ),
    "Gemini: wrong key": Recording(
        "2026: public recording",
        [_error("API key not valid. Please pass a valid API key.", 400, status="INVALID_ARGUMENT")],
        _KEY,
    ),
    "OpenAI: wrong key": Recording(
        "documentation: platform.openai.com/docs/guides/error-codes",
        _error("Incorrect API key provided: sk-x***1234.", "invalid_api_key"),
        _KEY,
        401,
    ),
    "LiteLLM: key without access": Recording(
        "1.108.7: litellm/proxy/auth/auth_checks.py",
        _error("key not allowed to access model", "403", param="model"),
        _KEY,
        403,
    ),
    "LiteLLM: wrong key without a database": Recording(
        "1.108.7: real proxy", _error("No connected db.", "400", type="no_db_connection"), _KEY
    ),
    "LiteLLM: unknown model": Recording(
        "1.108.7: real proxy",
        _error("Invalid model name passed in model=x. Call `/v1/models`", "400"),
        "The model server doesn't have this model.",
    ),
    # Ollama keeps requests open while it loads a model.
    "Ollama: queue is full": Recording(
        "server/sched.go ErrMaxQueue: public recording",
        _error("server busy, please try again.  maximum pending requests exceeded"),
        "The model is busy.",
        503,
    ),
}

# Refusals of parameters; expected is the change --------------------------------------------------


def _extra_forbidden(*location: str) -> Json:
    message = "Extra inputs are not permitted"
    return {"type": "extra_forbidden", "loc": ["body", *location], "msg": message, "input": True}


REFUSALS = {
    "OpenAI o-series: max_tokens": Recording(
        "o1, seen 2025-02-12: github.com/CherryHQ/cherry-studio/issues/1403",
        _error(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            "unsupported_parameter",
            param="max_tokens",
        ),
        "max_completion_tokens",
    ),
    "OpenAI GPT-5: temperature": Recording(
        "gpt-5, seen 2025-08-11: github.com/diffbot/code-gpt-docs/issues/445",
        _error(
            "Unsupported value: 'temperature' does not support 0.5 with this model. Only the "
            "default (1) value is supported.",
            "unsupported_value",
            param="temperature",
        ),
        "drop temperature",
    ),
    "OpenAI o1-mini: system": Recording(
        "o1-mini, seen 2025-01-15: github.com/animalnots/BetterChatGPT-PLUS/issues/90",
        _error(
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            "unsupported_value",
            param="messages[0].role",
        ),
        "system role",
    ),
    "OpenRouter: refusal of the provider in metadata.raw": Recording(
        "openai/o3, seen 2025-06-27: github.com/BeehiveInnovations/pal-mcp-server/issues/134",
        _error(
            "Provider returned error",
            400,
            metadata={
                "raw": json.dumps(
                    _error(
                        "Your organization must be verified to stream this model.",
                        "unsupported_value",
                        param="stream",
                    )
                ),
                "provider_name": "OpenAI",
            },
        ),
        "no stream",
    ),
    "OpenRouter: in the choices of a 200 stream": Recording(
        "seen 2026-08-17: github.com/genkit-ai/genkit/pull/6079",
        sse(
            envelope(
                choices=[
                    {
                        "index": 0,
                        "delta": {"content": ""},
                        "finish_reason": "error",
                        "error": {"code": 400, "message": "System role not supported"},
                    }
                ]
            )
        ),
        "system role",
        200,
    ),
    "Gemini with Gemma: developer instruction": Recording(
        "gemma-3-27b-it, seen 2025-07-27: github.com/microsoft/vscode/issues/258088",
        [_error("Developer instruction is not enabled for models/gemma-3-27b-it", 400)],
        "system role",
    ),
    "llama.cpp with minja: roles must alternate": Recording(
        "2025-08 (Jan 0.6.7): github.com/janhq/jan/issues/6254",
        _error(
            "Conversation roles must alternate user/assistant/user/assistant/... at row 19, "
            "column 27:\n {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}\n",
            500,
            type="server_error",
        ),
        "system role",
        500,
    ),
    # The sentence is that of 0.3.6 with mistral-7b-instruct-v0.3, the event that of 0.4.21.
    "LM Studio: event error with status 200": Recording(
        "0.3.6, seen 2024-12-17: github.com/SystemSculpt/obsidian-systemsculpt-ai/issues/86",
        _lm_studio(
            'Error rendering prompt with jinja template: "Only user and assistant roles are '
            'supported!".'
        ),
        "system role",
        200,
    ),
    "LocalAI: error in a 200 stream": Recording(
        "seen 2026: github.com/sterlp/eclipse-peon-ai/issues/75",
        sse(
            _error(
                "\n------------\nWhile executing CallExpression at line 46, column 32 in source:\n"
                "...== 0) %}\u21b5   {{- raise_exception('After the optional system message, con..."
                "\n   ^\nError: Jinja Exception: After the optional system message, conversation "
                "roles must alternate user and assistant roles except for tool calls and results.",
                "server_error",
            )
        ),
        "system role",
        200,
    ),
    "Mistral: detail below message": Recording(
        "seen 2025-03-14: github.com/dnakov/anon-kode/issues/53",
        {
            "object": "error",
            "message": {"detail": [_extra_forbidden("stream_options", "include_usage")]},
            "type": "invalid_request_error",
        },
        "drop stream_options",
        422,
    ),
    "Mistral, 2024: JSON in a string": Recording(
        "seen 2024-01-24: github.com/mistralai/platform-docs-public/issues/7",
        {
            "object": "error",
            "message": json.dumps({"detail": [_extra_forbidden("frequency_penalty")]}),
            "type": "internal_error_proxy",
            "code": "1000",
        },
        "drop frequency_penalty",
        422,
    ),
    # The source has the misspelt name of its client.
    "vLLM: list of pydantic as a string": Recording(
        "0.6, seen 2024-10-22: github.com/gpustack/gpustack/issues/429",
        _flat_error(
            "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs "
            "are not permitted', 'input': {'include_usage': True}}]"
        ),
        "drop stream_options",
    ),
}

# Refusals of the length of a reply: the body for a number of tokens; expected is the maximum ------


def _sum_of_vllm(tokens: int) -> Json:
    """Return a refusal that counts the prompt of 30 tokens only up to the rest of the window."""
    if tokens > 4096:
        return _error(
            f"max_tokens={tokens}cannot be greater than max_model_len=max_total_tokens=4096. "
            "Please request fewer output tokens.",
            400,
            param="max_tokens",
        )
    return _error(
        f"This model's maximum context length is 4096 tokens. However, you requested {tokens} "
        f"output tokens and your prompt contains at least {4097 - tokens} input tokens, for a "
        "total of at least 4097 tokens. Please reduce the length of the input prompt or the "
        f"number of requested output tokens. (parameter=input_tokens, value={4097 - tokens})",
        400,
        param="input_tokens",
    )


REPLY_LENGTHS = {
    "Ollama: cloud model": Recording(
        "nemotron-3-ultra, seen 2026-09-29: public recording",
        lambda tokens: _error(
            f"max_tokens ({tokens}) exceeds model's maximum output tokens (2048) for model "
            "nemotron-3-ultra (ref: 3761884e-8e9b-4c46-8526-5de77ebe3c25)"
        ),
        2048,
    ),
    "DeepSeek": Recording(
        "deepseek-chat, seen 2026-03-17: github.com/mnfst/llm-gateway/issues/1177",
        lambda _: _error("Invalid max_tokens value, the valid range of max_tokens is [1, 2048]"),
        2048,
    ),
    "Amazon Bedrock: a thousands separator and a numeric code": Recording(
        "Claude 3.5 Sonnet, seen 2024-08-22: github.com/vercel/ai/issues/2772",
        lambda _: _error(
            "The maximum tokens you requested exceeds the model limit of 4,096. Try again with a "
            "maximum tokens value that is lower than 4,096.",
            400,
            type="ValidationException",
        ),
        4096,
    ),
    "OpenAI, old: sum of prompt and reply": Recording(
        "gpt-4, seen 2023-11-08: github.com/ChatGPTNextWeb/NextChat/issues/3195",
        lambda tokens: _error(
            "This model's maximum context length is 4096 tokens. However, you requested "
            f"{tokens + 30} tokens (30 in the messages, {tokens} in the completion). Please reduce "
            "the length of the messages or completion.",
            "context_length_exceeded",
            param="messages",
        ),
        4066,
    ),
    "vLLM: too large for the window": Recording(
        "0.11, seen 2025-12-01: github.com/stepfun-ai/Step-Audio-R1/issues/3",
        lambda tokens: _error(
            f"'max_tokens' or 'max_completion_tokens' is too large: {tokens}. This model's maximum "
            f"context length is 4096 tokens and your request has 30 input tokens ({tokens} > 4096 "
            "- 30).",
            400,
        ),
        4066,
    ),
    "vLLM, new: at least": Recording(
        "0.18; the first sentence: commit 017638d7: vllm/renderers/params.py", _sum_of_vllm, 4066
    ),
    "SGLang": Recording(
        "2026 (iFlow, NVIDIA and others): public recording",
        lambda tokens: _flat_error(
            "Requested token count exceeds the model's maximum context length of 4096 tokens. You "
            f"requested a total of {tokens + 30} tokens: 30 tokens from the input messages and "
            f"{tokens} tokens for the completion. Please reduce the number of tokens."
        ),
        4066,
    ),
    "text-generation-inference": Recording(
        "2025-01, router/src/validation.rs: github.com/huggingface/huggingface_hub/issues/2763",
        lambda tokens: {
            "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. "
            f"Given: 30 `inputs` tokens and {tokens} `max_new_tokens`",
            "error_type": "validation",
        },
        4066,
        422,
    ),
}

# A server that still loads -----------------------------------------------------------------------

# Others keep the request open without a byte (Ollama, LM Studio).
LOADING = {
    "llama.cpp": Recording(
        "seen 2025-03-21: github.com/mindverse/Second-Me/issues/20",
        _error("Loading model", 503, type="unavailable_error"),
        status=503,
    )
}
