"""The command that makes a request again with the agent's own code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.commands import Command

if TYPE_CHECKING:
    from inspector.window import MainWindow


def rebuild_commands(w: MainWindow) -> list[Command]:
    """Commands of the menu Thread, and of a request."""
    return [
        Command("request.rebuild", "Rebuild this request with the agent's code…", lambda: rebuild(w), "Thread",
                enabled=lambda: can_rebuild(w), contexts=("request",), separated=True,
                hint="Of a main agent's request: runs that code in a process of its own, after asking; no model."),
    ]  # fmt: skip


def can_rebuild(w: MainWindow) -> bool:
    """Whether the selected request started from a checkpoint of a main agent."""
    row = w.session.request_row() if w.session is not None else None
    return row is not None and row.purpose == "agent" and row.depth == 0 and bool(row.checkpoint_id)


def rebuild(w: MainWindow) -> None:
    """Open the window that asks which agent and runs it."""
    from inspector.views.rebuild import open_rebuild  # with the views, after the first paint

    if w.session is not None and (row := w.session.request_row()) is not None:
        open_rebuild(w, row)
