"""What is copied of a request: a message, an area or all of it as JSON, or the request as curl or Python.

No key is in any of them: a snippet takes it from the environment. Likely secrets in texts are masked.
"""

from __future__ import annotations

import json
import pprint
import shlex
from collections.abc import Mapping
from typing import Any, Literal

from engine import importing, shapes
from engine.errors import InspectorError
from engine.masking import Masker
from engine.sources.source import Source

Area = Literal["system", "messages", "tools", "provider", "raw", "response"]

_CHAT = {
    "openai": "https://api.openai.com/v1/chat/completions",
    "anthropic": "https://api.anthropic.com/v1/chat/completions",
}
"""Where chat completions are asked for; Anthropic takes them in this form too."""
_PARAMETERS = (
    "temperature", "top_p", "top_k", "max_tokens", "max_completion_tokens", "seed", "presence_penalty",
    "frequency_penalty", "reasoning_effort", "thinking", "response_format", "tool_choice", "parallel_tool_calls",
    "stop", "cache_control",
)  # fmt: skip
"""Parameters that a provider takes; what else stands among LangChain's is its own."""


def message_json(source: Source, part: int, masked: bool = True) -> str:
    """One message, block or schema as JSON."""
    return _json(Masker(masked).value(source.value(part)))


def area_json(source: Source, request_id: int, area: Area, masked: bool = True) -> str:
    """One area of a request as JSON, in the shape that ``show --json`` has."""
    return _json(Masker(masked).value(_plain(shapes.detail(source, request_id)[area])))


def request_json(source: Source, request_id: int, masked: bool = True) -> str:
    """The whole request as JSON, in the shape that ``show --json`` has."""
    return _json(Masker(masked).value(_plain(shapes.detail(source, request_id))))


def request_curl(source: Source, request_id: int, masked: bool = True) -> str:
    """The request as a curl command: the body that went over the wire where it was recorded, else one rebuilt."""
    detail = source.request(request_id)
    attempt = next((one for one in reversed(source.wire(request_id)) if one.has_body), None)
    if attempt is not None:
        words = "the body that was sent"
        url, headers = f"https://{attempt.host}{attempt.url_path}", dict(attempt.headers)
        try:
            body = json.loads(source.wire_bytes(attempt.id))
        except ValueError as error:
            raise InspectorError("What was sent is no JSON, so there is no command for it.") from error
    else:
        url, body = _rebuilt(source, request_id, detail.provider)
        headers = {}
        words = "rebuilt from LangChain's view; what was sent was not recorded"
    text = json.dumps(Masker(masked).value(shapes.finite(body)), indent=2)  # ASCII: it passes through a terminal
    end = "JSON"
    while end in text.split("\n"):
        end += "_"
    lines = [f"# Request {detail.row.number}: {words}.", f"curl {shlex.quote(url)} \\", _key(url)]
    lines += [
        f"  -H {shlex.quote(f'{name}: {value}')} \\"
        for name, value in ({"content-type": "application/json"} | headers).items()
    ]
    return "\n".join([*lines, f"  --data-binary @- <<'{end}'", text, end, ""])


def request_python(source: Source, request_id: int, masked: bool = True) -> str:
    """The request as a Python program over LangChain; the model's key comes from the environment."""
    detail = source.request(request_id)
    masker, provider = Masker(masked), detail.provider
    messages = masker.value(_messages(source, request_id))
    bound = _parameters(provider) | {"tools": [source.value(tool.part) for tool in detail.tools]}
    lines = [
        f"# Request {detail.row.number}, as LangChain gave it to the model.",
        "from langchain.chat_models import init_chat_model",
        "from langchain_core.messages import messages_from_dict",
        "",
        f"messages = messages_from_dict({_literal(messages)})",
        f"bound = {_literal(masker.value({name: value for name, value in bound.items() if value}))}",
        f"model = init_chat_model({str(provider.get('model') or '')!r}, model_provider={provider.get('provider')!r})",
        "answer = model.bind(**bound).invoke(messages)",
        "print(answer)",
        "",
    ]
    return "\n".join(lines)


def _rebuilt(source: Source, request_id: int, provider: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Address and body of a request that nobody saw on the wire."""
    with importing.lock:
        from langchain_core.messages import convert_to_openai_messages, messages_from_dict
        from langchain_core.utils.function_calling import convert_to_openai_tool

    messages = messages_from_dict(_messages(source, request_id))
    body = {
        "model": str(provider.get("model") or ""),
        "messages": convert_to_openai_messages(messages),
        **_parameters(provider),
    }
    tools = [convert_to_openai_tool(source.value(tool.part)) for tool in source.request(request_id).tools]
    if tools:
        body["tools"] = tools
    return _CHAT.get(str(provider.get("provider") or ""), _CHAT["openai"]), body


def _messages(source: Source, request_id: int) -> list[dict[str, Any]]:
    """The system message, where there is one, and the effective messages, as LangChain's own dicts."""
    system = source.system_message(request_id)
    rest = [source.message(row.part) for row in source.request(request_id).messages]
    return [system, *rest] if system else rest


def _parameters(provider: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of the call, those of the request itself over the model's own."""
    found: dict[str, Any] = {}
    for place in ("params", "model_settings", "kwargs"):
        given = provider.get(place) or {}
        found |= {name: given[name] for name in _PARAMETERS if given.get(name) is not None}
    return found


def _key(url: str) -> str:
    if "anthropic" not in url:
        return '  -H "Authorization: Bearer $OPENAI_API_KEY" \\'
    if url.endswith("/messages"):
        return '  -H "x-api-key: $ANTHROPIC_API_KEY" \\'
    return '  -H "Authorization: Bearer $ANTHROPIC_API_KEY" \\'


def _literal(value: Any) -> str:
    """A JSON value as Python would write it."""
    return pprint.pformat(shapes.finite(value), width=110, sort_dicts=False)


def _json(value: Any) -> str:
    return json.dumps(shapes.finite(value), ensure_ascii=False, indent=2)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
