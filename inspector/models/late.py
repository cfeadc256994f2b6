"""Answers that can come late: a job may end after the widget that asked for it is gone."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import shiboken6
from PySide6.QtCore import QObject


def while_alive(owner: QObject, do: Callable[..., Any]) -> Callable[..., None]:
    """``do``, for as long as its owner lives. Bound methods of a Qt object need no such care."""

    @wraps(do)
    def guarded(*args: Any) -> None:
        if shiboken6.isValid(owner):
            do(*args)

    return guarded
