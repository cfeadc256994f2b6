"""One memory source three ways at a glance: the file now, the copy in the thread, the text in the last request."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QGridLayout, QWidget

from engine.trace.model import Drift, MemoryFile
from inspector import format
from inspector.panes import plain_label, tint
from inspector.views.parts import MARGIN
from inspector.views.plain_text import Link

SAME, OTHER = "=", "≠"

_COPY: dict[Drift, str] = {
    "none": f"{SAME} the file",
    "not-loaded": "not loaded yet",
    "file-newer": f"{OTHER} the file",
    "file-gone": f"{OTHER} the file, which is gone",
    "request-older": f"{SAME} the file",
    "thread-differs": f"{OTHER} the file",
    "all-differ": f"{OTHER} the file",
}
_REQUEST: dict[Drift, str] = {
    "none": f"{SAME} the copy",
    "not-loaded": "carried nothing of it",
    "file-newer": f"{SAME} the copy, not the file",
    "file-gone": f"{SAME} the copy",
    "request-older": f"{OTHER} the copy, applied since",
    "thread-differs": f"{OTHER} the copy, {SAME} the file",
    "all-differ": f"{OTHER} the copy, {OTHER} the file",
}

_NO_COPY, _NOTHING_SENT = "none: there was no file then", "carried nothing of it"
"""Of a thread that loaded its memory while the file was missing: nothing can be equal to a copy that is not there."""


class DriftRows(QWidget):
    """Three rows: where the text stands, how it compares, and a way to see what differs."""

    def __init__(
        self, compare_copy: Callable[[], object], compare_request: Callable[[], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.file, self.copy, self.request = (plain_label() for _ in range(3))
        self._names = [plain_label(name, muted=True) for name in ("File now", "Copy in thread", "Last request")]
        self.by = plain_label(muted=True)
        self.copy_link = Link("Differences", compare_copy)
        self.copy_link.setAccessibleName("Differences between the file and the copy in this thread")
        self.request_link = Link("Differences", compare_request)
        self.request_link.setAccessibleName("Differences between the last request and what the file would send")
        grid = QGridLayout(self)
        grid.setContentsMargins(MARGIN, 4, MARGIN, 2)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for row, (name, value) in enumerate(zip(self._names, (self.file, self.copy, self.request), strict=True)):
            value.setWordWrap(True)
            grid.addWidget(name, row, 0)
            if row:
                grid.addWidget(value, row, 1)
            else:
                grid.addWidget(value, row, 1, 1, 2)
        self.copy_link.hide()
        grid.addWidget(self.copy_link, 1, 2)
        grid.addWidget(self.request_link, 2, 2)
        self.by.setWordWrap(True)
        grid.addWidget(self.by, 3, 0, 1, 3)

    def show_file(self, file: MemoryFile | None) -> None:
        """Show another source; nothing without one, or where its reader tells no drift."""
        self.setVisible(file is not None and file.drift is not None)
        if file is None or file.drift is None:
            return
        drift = file.drift
        self.file.setText(format.marked(_state(file)))
        tint(self.file, "error" if file.state == "stops" else "text")
        no_copy = file.in_thread is None and drift in _NEVER_COPIED
        self.copy.setText(_NO_COPY if no_copy else _COPY[drift])
        tint(self.copy, "error" if _COPY[drift].startswith(OTHER) else "text")
        number = file.request_number
        self._names[2].setText("Last request" if number is None else f"Request {number}")
        sent = _NOTHING_SENT if no_copy else _REQUEST[drift]
        self.request.setText("none yet" if number is None else sent)
        tint(self.request, "error" if number is not None and OTHER in sent else "text")
        self.request_link.setVisible(number is not None and file.in_request is not None and drift in _SENT_OTHERWISE)
        by = file.changed_by or ""
        when = format.ago(file.changed_at) if file.changed_at is not None else ""
        self.by.setText(format.marked(f"Last changed by {by}{', ' + when if when else ''}." if by else ""))
        self.by.setVisible(bool(by))
        self.by.setToolTip(format.absolute(file.changed_at) if file.changed_at is not None else "")


_NEVER_COPIED: frozenset[Drift] = frozenset(("none", "file-newer"))
_SENT_OTHERWISE: frozenset[Drift] = frozenset(("file-newer", "request-older", "all-differ"))


def _state(file: MemoryFile) -> str:
    if file.state == "missing":
        return "missing: the agent skips it"
    if file.state == "stops":
        return f"! {file.problem or 'it is not text; the agent stops on it'}"
    facts = file.facts
    empty = file.text is not None and not file.text.strip()
    parts = ["empty: the model gets nothing of it" if empty else "loaded", format.count(file.size, "byte")]
    if file.tokens is not None:
        parts.append(f"{format.tokens(file.tokens)} tokens")
    if facts is not None:
        parts += [part for part in (facts.encoding, facts.line_ends, "byte order mark" if facts.bom else "") if part]
    return " · ".join(parts)
