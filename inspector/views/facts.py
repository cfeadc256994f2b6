"""What is known of the selected item, above its text: name, links, and the rest on request."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from inspector import format
from inspector.panes import plain_label
from inspector.views.flow import empty
from inspector.views.parts import MARGIN
from inspector.views.plain_text import PathLabel


class Facts(QWidget):
    """The selected item: its name, where one can go from it, and on request everything that is known."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._toggle = QToolButton()
        self._toggle.setAutoRaise(True)
        self._toggle.setCheckable(True)
        self._toggle.setFixedSize(18, 18)
        self._toggle.setArrowType(Qt.ArrowType.RightArrow)
        self._toggle.setAccessibleName("Details")
        self._toggle.setToolTip("Details")
        self._toggle.toggled.connect(self._open)
        self._name = PathLabel("")
        self._links = QHBoxLayout()
        self._links.setSpacing(14)
        self._details = QWidget()
        self._grid = QGridLayout(self._details)
        self._grid.setContentsMargins(0, 2, 0, 2)
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 1)
        self._details.hide()
        outer = QGridLayout(self)
        outer.setContentsMargins(MARGIN - 4, 4, MARGIN, 2)
        outer.setHorizontalSpacing(2)
        outer.setVerticalSpacing(2)
        outer.setColumnStretch(1, 1)
        outer.addWidget(self._toggle, 0, 0, Qt.AlignmentFlag.AlignTop)
        outer.addWidget(self._name, 0, 1)
        outer.addLayout(self._links, 1, 1)
        outer.addWidget(self._details, 2, 1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Maximum)
        self.hide()

    def set_facts(
        self, name: str, facts: Sequence[tuple[str, str | QWidget]] = (), links: Sequence[QWidget] = ()
    ) -> None:
        """Show another item; facts with nothing to say are left out. An empty name shows nothing."""
        empty(self._grid)
        empty(self._links)
        self._name.set_text(name)
        for link in links:
            self._links.addWidget(link)
        self._links.addStretch(1)
        row = 0
        for word, what in facts:
            if what == "":
                continue
            title = plain_label(word, muted=True)
            title.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            self._grid.addWidget(title, row, 0)
            self._grid.addWidget(_value(word, what) if isinstance(what, str) else what, row, 1)
            row += 1
        self._toggle.setVisible(row > 0)
        self.setVisible(bool(name))

    def keep(self, *widgets: QWidget) -> None:
        """Widgets that stand at the right of the links of every item."""
        row = QHBoxLayout()
        row.setSpacing(4)
        for widget in widgets:
            row.addWidget(widget)
        layout = self.layout()
        assert isinstance(layout, QGridLayout)
        layout.removeItem(self._links)
        line = QHBoxLayout()
        line.addLayout(self._links, 1)
        line.addLayout(row)
        layout.addLayout(line, 1, 1)

    def open_details(self, on: bool = True) -> None:
        """Show everything that is known, or only the name and the links."""
        self._toggle.setChecked(on)

    def text(self) -> str:
        """Everything it says, one line each."""
        lines = [self._name.text()]
        for n in range(self._links.count()):
            item = self._links.itemAt(n)
            widget = item.widget() if item is not None else None
            if widget is not None:
                lines.append(_said(widget))
        for row in range(self._grid.rowCount()):
            words = []
            for column in (0, 1):
                cell = self._grid.itemAtPosition(row, column)
                widget = cell.widget() if cell is not None else None
                if widget is not None:
                    words.append(_said(widget))
            if words:
                lines.append(": ".join(words))
        return "\n".join(lines)

    def _open(self, on: bool) -> None:
        self._toggle.setArrowType(Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow)
        self._details.setVisible(on)


def _value(word: str, text: str) -> QWidget:
    shown = PathLabel(text)
    shown.setAccessibleName(f"{word}: {format.one_line(text)}")
    return shown


def _said(widget: QWidget) -> str:
    said = getattr(widget, "text", None)
    return str(said()) if callable(said) else ""
