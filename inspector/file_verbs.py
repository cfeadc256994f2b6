"""What the commands of files do to the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.commands import Command

if TYPE_CHECKING:
    from inspector.window import MainWindow


def edit_commands(w: MainWindow) -> list[Command]:
    """Commands of the menu Edit."""
    return [
        Command("files.copy_path", "Copy the path of the file", lambda: copy_path(w), "Edit",
                enabled=lambda: w.desk is not None and w.desk.around["files"].table.current() is not None,
                hint="Of the one that is selected in Files: on the disk, else the one that the agent uses."),
    ]  # fmt: skip


def help_commands(w: MainWindow) -> list[Command]:
    """Commands of the menu Help."""
    return [
        Command("help.places", "Where files live", lambda: show_places(w), "Help",
                hint="Every place with what a file there survives, and those of the selected thread's agent."),
    ]  # fmt: skip


def copy_path(w: MainWindow) -> None:
    """Copy the path of the selected file."""
    if w.desk is not None:
        w.desk.around["files"].copy_path()
        w.status.show_note("Copied.")


def show_places(w: MainWindow) -> None:
    """The table of lifetimes."""
    from inspector.views.file_places import FilePlaces

    desk = w.desk
    dialog = FilePlaces(w.jobs, desk.opened.path if desk else None, desk.session.thread_id if desk else None, w)
    if desk is not None:
        desk.destroyed.connect(dialog.close)
    dialog.show()
