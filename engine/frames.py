"""Keeping our own frames out of a program's tracebacks."""

from __future__ import annotations


class Unseen:
    """A context around a call: an error that passes through it doesn't show the frame that made the call."""

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is not None and error.__traceback__ is not None:
            error.__traceback__ = error.__traceback__.tb_next
