"""The few dialogs: a question, about, the page of keys, and an error of ours. All plain text."""

from __future__ import annotations

import platform

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import QSortFilterProxyModel, Qt, qVersion
from PySide6.QtGui import QFontMetrics, QIcon, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from inspector import __version__, clipboard, format, theme
from inspector.commands import Commands
from inspector.panes import plain_label
from inspector.views.frame import PAD, Header
from inspector.views.quiet import quiet

PARTS = ("deepagents", "langchain", "langchain-core", "langgraph", "langgraph-checkpoint-sqlite", "pyqtgraph")


def ask(parent: QWidget, sentence: str, yes: str, no: str = "Cancel") -> bool:
    """A question with two answers; False for Escape."""
    box = QMessageBox(parent)
    box.setWindowTitle("Context Inspector")
    box.setIcon(QMessageBox.Icon.Question)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(format.marked(sentence))
    accept = box.addButton(yes, QMessageBox.ButtonRole.AcceptRole)
    refuse = box.addButton(no, QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(refuse)
    box.setEscapeButton(refuse)
    box.exec()
    return box.clickedButton() is accept


def versions() -> str:
    """Versions of the program and of what it stands on, a line each."""
    from importlib import metadata  # 20 ms that nobody waits for before the first paint

    lines = [
        f"Context Inspector {__version__}",
        f"Python {platform.python_version()}, Qt {qVersion()}, PySide6 {pyside_version}",
    ]
    for name in PARTS:
        try:
            lines.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            lines.append(f"{name}: not installed")
    return "\n".join(lines)


class About(QDialog):
    """What this is, and versions to copy into a report."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("About Context Inspector")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        what = plain_label(
            "Shows for every model request of an agent what the model was given, who put it there, "
            "what was left out, and what an edit would change.",
            self,
        )
        what.setWordWrap(True)
        layout.addWidget(what)
        self.text = _text(versions(), "Versions", self)
        layout.addWidget(self.text)
        layout.addWidget(_close_box(self))
        self.resize(460, 300)


class KeysPage(QDialog):
    """Every command with its keys, made from the table of commands."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys and commands")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.model = QStandardItemModel(0, 4, self)
        self.model.setHorizontalHeaderLabels(["Menu", "Command", "Keys", "What it does"])
        for cells in commands.keys_page():
            self.model.appendRow([QStandardItem(cell) for cell in cells])
        self.shown = QSortFilterProxyModel(self)
        self.shown.setSourceModel(self.model)
        self.shown.setFilterKeyColumn(-1)
        self.shown.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("Search by name, key or what it does")
        self.field.setAccessibleName("Search the keys")
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self.shown.setFilterFixedString)
        table = QTableView(self)
        quiet(table)
        table.setAccessibleName("Commands and keys")
        table.setModel(self.shown)
        table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        table.setTabKeyNavigation(False)
        table.setShowGrid(False)
        table.setWordWrap(True)  # what it does is why one looks here: it is never cut
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.verticalHeader().setMinimumSectionSize(QFontMetrics(table.font()).height() + PAD)
        header = Header(table)
        table.setHorizontalHeader(header)
        header.setStretchLastSection(True)
        unit = QFontMetrics(table.font()).averageCharWidth()
        for column, most in enumerate((18, 40, 32)):
            table.setColumnWidth(column, min(table.sizeHintForColumn(column) + PAD, most * unit))
        layout = QVBoxLayout(self)
        layout.addWidget(self.field)
        layout.addWidget(table)
        layout.addWidget(_close_box(self))
        self.resize(1080, 640)


class ErrorDialog(QDialog):
    """A bug of ours: one sentence, the details on request, and a way to copy them."""

    def __init__(self, sentence: str, details: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Something went wrong")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        layout = QVBoxLayout(self)
        self.sentence = plain_label(format.marked(sentence), self)
        self.sentence.setWordWrap(True)
        layout.addWidget(self.sentence)
        self.details = _text(details, "Details", self)
        self.details.hide()
        layout.addWidget(self.details, 1)
        box = _close_box(self)
        self.more = QPushButton("Details", self)
        self.more.setCheckable(True)
        self.more.toggled.connect(self._toggled)
        copy = QPushButton("Copy details", self)
        copy.clicked.connect(lambda: clipboard.put_text(details))
        box.addButton(self.more, QDialogButtonBox.ButtonRole.ActionRole)
        box.addButton(copy, QDialogButtonBox.ButtonRole.ActionRole)
        layout.addWidget(box)
        self.setMinimumWidth(480)

    def _toggled(self, shown: bool) -> None:
        self.details.setVisible(shown)
        if shown:
            self.resize(max(self.width(), 720), max(self.height(), 420))


def _text(text: str, name: str, parent: QWidget) -> QPlainTextEdit:
    made = QPlainTextEdit(parent)
    quiet(made)
    made.setReadOnly(True)
    made.setTabChangesFocus(True)
    made.setFont(theme.mono_font())
    made.setPlainText(format.marked(text))
    made.setAccessibleName(name)
    return made


def _close_box(dialog: QDialog) -> QDialogButtonBox:
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, dialog)
    box.button(QDialogButtonBox.StandardButton.Close).setIcon(QIcon())
    box.rejected.connect(dialog.reject)
    return box
