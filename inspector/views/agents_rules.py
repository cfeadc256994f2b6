"""Section Rules of an agent's form: for whom it runs, what its file tools may do, and what is asked before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from inspector.panes import plain_label
from inspector.views.agents_fields import ChoiceField, LineField
from inspector.views.agents_lines import Lines, Member
from inspector.views.agents_page import Page, Row
from inspector.views.agents_texts import ListPage
from inspector.views.tick import Tick

OPERATIONS = ("read", "write")
MODES = (("allow", "allow"), ("deny", "deny"), ("interrupt", "ask first"))
DECISIONS = ("approve", "edit", "reject", "respond")


class Ticks(QWidget):
    """Some of a few words."""

    edited = Signal(object)

    def __init__(self, name: str, words: Sequence[str]) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 0)
        row.setSpacing(10)
        self.boxes: dict[str, Tick] = {}
        self._other: list[str] = []
        for word in words:
            box = Tick(word)
            box.setAccessibleName(f"{name}: {word}")
            box.clicked.connect(lambda _on: self.edited.emit(self.value()))
            row.addWidget(box)
            self.boxes[word] = box
        self.setFocusProxy(self.boxes[words[0]])

    def fill(self, values: Sequence[str]) -> None:
        """Show these."""
        self._other = [each for each in values if each not in self.boxes]
        for word, box in self.boxes.items():
            box.setChecked(word in values)

    def value(self) -> list[str]:
        """The words that are ticked."""
        return [*(word for word, box in self.boxes.items() if box.isChecked()), *self._other]


class _Identity(QWidget):
    """Tenant and user; none of them is no identity."""

    edited = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.tenant, self.user = LineField("Tenant", "tenant"), LineField("User", "user")
        self.setFocusProxy(self.tenant)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for words, field in (("Tenant", self.tenant), ("User", self.user)):
            row.addWidget(plain_label(words, muted=True))
            row.addWidget(field, 1)
            field.edited.connect(lambda _text: self.edited.emit(self.value()))

    def fill(self, value: Any) -> None:
        """Show an identity."""
        given = value or {}
        self.tenant.fill(given.get("tenant"))
        self.user.fill(given.get("user"))

    def value(self) -> Any:
        """The identity as typed."""
        tenant, user = self.tenant.text(), self.user.text()
        return {"tenant": tenant, "user": user} if tenant or user else None


class _Permission(Member):
    """Operations, paths and what the rule does."""

    def __init__(self) -> None:
        super().__init__()
        self.mode = ChoiceField("Rule", MODES)
        self.operations = Ticks("Operation", OPERATIONS)
        self.paths = LineField("Paths of the rule", "/private/**, /notes/*.md")
        self._filled: tuple[str, list[str]] = ("", [])
        """The paths as they are written here, and themselves: those that are not touched stay as they are."""
        self.setFocusProxy(self.mode)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(self.mode)
        row.addWidget(self.operations)
        row.addWidget(self.paths, 1)
        for field in (self.mode, self.operations, self.paths):
            field.edited.connect(lambda _value: self.edited.emit())

    def fill(self, value: Any) -> None:
        """Show a rule."""
        self.mode.fill(value.get("mode"))
        self.operations.fill(value.get("operations") or ())
        given = list(value.get("paths") or ())
        if given != self._paths():
            self.paths.fill(", ".join(given))
            self._filled = self.paths.text(), given

    def value(self) -> Any:
        """The rule as typed."""
        return {"operations": self.operations.value(), "paths": self._paths(), "mode": self.mode.value()}

    def _paths(self) -> list[str]:
        if self.paths.text() == self._filled[0]:
            return self._filled[1]
        return [part for each in self.paths.text().split(",") if (part := each.strip())]


class _Interrupt(Member):
    """A tool, and what may be decided before it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.tool = LineField("Tool to ask for", "write_file")
        self.decisions = Ticks("Decision", DECISIONS)
        self.setFocusProxy(self.tool)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(self.tool, 1)
        row.addWidget(self.decisions)
        self.tool.edited.connect(lambda _text: self.edited.emit())
        self.decisions.edited.connect(lambda _words: self.edited.emit())

    def fill(self, value: Any) -> None:
        """Show a tool and its decisions; none of them is every one."""
        tool, decisions = value
        self.tool.fill(tool)
        self.decisions.fill(decisions)

    def value(self) -> Any:
        """The same pair."""
        return self.tool.text(), self.decisions.value()


class RulesPage(ListPage):
    """For whom the agent runs and what it may do."""

    title = "Identity and rules"
    about = "For whom the agent runs, what its file tools may do, and before which tools you are asked."

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.identity = _Identity()
        new_rule = {"operations": ["read", "write"], "paths": ["/**"], "mode": "deny"}
        self.permissions = Lines("rule", _Permission, lambda: dict(new_rule),
                                 empty="No rules: every file may be read and written.")  # fmt: skip
        self.interrupts = Lines(
            "tool", _Interrupt, lambda: ("", []), ordered=False, add="Ask before a tool", name_of=lambda pair: pair[0],
            empty="Nothing is asked: every tool runs at once.",
        )  # fmt: skip
        self.bind("identity", "Identity", self.identity,
                  hint="The runtime context. {tenant} and {user} in a namespace stand for it; the model never "
                  "sees it.")  # fmt: skip
        self.bind("permissions", "Rules for files", self.permissions,
                  hint="The first that fits counts, and what none fits is allowed. Paths are parted by commas; ** "
                  "crosses folders.")  # fmt: skip
        self.add("interrupts", "Ask before", self.interrupts,
                 hint="What may be decided: let the call run, change it, refuse it, or answer in the tool’s place. "
                 "None ticked means all of them.")  # fmt: skip
        self.interrupts.edited.connect(lambda pairs: self._put("interrupts", dict(pairs)))

    def fill(self, edit: Any) -> None:
        """Also what is asked."""
        self.identity.fill(edit.get("identity"))
        self.permissions.fill(edit.get("permissions"))
        self.interrupts.fill(list((edit.get("interrupts") or {}).items()))

    def show_problems(self, row: Row, problems: Any) -> None:
        """Under the tool that they name."""
        if row.widget is not self.interrupts:
            super().show_problems(row, problems)
            return
        tools = [member.value()[0] for member in self.interrupts.members()]
        found: dict[int, list[Any]] = {}
        for each in problems:
            for at, tool in enumerate(tools):
                if each.field == f"interrupts[{tool}]":
                    found.setdefault(at, []).append(each)
        self.interrupts.show_problems(found)
        Page.show_problems(self, row, [each for each in problems if not any(each in some for some in found.values())])
