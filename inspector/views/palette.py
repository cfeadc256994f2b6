"""Find a command by name and run it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from inspector import theme
from inspector.commands import Command, Commands, keys_of
from inspector.needs import needs
from inspector.views.quiet import quiet

KEYS = int(Qt.ItemDataRole.UserRole) + 1
KEPT = 12
"""Commands that are remembered as used."""


class Palette(QDialog):
    """A field and the commands that match it; Return runs the marked one."""

    chosen = Signal(str)
    """A command is run, by its id."""

    def __init__(self, commands: Commands, recent: Sequence[str] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Find a command")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(640, 420)
        self._commands = commands
        self.recent = list(recent)
        """Ids of commands that were run from here, the latest first."""
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("Name of a command, or some letters of its words")
        self.field.setAccessibleName("Name of a command")
        self.field.installEventFilter(self)
        self.model = QStandardItemModel(self)
        self.list = QListView(self)
        quiet(self.list)
        self.list.setAccessibleName("Commands")
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(_Delegate(self.list))
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        layout = QVBoxLayout(self)
        layout.addWidget(self.field)
        layout.addWidget(self.list)
        self.field.textChanged.connect(self.look_for)
        self.field.returnPressed.connect(self.run)
        self.list.activated.connect(lambda _index: self.run())
        self.field.setFocus()
        self.look_for("")

    def look_for(self, text: str) -> None:
        """Show the commands that ``text`` may mean, the likeliest first; among equals those used last."""
        used = {id: place for place, id in enumerate(self.recent)}
        found = []
        for place, command in enumerate(self._commands.all()):
            score = likeness(text, command)
            if score is not None:
                found.append((-score, used.get(command.id, KEPT), place, command))
        self.model.clear()
        for *_order, command in sorted(found, key=lambda each: each[:3]):
            self.model.appendRow(_item(command))
        able = next((n for n in range(self.model.rowCount()) if self.model.item(n).isEnabled()), 0)
        self.list.setCurrentIndex(self.model.index(able, 0))

    def run(self) -> None:
        """Run the marked command; one that can't be run now stays in sight with what it needs."""
        index = self.list.currentIndex()
        if index.isValid() and index.flags() & Qt.ItemFlag.ItemIsEnabled:
            command_id = index.data(Qt.ItemDataRole.UserRole)
            self.close()
            self.chosen.emit(command_id)
            self._commands.action(command_id).trigger()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and down move in the list while the field has the focus."""
        if (
            watched is self.field
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
        ):
            QApplication.sendEvent(self.list, event)
            return True
        return super().eventFilter(watched, event)


def likeness(text: str, command: Command) -> int | None:
    """How well a text names a command: whole words, then beginnings, parts, letters in their order; None: not at all.

    Every word of the text must be found, in any order; what a command does counts less than its name.
    """
    name, score = f"{command.menu} {command.title}".casefold(), 0
    words = name.split()
    for word in text.casefold().split():
        if word in words:
            score += 12
        elif any(each.startswith(word) for each in words):
            score += 9
        elif word in name:
            score += 6
        elif _in_order(word, command.title.casefold()):
            score += 3
        elif word in command.hint.casefold():
            score += 1
        else:
            return None
    return score + (10 if text.strip() and text.casefold().strip() == command.title.casefold() else 0)


def recently(command_id: str, recent: Sequence[str]) -> list[str]:
    """The commands used last, with another one in front."""
    return [command_id, *(each for each in recent if each != command_id)][:KEPT]


def _in_order(letters: str, text: str) -> bool:
    """Whether the letters stand in a text in their order, the first of them at the beginning of a word."""
    at = -1
    for n, letter in enumerate(letters):
        at = text.find(letter, at + 1)
        while n == 0 and at > 0 and text[at - 1].isalnum():
            at = text.find(letter, at + 1)
        if at < 0:
            return False
    return True


class _Delegate(QStyledItemDelegate):
    """The name at the left, the keys at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, QFontMetrics(option.font).height() + 8)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, theme.selection_colour())
        area = option.rect.adjusted(8, 0, -8, 0)
        enabled = bool(option.state & QStyle.StateFlag.State_Enabled)
        metrics = QFontMetrics(option.font)
        painter.setFont(option.font)
        painter.setPen(theme.text_colour() if enabled else theme.muted_colour())
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, index.data())
        rest = area.adjusted(metrics.horizontalAdvance(index.data()) + 16, 0, 0, 0)
        keys = metrics.elidedText(index.data(KEYS), Qt.TextElideMode.ElideRight, rest.width())
        painter.setPen(theme.muted_colour())
        painter.drawText(rest, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, keys)


def _item(command: Command) -> QStandardItem:
    enabled, waits = bool(command.enabled()), needs(command.id)
    keys = keys_of(command) if enabled or not waits else f"needs {waits}"
    item = QStandardItem(f"{command.menu}: {command.title}" if command.menu else command.title)
    item.setData(command.id, Qt.ItemDataRole.UserRole)
    item.setData(keys, KEYS)
    item.setData(f"{item.text()}, {keys}" if keys else item.text(), Qt.ItemDataRole.AccessibleTextRole)
    item.setFlags(Qt.ItemFlag.ItemIsSelectable | (Qt.ItemFlag.ItemIsEnabled if enabled else Qt.ItemFlag.NoItemFlags))
    return item
