"""Wire formats of chat-completion servers, each with the product, the version and the source.

The shapes (field names, order, line ends, error sentences) follow the sources; identifiers are
shortened, and the texts of models are our own. `Product.version` is as precise as the source tells;
"seen DATE" is the date of a recording. A "public recording" is a file of captured traffic in a
public repository.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Product:
    """A product as seen in one source."""

    name: str
    version: str
    source: str


Json = dict[str, Any]
DONE = b"data: [DONE]\n\n"
GH = "https://github.com/"


def sse(*chunks: Any, done: bytes = DONE) -> bytes:
    """Return a stream: one `data:` event per chunk; bytes are put in as they are."""
    parts = [
        chunk
        if isinstance(chunk, bytes)
        else f"data: {json.dumps(chunk, separators=(',', ':'), ensure_ascii=False)}\n\n".encode()
        for chunk in chunks
    ]
    return b"".join(parts) + done


def chunk(base: Json, delta: Json | None, reason: str | None = None, **extra: Any) -> Json:
    """Return a chunk with one choice; `extra` are fields next to `choices`."""
    choice: Json = {"index": 0, "delta": delta, "finish_reason": reason}
    if delta is None:
        del choice["delta"]
    return {**base, "choices": [choice], **extra}


def usage(prompt: int, completion: int, **extra: Any) -> Json:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        **extra,
    }


def base(identifier: str, model: str, **extra: Any) -> Json:
    return {
        "id": identifier,
        "object": "chat.completion.chunk",
        "created": 1764657993,
        "model": model,
        **extra,
    }


# Products ----------------------------------------------------------------------------------------

OPENAI_STREAM = Product(
    "OpenAI",
    "gpt-4o-2024-08-06, seen 2025-09-03; obfuscation and usage chunk seen 2025-11-06",
    f"{GH}pydantic/pydantic-ai/issues/797 and {GH}envoyproxy/ai-gateway/pull/1503",
)
AZURE_STREAM = Product(
    "Azure OpenAI",
    "seen 2025-11-05, asynchronous content filter",
    f"{GH}vercel/ai/blob/e6a10d3ab035cdcf4d6ca794e0e2e21f4dbc705e/packages/openai-compatible/src"
    "/chat/__fixtures__/azure-text.chunks.txt",
)
AZURE_OLD_STREAM = Product(
    "Azure OpenAI",
    "gpt-35-turbo, seen 2023-08, quoted 2024-08-28 (prompt_annotations, no delta at the end)",
    f"{GH}openai/openai-python/issues/1677",
)
OPENROUTER_CASSETTE = Product(
    "OpenRouter",
    "seen 2025-11-03, minimax/minimax-m2:free",
    f"{GH}pydantic/pydantic-ai/blob/5039551ad6f598c61893f702583300620184b956/tests/models/cassettes"
    "/test_openrouter/test_openrouter_stream_error.yaml",
)
GROQ_CASSETTE = Product(
    "Groq",
    "openai/gpt-oss-120b, seen 2026-02-18",
    f"{GH}pydantic/pydantic-ai/blob/45c4f3ba5ab640faf1a337f9ed9e983d6ffd7f68/tests/models/cassettes"
    "/test_groq/test_tool_use_failed_error_streaming_with_text.yaml",
)
MISTRAL_STREAM = Product(
    "Mistral",
    "mistral-small-latest, seen 2026-08-27 (padding field p)",
    f"{GH}vercel/ai/blob/1d59af4caf524f7758965ebd7584a2db49b64752/packages/mistral/src/__fixtures__"
    "/mistral-usage-raw-live.chunks.txt",
)
MISTRAL_THINKING = Product(
    "Mistral",
    "mistral-small-latest, seen 2026-07-22",
    f"{GH}vercel/ai/blob/4f627d0f7eb5e3f0643a270fe9fa8b969e6f059c/packages/openai-compatible/src"
    "/chat/__fixtures__/issue-13703-mistral-thinking.chunks.txt",
)
MISTRAL_MAGISTRAL = Product(
    "Mistral", "magistral-medium-2509, seen 2025-11-05", f"{GH}BerriAI/litellm/issues/16272"
)
DEEPSEEK_STREAM = Product(
    "DeepSeek",
    "deepseek-chat, seen 2025-12-02; comments: documentation of 2025-02",
    f"{GH}vercel/ai/blob/4aa374725ea6da1a100b81617c70ee5bc014b071/packages/deepseek/src/chat"
    f"/__fixtures__/deepseek-text.chunks.txt and {GH}tmc/langchaingo/pull/1171",
)
DEEPSEEK_REASONING = Product(
    "DeepSeek",
    "deepseek-v4-flash, seen 2026-08-24",
    f"{GH}vercel/ai/blob/fdb0333d68ec32356dd58a2776d30652f809f5eb/packages/deepseek/src/chat"
    "/__fixtures__/deepseek-v4-sampling-live.chunks.txt",
)
DASHSCOPE_REASONING = Product(
    "Alibaba DashScope (deepseek-r1)",
    "seen 2025-02-26: no space after `data:`, no finish_reason until the end",
    f"{GH}karthink/gptel/pull/592",
)
GEMINI_STREAM = Product("Gemini", "gemini-2.5-flash, seen 2026-09-30", "public recording")
GEMINI_THOUGHTS = Product(
    "Gemini",
    "gemini-2.5-flash with include_thoughts, seen 2025-07-12",
    f"public recording; field also in {GH}mozilla-ai/any-llm/pull/1320",
)
GEMINI_EMPTY = Product("Gemini", "gemini-2.5-flash, seen 2026-07-19", "public recording")
OLLAMA = Product(
    "Ollama",
    "commit 077a50baa53553339fa1b545c74e08d88db90add",
    f"{GH}ollama/ollama/blob/077a50baa53553339fa1b545c74e08d88db90add/middleware/openai.go"
    " and openai/openai.go at 00988753ff743bf26117964f6e43f9ebf10bce30",
)
VLLM = Product(
    "vLLM",
    "commit 006c49d485f9ca479bf4989cbb694d0ac02f44b5",
    f"{GH}vllm-project/vllm/blob/006c49d485f9ca479bf4989cbb694d0ac02f44b5/vllm/entrypoints/openai"
    "/chat_completion/serving.py",
)
SGLANG = Product(
    "SGLang",
    "commit 002897c23becbd522d88b8115a763a21765f978a",
    f"{GH}sgl-project/sglang/blob/002897c23becbd522d88b8115a763a21765f978a/python/sglang/srt"
    "/entrypoints/openai/serving_chat.py",
)
LLAMA_CPP = Product(
    "llama.cpp",
    "commit 00efb3e184262872916bf136b3df63c1822a19bd",
    f"{GH}ggml-org/llama.cpp/blob/00efb3e184262872916bf136b3df63c1822a19bd/tools/server"
    f"/server-task.cpp; first chunk: {GH}ggml-org/llama.cpp/issues/14268",
)
LLAMA_CPP_ERROR_LINE = Product(
    "llama.cpp",
    "b5966 and other builds before PR 16109 (2025-09)",
    f"{GH}coddy-project/coddy-agent/pull/106 and {GH}ggml-org/llama.cpp/pull/16109",
)

# 2. Normal streams: the text is "Hi there" -------------------------------------------------------

_OPENAI = base("chatcmpl-C1", "gpt-4o-2024-08-06", service_tier="default", system_fingerprint="fp1")
_SAFE = {
    name: {"filtered": False, "severity": "safe"} for name in ("hate", "self_harm", "violence")
}
_AZURE = base("chatcmpl-A1", "gpt-4", system_fingerprint=None)
_ROUTER = {
    "id": "gen-1762179802-UN8p",
    "provider": "Minimax",
    "model": "minimax/minimax-m2:free",
    "object": "chat.completion.chunk",
    "created": 1762179802,
}
_ROUTER_WAIT = b": OPENROUTER PROCESSING\n\n"
_GROQ = base("chatcmpl-fd87720a", "openai/gpt-oss-120b", system_fingerprint="fp_c82faf3ca0")
_GROQ_USAGE = usage(343, 2, queue_time=0.005, prompt_time=0.016, completion_time=0.37)
_MISTRAL = base("b5810ef13dbb4811", "mistral-small-latest")
_DEEPSEEK = base("f6117a0b-129d", "deepseek-chat", system_fingerprint="fp_eaab8d114b")
_OLLAMA = base("chatcmpl-412", "qwen3:4b", system_fingerprint="fp_ollama")
_VLLM = base("chatcmpl-8d3f", "Qwen/Qwen3-8B")
_SGLANG = base("a1b2c3d4", "Qwen/Qwen3-8B")
_LLAMA = {
    "created": 1750271648,
    "id": "chatcmpl-PZ5ZD8fq",
    "model": "gpt-3.5-turbo",
    "system_fingerprint": "b1-a414a44",
    "object": "chat.completion.chunk",
}


def _gemini(delta: Json, reason: str | None = None, **extra: Any) -> Json:
    return {
        "choices": [{"delta": {**delta, "role": "assistant"}, "finish_reason": reason, "index": 0}],
        "created": 1790803221,
        "id": "FXzcaMjLO5Te4_UPl9jNkQ8",
        "model": "gemini-2.5-flash",
        "object": "chat.completion.chunk",
        **extra,
    }


def _router(delta: Json, reason: str | None = None, **extra: Any) -> Json:
    choice = {
        "index": 0,
        "delta": {"role": "assistant", "content": "", **delta},
        "finish_reason": reason,
        "native_finish_reason": reason,
        "logprobs": None,
    }
    return {**_ROUTER, "choices": [choice], **extra}


def _llama(delta: Json, reason: str | None = None) -> Json:
    return {"choices": [{"finish_reason": reason, "index": 0, "delta": delta}], **_LLAMA}


_SO_FAR = base("chatcmpl-D1", "qwen3-coder-plus")
_MINIMAX = base("05a1b2", "MiniMax-Text-01")


STREAMS: dict[str, tuple[Product, bytes]] = {
    "DashScope: the text so far in each chunk": (
        Product(
            "Alibaba DashScope", "Coding Plan, seen 2026-05-07", f"{GH}QwenLM/qwen-code/pull/3896"
        ),
        sse(
            chunk(_SO_FAR, {"role": "assistant", "content": ""}),
            chunk(_SO_FAR, {"content": "Hi"}),
            chunk(_SO_FAR, {"content": "Hi the"}),
            chunk(_SO_FAR, {"content": "Hi there"}),
            chunk(_SO_FAR, {"content": "Hi there"}, "stop"),
        ),
    ),
    # The final chunk without a delta is sourced, the shape of its message is that of a completion.
    "MiniMax: a final message without a delta": (
        Product("MiniMax", "seen 2025-12-04", f"{GH}mozilla-ai/any-llm/pull/657"),
        sse(
            chunk(_MINIMAX, {"role": "assistant", "content": "Hi"}),
            chunk(_MINIMAX, {"role": "assistant", "content": " there"}),
            {
                **_MINIMAX,
                "object": "chat.completion",
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": "stop",
                        "message": {"role": "assistant", "content": "Hi there"},
                    }
                ],
            },
            done=b"",
        ),
    ),
    "OpenAI": (
        OPENAI_STREAM,
        sse(
            chunk(
                _OPENAI,
                {"role": "assistant", "content": "", "refusal": None},
                usage=None,
                obfuscation="2xP",
            ),
            chunk(_OPENAI, {"content": "Hi"}, usage=None, obfuscation="Q"),
            chunk(_OPENAI, {"content": " there"}, usage=None, obfuscation="9sK"),
            chunk(_OPENAI, {}, "stop", usage=None, obfuscation="w"),
            {
                **_OPENAI,
                "choices": [],
                "usage": usage(12, 2, completion_tokens_details={"reasoning_tokens": 0}),
                "obfuscation": "T7",
            },
        ),
    ),
    "Azure: empty choices first, filter offsets after the end": (
        AZURE_STREAM,
        sse(
            {
                "choices": [],
                "created": 0,
                "id": "",
                "model": "",
                "object": "",
                "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": _SAFE}],
            },
            chunk(_AZURE, {"content": "", "refusal": None, "role": "assistant"}, usage=None),
            chunk(_AZURE, {"content": "Hi"}, usage=None),
            chunk(_AZURE, {"content": " there"}, usage=None),
            chunk(_AZURE, {}, "stop", usage=None),
            {
                **_AZURE,
                "choices": [
                    {
                        "content_filter_offsets": {"check_offset": 0, "end_offset": 11},
                        "content_filter_results": _SAFE,
                        "finish_reason": None,
                        "index": 0,
                    }
                ],
            },
            {**_AZURE, "choices": [], "usage": usage(15, 2)},
        ),
    ),
    "Azure, old: prompt_annotations": (
        AZURE_OLD_STREAM,
        sse(
            {
                "id": "",
                "object": "",
                "created": 0,
                "model": "",
                "prompt_annotations": [{"prompt_index": 0, "content_filter_results": _SAFE}],
                "choices": [],
                "usage": None,
            },
            chunk(_AZURE, {"role": "assistant"}, usage=None),
            chunk(_AZURE, {"content": "Hi"}, usage=None),
            chunk(_AZURE, {"content": " there"}, usage=None),
            chunk(_AZURE, {}, "stop", usage=None),
            chunk(_AZURE, None, None, usage=None),
        ),
    ),
    "OpenRouter": (
        OPENROUTER_CASSETTE,
        sse(
            _ROUTER_WAIT,
            _ROUTER_WAIT,
            _router({"content": "Hi"}),
            _router({"content": " there"}),
            _router({}, "stop"),
            _router({}, None, usage=usage(43, 2, cost=0, is_byok=False)),
        ),
    ),
    "Groq": (
        GROQ_CASSETTE,
        sse(
            chunk(
                _GROQ, {"role": "assistant", "content": ""}, x_groq={"id": "req_01k", "seed": 5810}
            ),
            chunk(_GROQ, {"content": "Hi"}),
            chunk(_GROQ, {"content": " there"}),
            chunk(
                _GROQ, {}, "stop", x_groq={"id": "req_01k", "usage": _GROQ_USAGE}, usage=_GROQ_USAGE
            ),
        ),
    ),
    "Mistral": (
        MISTRAL_STREAM,
        sse(
            chunk(_MISTRAL, {"role": "assistant", "content": ""}),
            chunk(_MISTRAL, {"content": "Hi"}, p="abcdefghijklmnopqrstuvwxyz0123456789"),
            chunk(_MISTRAL, {"content": " there"}, "stop", usage=usage(19, 2), p="abcdef"),
        ),
    ),
    "DeepSeek: keep-alive comments": (
        DEEPSEEK_STREAM,
        sse(
            b": keep-alive\n\n",
            chunk(_DEEPSEEK, {"role": "assistant", "content": ""}, usage=None),
            chunk(_DEEPSEEK, {"content": "Hi"}, usage=None),
            chunk(_DEEPSEEK, {"content": " there"}, usage=None),
            chunk(
                _DEEPSEEK,
                {"content": ""},
                "stop",
                usage=usage(13, 2, prompt_cache_hit_tokens=0, prompt_cache_miss_tokens=13),
            ),
        ),
    ),
    "Gemini: usage without completion_tokens first": (
        GEMINI_STREAM,
        sse(
            _gemini({"content": "Hi"}, usage={"prompt_tokens": 8, "total_tokens": 8}),
            _gemini({"content": " there"}, "stop", usage=usage(8, 2)),
        ),
    ),
    "Ollama: usage in a chunk of its own": (
        OLLAMA,
        sse(
            chunk(_OLLAMA, {"role": "assistant", "content": "Hi"}),
            chunk(_OLLAMA, {"role": "assistant", "content": " there"}),
            chunk(_OLLAMA, {"role": "assistant", "content": ""}, "stop"),
            {**_OLLAMA, "choices": [], "usage": usage(11, 2)},
        ),
    ),
    "vLLM": (
        VLLM,
        sse(
            chunk(_VLLM, {"role": "assistant", "content": ""}),
            chunk(_VLLM, {"content": "Hi"}),
            chunk(_VLLM, {"content": " there"}, "stop"),
            {**_VLLM, "choices": [], "usage": usage(11, 2)},
        ),
    ),
    "SGLang": (
        SGLANG,
        sse(
            chunk(_SGLANG, {"role": "assistant", "content": ""}),
            chunk(_SGLANG, {"content": "Hi"}),
            chunk(_SGLANG, {"content": " there"}),
            chunk(_SGLANG, {}, "stop"),
            {**_SGLANG, "choices": [], "usage": usage(11, 2, prompt_tokens_details=None)},
        ),
    ),
    "llama.cpp": (
        LLAMA_CPP,
        sse(
            _llama({"role": "assistant", "content": None}),
            _llama({"content": "Hi"}),
            _llama({"content": " there"}),
            _llama({}, "stop"),
            {"choices": [], **_LLAMA, "usage": usage(11, 2), "timings": {"prompt_n": 11}},
        ),
    ),
}

# 3. Lists of models ------------------------------------------------------------------------------


def _model(identifier: str, owner: str, **extra: Any) -> Json:
    return {"id": identifier, "object": "model", "created": 1, "owned_by": owner, **extra}


def _list(*models: Json, **extra: Any) -> Json:
    return {"object": "list", "data": list(models), **extra}


def _mistral_model(identifier: str, *, can_chat: bool) -> Json:
    return _model(
        identifier,
        "mistralai",
        capabilities={
            "completion_chat": can_chat,
            "completion_fim": False,
            "function_calling": can_chat,
            "fine_tuning": False,
            "vision": can_chat,
            "classification": False,
        },
        name=identifier,
        max_context_length=131072,
        aliases=[],
        type="base",
    )


def _llama_model(identifier: str, capability: str = "completion") -> Json:
    """Return the entry below `models`, which imitates Ollama; its `type` is always "model"."""
    return {
        "name": identifier,
        "model": identifier,
        "modified_at": "",
        "size": "",
        "digest": "",
        "type": "model",
        "capabilities": [capability],
        "details": {"format": "gguf", "family": ""},
    }


MODEL_LISTS: dict[str, tuple[Product, object, str]] = {
    "OpenAI: realtime first": (
        Product("OpenAI", "list of about 2024-12, in the order of the API", "public recording"),
        _list(
            _model("gpt-4o-realtime-preview-2024-10-01", "system"),
            _model("text-embedding-3-large", "system"),
            _model("gpt-4o-mini", "system"),
            _model("babbage-002", "system"),
        ),
        "gpt-4o-mini",
    ),
    "OpenAI: completion models first": (
        Product("OpenAI", "list of 2024, in the order of the API", "public recording"),
        _list(
            _model("tts-1-hd", "system"),
            _model("babbage-002", "system"),
            _model("gpt-3.5-turbo-instruct", "system"),
            _model("gpt-3.5-turbo-0125", "system"),
        ),
        "gpt-3.5-turbo-0125",
    ),
    "Groq": (
        Product(
            "Groq",
            "documentation of 2026-07-04; order and names of a list of about 2025-12",
            "https://console.groq.com/docs/api-reference (public recording), public recording",
        ),
        _list(
            _model("whisper-large-v3-turbo", "OpenAI", active=True, context_window=448),
            _model("meta-llama/llama-guard-4-12b", "Meta", active=True, context_window=131072),
            _model("qwen/qwen3-32b", "Alibaba Cloud", active=True, context_window=131072),
        ),
        "qwen/qwen3-32b",
    ),
    "Mistral: capabilities": (
        Product(
            "Mistral",
            "list of about 2025-08; models without chat: 2026-09",
            "public recording",
        ),
        _list(
            _mistral_model("mistral-embed", can_chat=False),
            _mistral_model("mistral-ocr-latest", can_chat=False),
            _mistral_model("mistral-medium-2505", can_chat=True),
        ),
        "mistral-medium-2505",
    ),
    "DeepSeek": (
        Product("DeepSeek", "documentation", "https://api-docs.deepseek.com/api/list-models"),
        {
            "object": "list",
            "data": [
                {"id": "deepseek-chat", "object": "model", "owned_by": "deepseek"},
                {"id": "deepseek-reasoner", "object": "model", "owned_by": "deepseek"},
            ],
        },
        "deepseek-chat",
    ),
    "Gemini: names with models/": (
        Product("Gemini", "seen 2026-06-15", "public recording"),
        {
            "object": "list",
            "data": [
                {"id": "models/text-embedding-004", "object": "model", "owned_by": "google"},
                {
                    "id": "models/gemini-2.5-flash",
                    "object": "model",
                    "owned_by": "google",
                    "display_name": "Gemini 2.5 Flash",
                },
            ],
        },
        "models/gemini-2.5-flash",
    ),
    "Ollama": (
        OLLAMA,
        _list(
            _model("nomic-embed-text:latest", "library"),
            _model("llama3.2:latest", "library"),
        ),
        "llama3.2:latest",
    ),
    "Ollama without models: null": (
        OLLAMA,
        {"object": "list", "data": None},
        "",  # there is none to choose
    ),
    "vLLM: path as name": (
        Product("vLLM", "seen 2025-11-04", "public recording"),
        _list(
            _model(
                "/data/vllm_models/DeepSeek-R1-Distill-Qwen-14B",
                "vllm",
                root="/data/vllm_models/DeepSeek-R1-Distill-Qwen-14B",
                parent=None,
                max_model_len=32768,
                permission=[{"id": "modelperm-19", "object": "model_permission"}],
            )
        ),
        "/data/vllm_models/DeepSeek-R1-Distill-Qwen-14B",
    ),
    "SGLang": (
        Product("SGLang", "seen 2026-09", "public recording"),
        _list(
            _model(
                "deepseek-v4.1-flash",
                "sglang",
                root="deepseek-v4.1-flash",
                parent=None,
                max_model_len=512000,
            )
        ),
        "deepseek-v4.1-flash",
    ),
    "llama.cpp: data and models": (
        Product("llama.cpp", "seen 2026-10-06", "public recording"),
        {
            "models": [_llama_model("models/gemma-4-12B-it-Q8_0.gguf")],
            "object": "list",
            "data": [
                _model(
                    "models/gemma-4-12B-it-Q8_0.gguf",
                    "llamacpp",
                    aliases=["models/gemma-4-12B-it-Q8_0.gguf"],
                    architecture={"input_modalities": ["text"], "output_modalities": ["text"]},
                    meta={"n_ctx": 193024, "n_ctx_train": 262144},
                    tags=[],
                )
            ],
        },
        "models/gemma-4-12B-it-Q8_0.gguf",
    ),
    "llama.cpp as a router: status": (
        Product("llama.cpp", "b9992", "public recording"),
        _list(
            _model(
                "Qwen3-0.6B-Q4_K_M",
                "llamacpp",
                aliases=[],
                tags=[],
                status={"value": "unloaded", "args": []},
                architecture={"input_modalities": ["text"], "output_modalities": ["text"]},
            )
        ),
        "Qwen3-0.6B-Q4_K_M",
    ),
    "LM Studio": (
        Product("LM Studio", "seen 2026-08-27", "public recording"),
        {
            "data": [
                {
                    "id": "text-embedding-nomic-embed-text-v1.5",
                    "object": "model",
                    "owned_by": "organization_owner",
                },
                {
                    "id": "qwen2.5-7b-instruct",
                    "object": "model",
                    "owned_by": "organization_owner",
                },
            ],
            "object": "list",
        },
        "qwen2.5-7b-instruct",
    ),
}

# 4. Reasoning: the text of the reply is "Hi there" -----------------------------------------------

_MAGISTRAL = base("c3c772830552", "magistral-medium-2509")


def _thinking(text: str, **extra: Any) -> Json:
    return {"type": "thinking", "thinking": [{"type": "text", "text": text}], **extra}


REASONING: dict[str, tuple[Product, bytes]] = {
    "OpenRouter: reasoning and reasoning_details": (
        OPENROUTER_CASSETTE,
        sse(
            _ROUTER_WAIT,
            _router(
                {
                    "reasoning": "A greeting",
                    "reasoning_details": [
                        {
                            "type": "reasoning.text",
                            "text": "A greeting",
                            "index": 0,
                            "format": None,
                        }
                    ],
                }
            ),
            _router({"content": "Hi there", "reasoning": None, "reasoning_details": []}),
            _router({"reasoning": None, "reasoning_details": []}, "stop"),
            _router({}, None, usage=usage(43, 6)),
        ),
    ),
    "Groq: reasoning and channel": (
        GROQ_CASSETTE,
        sse(
            chunk(_GROQ, {"role": "assistant", "content": ""}, x_groq={"id": "req_01k"}),
            chunk(_GROQ, {"reasoning": "A greeting", "channel": "analysis"}),
            chunk(_GROQ, {"content": "Hi there"}),
            chunk(_GROQ, {}, "stop", x_groq={"id": "req_01k"}, usage=_GROQ_USAGE),
        ),
    ),
    "Mistral: both parts in one chunk, then a string": (
        MISTRAL_THINKING,
        sse(
            chunk(_MISTRAL, {"role": "assistant", "content": ""}),
            chunk(_MISTRAL, {"content": [_thinking("A greet", closed=True)]}, p="abc"),
            chunk(
                _MISTRAL,
                {"content": [_thinking("ing.", closed=True), {"type": "text", "text": "Hi"}]},
                p="abcd",
            ),
            chunk(_MISTRAL, {"content": " there"}, "stop", usage=usage(28, 9), p="a"),
        ),
    ),
    "Mistral: Magistral": (
        MISTRAL_MAGISTRAL,
        sse(
            chunk(_MAGISTRAL, {"role": "assistant", "content": ""}),
            chunk(_MAGISTRAL, {"content": [_thinking("A greeting")]}),
            chunk(_MAGISTRAL, {"content": "Hi there"}),
            chunk(_MAGISTRAL, {"content": ""}, "stop", usage=usage(28, 9)),
        ),
    ),
    "DeepSeek: reasoning_content": (
        DEEPSEEK_REASONING,
        sse(
            chunk(
                _DEEPSEEK,
                {"role": "assistant", "content": None, "reasoning_content": ""},
                usage=None,
            ),
            chunk(_DEEPSEEK, {"content": None, "reasoning_content": "A greeting"}, usage=None),
            chunk(_DEEPSEEK, {"content": "Hi there", "reasoning_content": None}, usage=None),
            chunk(
                _DEEPSEEK,
                {"content": "", "reasoning_content": None},
                "stop",
                usage=usage(87, 8, completion_tokens_details={"reasoning_tokens": 6}),
            ),
        ),
    ),
    "DashScope: no space after data:": (
        DASHSCOPE_REASONING,
        sse(
            chunk(_DEEPSEEK, {"role": "assistant"}),
            chunk(_DEEPSEEK, {"reasoning_content": "A greeting", "role": "assistant"}),
            chunk(_DEEPSEEK, {"content": "Hi there", "role": "assistant"}, "stop"),
        ).replace(b"data: {", b"data:{"),
    ),
    "Gemini: thoughts are content with extra_content": (
        GEMINI_THOUGHTS,
        sse(
            _gemini({"content": "A greeting", "extra_content": {"google": {"thought": True}}}),
            _gemini({"content": "Hi there"}),
            _gemini({}, "stop", usage=usage(8, 2)),
        ),
    ),
    "Ollama: reasoning": (
        OLLAMA,
        sse(
            chunk(_OLLAMA, {"role": "assistant", "content": "", "reasoning": "A greeting"}),
            chunk(_OLLAMA, {"role": "assistant", "content": "Hi there"}),
            chunk(_OLLAMA, {"role": "assistant", "content": ""}, "stop"),
            {**_OLLAMA, "choices": [], "usage": usage(11, 5)},
        ),
    ),
    "vLLM: reasoning": (
        VLLM,
        sse(
            chunk(_VLLM, {"role": "assistant", "content": ""}),
            chunk(_VLLM, {"reasoning": "A greeting"}),
            chunk(_VLLM, {"content": "Hi there"}, "stop"),
            {**_VLLM, "choices": [], "usage": usage(11, 5)},
        ),
    ),
    # SGLang's conversation templates end the prompt with "<think>", so that a server without
    # --reasoning-parser sends the closing tag only.
    "SGLang without a parser: closing tag only": (
        SGLANG,
        sse(
            chunk(_SGLANG, {"role": "assistant", "content": ""}),
            chunk(_SGLANG, {"content": "A greeting"}),
            chunk(_SGLANG, {"content": "</think>\n\nHi there"}),
            chunk(_SGLANG, {}, "stop"),
            {**_SGLANG, "choices": [], "usage": usage(11, 5)},
        ),
    ),
    "llama.cpp without a parser: tags": (
        LLAMA_CPP,
        sse(
            _llama({"role": "assistant", "content": None}),
            _llama({"content": "<think>"}),
            _llama({"content": "\nA greeting\n"}),
            _llama({"content": "</think>"}),
            _llama({"content": "\n\nHi there"}),
            _llama({}, "stop"),
        ),
    ),
}

# 5. Streams that fail in the middle, and the sentence for the log --------------------------------

_ROUTER_LIMIT = {"code": 400, "message": "Token limit reached"}
_JINJA = (
    "\n------------\nWhile executing CallExpression at line 46, column 32 in source:\n"
    "...== 0) %}\u21b5            {{- raise_exception('After the optional system message, con...\n"
    "                                           ^\nError: Jinja Exception: After the optional "
    "system message, conversation roles must alternate user and assistant roles except for tool "
    "calls and results."
)

FAILURES_IN_STREAM: dict[str, tuple[Product, bytes, str]] = {
    # The place of the error is from the source; the sentence is that of any exception.
    "vLLM: generation error": (
        VLLM,
        sse(
            chunk(_VLLM, {"role": "assistant", "content": ""}),
            chunk(_VLLM, {"content": "Half"}),
            {
                "error": {
                    "message": "Internal server error",
                    "type": "InternalServerError",
                    "param": None,
                    "code": 500,
                }
            },
        ),
        "Internal server error",
    ),
    "SGLang: abort with a status": (
        Product("SGLang", SGLANG.version, f"{SGLANG.source}; serving_base.py: public recording"),
        sse(
            chunk(_SGLANG, {"role": "assistant", "content": ""}),
            chunk(_SGLANG, {"content": "Half"}),
            {
                "error": {
                    "object": "error",
                    "message": "Generation aborted.",
                    "type": "INTERNAL_SERVER_ERROR",
                    "param": None,
                    "code": 500,
                }
            },
        ),
        "Generation aborted.",
    ),
    "SGLang: graceful abort": (
        SGLANG,
        sse(
            chunk(_SGLANG, {"role": "assistant", "content": ""}),
            chunk(_SGLANG, {"content": "Half"}),
            chunk(_SGLANG, {}, "abort"),
        ),
        "abort",
    ),
    "llama.cpp: data error": (
        Product(
            "llama.cpp",
            "since PR 16109 (2025-09)",
            f"{GH}ggml-org/llama.cpp/pull/16109; sentence: {GH}llmmllab/llmmllab-api/issues/202",
        ),
        sse(
            _llama({"role": "assistant", "content": None}),
            _llama({"content": "Half"}),
            {
                "error": {
                    "code": 500,
                    "message": "Context size has been exceeded.",
                    "type": "server_error",
                }
            },
        ),
        "Context size has been exceeded.",
    ),
    "llama.cpp: error line": (
        LLAMA_CPP_ERROR_LINE,
        sse(
            _llama({"role": "assistant", "content": None}),
            _llama({"content": "Half"}),
            b'error: {"code":500,"message":"Context size has been exceeded.",'
            b'"type":"server_error"}\n\n',
        ),
        "Context size has been exceeded.",
    ),
    "OpenRouter: error after finish_reason length": (
        OPENROUTER_CASSETTE,
        sse(
            _ROUTER_WAIT,
            _router({"content": "Half"}),
            _router({}, "length"),
            _router({}, None, error=_ROUTER_LIMIT, usage=usage(43, 10)),
        ),
        "Token limit reached",
    ),
    "OpenRouter: error and finish_reason error": (
        Product(
            "OpenRouter",
            "documentation and a session of 2026-08-21; sentence: public recording",
            f"{GH}damianvtran/local-operator/pull/223, "
            "https://openrouter.ai/docs/api-reference/streaming",
        ),
        sse(
            _router({"content": "Half"}),
            _router(
                {},
                "error",
                error={
                    "code": 502,
                    "message": "Provider disconnected unexpectedly",
                    "metadata": {"error_type": "provider_unavailable"},
                },
            ),
        ),
        "Provider disconnected unexpectedly",
    ),
    "OpenRouter: error without choices": (
        Product(
            "OpenRouter",
            "nvidia/nemotron-3-ultra-550b-a55b:free, seen 2026-07-22",
            f"{GH}diegosouzapw/OmniRoute/pull/8210",
        ),
        sse(
            {
                **_ROUTER,
                "choices": [],
                "error": {
                    "code": 502,
                    "message": "Worker local total request limit reached (33/32)",
                    "metadata": {"error_type": "provider_unavailable"},
                },
            },
        ),
        "Worker local total request limit reached (33/32)",
    ),
    # A failure after the first chunk passes through ChatWriter as an empty chunk: the sentence is
    # lost, and the stream ends without finish_reason and [DONE]. There is nothing to log.
    "Ollama: empty chunk, then the end": (
        Product(
            "Ollama",
            "commit 077a50baa53553339fa1b545c74e08d88db90add",
            f"{OLLAMA.source}; server/routes.go streamResponse: public recording",
        ),
        sse(
            chunk(_OLLAMA, {"role": "assistant", "content": "Half"}),
            chunk({**_OLLAMA, "model": ""}, {"role": "assistant", "content": ""}),
            done=b"",
        ),
        "interrupted",
    ),
    "LiteLLM proxy": (
        Product(
            "LiteLLM",
            "1.8x-1.101 (proxy/common_request_processing.py)",
            "public recording",
        ),
        sse(
            chunk(base("chatcmpl-L", "qwen"), {"role": "assistant", "content": "Half"}),
            {
                "error": {
                    "message": "litellm.APIConnectionError: DeepseekException - peer closed "
                    "connection without sending complete message body (incomplete chunked read)",
                    "type": "None",
                    "param": "None",
                    "code": "500",
                }
            },
            done=b"",
        ),
        "peer closed connection without sending complete message body",
    ),
    "LocalAI: error of the template in a 200 stream": (
        Product("LocalAI", "seen 2026", f"{GH}sterlp/eclipse-peon-ai/issues/75"),
        sse(
            {
                "error": {
                    "code": "server_error",
                    "message": f"rpc error: code = InvalidArgument desc = {_JINJA}",
                    "type": "server_error",
                }
            }
        ),
        "rpc error: code = InvalidArgument",
    ),
    # An empty answer of the model; retrying helps.
    "Gemini: stop without any text": (
        GEMINI_EMPTY,
        sse(_gemini({}, "stop", usage=usage(5051, 0))),
        "no text",
    ),
    "LM Studio, GGUF: prompt too long, empty stream": (
        Product(
            "LM Studio",
            "0.3.x",
            f"{GH}lmstudio-ai/lmstudio-bug-tracker/issues/2339",
        ),
        sse(
            chunk(base("chatcmpl-x", "qwen3-coder-30b"), {}, "stop"),
            {**base("chatcmpl-x", "qwen3-coder-30b"), "choices": [], "usage": usage(36000, 1)},
        ),
        "no text",
    ),
}

# 6. "The prompt does not fit" --------------------------------------------------------------------


def _error(message: str, kind: str | None, param: str | None, code: object) -> Json:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def _flat_error(message: str, kind: str = "BadRequestError", code: object = 400) -> Json:
    return {"object": "error", "message": message, "type": kind, "param": None, "code": code}


def _lm_studio(message: str) -> bytes:
    data = json.dumps({"error": {"message": message}, "message": message})
    return f"event: error\ndata: {data}\n\n".encode()


OVERFLOWS: dict[str, tuple[Product, int, object]] = {
    "OpenAI": (
        Product("OpenAI", "seen 2024-06-13", f"{GH}crewAIInc/crewAI-examples/issues/121"),
        400,
        _error(
            "This model's maximum context length is 8192 tokens. However, your messages resulted "
            "in 8227 tokens. Please reduce the length of the messages.",
            "invalid_request_error",
            "messages",
            "context_length_exceeded",
        ),
    ),
    "OpenAI GPT-5": (
        Product("OpenAI", "GPT-5, seen 2026-03-05", f"{GH}archi-physics/archi/issues/497"),
        400,
        _error(
            "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in "
            "477469 tokens. Please reduce the length of the messages.",
            "invalid_request_error",
            "messages",
            "context_length_exceeded",
        ),
    ),
    "Azure": (
        Product("Azure OpenAI", "128k models, seen 2024", "public recording"),
        400,
        _error(
            "This model's maximum context length is 128000 tokens. However, you requested 129182 "
            "tokens (113182 in the messages, 16000 in the completion). Please reduce the length "
            "of the messages or completion.",
            "invalid_request_error",
            "messages",
            "context_length_exceeded",
        ),
    ),
    "OpenRouter": (
        Product("OpenRouter", "seen 2025-07-31", f"{GH}refly-ai/refly/issues/1177"),
        400,
        {
            "error": {
                "message": "This endpoint's maximum context length is 32768 tokens. However, you "
                "requested about 42832 tokens (42832 of text input). Please reduce the length of "
                'either one, or use the "middle-out" transform to compress your prompt '
                "automatically.",
                "code": 400,
                "metadata": {"provider_name": None},
            },
            "user_id": "user_1",
        },
    ),
    "Groq": (
        Product("Groq", "seen 2025-03-04", f"{GH}thepersonalaicompany/amurex-backend/issues/51"),
        400,
        _error(
            "Please reduce the length of the messages or completion.",
            "invalid_request_error",
            "messages",
            "context_length_exceeded",
        ),
    ),
    # The sentence is in the tests of several clients only; the shape is that of Mistral's errors.
    "Mistral": (
        Product(
            "Mistral",
            "sentence: 2026; secondary source",
            "public recording; https://docs.mistral.ai/resources/known-limitations",
        ),
        400,
        _flat_error(
            "Prompt contains 240000 tokens, too large for model with 128000 maximum context length",
            "invalid_request_error",
            None,
        ),
    ),
    "DeepSeek": (
        Product("DeepSeek", "seen 2026-01-19", f"{GH}evalstate/fast-agent/issues/621"),
        400,
        _error(
            "This model's maximum context length is 131072 tokens. However, you requested 131134 "
            "tokens (122942 in the messages, 8192 in the completion). Please reduce the length of "
            "the messages or completion.",
            "invalid_request_error",
            None,
            "invalid_request_error",
        ),
    ),
    "Gemini: in an array": (
        Product(
            "Gemini",
            "gemini-2.5-pro, seen 2025-08-20; array of the compatible endpoint: 2025-07-27",
            f"{GH}google-gemini/gemini-cli/issues/6678, {GH}microsoft/vscode/issues/258088",
        ),
        400,
        [
            {
                "error": {
                    "code": 400,
                    "message": "The input token count (1200293) exceeds the maximum number of "
                    "tokens allowed (1048576).",
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
    ),
    # Local models are silently truncated (num_ctx, 4096 by default): no error at all
    # (https://github.com/aaif-goose/goose/issues/7672). Ollama's cloud models refuse.
    "Ollama: cloud model": (
        Product(
            "Ollama",
            "seen 2026; sentence of /api/chat in the shape of openai.NewError",
            f"public recording, {OLLAMA.source}",
        ),
        400,
        _error(
            "prompt too long; exceeded max context length by 4 tokens",
            "invalid_request_error",
            None,
            None,
        ),
    ),
    "vLLM, old: sum of prompt and max_tokens": (
        Product("vLLM", "0.8-0.9, seen 2025-07", f"{GH}vllm-project/vllm/issues/20409"),
        400,
        _flat_error(
            "This model's maximum context length is 16384 tokens. However, you requested 19591 "
            "tokens (9591 in the messages, 10000 in the completion). Please reduce the length of "
            "the messages or completion. None"
        ),
    ),
    "vLLM: prompt": (
        Product("vLLM", "0.10-0.15, seen 2026-04", "public recording"),
        400,
        _error(
            "This model's maximum context length is 40960 tokens. However, your request has 73043 "
            "input tokens. Please reduce the length of the input messages.",
            "BadRequestError",
            None,
            400,
        ),
    ),
    "vLLM, new: at least": (
        Product("vLLM", "0.16 and later, seen 2026", "public recording"),
        400,
        _error(
            "This model's maximum context length is 131072 tokens. However, you requested 1024 "
            "output tokens and your prompt contains at least 130049 input tokens, for a total of "
            "at least 131073 tokens. Please reduce the length of the input prompt or the number "
            "of requested output tokens. (parameter=input_tokens, value=130049)",
            "BadRequestError",
            "input_tokens",
            400,
        ),
    ),
    "vLLM: decoder prompt": (
        Product(
            "vLLM", "multimodal models, seen 2025-07-14", f"{GH}Gabesarch/grounded-rl/issues/16"
        ),
        400,
        _flat_error(
            "The decoder prompt (length 10127) is longer than the maximum model length of 8192. "
            "Make sure that `max_model_len` is no smaller than the number of text tokens plus "
            "multimodal tokens."
        ),
    ),
    "SGLang": (
        Product("SGLang", "seen 2025-04-29", f"{GH}QwenLM/Qwen3/issues/1321"),
        400,
        _flat_error(
            "The input (61709 tokens) is longer than the model's context length (40960 tokens)."
        ),
    ),
    "SGLang: sum of prompt and max_tokens": (
        Product("SGLang", "2025-2026", "public recording"),
        400,
        _flat_error(
            "Requested token count exceeds the model's maximum context length of 131072 tokens."
        ),
    ),
    "llama.cpp: exceed_context_size_error": (
        Product(
            "llama.cpp",
            "2026-07 (type since PR 15780, 2025-09)",
            f"{GH}lemonade-sdk/lemonade/pull/2975, {GH}ggml-org/llama.cpp/pull/15780",
        ),
        400,
        {
            "error": {
                "code": 400,
                "message": "request (6009 tokens) exceeds the available context size (4096 "
                "tokens), try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 6009,
                "n_ctx": 4096,
            }
        },
    ),
    "llama.cpp, old: error line with status 200": (
        LLAMA_CPP_ERROR_LINE,
        200,
        b'error: {"code":400,"message":"the request exceeds the available context size. try '
        b'increasing the context size or enable context shift","type":"invalid_request_error"}\n\n'
        + DONE,
    ),
    "llama.cpp: full while generating": (
        Product("llama.cpp", "seen 2026-05-21", f"{GH}llmmllab/llmmllab-api/issues/202"),
        500,
        {
            "error": {
                "code": 500,
                "message": "Context size has been exceeded.",
                "type": "server_error",
            }
        },
    ),
    "LM Studio: event error with status 200": (
        Product("LM Studio", "0.4.21+2", f"{GH}aaif-goose/goose/issues/11318"),
        200,
        _lm_studio(
            "Input does not fit in context length. The input has 31430 tokens, but the context "
            "length only supports 30000 tokens."
        ),
    ),
    # The sentence is sourced; the event is that of 0.4.21.
    "LM Studio: n_keep": (
        Product("LM Studio", "0.4.6", f"{GH}anomalyco/opencode/issues/11141"),
        200,
        _lm_studio("Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"),
    ),
    "LM Studio, old: keep the first": (
        Product(
            "LM Studio",
            "0.3.13",
            f"{GH}lmstudio-ai/lmstudio-bug-tracker/issues/546 and /237 (status 400)",
        ),
        400,
        {
            "error": "Trying to keep the first 111490 tokens when context the overflows. However, "
            "the model is loaded with context length of only 32768 tokens, which is not enough. "
            "Try to load the model with a larger context length, or provide a shorter input"
        },
    ),
    "LocalAI": (
        Product("LocalAI", "seen 2026-01-25", f"{GH}lfnovo/open-notebook/issues/470"),
        500,
        {
            "error": {
                "code": 500,
                "message": "rpc error: code = Internal desc = request (20652 tokens) exceeds the "
                "available context size (8192 tokens), try increasing it",
                "type": "",
            }
        },
    ),
    "LiteLLM": (
        Product("LiteLLM", "1.97.0", "public recording"),
        400,
        _error(
            "litellm.ContextWindowExceededError: litellm.BadRequestError: "
            "ContextWindowExceededError: OpenAIException - request (20007 tokens) exceeds the "
            "available context size (8192 tokens), try increasing it\nmodel=r1-distill-70b. "
            "context_window_fallbacks=None.",
            None,
            None,
            "400",
        ),
    ),
}

# 7. Other limits: status, headers, body. The sentence must not be taken for an overflow ----------

_QUOTA = (
    "You exceeded your current quota, please check your plan and billing details. For more "
    "information on this error, "
)

NO_OVERFLOWS: dict[str, tuple[Product, int, dict[str, str], object]] = {
    "OpenAI: insufficient_quota": (
        Product("OpenAI", "documentation", "https://platform.openai.com/docs/guides/error-codes"),
        429,
        {},
        _error(
            f"{_QUOTA}read the docs: https://platform.openai.com/docs/guides/error-codes.",
            "insufficient_quota",
            None,
            "insufficient_quota",
        ),
    ),
    "OpenAI: TPM": (
        Product("OpenAI", "gpt-4o, seen 2024-06-13", f"{GH}vanna-ai/vanna-flask/issues/11"),
        429,
        {},
        _error(
            "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389. "
            "The input or output tokens must be reduced in order to run successfully.",
            "tokens",
            None,
            "rate_limit_exceeded",
        ),
    ),
    "Groq: TPM with status 413": (
        Product("Groq", "seen 2026-05-16", f"{GH}HunorLaczko/ha-groq-cloud-api/issues/27"),
        413,
        {},
        {
            "error": {
                "message": "Request too large for model llama-3.1-8b-instant in organization "
                "org_x service tier on_demand on tokens per minute (TPM): Limit 6000, Requested "
                "12328, please reduce your message size and try again. Need more tokens? Upgrade "
                "to Dev Tier today at https://console.groq.com/settings/billing",
                "type": "tokens",
                "code": "rate_limit_exceeded",
            }
        },
    ),
    "Groq: TPD": (
        Product("Groq", "seen 2026-02-28", f"{GH}continuedev/continue/issues/10920"),
        429,
        {},
        {
            "error": {
                "message": "Rate limit reached for model `llama-3.3-70b-versatile` in organization "
                "`org_x` service tier `on_demand` on tokens per day (TPD): Limit 100000, Used "
                "97050, Requested 3619. Please try again in 9m38.016s.",
                "type": "tokens",
                "code": "rate_limit_exceeded",
            }
        },
    ),
    "OpenRouter: credits": (
        Product("OpenRouter", "seen 2026-05-12", f"{GH}Gitlawb/openclaude/issues/1125"),
        402,
        {},
        {
            "error": {
                "message": "This request requires more credits, or fewer max_tokens. You requested "
                "up to 32000 tokens, but can only afford 27342. To increase, visit "
                "https://openrouter.ai/settings/credits and upgrade to a paid account",
                "code": 402,
                "metadata": {"provider_name": None},
            },
            "user_id": "user_1",
        },
    ),
    "OpenRouter: prompt tokens of the key": (
        Product("OpenRouter", "seen 2026-05-04", f"{GH}anomalyco/opencode/issues/12219"),
        402,
        {},
        {
            "error": {
                "message": "Prompt tokens limit exceeded: 230799 > 91442. To increase, visit "
                "https://openrouter.ai/settings/keys and create a key with a higher monthly limit",
                "code": 402,
            }
        },
    ),
    "Gemini: RESOURCE_EXHAUSTED": (
        Product("Gemini", "seen 2026-06-15", f"{GH}continuedev/continue/issues/12643"),
        429,
        {},
        [
            {
                "error": {
                    "code": 429,
                    "message": f"{_QUOTA}head to: "
                    "https://ai.google.dev/gemini-api/docs/rate-limits.\n* Quota exceeded for "
                    "metric: generativelanguage.googleapis.com/"
                    "generate_content_free_tier_input_token_count, limit: 0, model: "
                    "gemini-3.1-pro\nPlease retry in 11.665902715s.",
                    "status": "RESOURCE_EXHAUSTED",
                }
            }
        ],
    ),
    "Mistral: capacity": (
        Product("Mistral", "seen 2025", "public recording"),
        429,
        {},
        _flat_error(
            "Service tier capacity exceeded for this model.", "invalid_request_error", None
        ),
    ),
    "DeepSeek: balance": (
        Product("DeepSeek", "2026", "public recording"),
        402,
        {},
        {
            "error": {
                "message": "Insufficient Balance",
                "type": "unknown_error",
                "code": "invalid_request_error",
            }
        },
    ),
    # Not a limit, but also no overflow: the filter of the prompt.
    "Azure: filter of the prompt": (
        Product("Azure OpenAI", "gpt-4o, seen 2025-02-27", f"{GH}compl-ai/compl-ai/issues/20"),
        400,
        {},
        {
            "error": {
                "message": "The response was filtered due to the prompt triggering Azure OpenAI's "
                "content management policy. Please modify your prompt and retry. To learn more "
                "about our content filtering policies please read our documentation: "
                "https://go.microsoft.com/fwlink/?linkid=2198766",
                "type": None,
                "param": "prompt",
                "code": "content_filter",
                "status": 400,
                "innererror": {"code": "ResponsibleAIPolicyViolation"},
            }
        },
    ),
    # Not a limit: a wrong key has status 400.
    "Gemini: wrong key": (
        Product("Gemini", "2026", "public recording"),
        400,
        {},
        [
            {
                "error": {
                    "code": 400,
                    "message": "API key not valid. Please pass a valid API key.",
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
    ),
    "LiteLLM: budget": (
        Product("LiteLLM", "1.108.7", "litellm/proxy/auth/auth_checks.py"),
        422,
        {},
        _error(
            "Budget has been exceeded! Current cost: 1.2, Max budget: 1.0",
            "budget_exceeded",
            None,
            "422",
        ),
    ),
    "LiteLLM: key without access": (
        Product("LiteLLM", "1.108.7", "litellm/proxy/auth/auth_checks.py"),
        403,
        {},
        _error("key not allowed to access model", "key_model_access_denied", "model", "403"),
    ),
    "LiteLLM: wrong key without a database": (
        Product("LiteLLM", "1.108.7", "real proxy"),
        400,
        {},
        _error("No connected db.", "no_db_connection", None, "400"),
    ),
    "LiteLLM: unknown model": (
        Product("LiteLLM", "1.108.7", "real proxy"),
        400,
        {},
        _error("Invalid model name passed in model=x. Call `/v1/models`", None, None, "400"),
    ),
}

# 8. Refusals of parameters, and what the client must change --------------------------------------


def _extra_forbidden(*location: str) -> Json:
    return {
        "type": "extra_forbidden",
        "loc": ["body", *location],
        "msg": "Extra inputs are not permitted",
        "input": True,
    }


def _openai(message: str, param: str, code: str | None) -> Json:
    return _error(message, "invalid_request_error", param, code)


_VERIFY = (
    "Your organization must be verified to stream this model. Please go to: "
    "https://platform.openai.com/settings/organization/general and click on Verify Organization. "
    "If you just verified, it can take up to 15 minutes for access to propagate."
)

REFUSALS: dict[str, tuple[Product, int, object, str]] = {
    "OpenRouter: in the choices of a 200 stream": (
        Product("OpenRouter", "seen 2026-08-17", f"{GH}genkit-ai/genkit/pull/6079"),
        200,
        sse(
            {
                "object": "chat.completion.chunk",
                "choices": [
                    {
                        "index": 0,
                        "delta": {"content": ""},
                        "finish_reason": "error",
                        "error": {"code": 400, "message": "System role not supported"},
                    }
                ],
            }
        ),
        "system role",
    ),
    "OpenAI o-series: max_tokens": (
        Product("OpenAI", "o1, seen 2025-02-12", f"{GH}CherryHQ/cherry-studio/issues/1403"),
        400,
        _openai(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            "max_tokens",
            "unsupported_parameter",
        ),
        "max_completion_tokens",
    ),
    "OpenAI GPT-5: temperature": (
        Product("OpenAI", "gpt-5, seen 2025-08-11", f"{GH}diffbot/code-gpt-docs/issues/445"),
        400,
        _openai(
            "Unsupported value: 'temperature' does not support 0.5 with this model. Only the "
            "default (1) value is supported.",
            "temperature",
            "unsupported_value",
        ),
        "drop temperature",
    ),
    "OpenAI GPT-5.2: temperature, no code": (
        Product(
            "OpenAI", "gpt-5.2, seen 2026-01-27", f"{GH}OpenHands/software-agent-sdk/issues/1837"
        ),
        400,
        _openai(
            "Unsupported parameter: 'temperature' is not supported with this model.",
            "temperature",
            None,
        ),
        "drop temperature",
    ),
    "OpenAI o1-mini: system": (
        Product(
            "OpenAI", "o1-mini, seen 2025-01-15", f"{GH}animalnots/BetterChatGPT-PLUS/issues/90"
        ),
        400,
        _openai(
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            "messages[0].role",
            "unsupported_value",
        ),
        "system role",
    ),
    "OpenAI o3, GPT-5: stream of unverified organizations": (
        Product(
            "OpenAI",
            "o3, seen 2025-06-27; gpt-5, seen 2025-10-12",
            f"{GH}BeehiveInnovations/pal-mcp-server/issues/134, "
            f"{GH}continuedev/continue/issues/8209",
        ),
        400,
        _openai(_VERIFY, "stream", "unsupported_value"),
        "no stream",
    ),
    "OpenRouter: refusal of the provider in metadata.raw": (
        Product(
            "OpenRouter",
            "openai/o3, seen 2025-06-27",
            f"{GH}BeehiveInnovations/pal-mcp-server/issues/134",
        ),
        400,
        {
            "error": {
                "message": "Provider returned error",
                "code": 400,
                "metadata": {
                    "raw": json.dumps(_openai(_VERIFY, "stream", "unsupported_value"), indent=2),
                    "provider_name": "OpenAI",
                },
            },
            "user_id": "user_1",
        },
        "no stream",
    ),
    "Gemini with Gemma: developer instruction": (
        Product("Gemini", "gemma-3-27b-it, seen 2025-07-27", f"{GH}microsoft/vscode/issues/258088"),
        400,
        [
            {
                "error": {
                    "code": 400,
                    "message": "Developer instruction is not enabled for models/gemma-3-27b-it",
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
        "system role",
    ),
    "vLLM with Gemma": (
        Product("vLLM", "0.3.3, seen 2024-03-06", f"{GH}vllm-project/vllm/pull/2964"),
        400,
        _flat_error("System role not supported"),
        "system role",
    ),
    "SGLang with Gemma": (
        Product(
            "SGLang",
            "commit 002897c23becbd522d88b8115a763a21765f978a",
            f"{SGLANG.source} (TemplateError becomes ValueError and status 400)",
        ),
        400,
        _flat_error("System role not supported"),
        "system role",
    ),
    "llama.cpp with minja: roles must alternate": (
        Product("llama.cpp", "2025-08 (Jan 0.6.7)", f"{GH}janhq/jan/issues/6254"),
        500,
        {
            "error": {
                "code": 500,
                "message": "Conversation roles must alternate user/assistant/user/assistant/... at "
                "row 19, column 27:\n {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) "
                '-%}\n {{ raise_exception("Conversation roles must alternate") }}\n ^\n',
                "type": "server_error",
            }
        },
        "system role",
    ),
    "llama.cpp with its own Jinja": (
        Product(
            "llama.cpp",
            "seen 2026-02-19, Gemma 3",
            f"{GH}nextai-translator/raycast-openai-translator/issues/34",
        ),
        500,
        {
            "error": {
                "code": 500,
                "message": "\n------------\nWhile executing CallExpression at line 19, column 27 "
                'in source:\n...% 2 == 0) -%}\u21b5        {{ raise_exception("Conversation roles '
                "must alternate user...\n                                           ^\nError: "
                "Jinja Exception: Conversation roles must alternate user/assistant/...",
                "type": "server_error",
            }
        },
        "system role",
    ),
    "Mistral: detail below message": (
        Product("Mistral", "seen 2025-03-14", f"{GH}dnakov/anon-kode/issues/53"),
        422,
        {
            "object": "error",
            "message": {"detail": [_extra_forbidden("stream_options", "include_usage")]},
            "type": "invalid_request_error",
            "param": None,
            "code": None,
        },
        "drop stream_options",
    ),
    # The source has loc ["body", "tools"]; the shape is the point.
    "Mistral, newer: detail and message are lists": (
        Product("Mistral", "seen 2025-11-13", f"{GH}partITech/php-mistral/issues/76"),
        422,
        {
            "object": "Error",
            "detail": [_extra_forbidden("stream_options")],
            "message": [_extra_forbidden("stream_options")],
            "type": "invalid_request_error",
            "code": 3001,
        },
        "drop stream_options",
    ),
    "Mistral, 2024: JSON in a string": (
        Product("Mistral", "seen 2024-01-24", f"{GH}mistralai/platform-docs-public/issues/7"),
        422,
        {
            "object": "error",
            "message": json.dumps({"detail": [_extra_forbidden("frequency_penalty")]}),
            "type": "internal_error_proxy",
            "param": None,
            "code": "1000",
        },
        "drop frequency_penalty",
    ),
    # The source has the misspelt name of its client.
    "vLLM: list of pydantic as a string": (
        Product("vLLM", "0.6, seen 2024-10-22", f"{GH}gpustack/gpustack/issues/429"),
        400,
        _flat_error(
            "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs "
            "are not permitted', 'input': {'include_usage': True}}]"
        ),
        "drop stream_options",
    ),
    "LM Studio: event error with status 200": (
        Product(
            "LM Studio",
            "0.3.6, mistral-7b-instruct-v0.3, seen 2024-12-17; the event is that of 0.4.21",
            f"{GH}SystemSculpt/obsidian-systemsculpt-ai/issues/86, "
            f"{GH}lmstudio-ai/lmstudio-bug-tracker/issues/1054",
        ),
        200,
        _lm_studio(
            'Error rendering prompt with jinja template: "Only user and assistant roles are '
            'supported!".'
        ),
        "system role",
    ),
    "LocalAI: error in a 200 stream": (
        Product("LocalAI", "seen 2026", f"{GH}sterlp/eclipse-peon-ai/issues/75"),
        200,
        sse({"error": {"code": "server_error", "message": _JINJA, "type": "server_error"}}),
        "system role",
    ),
}

# 9. Refusals of the length of a reply: status, the body for a number of tokens, the maximum ------

# The window has 4,096 tokens, of which the prompt takes 30.
_TGI = "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 30 "

REPLY_LENGTHS: dict[str, tuple[Product, int, Callable[[int], object], int]] = {
    "OpenAI": (
        Product(
            "OpenAI",
            "gpt-4-1106-preview, seen 2023-11-08",
            f"{GH}ChatGPTNextWeb/NextChat/issues/3195",
        ),
        400,
        lambda tokens: _openai(
            f"max_tokens is too large: {tokens}. This model supports at most 2048 completion "
            f"tokens, whereas you provided {tokens}.",
            "max_tokens",
            None,
        ),
        2048,
    ),
    "LiteLLM": (
        Product("LiteLLM", "gpt-4o, seen 2025-06-24", f"{GH}enoch3712/ExtractThinker/issues/346"),
        400,
        lambda tokens: _error(
            f"litellm.BadRequestError: OpenAIException - max_tokens is too large: {tokens}. This "
            f"model supports at most 2048 completion tokens, whereas you provided {tokens}.",
            None,
            None,
            "400",
        ),
        2048,
    ),
    "Groq": (
        Product(
            "Groq",
            "moonshotai/kimi-k2-instruct, seen 2025-07-15",
            f"{GH}anomalyco/opencode/issues/1000; the whole sentence: public recording of 2026",
        ),
        400,
        lambda _tokens: _openai(
            "`max_tokens` must be less than or equal to `2048`, the maximum value for "
            "`max_tokens` is less than the `context_window` for this model",
            "max_tokens",
            None,
        ),
        2048,
    ),
    "DeepSeek": (
        Product("DeepSeek", "deepseek-chat, seen 2026-03-17", f"{GH}mnfst/llm-gateway/issues/1177"),
        400,
        lambda _tokens: _openai(
            "Invalid max_tokens value, the valid range of max_tokens is [1, 2048]",
            None,
            "invalid_request_error",
        ),
        2048,
    ),
    "Ollama: cloud model": (
        Product("Ollama", "nemotron-3-ultra, seen 2026-09-29", "public recording"),
        400,
        lambda tokens: _error(
            f"max_tokens ({tokens}) exceeds model's maximum output tokens (2048) for model "
            "nemotron-3-ultra (ref: 3761884e-8e9b-4c46-8526-5de77ebe3c25)",
            "invalid_request_error",
            None,
            None,
        ),
        2048,
    ),
    "Volcengine Ark": (
        Product("Ark", "doubao-1-5-pro-32k, seen 2026-04-04", f"{GH}Gitlawb/openclaude/issues/331"),
        400,
        lambda tokens: _error(
            "The parameter `max_tokens` specified in the request are not valid: integer above "
            f"maximum value, expected a value <= 2048, but got {tokens} instead. Request id: "
            "0217752964393142",
            "BadRequest",
            "max_tokens",
            "InvalidParameter",
        ),
        2048,
    ),
    "OpenAI, old: sum of prompt and reply": (
        Product("OpenAI", "gpt-4, seen 2023-11-08", f"{GH}ChatGPTNextWeb/NextChat/issues/3195"),
        400,
        lambda tokens: _openai(
            "This model's maximum context length is 4096 tokens. However, you requested "
            f"{tokens + 30} tokens (30 in the messages, {tokens} in the completion). Please reduce "
            "the length of the messages or completion.",
            "messages",
            "context_length_exceeded",
        ),
        4066,
    ),
    "vLLM, old: sum of prompt and reply": (
        Product("vLLM", "0.4, seen 2024-04-08", f"{GH}vllm-project/vllm/issues/3851"),
        400,
        lambda tokens: _flat_error(
            "This model's maximum context length is 4096 tokens. However, you requested "
            f"{tokens + 30} tokens (30 in the messages, {tokens} in the completion). Please reduce "
            "the length of the messages or completion."
        ),
        4066,
    ),
    "vLLM: too large for the window": (
        Product(
            "vLLM",
            "0.11, seen 2025-12-01; commit 9cfa5486",
            f"{GH}stepfun-ai/Step-Audio-R1/issues/3",
        ),
        400,
        lambda tokens: _error(
            f"'max_tokens' or 'max_completion_tokens' is too large: {tokens}. This model's maximum "
            f"context length is 4096 tokens and your request has 30 input tokens ({tokens} > 4096 "
            "- 30).",
            "BadRequestError",
            None,
            400,
        ),
        4066,
    ),
    # The prompt is counted only up to the rest of the window.
    "vLLM, new: at least": (
        Product("vLLM", "0.18; the second sentence: commit 017638d7", "vllm/renderers/params.py"),
        400,
        lambda tokens: _error(
            f"This model's maximum context length is 4096 tokens. However, you requested {tokens} "
            f"output tokens and your prompt contains at least {4097 - tokens} input tokens, for a "
            "total of at least 4097 tokens. Please reduce the length of the input prompt or the "
            f"number of requested output tokens. (parameter=input_tokens, value={4097 - tokens})"
            if tokens <= 4096
            else f"max_tokens={tokens}cannot be greater than max_model_len=max_total_tokens=4096. "
            "Please request fewer output tokens.",
            "BadRequestError",
            "input_tokens" if tokens <= 4096 else "max_tokens",
            400,
        ),
        4066,
    ),
    "Bedrock, with a thousands separator and a numeric code": (
        Product(
            "Amazon Bedrock", "Claude 3.5 Sonnet, seen 2024-08-22", f"{GH}vercel/ai/issues/2772"
        ),
        400,
        lambda _tokens: _error(
            "The maximum tokens you requested exceeds the model limit of 4,096. Try again with a "
            "maximum tokens value that is lower than 4,096.",
            "ValidationException",
            None,
            400,
        ),
        4096,
    ),
    "SGLang": (
        Product("SGLang", "2026 (iFlow, NVIDIA and others)", "public recording"),
        400,
        lambda tokens: _flat_error(
            "Requested token count exceeds the model's maximum context length of 4096 tokens. You "
            f"requested a total of {tokens + 30} tokens: 30 tokens from the input messages and "
            f"{tokens} tokens for the completion. Please reduce the number of tokens in the input "
            "messages or the completion to fit within the limit."
        ),
        4066,
    ),
    "TGI": (
        Product(
            "text-generation-inference",
            "2025-01 (router/src/validation.rs)",
            f"{GH}huggingface/huggingface_hub/issues/2763",
        ),
        422,
        lambda tokens: {
            "error": f"{_TGI}`inputs` tokens and {tokens} `max_new_tokens`",
            "error_type": "validation",
        },
        4066,
    ),
    "TGI: in a 200 stream": (
        Product(
            "text-generation-inference",
            "2.4.0, seen 2024-11-15",
            f"{GH}huggingface/text-generation-inference/issues/2749",
        ),
        200,
        lambda tokens: sse(
            {
                "error": {
                    "message": f"{_TGI}`inputs` tokens and {tokens} `max_new_tokens`",
                    "http_status_code": 422,
                }
            },
            done=b"",
        ),
        4066,
    ),
}

# 10. Servers that still load: status, headers, body, and how to wait ------------------------------

LOADING: dict[str, tuple[Product, int, dict[str, str], object, str]] = {
    "llama.cpp": (
        Product(
            "llama.cpp",
            "seen 2025-03-21; GET /models too: 2026-01-24",
            f"{GH}mindverse/Second-Me/issues/20, {GH}containers/ramalama/issues/2343",
        ),
        503,
        {},
        {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}},
        "poll every second or two until it is not 503; there is no Retry-After",
    ),
    "Hugging Face": (
        Product("Hugging Face Inference API (legacy)", "2024", "public recording"),
        503,
        {},
        {
            "error": "Model tiiuae/falcon-7b-instruct is currently loading",
            "estimated_time": 20.0,
        },
        "wait for estimated_time seconds, at most the patience of a person",
    ),
    "Ollama: queue is full": (
        Product("Ollama", "server/sched.go ErrMaxQueue", "public recording"),
        503,
        {},
        _error(
            "server busy, please try again.  maximum pending requests exceeded",
            "api_error",
            None,
            None,
        ),
        "busy: try again in a minute (Ollama itself keeps requests open while it loads a model)",
    ),
}
# No answer of its own while loading, so nothing to play back:
# - Ollama: the request stays open without a byte until the model is loaded (the scheduler runs
#   before the first write; middleware/openai.go).
# - LM Studio with JIT loading: likewise (https://lmstudio.ai/docs/api/headless): "/v1/models"
#   lists all downloaded models, and inference loads the model first.
# - llama.cpp as a router: `status.value` "loading" in GET /models (public recording).
