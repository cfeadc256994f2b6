"""What the commands of memory and skills do to the window."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.commands import Command
from inspector.searching import Replaceable, searchable

if TYPE_CHECKING:
    from inspector.window import MainWindow

WHY = 5
"""Place of Why among the areas."""


def file_commands(w: MainWindow) -> list[Command]:
    """Commands of the menu File."""
    return [
        Command("memory.save", "Save the memory file, skill or item", lambda: save(w), "File", ("Ctrl+S",),
                enabled=lambda: _to_save(w) is not None, separated=True,
                hint="Refused when somebody changed it since it was opened; nothing is lost then."),
        Command("memory.delete", "Delete the memory file or skill…", lambda: delete(w), "File",
                enabled=lambda: _editor(w) is not None,
                hint="The one in the editor, after asking; its texts stay under Versions and can be restored."),
        Command("namespace.delete", "Delete everything in a namespace…", lambda: delete_namespace(w), "File",
                enabled=w.can_write,
                hint="Memories, skills or another part of the store: shows what would go, and proves that it went."),
    ]  # fmt: skip


def edit_commands(w: MainWindow) -> list[Command]:
    """Commands of the menu Edit."""

    def replace() -> None:
        if (editor := _to_replace(w)) is not None:
            editor.open_replace()

    return [
        Command("text.replace", "Replace in the text…", replace, "Edit", ("Ctrl+H",),
                enabled=lambda: _to_replace(w) is not None,
                hint="In the memory file, skill or item of the store that is edited; one undo takes it back."),
    ]  # fmt: skip


def go_commands(w: MainWindow) -> list[Command]:
    """Commands of the menu Go, and of a request."""

    def shown() -> bool:
        return w.desk is not None and w.desk.request.detail() is not None

    return [
        Command("why.events", "What else happened", lambda: show_events(w), "Go", ("V",), shown, scope="centre",
                contexts=("request",),
                hint="Events of the request: offloads, summaries, memory and skills loaded, read or edited."),
        Command("memory.revert_edit", "Revert the agent's edit…", lambda: show_events(w, True), "Go",
                enabled=lambda: shown() and w.can_write() and _edited(w), contexts=("request",),
                hint="Takes what the agent changed in a memory file out of it again, after asking; later edits stay."),
    ]  # fmt: skip


def thread_commands(w: MainWindow) -> list[Command]:
    """Commands of the menu Thread."""
    return [
        Command("prompt.try", "Try another system prompt…", lambda: try_prompt(w), "Thread",
                enabled=lambda: w.session is not None and w.session.thread_id is not None and w.can_write(),
                separated=True, contexts=("thread",),
                hint="Shows the next request before and after it. No model is called, and nothing is saved."),
    ]  # fmt: skip


def delete_namespace(w: MainWindow, chosen: str = "") -> None:
    """Show what deleting a namespace of the store would take, this one first, and ask."""
    from inspector.forgetting import namespace_deleted
    from inspector.views.deletion import NamespaceDialog

    desk = w.desk
    if desk is not None:
        dialog = NamespaceDialog(w.jobs, desk.opened.path, w, chosen)
        dialog.deleted.connect(partial(namespace_deleted, w, desk, dialog))
        dialog.setModal(True)
        dialog.show()


def try_prompt(w: MainWindow) -> None:
    """An editor with the prompt of the selected thread's agent."""
    from inspector.views.try_prompt import TryPrompt

    desk = w.desk
    if desk is not None and desk.session.thread_id is not None:
        dialog = TryPrompt(w.jobs, desk.opened.path, desk.session.thread_id, parent=w)
        desk.destroyed.connect(dialog.close)
        dialog.show()


def save(w: MainWindow) -> None:
    """Save the memory file or the skill that is edited."""
    if (editor := _to_save(w)) is not None:
        editor.save()


def delete(w: MainWindow) -> None:
    """Ask whether to delete the file in the editor."""
    if (editor := _editor(w)) is not None:
        editor.notes.ask_delete()


def show_events(w: MainWindow, ask_revert: bool = False) -> None:
    """Events of the selected request."""
    if w.desk is not None:
        w.centre.tabs.setCurrentWidget(w.centre.request)
        w.desk.request.show_area(WHY)
        w.desk.request.why.show_events(ask_revert)


def _edited(w: MainWindow) -> bool:
    row = w.session.request_row() if w.session is not None else None
    return row is not None and "memory edited" in row.events


def _editors(w: MainWindow) -> list[Any]:
    """Editors of memory, of skills and of items: the one with the keyboard first, then one that is seen."""
    if w.desk is None:
        return []
    found = [w.desk.around["memory"].edit, w.desk.around["skills"].edits.edit, w.desk.around["store"].edit]
    focus = w.focusWidget()
    return sorted(
        found,
        key=lambda editor: (not (focus is not None and editor.isAncestorOf(focus)), not editor.isVisible()),
    )


def _to_replace(w: MainWindow) -> Replaceable | None:
    """The text with the keyboard where it is edited, else an editor that is seen."""
    found = [searchable(w.focusWidget()), *(editor for editor in _editors(w) if editor.isVisible())]
    return next((one for one in found if isinstance(one, Replaceable) and one.can_replace()), None)


def _to_save(w: MainWindow) -> Any:
    return next((editor for editor in _editors(w) if editor.can_save()), None)


def _editor(w: MainWindow) -> Any:
    """The editor that is used, where its file can be deleted."""
    shown = (editor for editor in _editors(w) if editor.isVisible())
    return next((one for one in shown if one.buffer is not None and one.buffer.deletable), None)
