"""The commands of the window Agents: the table, and what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector import dialogs, format
from inspector.commands import Command, InPlace
from inspector.models.agents import threads_sentence
from inspector.views.palette import Palette

if TYPE_CHECKING:
    from inspector.views.agents import AgentsWindow

IN_PLACE = (
    InPlace("Anywhere", "Next field, previous field, as one reads", ("Tab", "Shift+Tab")),
    InPlace("Search agents", "Into the list", ("Down", "Return")),
    InPlace("Search agents", "All agents again", ("Escape",)),
    InPlace("Line of a list, subagent", "Moves it up or down", ("Alt+Up", "Alt+Down")),
    InPlace("Problems", "To the field", ("Return",)),
)
"""Keys that lists and fields have by themselves."""
SECTIONS = ("Model", "Prompt", "Tools", "Subagents", "Memory and skills", "Context", "Files", "Identity and rules")
"""Sections of the form, in order."""


def window_commands(w: AgentsWindow) -> list[Command]:
    """Every command of the window, in the order of its menus."""
    return [*_file(w), *_thread(w), *_go(w), *_help(w)]


def _file(w: AgentsWindow) -> list[Command]:
    def shown() -> bool:
        return w.id is not None

    return [
        Command("agent.new", "New agent", w.agents.create, "File", ("Ctrl+N",),
                hint="One that you answer for by hand, to be changed."),
        Command("agent.duplicate", "Duplicate", lambda: duplicate(w), "File", ("Ctrl+Shift+D",), shown,
                contexts=("agent",), hint="A copy of the agent as it is stored."),
        Command("agent.rename", "Rename", lambda: rename(w), "File", ("F2",), shown, contexts=("agent",),
                hint="Its threads keep it."),
        Command("agent.save", "Save", w.save, "File", ("Ctrl+S",), w.can_save, separated=True,
                hint="Refused when somebody else changed the agent since it was opened; nothing is lost then."),
        Command("agent.give_up", "Give up the changes…", lambda: give_up(w), "File", enabled=w.can_save,
                hint="The agent is again as it is stored."),
        Command("agent.delete", "Delete…", lambda: delete(w), "File", (), shown, separated=True, contexts=("agent",),
                hint="Names the threads that go on with it, and asks."),
        Command("agent.close", "Close", w.close, "File", ("Ctrl+W",), separated=True,
                hint="What is not saved is kept for the next time."),
    ]  # fmt: skip


def _thread(w: AgentsWindow) -> list[Command]:
    return [
        Command("agent.use", "Use for the selected thread", lambda: use(w), "Thread", ("Ctrl+Shift+T",), w.can_use,
                contexts=("agent",), hint="From its next run. Changes are saved first."),
        Command("agent.use_none", "No agent of these for the selected thread", lambda: use_none(w), "Thread",
                enabled=lambda: w.agents.of_thread(w.thread_id) is not None,
                hint="It goes on with its own, or the default one."),
        Command("agent.start", "New thread with the agent", lambda: start(w), "Thread", ("Ctrl+Shift+N",),
                lambda: w.id is not None, contexts=("agent",), hint="The next message starts it."),
    ]  # fmt: skip


def _go(w: AgentsWindow) -> list[Command]:
    def shown() -> bool:
        return w.form.edit is not None

    def problems() -> bool:
        return shown() and bool(w.form.problems.problems())

    return [
        *(Command(f"agent.section_{n}", f"To {title}", lambda n=n: w.form.show_section(n - 1), "Go",  # type: ignore[misc]
                  (f"Alt+{n}",), shown, hint="A section of the form.")
          for n, title in enumerate(SECTIONS, 1)),
        Command("agent.next_section", "Next section", lambda: w.form.step_section(1), "Go", ("Ctrl+PgDown",), shown,
                separated=True),
        Command("agent.previous_section", "Previous section", lambda: w.form.step_section(-1), "Go", ("Ctrl+PgUp",),
                shown),
        Command("agent.next_problem", "Next problem", lambda: w.form.problems.step(1), "Go", ("F8",), problems,
                separated=True, hint="To the field of what is wrong."),
        Command("agent.previous_problem", "Previous problem", lambda: w.form.problems.step(-1), "Go", ("Shift+F8",),
                problems),
        Command("agent.list", "To the list of agents", lambda: w.list.search.setFocus(), "Go", ("Ctrl+1",),
                separated=True),
        Command("agent.name", "To the name", w.form.name.setFocus, "Go", ("Ctrl+2",), shown),
    ]  # fmt: skip


def _help(w: AgentsWindow) -> list[Command]:
    return [
        Command("agent.palette", "Find a command…", lambda: Palette(w.commands, (), w).open(), "Help",
                ("Ctrl+Shift+P",), hint="Every command of this window by name."),
        Command("agent.keys", "Keys and commands", lambda: dialogs.KeysPage(w.commands, w).show(), "Help", ("F1",),
                hint="This page."),
    ]  # fmt: skip


def use(w: AgentsWindow) -> None:
    """Let the selected thread go on with the agent that is shown; changes are saved first."""
    id, thread = w.id, w.thread_id
    if id is not None and thread is not None:
        w.save(lambda: w.agents.assign(thread, id, lambda: w.assigned.emit(thread)))


def use_none(w: AgentsWindow) -> None:
    """Let the selected thread go on without an agent of these."""
    thread = w.thread_id
    if thread is not None:
        w.agents.assign(thread, None, lambda: w.assigned.emit(thread))


def start(w: AgentsWindow) -> None:
    """Begin a thread with the agent that is shown; changes are saved first."""
    id = w.id
    if id is not None:
        w.save(lambda: w.start_wanted.emit(id))


def duplicate(w: AgentsWindow) -> None:
    """A copy of the agent that is shown, as it is stored."""
    if w.id is not None:
        w.agents.duplicate(w.id)


def delete(w: AgentsWindow) -> None:
    """Delete the agent that is shown, after asking."""
    agent = w.agents.get(w.id) if w.id is not None else None
    if agent is None:
        return
    rest = " They go on with the default agent." if len(agent.threads) > 1 else ""
    rest = " It goes on with the default agent." if len(agent.threads) == 1 else rest
    question = f"Delete the agent “{format.one_line(agent.name, 80)}”? {threads_sentence(agent.threads)}{rest}"
    if w.ask(w, question, "Delete", "Cancel"):
        w.agents.delete(agent.id)


def give_up(w: AgentsWindow) -> None:
    """Forget what is not saved, after asking."""
    if w.id is not None and w.ask(w, "Give up what you changed here and did not save?", "Give it up", "Keep it"):
        w.form.note.clear()
        w.agents.load_theirs(w.id)


def rename(w: AgentsWindow) -> None:
    """Give the keyboard to the name."""
    w.form.name.setFocus()
    w.form.name.selectAll()
