"""The program itself, telling when it painted: ``python -m tests.bench.window [FILE]``, started by ``startup``.

Starts as ``context-inspector`` does, notes when the window's first paint, the first request and the rest
were on the screen, closes the window and prints the figures. It looks at the main window's own paint
and update events only, so that watching costs nothing that would show.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from typing import Any

from tests.bench import child

BEGAN = "CONTEXT_INSPECTOR_BENCH_BEGAN"
"""``time.perf_counter`` of whoever started this process, just before: one clock for all processes."""
GIVE_UP_MS = 60_000


class Watch:
    """Notes the moments, and closes the window when all have come."""

    def __init__(self, began: float) -> None:
        self.began = began
        self.moments: dict[str, float] = {}
        self.window: Any = None

    def note(self, name: str) -> None:
        """This moment has come; only the first time counts."""
        self.moments.setdefault(name, time.perf_counter() - self.began)

    def painting(self, window: Any) -> None:
        """The window is about to paint; what is posted now runs right after."""
        from PySide6.QtCore import QTimer

        if self.window is None:
            self.window = window
            QTimer.singleShot(0, lambda: self.note("painted"))
            QTimer.singleShot(GIVE_UP_MS, window.close)

    def updated(self, window: Any) -> None:
        """The window has brought the screen up to date."""
        from PySide6.QtCore import QTimer

        desk = window.desk
        if desk is None or not desk.session.threads or getattr(desk.request, "detail", lambda: None)() is None:
            return
        self.note("usable")
        if window.jobs.idle() and "settled" not in self.moments:
            self.note("settled")
            QTimer.singleShot(0, window.close)
        elif "settled" not in self.moments:
            QTimer.singleShot(20, window.update)


def main() -> int:
    """Run the program with a watch on its window."""
    watch = Watch(float(os.environ[BEGAN]))
    from PySide6.QtCore import QEvent

    from inspector.main import main as program
    from inspector.window import MainWindow

    watch.note("imported")
    original = MainWindow.event
    paint, update = QEvent.Type.Paint, QEvent.Type.UpdateRequest

    def event(self: Any, event: Any) -> bool:
        kind = event.type()
        if kind == paint:
            watch.painting(self)
        result = bool(original(self, event))
        if kind == update:
            watch.updated(self)
        return result

    MainWindow.event = event  # type: ignore[method-assign]
    code = program(sys.argv[1:])
    used = resource.getrusage(resource.RUSAGE_SELF)
    figures = {**watch.moments, "peak": child.peak_bytes(), "cpu": used.ru_utime + used.ru_stime}
    print(json.dumps(figures))
    return code


if __name__ == "__main__":
    sys.exit(main())
