"""After something was deleted for good: nothing that was typed for it, and nothing remembered of it, stays here.

The file itself is the engine's affair; this is what the window keeps beside it: unsent messages and answers, unsaved
texts, a system prompt that is being tried, the place in a thread.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from inspector import memory_files, store_items, workbench
from inspector.drafts import Drafts

if TYPE_CHECKING:
    from inspector.desk import Desk
    from inspector.views.deletion import DeletionDialog
    from inspector.window import MainWindow


def thread_deleted(w: MainWindow, desk: Desk, dialog: DeletionDialog, thread_id: str) -> None:
    """Forget what belongs to a thread."""
    from inspector.views.if_saved import IfSaved
    from inspector.views.try_prompt import TryPrompt

    for prompt in w.findChildren(TryPrompt):
        if prompt.thread_id == thread_id:
            prompt.forget()
    for shown in w.findChildren(IfSaved):
        if shown.thread_id == thread_id:
            shown.close()
    w.composer.forget(thread_id)
    w.answering.drafts.forget(thread_id)
    if desk.session.thread_id == thread_id:
        desk.session.select_thread(None)
    w.prefs.forget_thread(desk.source, thread_id)
    w.prefs.sync()
    _drop(w, desk.opened.path, dialog, thread_id, "")
    desk.session.poll()


def namespace_deleted(w: MainWindow, desk: Desk, dialog: DeletionDialog, namespace: str) -> None:
    """Forget what was typed into files and items of a namespace, and what belongs to the threads that went along."""
    for name in ("memory", "skills", "store"):
        desk.around[name].forget(partial(is_below, namespace))
    for thread_id in dialog.plan.threads if dialog.plan is not None else ():
        thread_deleted(w, desk, dialog, thread_id)
    _drop(w, desk.opened.path, dialog, "", namespace)
    desk.session.poll()


def is_below(namespace: str, within: str) -> bool:
    """Whether a namespace is this one or one below it."""
    return f"{within}.".startswith(f"{namespace}.")


def drop_drafts(kept: Drafts, workspace: Path, thread_id: str, namespace: str) -> list[str]:
    """Delete unsaved texts on the disk; gives those that another window is writing. Runs in a job."""

    def wanted(name: str) -> bool:
        if thread_id and name == workbench.prompt_name(thread_id):
            return True
        return bool(namespace) and is_below(namespace, _place_of(name))

    return kept.forget(workspace, wanted)


def _place_of(name: str) -> str:
    """The namespace that a draft's name speaks of; empty for none."""
    if name.startswith(store_items.DRAFT):
        return str(json.loads(name.removeprefix(store_items.DRAFT))[0])
    return memory_files.place_of(name)


def _drop(w: MainWindow, path: Path, dialog: DeletionDialog, thread_id: str, namespace: str) -> None:
    w.jobs.run(
        "Forgetting what was typed", drop_drafts, Drafts(), path, thread_id, namespace,
        done=dialog.tell_left, failed=dialog.tell,
    )  # fmt: skip
