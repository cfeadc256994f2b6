"""What a run changes in the window: its thread is shown, new requests are followed, its model is remembered."""

from __future__ import annotations

from PySide6.QtCore import QObject

from inspector.prefs import Prefs
from inspector.session import Session
from inspector.turns import Turns
from inspector.views.composer import Composer
from inspector.views.model_choice import KEPT_MODELS


class Following(QObject):
    """Between the runs, the composer and the session of the open source."""

    def __init__(self, turns: Turns, composer: Composer, prefs: Prefs, parent: QObject) -> None:
        super().__init__(parent)
        self._turns, self._composer, self._prefs = turns, composer, prefs
        self._session: Session | None = None
        self._source = ""
        self._known: int | None = None
        self._wanted: int | None = None
        self.on = prefs.flag("follow")
        """Whether new requests are selected as they arrive."""
        composer.started.connect(self._started)
        composer.model_chosen.connect(self._model_chosen)
        turns.recorded.connect(self._recorded)
        turns.accepted.connect(lambda turn: self._recorded(turn.thread_id))

    def use(self, session: Session | None, source: str = "") -> None:
        """Follow another source's session."""
        self._session, self._source, self._known, self._wanted = session, source, None, None

    def toggle(self) -> None:
        """Select new requests as they arrive, or leave the selection alone."""
        self.on = not self.on
        self._prefs.set("follow", self.on)

    def thread_changed(self) -> None:
        """Nothing is known of the thread that is shown now."""
        self._known = self._wanted = None

    def show_request(self, request_id: int) -> None:
        """Select a request of the thread, as soon as it is listed."""
        if self._session is None:
            return
        self._wanted = request_id
        self._session.poll()
        self._take_wanted()

    def rows_changed(self) -> None:
        """Select the last request when it has just arrived and the user wants it."""
        session = self._session
        if session is None:
            return
        known, self._known = self._known, len(session.rows)
        if self.on and known is not None and self._known > known and session.shown is None:
            session.select_index(self._known - 1)
        self._take_wanted()

    def arrived(self, request_id: int) -> None:
        """Select a request that has just arrived, or come to pass the filter."""
        if self.on and self._session is not None:
            self._session.select_request(request_id)

    def kept_model(self, thread_id: str | None) -> str:
        """What was chosen for a thread before, empty for its own model."""
        return "" if thread_id is None else self._prefs.model_of(self._source, thread_id)

    def forget_model(self, thread_id: str) -> None:
        """The thread's own model counts again."""
        self._prefs.keep_model(self._source, thread_id, "")
        self._composer.model.forget_thread(thread_id)

    def _take_wanted(self) -> None:
        if self._session is not None and self._wanted is not None and self._session.rows.index(self._wanted) >= 0:
            wanted, self._wanted = self._wanted, None
            self._session.select_request(wanted)

    def _started(self, thread_id: str) -> None:
        if self._session is not None and self._session.thread_id is None:
            self._session.select_thread(thread_id)

    def _recorded(self, _thread_id: str) -> None:
        if self._session is not None:
            self._session.poll()

    def _model_chosen(self, thread_id: str, name: str) -> None:
        self._prefs.keep_model(self._source, thread_id, name)
        if not name:
            return
        model = self._composer.model
        model.set_models([name, *(each for each in model.models() if each != name)], name)
        self._prefs.set_names("models", model.models()[:KEPT_MODELS])
        self._prefs.set("model", name)
