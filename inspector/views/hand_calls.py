"""Calls of tools in an answer by hand: chosen from the request's own tools, their arguments filled in and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QCompleter,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from engine.running import HandTool
from inspector import format
from inspector.jobs import Jobs
from inspector.running import spelled_out, template
from inspector.views.buttons import WordButton
from inspector.views.fields import ModelField
from inspector.views.labels import ElidedLabel
from inspector.views.quiet import quiet
from inspector.views.typing_field import ArgsField


class HandCalls(QWidget):
    """A list of calls, and the arguments of the selected one."""

    changed = Signal()
    """Calls were added, removed or edited, or are known to fit or not."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tools: dict[str, HandTool] = {}
        self._calls: list[dict[str, str]] = []
        self._faults: dict[int, str] = {}
        """By the identity of a call."""
        self.tool = ModelField()
        self.add_button = WordButton("Add the call", self.add)
        self.remove_button = WordButton("Remove", self.remove, name="Remove the call")
        self.list = QListWidget()
        self.about = ElidedLabel(muted=True)
        self.args = ArgsField(jobs, "Arguments of the call")
        self._build()

    def show_calls(self, tools: Sequence[HandTool], calls: Sequence[Mapping[str, Any]]) -> None:
        """Edit these calls of these tools."""
        self._tools = {tool.name: tool for tool in tools}
        self._calls = [{"name": str(call.get("name")), "args": str(call.get("args"))} for call in calls]
        self._faults = {}
        self.tool.clear()
        for tool in tools:
            self.tool.addItem(tool.name)
            self.tool.setItemData(self.tool.count() - 1, format.tip(tool.description), Qt.ItemDataRole.ToolTipRole)
        self.tool.setCurrentIndex(-1)
        edit = self.tool.lineEdit()
        assert edit is not None
        few = format.count(len(tools), "tool")
        edit.setPlaceholderText(f"Call a tool ({few})" if tools else "This request has no tools.")
        self.tool.setEnabled(bool(tools))
        self._show_list(0)

    def calls(self) -> list[dict[str, str]]:
        """The calls as they are typed: ``name`` and ``args``."""
        return [dict(call) for call in self._calls]

    def has_fault(self) -> bool:
        """Whether a call is known not to fit its tool."""
        return any(self._faults.get(id(call)) for call in self._calls)

    def add(self) -> None:
        """A call of the tool in the field, its required arguments to be filled in."""
        tool = self._tools.get(self.tool.currentText().strip())
        if tool is None:
            self.tool.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        self._calls.append({"name": tool.name, "args": spelled_out(template(tool.schema))})
        self._empty_tool()
        self._show_list(len(self._calls) - 1)
        self.args.begin_typing()
        QTimer.singleShot(0, self, self._empty_tool)  # the field's own Return and its completer have their say too
        self.changed.emit()

    def ask_tool(self) -> None:
        """To the field that takes a tool's name, with all of them shown."""
        self.tool.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.tool.showPopup()

    def remove(self) -> None:
        """Take the selected call out of the answer."""
        row = self.list.currentRow()
        if 0 <= row < len(self._calls):
            self._faults.pop(id(self._calls.pop(row)), None)
            self._show_list(min(row, len(self._calls) - 1))
            self.changed.emit()

    # -- inside ----------------------------------------------------------------------------

    def _build(self) -> None:
        self.tool.setEditable(True)
        self.tool.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.tool.setAccessibleName("Tool to call")
        self.tool.setMinimumContentsLength(16)
        completer = self.tool.completer()
        assert completer is not None
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        edit = self.tool.lineEdit()
        assert edit is not None
        edit.textChanged.connect(self._tool_typed)
        edit.returnPressed.connect(self._returned)
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addWidget(self.tool, 1)
        top.addWidget(self.add_button)
        top.addWidget(self.remove_button)
        quiet(self.list)
        self.list.setAccessibleName("Calls in the answer")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMinimumWidth(110)
        self.list.setSpacing(2)
        self.list.currentRowChanged.connect(lambda _row: self._show_current())
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.about)
        column.addWidget(self.args, 1)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.addWidget(self.list)
        self._split.addWidget(right)
        self._split.setStretchFactor(1, 1)
        self._split.setSizes([160, 500])
        self._split.setChildrenCollapsible(False)
        self.hint = ElidedLabel("No tool is called: the answer ends the agent's turn.", muted=True)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(4)
        outer.addLayout(top)
        outer.addWidget(self.hint)
        outer.addWidget(self._split, 1)
        outer.addStretch(0)
        self.args.typed.connect(self._args_typed)
        self.args.checked.connect(self._checked)

    def _current(self) -> dict[str, str] | None:
        row = self.list.currentRow()
        return self._calls[row] if 0 <= row < len(self._calls) else None

    def _show_list(self, row: int) -> None:
        self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems([format.one_line(call["name"], 60) for call in self._calls])
        self.list.setCurrentRow(row)
        self.list.blockSignals(False)
        self._split.setVisible(bool(self._calls))
        self.hint.setVisible(not self._calls)
        self.remove_button.setVisible(bool(self._calls))
        self._tool_typed()
        self._show_current()

    def _show_current(self) -> None:
        call = self._current()
        if call is None:
            self.args.stop()
            return
        tool = self._tools.get(call["name"])
        self.about.set_text(tool.description if tool is not None else "This request has no such tool.")
        self.args.show_args(call["name"], call["args"], tool.schema if tool is not None else None)

    def _returned(self) -> None:
        if self.tool.currentText().strip() in self._tools:  # with its list open, the field tells of one Return twice
            self.add()

    def _empty_tool(self) -> None:
        self.tool.setCurrentIndex(-1)
        self.tool.clearEditText()

    def _tool_typed(self, _text: str = "") -> None:
        self.add_button.setEnabled(self.tool.currentText().strip() in self._tools)

    def _args_typed(self) -> None:
        if (call := self._current()) is not None:
            call["args"] = self.args.text()
            self._faults.pop(id(call), None)
            self.changed.emit()

    def _checked(self) -> None:
        if (call := self._current()) is not None:
            self._faults[id(call)] = self.args.fault
            if (item := self.list.item(self.list.currentRow())) is not None:
                item.setText(("! " if self.args.fault else "") + format.one_line(call["name"], 60))
            self.changed.emit()
