"""What somebody sees in the window, as text; and the ways to it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QTableView, QWidget

from inspector.window import MainWindow
from tests.inspector.conftest import WAIT_MS, settle

MESSAGES, RAW_EFFECTIVE = 1, 4


def threads(window: MainWindow) -> dict[str, str]:
    """Id of each thread in the list → what its row says aloud."""
    model = window.threads.model
    rows = [model.index(n) for n in range(model.rowCount())]
    return {model.row_at(row).thread_id: model.data(row, Qt.ItemDataRole.AccessibleTextRole) for row in rows}


def choose(qtbot: Any, window: MainWindow, thread_id: str) -> None:
    """Select a thread in the list, as a click does."""
    window.threads.list.setCurrentIndex(window.threads.model.index_of(thread_id))
    qtbot.waitUntil(lambda: window.session.thread_id == thread_id, timeout=WAIT_MS)
    settle(qtbot, window)


def cell(table: QTableView, row: int, column: int) -> str:
    """What a cell shows."""
    return str(table.model().index(row, column).data() or "")


def tip(table: QTableView, row: int, column: int) -> str:
    """What a cell says on hover, with the markup that shows it letter by letter taken off."""
    return untipped(table.model().index(row, column).data(Qt.ItemDataRole.ToolTipRole) or "")


def untipped(tooltip: str) -> str:
    """The text of a tooltip."""
    return html.unescape(re.sub(r"^<qt><p[^>]*>|</p></qt>$", "", tooltip))


def requests(window: MainWindow) -> list[list[str]]:
    """The table of requests, cell by cell."""
    model = window.desk.requests.model
    return [[str(model.index(row, n).data()) for n in range(model.columnCount())] for row in range(model.rowCount())]


def area(qtbot: Any, window: MainWindow, place: int) -> Any:
    """Bring an area of the request to the front."""
    window.desk.request.show_area(place)
    qtbot.waitUntil(window.jobs.idle, timeout=WAIT_MS)
    return window.desk.request._areas[place]


def pane(qtbot: Any, window: MainWindow, name: str) -> Any:
    """Bring a pane at the side to the front, read."""
    window.around.show(name)
    qtbot.waitUntil(window.jobs.idle, timeout=WAIT_MS)
    return window.desk.around[name]


def said(widget: QWidget) -> str:
    """Every label that can be seen in a part of the window, one a line."""
    return "\n".join(_texts(widget))


def _texts(widget: QWidget) -> Iterator[str]:
    for child in widget.findChildren(QWidget):
        if child.isVisibleTo(widget) and (isinstance(child, QLabel) or type(child).__name__ == "ElidedLabel"):
            yield child.text()
