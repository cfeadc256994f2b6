"""Leaving a source or the window: asks before work would be lost, and lets a run stop first."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from inspector.views.composer import Composer
from inspector.views.status import StatusLine

STOP_MS = 4000
"""A run that has not stopped by then does not keep the window open."""

Ask = Callable[..., bool]
"""Parent, sentence, words of the answer that goes on, words of the one that does not."""


class Leaving(QObject):
    """Knows what would be lost; closing itself is the window's."""

    def __init__(self, window: QWidget, composer: Composer, status: StatusLine) -> None:
        super().__init__(window)
        self._window, self._composer, self._status = window, composer, status
        self._stopping = False
        self._given_up = False

    def may_leave(self, ask: Ask, unsaved: bool) -> bool:
        """Whether the source may be left; a run is asked to stop."""
        if self._composer.running:
            if not ask(self._window, "A run is under way. Stop it? What was finished stays recorded.", "Stop it"):
                return False
            self._composer.stop()
        if not unsaved:
            return True
        words = "A memory file has changes that are not saved. They are kept, and offered again next time."
        return ask(self._window, words, "Leave it unsaved", "Stay")

    def may_close(self, ask: Ask, unsaved: bool) -> bool:
        """Whether the window may close now; with a run under way it is closed once that has stopped."""
        if not self._stopping and not self.may_leave(ask, unsaved):
            return False
        if self._composer.running and not self._given_up:
            self._close_after_run()
            return False
        return True

    def _close_after_run(self) -> None:
        if self._stopping:
            return
        self._stopping = True
        self._status.show_note("Stopping the run before the window closes.")
        assert self._composer.turn is not None
        self._composer.turn.ended.connect(lambda *_how: QTimer.singleShot(0, self._window, self._window.close))
        QTimer.singleShot(STOP_MS, self, self._give_up)

    def _give_up(self) -> None:
        self._given_up = True
        self._window.close()
