"""Going somewhere: to what a search found, and back and forward through what was looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from inspector.session import Session

if TYPE_CHECKING:
    from engine.search.model import Hit
    from engine.trace.model import RequestDetail

KEPT = 200


class Place(NamedTuple):
    """A request that was looked at."""

    thread_id: str
    request: int


class Trail:
    """Places that were looked at. Steps to a neighbour are one place: where the walk has come to."""

    def __init__(self) -> None:
        self._places: list[Place] = []
        self._at = -1
        self._walking = False

    def visit(self, place: Place, step: bool) -> None:
        """Somebody looks at a place; ``step``: it is beside the one before."""
        if self.current() == place:
            return
        if step and self._walking and self._at == len(self._places) - 1:
            self._places[self._at] = place
            return
        self._walking = step
        self._places = [*self._places[: self._at + 1], place][-KEPT:]
        self._at = len(self._places) - 1

    def current(self) -> Place | None:
        """Where one is."""
        return self._places[self._at] if self._at >= 0 else None

    def can(self, by: int) -> bool:
        """Whether there is a place before (-1) or after (1)."""
        return 0 <= self._at + by < len(self._places)

    def move(self, by: int) -> Place | None:
        """Go back (-1) or forward (1)."""
        if not self.can(by):
            return None
        self._walking = False
        self._at += by
        return self._places[self._at]


class Goal(NamedTuple):
    """Where the window is to open."""

    thread_id: str
    number: int | None
    """Of a request; None for the one that was selected last."""


class Going(QObject):
    """Selects thread and request, and what is wanted of it once it is there."""

    wants_file = Signal(object)
    """A hit in a file of the selected thread."""
    wants_memory = Signal(object)
    """A hit in a file of the store, or in a text that it had before."""
    wants_note = Signal(object)
    """A hit in a note on the selected thread or request."""
    missing = Signal(str)
    """What was to be shown isn't there: a sentence."""

    def __init__(self, session: Session, request: Any, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._request = session, request
        self._trail = Trail()
        self._wanted: Hit | None = None
        self._number: int | None = None
        session.request_changed.connect(self._request_changed)
        session.rows_changed.connect(self._look_for_number)
        session.thread_changed.connect(self._thread_changed)

    def to_number(self, thread_id: str, number: int) -> None:
        """Show a request by its number, once it has been read."""
        self._session.select_thread(thread_id)
        self._number = number
        self._look_for_number()

    def to_hit(self, hit: Hit) -> None:
        """Show where a text stands."""
        self._wanted = None
        if hit.thread_id is not None:
            if hit.request is not None:
                self._wanted = hit
            self._session.select_thread(hit.thread_id, hit.request)
            self._show_wanted(self._request.detail())
        if hit.path and hit.source == "file" and hit.thread_id is not None:
            self.wants_file.emit(hit)
        elif hit.path and hit.source in ("memory", "file"):
            self.wants_memory.emit(hit)
        elif hit.source == "note":
            self.wants_note.emit(hit)

    def shown(self, detail: RequestDetail) -> None:
        """A request is shown now."""
        self._show_wanted(detail)

    def can(self, by: int) -> bool:
        """Whether there is something to go back (-1) or forward (1) to."""
        return self._trail.can(by)

    def move(self, by: int) -> None:
        """Go back (-1) or forward (1)."""
        if (place := self._trail.move(by)) is not None:
            self._session.select_thread(place.thread_id, place.request)

    def _request_changed(self, _row: object) -> None:
        session = self._session
        if session.thread_id is None or session.request_id is None:
            return
        before = self._trail.current()
        step = (
            before is not None
            and before.thread_id == session.thread_id
            and abs(session.rows.index(before.request) - session.rows.index(session.request_id)) == 1
        )
        self._trail.visit(Place(session.thread_id, session.request_id), step)

    def _thread_changed(self, _thread_id: object) -> None:
        self._number = None

    def _look_for_number(self) -> None:
        number, rows = self._number, self._session.rows
        if number is None or (self._session.loading and number > len(rows)):
            return
        self._number = None
        if 0 < number <= len(rows):
            self._session.select_request(rows.ids[number - 1])
        else:
            self.missing.emit(f"There is no request {number} in this thread: it has {len(rows)}.")

    def _show_wanted(self, detail: RequestDetail | None) -> None:
        hit = self._wanted
        if hit is None or detail is None or detail.row.id != hit.request:
            return
        self._wanted = None
        if hit.area is not None:
            from inspector.views.match_in_request import show_match  # with the areas, which come after the first paint

            show_match(self._request, hit)
