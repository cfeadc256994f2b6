"""Small parts of the side panes: links, lines of facts, sentences with buttons, paths that wrap anywhere.

Everything that they show is plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QEnterEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector import format, theme
from inspector.panes import plain_label
from inspector.views.flow import Flow

MARGIN = 8
BESIDE_NEVER = 100_000
"""``least`` of a splitter whose parts always stand under each other."""


class PathLabel(QWidget):
    """A text that is always whole: it wraps between words, and anywhere in a long one. Copies true."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._true = self._drawn = ""
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Show another name."""
        self._true = text
        self._drawn = format.marked(text).replace("\n", "\u2424")
        self.setAccessibleName(self._drawn or "Name")
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """The true text."""
        return self._true

    def heightForWidth(self, width: int) -> int:
        """Height of the wrapped text."""
        layout = self._laid_out(width)
        return max(self.fontMetrics().height(), int(layout.boundingRect().height() + 0.99))

    def hasHeightForWidth(self) -> bool:
        """Wraps."""
        return True

    def sizeHint(self) -> QSize:
        """One line, or what the present width needs."""
        return QSize(120, self.heightForWidth(max(40, self.width())))

    def minimumSizeHint(self) -> QSize:
        """As high as the present width needs."""
        return QSize(40, self.heightForWidth(max(40, self.width())))

    def paintEvent(self, event: QPaintEvent) -> None:
        """The text, underlined by a line while it has the focus."""
        painter = QPainter(self)
        painter.setPen(theme.text_colour())
        self._laid_out(self.width()).draw(painter, QPointF(0, 0))
        if self.hasFocus():
            painter.setPen(theme.accent_colour())
            painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Copy."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Copy", self.copy)
        menu.popup(event.globalPos())

    def copy(self) -> None:
        """Put the true text on the clipboard."""
        QGuiApplication.clipboard().setText(self._true)

    def _laid_out(self, width: int) -> QTextLayout:
        layout = QTextLayout(self._drawn, self.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        height = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1, width))
            line.setPosition(QPointF(0, height))
            height += line.height()
        layout.endLayout()
        return layout


class Link(QAbstractButton):
    """A button that reads as a link: plain text, reached by keyboard, goes where its signal says."""

    def __init__(self, text: str, go: Callable[[], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._said = format.one_line(format.elide_middle(text, 48))
        self.setAccessibleName(format.one_line(text))
        self.setToolTip(format.tip(text) if len(text) > 48 else "")
        self.clicked.connect(lambda _checked=False: go())

    def text(self) -> str:
        """What it says."""
        return self._said

    def sizeHint(self) -> QSize:
        """The text and a little air."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._said) + 2, metrics.height() + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The text in the accent colour, underlined where the pointer or the keyboard is."""
        painter = QPainter(self)
        font = self.font()
        font.setUnderline(self.hasFocus() or self.underMouse())
        painter.setFont(font)
        painter.setPen(theme.accent_colour() if self.isEnabled() else theme.muted_colour())
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(self.rect(), int(flags), self._said)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Underline."""
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """No longer."""
        super().leaveEvent(event)
        self.update()


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
        _empty(self._grid)
        _empty(self._links)
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


class NoteBar(QFrame):
    """A sentence across a pane, with what can be done about it. Hidden until there is one."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self.setAccessibleName(name)
        self._kind = ""
        self._says = plain_label()
        self._says.setWordWrap(True)
        self._says.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._says.setMinimumWidth(120)
        self._buttons = Flow()
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, 6, MARGIN, 6)
        column.setSpacing(6)
        column.addWidget(self._says)
        column.addLayout(self._buttons)
        theme.notifier().changed.connect(self._colour)
        self.hide()

    def say(self, sentence: str, *actions: tuple[str, Callable[[], object]], kind: str = "") -> None:
        """Show ``sentence`` and a button an action; ``kind`` ``error`` colours it."""
        self._kind = kind
        self._says.setText(format.marked(f"! {sentence}" if kind == "error" else sentence))
        _empty(self._buttons)
        for title, do in actions:
            button = QPushButton(title, self)
            button.setAccessibleName(title)
            button.clicked.connect(lambda _checked=False, do=do: do())
            self._buttons.addWidget(button)
        self._colour()
        self.show()

    def clear(self) -> None:
        """Nothing to say."""
        self._says.setText("")
        self.hide()

    def text(self) -> str:
        """The sentence; empty when there is none."""
        return self._says.text()

    def buttons(self) -> dict[str, QPushButton]:
        """The buttons by their titles."""
        found = {}
        for n in range(self._buttons.count()):
            item = self._buttons.itemAt(n)
            widget = item.widget() if item is not None else None
            if isinstance(widget, QPushButton):
                found[widget.accessibleName()] = widget
        return found

    def _colour(self) -> None:
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, theme.selection_colour())
        colour = theme.error_colour() if self._kind == "error" else theme.text_colour()
        palette.setColor(QPalette.ColorRole.WindowText, colour)
        self.setPalette(palette)
        self._says.setPalette(palette)


def heading(text: str) -> QLabel:
    """A small title above a part of a pane; a constant of ours or plain text."""
    label = plain_label(text, muted=True)
    label.setContentsMargins(MARGIN, 6, MARGIN, 2)
    return label


class AspectSplitter(QSplitter):
    """Two parts under each other; beside each other where there is more width than height."""

    def __init__(self, first: QWidget, second: QWidget, shares: tuple[int, int], least: int = 640) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._least = least
        self._shares = shares
        self._wanted: int | None = None
        self._moved = False
        self.addWidget(first)
        self.addWidget(second)
        self.setStretchFactor(0, 0)
        self.setStretchFactor(1, 1)
        self.setChildrenCollapsible(False)
        self.splitterMoved.connect(self._by_hand)

    def fit_first(self, height: int) -> None:
        """Give the upper part this height, or its share where that is less, until the user moves the line."""
        self._wanted = height
        self._settle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turn where the shape asks for it."""
        super().resizeEvent(event)
        size = event.size()
        beside = size.width() >= self._least and size.width() > size.height()
        wanted = Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical
        if wanted != self.orientation():
            self.setOrientation(wanted)
            self._moved = False
        self._settle()

    def _by_hand(self, _position: int, _index: int) -> None:
        self._moved = True

    def _settle(self) -> None:
        if self._moved or self.count() < 2:
            return
        if self.orientation() == Qt.Orientation.Horizontal:
            whole = self.width()
            self.setSizes([whole * 2 // 5, whole * 3 // 5])
            return
        whole = self.height()
        share = whole * self._shares[0] // sum(self._shares)
        first = share if self._wanted is None else min(self._wanted, share)
        self.setSizes([first, max(1, whole - first)])


class Line(QWidget):
    """A hair line between two parts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """In the line colour of the scheme in force."""
        QPainter(self).fillRect(self.rect(), theme.line_colour())


def _empty(layout: QLayout) -> None:
    while (old := layout.takeAt(0)) is not None:
        widget = old.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def _value(word: str, text: str) -> QWidget:
    shown = PathLabel(text)
    shown.setAccessibleName(f"{word}: {format.one_line(text)}")
    return shown


def _said(widget: QWidget) -> str:
    return widget.text() if isinstance(widget, (QLabel, Link, PathLabel)) else ""
