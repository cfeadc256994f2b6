"""Who tells whom between a request's events and the panes of memory and skills."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from inspector import workbench

if TYPE_CHECKING:
    from inspector.desk import Desk
    from inspector.prefs import Prefs

SHARE = "memory_share"
"""Name of the preference, in percent."""


def connect(desk: Desk) -> None:
    """From an agent's edit to the file, and from a version of a file to the request that wrote it."""
    memory, skills, events = desk.around["memory"], desk.around["skills"], desk.request.why.events
    for pane in (memory, skills):
        pane.go_to_thread.connect(desk.session.select_thread)
        events.revert.reverted.connect(lambda _path, pane=pane: pane.refresh())
    events.revert.undecided.connect(partial(_decide, desk))


def remember(desk: Desk, prefs: Prefs) -> None:
    """From which share of the model's window on a memory file is too long: as it was set last."""
    share = desk.around["memory"].edit.bench.preview.share
    share.setValue(prefs.number(SHARE, share.value()))
    share.valueChanged.connect(lambda percent: prefs.set(SHARE, percent))


def _decide(desk: Desk, path: str, merge: object) -> None:
    name = "skills" if workbench.is_skill(path) else "memory"
    desk.show_pane(name)
    desk.around[name].put_merge(path, merge)
