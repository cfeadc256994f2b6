"""Starts the window: the application, its colours, and what catches errors of ours.

Only light imports here: the first paint waits for this module.
"""

from __future__ import annotations

import logging
import logging.handlers
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from inspector import dialogs, format, prefs, theme
from inspector.going import Goal
from inspector.icon import icon
from inspector.window import MainWindow

LOG_BYTES = 1_000_000


class Crashes(QObject):
    """Errors that nobody caught: logged to a file, shown once at a time, never swallowed."""

    _caught = Signal(str, str)

    def __init__(self, log: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.log = log
        self.window: QWidget | None = None
        self.shown: dialogs.ErrorDialog | None = None
        self._logger = logging.getLogger("inspector.crashes")
        self._caught.connect(self._show, Qt.ConnectionType.QueuedConnection)
        self._before: tuple[Any, Any] | None = None

    def install(self) -> None:
        """Catch what this process does not catch elsewhere, in any thread."""
        self._before = (sys.excepthook, threading.excepthook)
        try:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            handler: logging.Handler = logging.handlers.RotatingFileHandler(
                self.log, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", delay=True,
                errors="backslashreplace",
            )  # fmt: skip
        except OSError:
            handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        self._logger.addHandler(handler)
        self._logger.propagate = False
        sys.excepthook = self.caught
        threading.excepthook = lambda args: self.caught(
            args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback
        )

    def uninstall(self) -> None:
        """As it was before."""
        if self._before is not None:
            sys.excepthook, threading.excepthook = self._before
            self._before = None
        for handler in list(self._logger.handlers):
            self._logger.removeHandler(handler)
            handler.close()

    def caught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """An error: to the log, to standard error, and to the user."""
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        details = "".join(traceback.format_exception(kind, error, trace))
        self._logger.error(details)
        if sys.__stderr__ is not None:
            sys.__excepthook__(kind, error, trace)
        name = format.one_line(f"{kind.__name__}: {error}", 300)
        self._caught.emit(f"A fault of this program: {name}. It goes on; the details are in {self.log}.", details)

    def _show(self, sentence: str, details: str) -> None:
        if self.shown is not None:
            return
        self.shown = dialogs.ErrorDialog(sentence, details, self.window)
        self.shown.finished.connect(self._closed)
        self.shown.show()

    def _closed(self, _result: int) -> None:
        self.shown = None


def application(kept: prefs.Prefs) -> QApplication:
    """The application with its name, style and colours."""
    app = QApplication.instance() or QApplication([sys.argv[0]])
    assert isinstance(app, QApplication)
    app.setApplicationName("context-inspector")
    app.setApplicationDisplayName("Context Inspector")
    app.setDesktopFileName("context-inspector")
    app.setWindowIcon(icon())
    wanted = kept.text("colours", "system")
    theme.choose(app, wanted if wanted in ("light", "dark") else "system")  # type: ignore[arg-type]
    return app


def run_window(path: Path | None, thread: str | None = None, request: int | None = None) -> int:
    """Show the window with the file at ``path``, or the default workspace, at a thread and the request of this
    number; the exit code."""
    kept = prefs.Prefs()
    app = application(kept)
    crashes = Crashes(prefs.log_path(), app)
    crashes.install()
    window = MainWindow(kept)
    crashes.window = window
    window.open_after_paint(path, None if thread is None else Goal(thread, request))
    window.show()
    try:
        return app.exec()
    finally:
        crashes.uninstall()
