"""What a run changes in the window: its thread is shown, new requests are followed, its model is remembered."""

from __future__ import annotations

from PySide6.QtCore import QObject

from inspector.prefs import Prefs
from inspector.session import Session
from inspector.views.composer import KEPT_MODELS, Composer


class Following(QObject):
    """Between the composer and the session of the open source."""

    def __init__(self, composer: Composer, prefs: Prefs, parent: QObject) -> None:
        super().__init__(parent)
        self._composer, self._prefs = composer, prefs
        self._session: Session | None = None
        self._known: int | None = None
        self.on = prefs.flag("follow")
        """Whether new requests are selected as they arrive."""
        composer.started.connect(self._started)
        composer.recorded.connect(self._recorded)
        composer.model_chosen.connect(self._model_chosen)

    def use(self, session: Session | None) -> None:
        """Follow another source's session."""
        self._session, self._known = session, None

    def toggle(self) -> None:
        """Select new requests as they arrive, or leave the selection alone."""
        self.on = not self.on
        self._prefs.set("follow", self.on)

    def thread_changed(self) -> None:
        """Nothing is known of the thread that is shown now."""
        self._known = None

    def rows_changed(self) -> None:
        """Select the last request when it has just arrived and the user wants it."""
        session = self._session
        if session is None:
            return
        known, self._known = self._known, len(session.rows)
        if self.on and known is not None and self._known > known:
            session.select_index(self._known - 1)

    def _started(self, thread_id: str) -> None:
        if self._session is not None and self._session.thread_id is None:
            self._session.select_thread(thread_id)
        self._recorded()

    def _recorded(self) -> None:
        if self._session is not None:
            self._session.poll()

    def _model_chosen(self, name: str) -> None:
        models = [name, *(each for each in self._composer.models() if each != name)]
        self._composer.set_models(models, name)
        self._prefs.set_names("models", models[:KEPT_MODELS])
        self._prefs.set("model", name)
