"""What the memory pane does to files, each as one function for a job: open, save, keep a draft.

No Qt. A function here may take as long as a disk does; none may be called on the GUI thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import InspectorError
from engine.trace.model import MemoryFile
from inspector import drafts, file_content, workbench
from inspector.drafts import Draft, Drafts, Slot
from inspector.exact_text import ExactText


@dataclass(frozen=True)
class Opened:
    """A memory file made ready for the editor."""

    file: MemoryFile
    exact: ExactText
    """Of the file; empty for a missing one, of the preview for one that isn't text."""
    slot: Slot | None
    draft: Draft | None
    more_drafts: int
    draft_text: ExactText | None
    """What the draft was made from."""
    read_only: str
    """Why it can't be edited; empty when it can."""
    elsewhere: bool = False
    """The file is out of reach: ``exact`` is the copy that the thread loaded."""
    thread_id: str = ""
    """Of the thread whose agent has the file; empty where it can't be saved."""

    @property
    def missing(self) -> bool:
        """Whether there is no such file."""
        return _missing(self.file) and not self.elsewhere


@dataclass(frozen=True)
class Written:
    """What a save wrote."""

    shown: str
    exact: ExactText
    version: str


def copied_only(file: MemoryFile) -> bool:
    """Whether only the thread's copy of it is within reach, as in somebody else's database."""
    return bool(file.problem) and not file.version and file.text is None and file.in_thread is not None


def open_file(reader: Any, thread_id: str, file: MemoryFile, workspace: Path | None, kept: Drafts) -> Opened:
    """Take a file apart for the editor, with the unsaved text that was left of it."""
    exact, reason = ExactText.of(file.text or ""), ""
    if workspace is None and copied_only(file):
        says = "It can be read, not edited: shown is the copy that the thread loaded, the file itself is not here."
        if not file.in_thread:
            says = "The file itself is not here, and the copy that the thread loaded is empty: nothing can be shown."
        return Opened(file, ExactText.of(file.in_thread or ""), None, None, 0, None, says, elsewhere=True)
    if file.text is None and file.version:
        content = file_content.content_of(file.path, reader.file(thread_id, file.path))
        exact, reason = ExactText.of(content.text), content.note or file.problem or "It is not text."
    elif workspace is None:
        reason = "This source is not a workspace: its memory can be read, not edited."
    elif file.read_only:
        reason = file.read_only
    if reason or workspace is None:
        return Opened(file, exact, None, None, 0, None, reason)
    slot, draft, more = kept.adopt(workspace, draft_name(file))
    if draft is not None and _is_stored(draft, file):
        slot.discard(0)
        draft = None
    base = ExactText.of(draft.base_text) if draft is not None else None
    return Opened(file, exact, slot, draft, more, base, "", thread_id=thread_id)


def draft_name(file: MemoryFile) -> str:
    """Under which unsaved text is kept: agents may have different files at one path."""
    return f"{file.path} in {file.within}" if file.within else file.path


def place_of(name: str) -> str:
    """Where the file lies whose unsaved text is kept under this name; empty where the name doesn't tell."""
    return name.rpartition(" in ")[2] if " in " in name else ""


def save(workspace: Path, path: str, thread_id: str, base: ExactText, shown: str, version: str) -> Written:
    """Save an edited text over the version it was made from. Raises ``EditConflict`` over another one."""
    from engine import save_memory

    text = base.edited(shown)
    workbench.refuse_undecided(base.exact, text)
    saved = save_memory(workspace, path, text, version, thread_id=thread_id or None)
    return Written(shown, ExactText.of(text), saved.version)


def keep_draft(slot: Slot, turn: int, workspace: Path, path: str, version: str, base: ExactText, shown: str) -> bool:
    """Write the unsaved text to the user's state folder."""
    try:
        return slot.write(drafts.draft(workspace, path, version, base.exact, shown), turn)
    except OSError as error:
        raise InspectorError(
            f"Unsaved text of {path} can't be kept on disk: {error.strerror or error}. "
            "It is only in this window until it is saved."
        ) from error


def discard_draft(slot: Slot, turn: int) -> None:
    """Forget the unsaved text: it was saved or given up."""
    try:
        slot.discard(turn)
    except OSError:
        pass  # it is offered once more, and dropped when it equals the file


def _missing(file: MemoryFile) -> bool:
    """Whether nothing is there: a folder, or what can't be read, is something."""
    return not file.version and file.text is None and file.state != "stops"


def _is_stored(draft: Draft, file: MemoryFile) -> bool:
    if file.text is None:
        return False
    return ExactText.of(draft.base_text).edited(draft.text) == file.text
