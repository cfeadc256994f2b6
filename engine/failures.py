"""What a provider's failure means: one sentence that says what happened, to whose model, and what to do.

It goes by what the SDKs' exceptions have in common (a status, a response, a request), so that no SDK is needed to
read one. What a provider says is quoted short and without keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.wire.secrets import without_keys

_QUOTED = 240  # characters of the provider's own words
_OVERFLOW = (
    "context_length_exceeded",
    "contextwindowexceedederror",
    "maximum context length",
    "exceeds the context window",
    "exceeds the available context size",
    "context window exceeded",
    "context limit exceeded",
    "input tokens exceed the configured limit",
    "prompt is too long",
)
_NAMES = {"openai": "OpenAI", "anthropic": "Anthropic", "azure": "Azure OpenAI", "google_genai": "Google"}


@dataclass(frozen=True, slots=True)
class Failure:
    """A model call that failed, told apart."""

    kind: str
    """``overflow``, ``key``, ``refused``, ``unknown model``, ``rate limit``, ``server``, ``timeout``, ``connection``,
    ``broken off``, ``bad request`` or ``other``."""
    sentence: str
    cls: str
    """Class of the exception, and its own message without keys."""
    message: str
    status: int | None = None
    host: str | None = None
    retry_after: float | None = None
    """Seconds that the provider asks to wait."""

    def data(self) -> dict[str, Any]:
        """For the record."""
        found = {"kind": self.kind, "class": self.cls, "message": self.message}
        more = {"status": self.status, "host": self.host, "retry_after": self.retry_after}
        return found | {name: value for name, value in more.items() if value is not None}


def failure_of(error: BaseException, provider: str | None = None, model: str | None = None) -> Failure:
    """What an error of a model call means; ``other`` keeps the class and the message as they are."""
    status, response = _status(error), _first(error, "response")
    host = _host(error, response)
    retry = _retry_after(response)
    message = without_keys(str(error))
    cls = type(error).__name__
    who = _who(provider, host)
    which = f" for {model}" if model else ""
    kind, words = _told(error, status, who, which, model, retry)
    if kind == "other":
        return Failure(kind, f"{cls}: {message}" if message else cls, cls, message, status, host, retry)
    # What is said of a key may quote it, and a lost connection's words add nothing.
    own = "" if status is None or kind == "key" else _own_words(error, message)
    return Failure(kind, f"{words}{own}", cls, message, status, host, retry)


def is_overflow(error: BaseException) -> bool:
    """Whether the engine takes this for a request that the model's window can't hold."""
    if any(cls.__name__ == "ContextOverflowError" for cls in type(error).__mro__):
        return True
    text = str(error).lower()
    return _status(error) in {400, 413, 422} and any(marker in text for marker in _OVERFLOW)


def _told(
    error: BaseException, status: int | None, who: str, which: str, model: str | None, retry: float | None
) -> tuple[str, str]:
    text, names = str(error).lower(), [cls.__name__ for each in chain_of(error) for cls in type(each).__mro__]
    if is_overflow(error):
        return "overflow", (
            f"{who} says that the request is longer than the window of {model or 'the model'}{_of(status)}. "
            "Compact the thread or shorten it, then go on."
        )
    if status == 401 or _no_key(error, text):
        return "key", f"{who} did not accept the key{which}{_of(status)}. Set a key that is valid, then go on."
    if status == 402 or (status == 429 and ("insufficient_quota" in text or "credit balance" in text)):
        return "refused", f"{who} says that the account has nothing left to spend{which}{_of(status)}."
    if status == 403:
        return "refused", f"{who} does not allow this key to do that{which}{_of(status)}. Check the account's rights."
    if status == 404:
        return "unknown model", f"{who} knows no model {model or 'of this name'}{_of(status)}. Check its name."
    if status == 429:
        wait = f"wait {retry:g} seconds" if retry else "wait a little"
        return "rate limit", f"{who} takes no more requests for now{which}{_of(status)}; {wait}, then go on."
    if status == 408 or any("Timeout" in name for name in names):
        return "timeout", f"{who} did not answer in time{which}. Go on to try again."
    if status is not None and status >= 500:
        busy = "is overloaded" if status in {503, 529} else "failed on its side"
        return "server", f"{who} {busy}{which}{_of(status)}. Go on to try again, now or later."
    if status is not None and status >= 400:
        return "bad request", f"{who} refused the request{which}{_of(status)}. Change what it objects to, then go on."
    if any(name in {"RemoteProtocolError", "ReadError", "IncompleteRead", "ChunkedEncodingError"} for name in names):
        return (
            "broken off",
            f"The connection to {who} broke off before the answer was whole{which}. Go on to try again.",
        )
    if any(name in {"APIConnectionError", "ConnectError", "ConnectionError"} for name in names) and _of_network(error):
        why = "it refused the connection" if _refused(error) else "no connection could be made"
        return "connection", f"{who} could not be reached{which}: {why}. Check the address and the network, then go on."
    return "other", ""


def chain_of(error: BaseException) -> Iterator[BaseException]:
    """An error and what it was raised from."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        yield at
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)


def _status(error: BaseException) -> int | None:
    for found in (getattr(error, "status_code", None), getattr(_first(error, "response"), "status_code", None)):
        if isinstance(found, int) and not isinstance(found, bool):
            return found
    # An error in the middle of a stream comes with the answer's 200; its kind stands in the body.
    return None


def _first(error: BaseException, name: str) -> Any:
    try:
        return getattr(error, name, None)
    except Exception:  # httpx raises where a request was never set
        return None


def _host(error: BaseException, response: Any) -> str | None:
    for each in chain_of(error):
        for request in (_first(each, "request"), getattr(response, "_request", None)):
            url = getattr(request, "url", None)
            host, port = getattr(url, "host", None), getattr(url, "port", None)
            if isinstance(host, str) and host:
                return f"{host}:{port}" if isinstance(port, int) else host
    return None


def _retry_after(response: Any) -> float | None:
    headers = getattr(response, "headers", None)
    if headers is None:
        return None
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(headers.get(name)) * scale
        except (TypeError, ValueError):  # not given, or a date
            continue
    return None


def _who(provider: str | None, host: str | None) -> str:
    name = _NAMES.get(provider or "", provider or "")
    if name and host:
        return f"{name} ({host})"
    return name or host or "The provider"


def _of(status: int | None) -> str:
    return f" ({status})" if status is not None else ""


def _no_key(error: BaseException, text: str) -> bool:
    return any(words in text for words in ("resolve authentication method", "api_key client option must be set"))


def _of_network(error: BaseException) -> bool:
    """Whether an error is a network library's, and not one of a tool or a script by the same name."""
    return any(type(each).__module__.split(".")[0] not in {"builtins", "__main__"} for each in chain_of(error))


def _refused(error: BaseException) -> bool:
    return any(isinstance(each, ConnectionRefusedError) or "refused" in str(each).lower() for each in chain_of(error))


def _own_words(error: BaseException, message: str) -> str:
    body = _first(error, "body")
    inner = body.get("error") if isinstance(body, Mapping) and isinstance(body.get("error"), Mapping) else body
    said = inner.get("message") if isinstance(inner, Mapping) else None
    words = " ".join(without_keys(str(said or message)).split())
    if not words:
        return ""
    return f" It says: {words}" if len(words) <= _QUOTED else f" It says: {words[: _QUOTED - 1]}…"
