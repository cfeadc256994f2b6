"""What the commands of the store do to the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.commands import Command

if TYPE_CHECKING:
    from inspector.desk import Desk
    from inspector.window import MainWindow


def file_commands(w: MainWindow) -> list[Command]:
    """Commands of the menu File."""

    def item() -> Any:
        return w.desk.around["store"].item if w.desk is not None and w.around.is_shown("store") else None

    return [
        Command("store.new", "New item in the store…", lambda: new(w), "File", enabled=w.can_write, separated=True,
                hint="Asks for a namespace and a key; the value is JSON."),
        Command("store.edit", "Edit the item of the store", lambda: item().edit(), "File",
                enabled=lambda: item() is not None and item().can_edit(),
                hint="The one that is selected in Store; refused when somebody changed it since."),
        Command("store.delete", "Delete the item of the store…", lambda: item().ask_delete(), "File",
                enabled=lambda: item() is not None and item().can_delete(),
                hint="The one that is selected in Store, after asking."),
    ]  # fmt: skip


def new(w: MainWindow) -> None:
    """Ask in the Store pane where a new item goes."""
    if w.desk is not None:
        w.around.show("store")
        w.desk.around["store"].ask_new()


def connect(w: MainWindow, desk: Desk) -> None:
    """From the Store pane to the commands, and to the dialog that deletes a namespace."""
    from inspector.memory_verbs import delete_namespace

    store = desk.around["store"]
    store.changed.connect(w.commands.refresh)
    store.delete_namespace.connect(lambda namespace: delete_namespace(w, namespace))
