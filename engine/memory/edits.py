"""Edits that agents made to memory and skill files: what each changed, where it may have it from, and its way back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from engine.errors import EditConflict, UsageError
from engine.memory.calls import EDIT, FileCall, calls_on
from engine.memory.merge import MergeConflict, merge_texts
from engine.memory.stored import StoredMemory, delete_memory, read_memory, save_memory
from engine.memory.versions import attributed, texts_of
from engine.places import Layout, Located
from engine.trace.book import Book
from engine.trace.content import text_of
from engine.trace.files import Files
from engine.trace.layouts import layout_of
from engine.workbench import AgentEdit

REVERTED = "an agent's edit reverted"
_TELLING = 24  # characters of a line that stand somewhere else by no accident


def agent_edits(book: Book, thread_id: str | None = None, path: str | None = None) -> list[AgentEdit]:
    """Edits that took effect, in their order: of one thread or all, of one file or all memory and skill files."""
    calls = calls_on(book, path, thread_id)
    found: list[tuple[FileCall, str | None, str | None]] = []
    for located, file in dict.fromkeys(_kept(book, calls)):
        before = None
        for text, made_by in attributed(book, located, file, texts_of(book, located, file)):
            if made_by is not None and thread_id in {None, made_by.thread_id}:
                found.append((made_by, before, text.text))
            before = text.text
    kept = {(call.request, call.id) for call, _, _ in found}
    edits = [_edit(call, before, after, True) for call, before, after in found]
    edits += _worked_out(book, [call for call in calls if (call.request, call.id) not in kept])
    return sorted(edits, key=lambda edit: (edit.at, edit.request))


def copied_lines(book: Book, edit: AgentEdit) -> list[tuple[int, str]]:
    """Lines of the new text that stood word for word in a tool's result before: line in ``new``, the tool's name.

    What an agent takes from a web page or a file into its memory, it will take for its own later.
    """
    row = book.one("SELECT raw_node FROM requests WHERE id = ?", (edit.request,))
    known = set(edit.old.splitlines()) | set((edit.before or "").splitlines())
    wanted = {
        number: line.strip()
        for number, line in enumerate(edit.new.splitlines(), start=1)
        if len(line.strip()) >= _TELLING and line not in known
    }
    found: dict[int, str] = {}
    for part, kind, _, _ in book.path_of(row[0] if row else None):
        if kind == "tool" and len(found) < len(wanted):
            data = book.value(part).get("data") or {}
            text = text_of(data.get("content"))
            for number, line in wanted.items():
                if number not in found and line in text:
                    found[number] = str(data.get("name") or "a tool")
    return sorted(found.items())


def revert_edit(
    workspace_path: str | Path, request_id: int, tool_call_id: str | None, path: str, base_version: str
) -> StoredMemory | None:
    """Take one edit out of the file as it stands, keeping what came after it; None where the file is deleted by it.

    ``base_version`` is the version that was seen.

    Raises:
        UsageError: there is no such edit, or its texts are not known.
        MergeConflict: later edits changed the same lines; nothing was written. Its ``merge`` has both.
        EditConflict: the file is another one by now.
    """
    with closing(Book(Path(workspace_path))) as book:
        edits = agent_edits(book, path=path)
    edit = next((one for one in edits if (one.request, one.tool_call_id) == (request_id, tool_call_id)), None)
    if edit is None or edit.after is None or (edit.before is None and not edit.created):
        raise UsageError("What this edit changed is not known, so it can't be taken back by itself.")
    thread_id = edit.thread_id
    now = read_memory(workspace_path, path, thread_id)
    if now.version != base_version:
        raise EditConflict(f"{path} was changed after it was opened here. Nothing was written.", now.text, now.version)
    if edit.created and now.text == edit.after:
        delete_memory(workspace_path, path, base_version, thread_id)
        return None
    merge = merge_texts(edit.after, now.text or "", edit.before or "")
    if not merge.clean:
        sentence = f"Later edits changed the same lines of {path} as this one. Decide what stays; nothing was written."
        raise MergeConflict(sentence, now.text, now.version, merge)
    return save_memory(workspace_path, path, merge.text, base_version, REVERTED, thread_id)


def _kept(book: Book, calls: Iterable[FileCall]) -> Iterator[tuple[Located, str]]:
    """Where each call's file lies, of those whose texts are kept."""
    layouts: dict[str, Layout] = {}
    for call in calls:
        if call.thread_id not in layouts:
            layouts[call.thread_id] = layout_of(book.rows, call.thread_id)
        located = layouts[call.thread_id].locate(call.path)
        if located.kind != "state":
            yield located, call.path


def _worked_out(book: Book, calls: Iterable[FileCall]) -> list[AgentEdit]:
    """Edits of files whose texts were not kept: from what the thread loaded, and the calls since."""
    waiting = list(calls)
    effective = {
        (request, call_id)
        for request, call_id in book.rows(
            "SELECT request, json_extract(data, '$.tool_call_id') FROM events WHERE kind = 'memory edited'"
        )
    }
    waiting = [call for call in waiting if (call.request, call.id) in effective]
    texts: dict[tuple[str, str], str | None] = {}
    edits = []
    for call in waiting:
        key = (call.thread_id, call.path)
        if key not in texts:
            loaded = Files(book).state(call.thread_id)[1].get("memory_contents")
            texts[key] = loaded.get(call.path) if isinstance(loaded, dict) else None
        before = texts[key]
        after = call.new if call.tool != EDIT else None if before is None else call.applied_to(before)
        texts[key] = after
        edits.append(_edit(call, before if after is not None else None, after, False))
    return edits


def _edit(call: FileCall, before: str | None, after: str | None, certain: bool) -> AgentEdit:
    return AgentEdit(
        path=call.path,
        thread_id=call.thread_id,
        request=call.request,
        request_number=call.number,
        agent=call.agent,
        tool=call.tool,
        tool_call_id=call.id,
        at=call.at,
        before=before,
        after=after,
        old=call.old,
        new=call.new,
        created=certain and before is None,
        certain=certain,
    )
