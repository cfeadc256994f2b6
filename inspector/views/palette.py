"""Find a command by name and run it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
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
from inspector.views.quiet import quiet

KEYS = int(Qt.ItemDataRole.UserRole) + 1


class Palette(QDialog):
    """A field and the commands that match it; Return runs the marked one."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Find a command")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(520, 380)
        self._commands = commands
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("Name of a command")
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
        self.look_for("")

    def look_for(self, text: str) -> None:
        """Show the commands whose title holds every word of ``text``."""
        words = text.casefold().split()
        self.model.clear()
        for command in self._commands.all():
            if all(word in f"{command.menu} {command.title}".casefold() for word in words):
                self.model.appendRow(_item(command))
        if self.model.rowCount():
            self.list.setCurrentIndex(self.model.index(0, 0))

    def run(self) -> None:
        """Run the marked command, when it is enabled now."""
        index = self.list.currentIndex()
        if index.isValid():
            command_id = index.data(Qt.ItemDataRole.UserRole)
            self.close()
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
        painter.setFont(option.font)
        painter.setPen(theme.text_colour() if enabled else theme.muted_colour())
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, index.data())
        painter.setPen(theme.muted_colour())
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, index.data(KEYS))


def _item(command: Command) -> QStandardItem:
    keys = keys_of(command)
    item = QStandardItem(f"{command.menu}: {command.title}" if command.menu else command.title)
    item.setData(command.id, Qt.ItemDataRole.UserRole)
    item.setData(keys, KEYS)
    item.setData(f"{item.text()}, {keys}" if keys else item.text(), Qt.ItemDataRole.AccessibleTextRole)
    item.setEnabled(bool(command.enabled()))
    return item
