"""Keeping our own frames out of a program's tracebacks."""

from __future__ import annotations


def unseen(error: BaseException) -> None:
    """Take the caller's frame out of an error that passes through it; then ``raise`` goes on without it."""
    if error.__traceback__ is not None:
        error.__traceback__ = error.__traceback__.tb_next
