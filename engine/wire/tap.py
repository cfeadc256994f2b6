"""Listening at the HTTP client: what a model's SDK sends while its request is open.

The SDKs of OpenAI and Anthropic (and others) send through ``httpx`` or ``httpx2``. The one
public door of both, ``send``, is wrapped once a process; a context variable says whose request
is open, so that nothing is kept of any other traffic. Each ``send`` is an attempt: the SDK's
retries come through here one by one.
"""

from __future__ import annotations

import functools
import inspect
import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Protocol

from engine.frames import Unseen
from engine.wire.entries import Answered, Sent
from engine.wire.secrets import note_keys, without_keys

_LIBRARIES = ("httpx", "httpx2")
_MARK = "__context_inspector_tap__"
_SENDING = {"POST", "PUT", "PATCH"}
_FORM = "application/x-www-form-urlencoded"  # what fetches a token, never what asks a model
_TOLD = ("anthropic-version", "anthropic-beta", "openai-beta", "x-stainless-retry-count")
_HEARD = ("request-id", "x-request-id", "retry-after", "openai-processing-ms", "openai-version")

_open: ContextVar[Line | None] = ContextVar("context_inspector_wire", default=None)


class Log(Protocol):
    """The recorder's writer. Its methods never raise."""

    def put(self, operation: Any) -> None: ...

    def lose(self, count: int, reason: str) -> None: ...


class Line:
    """The wire of one open request. Entries are held until the request itself was told to the log."""

    def __init__(self, token: str, log: Log) -> None:
        self._token, self._log = token, log
        self._held: list[Any] | None = []
        self._attempts = 0
        self._last: Attempt | None = None
        self._closed = False

    def open(self) -> None:
        """Listen to what is sent in this context from now on."""
        try:
            _tap()
        except Exception as error:  # a library of another shape: the request goes on without its wire
            self._fault(error)
        _open.set(self)

    def release(self) -> None:
        """The request was told: hand over what was held, and the rest at once."""
        held, self._held = self._held or [], None
        for entry in held:
            self._log.put(entry)

    def close(self, error: str | None) -> None:
        """The request is over. An error after a good answer had begun is the last attempt's own."""
        self._closed = True
        _open.set(None)
        last = self._last
        if error is not None and last is not None and last.streamed and last.answer is not None:
            status, headers = last.answer
            if status < 400:
                self._put(Answered(self._token, last.number, time.time(), status, error, headers))

    def begin(self, request: Any, streamed: bool) -> Attempt | None:
        """A client sends this; None when it is not the model's request. Never raises."""
        try:
            kind = request.headers.get("content-type") or ""
            if self._closed or request.method not in _SENDING or kind.startswith(_FORM):
                return None
            note_keys(request.headers)
            self._attempts += 1
            attempt = Attempt(self, self._attempts, streamed)
            self._put(
                Sent(
                    self._token,
                    attempt.number,
                    time.time(),
                    request.method,
                    _host(request.url),
                    request.url.path,
                    streamed,
                    _chosen(request.headers, _TOLD),
                    _content(request),
                )
            )
            self._last = attempt
            return attempt
        except Exception as error:  # whatever it is, the run must not notice
            self._fault(error)
            return None

    def end(self, attempt: Attempt, response: Any, error: BaseException | None) -> None:
        """What came of an attempt. Never raises."""
        try:
            status = None if response is None else response.status_code
            headers = {} if response is None else _chosen(response.headers, _HEARD)
            attempt.answer = None if status is None else (status, headers)
            words = None if error is None else without_keys(_words(error))
            self._put(Answered(self._token, attempt.number, time.time(), status, words, headers))
        except Exception as fault:
            self._fault(fault)

    def _put(self, entry: Any) -> None:
        if self._held is None:
            self._log.put(entry)
        else:
            self._held.append(entry)

    def _fault(self, error: Exception) -> None:
        self._log.lose(1, f"what went over the wire could not be kept ({type(error).__name__})")


class Attempt:
    """One time that a request's body was sent."""

    __slots__ = ("answer", "line", "number", "streamed")

    def __init__(self, line: Line, number: int, streamed: bool) -> None:
        self.line, self.number, self.streamed = line, number, streamed
        self.answer: tuple[int, dict[str, str]] | None = None


def _tap() -> None:
    """Wrap ``send`` of those client classes that are loaded by now."""
    for library in _LIBRARIES:
        module = sys.modules.get(library)
        for name in ("Client", "AsyncClient"):
            cls = getattr(module, name, None)
            send = getattr(cls, "send", None)
            if cls is not None and send is not None and not hasattr(send, _MARK):
                told = _async_told(send) if inspect.iscoroutinefunction(send) else _told(send)
                setattr(told, _MARK, True)
                cls.send = told


def _told(send: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(send)
    def told(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        sending = _Sending.of(request, kwargs)
        if sending is None:
            return send(self, request, *args, **kwargs)
        with sending:
            sending.response = send(self, request, *args, **kwargs)
        return sending.response

    return told


def _async_told(send: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(send)
    async def told(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        sending = _Sending.of(request, kwargs)
        if sending is None:
            return await send(self, request, *args, **kwargs)
        with sending:
            sending.response = await send(self, request, *args, **kwargs)
        return sending.response

    return told


class _Sending(Unseen):
    """An attempt while it is under way."""

    def __init__(self, line: Line, attempt: Attempt) -> None:
        self._line, self._attempt = line, attempt
        self.response: Any = None

    @classmethod
    def of(cls, request: Any, kwargs: dict[str, Any]) -> _Sending | None:
        """That of the request that is open here; None where nobody listens or this one is not kept."""
        line = _open.get()
        attempt = None if line is None else line.begin(request, bool(kwargs.get("stream")))
        return None if line is None or attempt is None else cls(line, attempt)

    def __enter__(self) -> None:
        # What a transport or an authentication sends on the way is not the model's.
        self._token = _open.set(None)

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self._line.end(self._attempt, self.response, error)
        super().__exit__(kind, error, traceback)
        try:
            _open.reset(self._token)
        except ValueError:  # what was left unfinished is closed in another context, where nobody listens
            pass


def _host(url: Any) -> str:
    return str(url.netloc.decode() if isinstance(url.netloc, bytes) else url.netloc).rpartition("@")[2]


def _content(request: Any) -> bytes | None:
    try:
        return bytes(request.content)
    except Exception:  # a stream that was not read: reading it here would take it from the client
        return None


def _chosen(headers: Any, names: tuple[str, ...]) -> dict[str, str]:
    return {name: headers[name] for name in names if name in headers}


def _words(error: BaseException) -> str:
    said = f": {error}" if str(error) else ""
    return f"{type(error).__name__}{said}"
