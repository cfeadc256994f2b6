"""What stands between a run and the recorder."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])


def guarded(method: _F) -> _F:
    """A fault in the recorder is a loss of the record, never of the run."""

    @functools.wraps(method)
    def doing(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            with self._lock:
                method(self, *args, **kwargs)
        except Exception as error:  # whatever it is, the run must not notice
            self._writer.lose(1, f"{type(error).__name__}: {error}")

    return doing  # type: ignore[return-value]
