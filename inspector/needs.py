"""What a command waits for while it can't be run, in words for the palette."""

from __future__ import annotations

_FILE, _THREAD, _REQUEST = "an open file", "a selected thread", "a selected request"
_OWN = "a workspace that can be written"
_BY_ID = {
    "file.reload": _FILE, "file.check": _FILE, "share.import": _OWN, "store.new": _OWN, "thread.new": _OWN,
    "thread.agents": _OWN, "thread.agent": "a thread that was given an agent",
    "thread.send": "a message in the field below, and no run under way",
    "thread.stop": "a run under way in this thread",
    "thread.resume": "a run that failed or was stopped before it was done", "thread.next_run": "a run under way",
    "thread.compact": f"{_THREAD} in {_OWN}, and no run under way in it", "thread.failure": _THREAD,
    "focus.answer": "a thread that waits for an answer",
    "thread.delete": f"{_THREAD} in {_OWN}", "thread.mark": f"{_THREAD} in {_OWN}",
    "thread.note": f"{_THREAD} in {_OWN}", "thread.copy_id": _THREAD, "share.export": _THREAD,
    "request.mark": f"{_REQUEST} in {_OWN}", "request.note": f"{_REQUEST} in {_OWN}", "request.copy": _REQUEST,
    "request.rebuild": "a main agent's request that started from a checkpoint",
    "go.back": "something that was looked at before", "go.forward": "a step back before it",
    "raw.cut": "Raw ↔ Effective in front, and a summary in force",
    "raw.next_difference": "Raw ↔ Effective or Diff in front",
    "raw.previous_difference": "Raw ↔ Effective or Diff in front",
    "diff.before": "a baseline", "memory.save": "a memory file, a skill or an item with changes",
    "text.replace": "a memory file, a skill or an item that is edited",
    "share.copy_area": "an area in front that can be copied",
    "share.copy_message": "a selected message in Messages or Raw ↔ Effective",
}  # fmt: skip
_BY_GROUP = {
    "text": "a text that is shown", "go": "a thread with requests", "area": _REQUEST, "share": _REQUEST,
    "diff": _REQUEST, "why": _REQUEST, "chart": "a thread with requests",
    "files": "a selected file in Files", "memory": "an open memory file or skill",
    "store": f"a selected item in Store, and {_OWN}",
    "answer": "a thread that waits for a decision", "hand": "a request that waits for an answer by hand",
    "namespace": f"a file of the store in {_OWN}", "secret": "a text with likely secrets", "prompt": _REQUEST,
}  # fmt: skip


def needs(command_id: str) -> str:
    """What must be there first; empty where that is not known."""
    return _BY_ID.get(command_id) or _BY_GROUP.get(command_id.partition(".")[0], "")
