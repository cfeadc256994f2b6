"""Section Memory and skills of an agent's form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from inspector.views.agents_lines import Lines, TextMember
from inspector.views.agents_page import Page, Row, by_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.blueprint import Problem


def paths(what: str, first: str, empty: str) -> Lines:
    """Paths of the agent in order."""
    hint = "A path as the agent sees it, from /"
    return Lines(what, lambda: TextMember(f"Path of a {what}", hint), lambda: first, empty=empty)


class ListPage(Page):
    """A section with lists: what is wrong with a member stands under it, the rest under the list."""

    def show_problems(self, row: Row, problems: Sequence[Problem]) -> None:
        """Under the member where there is one."""
        if isinstance(row.widget, Lines):
            found = by_index(problems, row.field)
            shown = len(row.widget.members())
            row.widget.show_problems(found)
            inside = {id(each) for at, some in found.items() if at < shown for each in some}
            problems = [each for each in problems if id(each) not in inside]
        super().show_problems(row, problems)


class MemoryPage(ListPage):
    """Which memory files are sent, and where skills are looked for."""

    title = "Memory and skills"
    about = "Paths as the agent sees them; Files says where each lies. Alt+Up and Alt+Down move a line."

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.memory = paths("memory file", "/memories/", "No memory: nothing is added to the system prompt.")
        self.skills = paths("folder of skills", "/skills/", "No skills.")
        self.bind("memory", "Memory files", self.memory,
                  hint="Loaded once a thread, in this order, into the system message. One that is missing is passed "
                  "over.")  # fmt: skip
        self.bind("skills", "Folders of skills", self.skills,
                  hint="Searched for */SKILL.md; of two skills of one name the last counts.")  # fmt: skip
