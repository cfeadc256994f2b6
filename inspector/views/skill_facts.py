"""What is known of the selected skill: where it was listed, read and pinned, its tools, its files, its drift."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from engine.trace.model import SkillDrift
from inspector import format
from inspector.models.skills import SkillItem, runs
from inspector.panes import plain_label
from inspector.views.facts import Facts
from inspector.views.flow import Flow
from inspector.views.plain_text import Link

MOST_RUNS = 4
"""Runs of requests that are linked one by one: the first ones, and the last one of more."""

_DRIFT: dict[SkillDrift, str] = {
    "none": "= as the file stands",
    "not-loaded": "no menu yet: its first run loads one",
    "file-newer": "≠ the file was changed since the thread loaded its menu",
    "file-gone": "≠ the file is gone, the menu still lists it",
    "file-new": "≠ a new thread lists it, this one does not",
}


class Words(QWidget):
    """Words and links in as many lines as they need."""

    def __init__(self, *parts: QWidget) -> None:
        super().__init__()
        self._flow = flow = Flow(self, spacing=4)
        self._parts = parts
        high = self.fontMetrics().height() + 4
        for part in parts:
            part.setFixedHeight(high)
            flow.addWidget(part)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        """What the present width needs."""
        return QSize(120, self._high())

    def minimumSizeHint(self) -> QSize:
        """As high as the present width needs."""
        return QSize(40, self._high())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width may need another number of lines."""
        super().resizeEvent(event)
        if self._high() != self.height():
            self.updateGeometry()

    def _high(self) -> int:
        return self._flow.heightForWidth(max(40, self.width()))

    def text(self) -> str:
        """All of it."""
        return " ".join(part.text() for part in self._parts)  # type: ignore[attr-defined]


class SkillFacts(Facts):
    """The facts of one skill, open from the start."""

    go_to_request = Signal(int)
    file_chosen = Signal(str)
    """The path of one of its files, to be read."""

    def __init__(self) -> None:
        super().__init__()
        self.open_details()

    def show_skill(self, item: SkillItem | None, links: Sequence[QWidget] = ()) -> None:
        """Show another skill; None for none."""
        if item is None:
            self.set_facts("")
            return
        skill = item.skill
        rows: list[tuple[str, str | QWidget]] = [
            ("Listed", self._requests(item, skill.listed_requests, skill.listed_in)),
            ("Read", self._requests(item, skill.read_in)),
            ("Pinned", self._requests(item, skill.pinned_in) if skill.pinned_in else ""),
            ("Discloses", self._tools(item)),
            ("Recommends", ", ".join(skill.allowed_tools)),
            ("In thread", _DRIFT[skill.drift] if skill.drift is not None else ""),
            ("Files", self._files(item) if skill.helpers else ""),
        ]
        self.set_facts(skill.path, rows, links)

    def _requests(self, item: SkillItem, numbers: Sequence[int], count: int | None = None) -> QWidget:
        many = len(numbers) if count is None else count
        if not many:
            return plain_label("in no request", muted=True)
        found = runs(numbers)
        shown = found if len(found) <= MOST_RUNS else (*found[: MOST_RUNS - 1], found[-1])
        parts: list[QWidget] = [plain_label(f"in {format.count(many, 'request')}" + (":" if found else ""))]
        for n, (first, last) in enumerate(shown):
            if len(found) > MOST_RUNS and n == MOST_RUNS - 1:
                parts.append(plain_label("…", muted=True))
            parts.append(self._number(item, first))
            if last > first:
                parts += [plain_label("to" if last > first + 1 else "and", muted=True), self._number(item, last)]
        return Words(*parts)

    def _number(self, item: SkillItem, number: int) -> QWidget:
        request = item.requests.get(number)
        if request is None:
            return plain_label(f"#{number}")
        link = Link(f"#{number}", partial(self.go_to_request.emit, request))
        link.setAccessibleName(f"To request {number}")
        return link

    def _tools(self, item: SkillItem) -> str:
        skill = item.skill
        if not skill.tools:
            return ""
        told = ", ".join(skill.tools)
        if skill.disclosed:
            return f"{told} · in the last request: {', '.join(skill.disclosed)}"
        return f"{told} · none of them yet"

    def _files(self, item: SkillItem) -> QWidget:
        skill = item.skill
        folder = skill.path.rsplit("/", 1)[0] + "/"
        found: list[QWidget] = [_file("SKILL.md", skill.path, self.file_chosen.emit)]
        for path, size in skill.helpers:
            name = f"{path.removeprefix(folder)} · {format.size(size)}"
            found.append(_file(name, path, self.file_chosen.emit))
        return Words(*found)


def _file(name: str, path: str, choose: Callable[[str], object]) -> Link:
    link = Link(format.elide_middle(format.one_line(name), 48), partial(choose, path))
    link.setToolTip(format.tip(path))
    return link
