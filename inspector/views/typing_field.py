"""A field for several lines of plain text, and one for the arguments of a tool, checked while they are typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from inspector import format, theme
from inspector.jobs import Jobs
from inspector.panes import plain_label, tint
from inspector.running import fault_in
from inspector.views.document_text import begin, text_of
from inspector.views.focus_edge import FocusEdge
from inspector.views.quiet import quiet

CHECK_MS = 200


class TypingField(QPlainTextEdit):
    """Plain text, exactly as it was typed; Tab leaves it."""

    typed = Signal()
    """The user has changed the text."""

    def __init__(self, name: str, says: str = "", *, mono: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        quiet(self)
        FocusEdge(self)
        self.setAccessibleName(name)
        self.setPlaceholderText(says)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setMinimumHeight(40)
        if mono:
            self.setFont(theme.mono_font())
        self._putting = False
        self.textChanged.connect(self._changed)

    def text(self) -> str:
        """The text; every line end is ``\\n``."""
        return text_of(self.document())

    def put(self, text: str) -> None:
        """Show another text; nobody is told."""
        if text != self.text():
            self._putting = True
            begin(self.document(), text)
            self._putting = False

    def _changed(self) -> None:
        if not self._putting:
            self.typed.emit()


class ArgsField(QWidget):
    """JSON text of a tool's arguments, with a sentence on whether it fits the tool's schema."""

    typed = Signal()
    checked = Signal()
    """``fault`` is up to date."""

    def __init__(self, jobs: Jobs, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._tool = ""
        self._schema: Mapping[str, Any] | None = None
        self.fault = ""
        """Why the text can't be sent; empty while that is not known."""
        self.edit = TypingField(name, mono=True)
        self.says = plain_label(muted=True)
        self.says.setWordWrap(True)
        self.says.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.edit, 1)
        column.addWidget(self.says)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(CHECK_MS)
        self._timer.timeout.connect(self.check)
        self.edit.typed.connect(self._changed)
        self.setFocusProxy(self.edit)

    def show_args(self, tool: str, text: str, schema: Mapping[str, Any] | None) -> None:
        """Edit this text of arguments of this tool."""
        self._tool, self._schema = tool, schema
        self.edit.put(text)
        self.check()

    def begin_typing(self) -> None:
        """The keyboard to the first value."""
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        cursor = self.edit.textCursor()
        start = self.text().find(": ")
        if start >= 0:
            cursor.setPosition(start + 2 + (self.text()[start + 2 : start + 4] == '""'))
            self.edit.setTextCursor(cursor)

    def text(self) -> str:
        """The arguments as they are typed."""
        return self.edit.text()

    def check(self) -> None:
        """Look, in a job, whether the text fits."""
        self._timer.stop()
        self._jobs.run("Checking the arguments", fault_in, self._tool, self.text(), self._schema,
                       done=self._told, key=(self, "check"), quiet=True)  # fmt: skip

    def stop(self) -> None:
        """Nothing is edited here now."""
        self._timer.stop()
        self._jobs.cancel((self, "check"))

    def _changed(self) -> None:
        self.fault = ""
        self._timer.start()
        self.typed.emit()

    def _told(self, fault: str) -> None:
        self.fault = fault
        known = "Fits the tool's schema." if self._schema else "Is JSON; the tool's schema is not known."
        self.says.setText(format.marked(f"! {fault}" if fault else known))
        tint(self.says, "error" if fault else "muted")
        self.checked.emit()
