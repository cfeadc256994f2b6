"""What the Store pane does to the store, each as one function for a job: list, read, open for editing, save, delete.

No Qt. The values that go to the pane are small: an item's own value is read when the item is shown.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EditConflict, InspectorError, UsageError
from engine.storing import StoreItem, StoreNamespace
from engine.trace.model import MemoryFile
from inspector import file_content, workbench
from inspector.drafts import Drafts
from inspector.exact_text import ExactText
from inspector.memory_files import Opened, Written
from inspector.models.shown_text import ShownText, shown

PAGE = 100
"""Items that are listed at once."""
DRAFT = "item "
NEW = "{\n}\n"
"""What a new item begins with."""


@dataclass(frozen=True, slots=True)
class ItemRow:
    """An item in the list, without its value."""

    key: str
    size: int
    """Bytes as stored."""
    created_at: float | None
    updated_at: float | None
    is_file: bool
    problem: str


@dataclass(frozen=True, slots=True)
class Page:
    """Some items of a namespace that a search lets through, by key."""

    namespace: str
    query: str
    rows: tuple[ItemRow, ...]
    total: int
    offset: int


@dataclass(frozen=True, slots=True)
class ReadItem:
    """One item made ready to draw: a file as its text, anything else as JSON."""

    item: StoreItem
    text: ShownText
    json: ShownText
    """The item as the store keeps it."""
    exact: str | None
    """The text that can be edited; None where there is none."""
    version: str
    """Of that text."""
    note: str
    """Why it is not shown as it is, or can't be read."""

    @property
    def as_file(self) -> bool:
        """Whether the text is that of a file, not JSON."""
        return self.item.is_file


@dataclass(frozen=True)
class OpenedItem(Opened):
    """An item made ready for the editor."""

    as_file: bool = False


def namespaces(path: Path) -> list[StoreNamespace]:
    """The namespaces that have items."""
    from engine.store import store_namespaces

    return store_namespaces(path)


def page(path: Path, namespace: str, query: str, offset: int, limit: int = PAGE, around: str = "") -> Page:
    """Items from ``offset`` on, or those about the key ``around``."""
    from engine.store import store_items

    found = store_items(path, namespace, query, limit, offset, around)
    rows = tuple(
        ItemRow(one.key, one.size, one.created_at, one.updated_at, one.is_file, one.problem) for one in found.items
    )
    return Page(namespace, query, rows, found.total, found.offset)


def read(path: Path, namespace: str, key: str) -> ReadItem:
    """An item as it stands."""
    from engine.store import store_item

    item = store_item(path, namespace, key)
    as_json = shown(item.json)
    if not item.is_file:
        exact = None if item.problem else item.json
        note = f"This value can't be read: {item.problem}. It is shown as it is stored." if item.problem else ""
        return ReadItem(item, as_json, as_json, exact, item.version, note)
    from engine.store import file_in

    try:
        file = file_in(item)
    except InspectorError as error:
        return ReadItem(item, as_json, as_json, None, item.version, str(error))
    content = file_content.content_of(key, file.data or b"")
    return ReadItem(item, shown(content.text), as_json, file.text, file.version, content.note)


def draft_name(namespace: str, key: str) -> str:
    """Under which unsaved text of an item is kept."""
    return DRAFT + json.dumps([namespace, key])


def left(workspace: Path, kept: Drafts) -> list[tuple[str, str]]:
    """Namespace and key of every item of which unsaved text lies on disk, and that no window is writing."""
    names = [name for name in kept.waiting(workspace) if name.startswith(DRAFT)]
    return [(namespace, key) for namespace, key in (json.loads(name.removeprefix(DRAFT)) for name in names)]


def as_file_of(found: ReadItem) -> MemoryFile:
    """The item as a buffer knows files."""
    item = found.item
    return MemoryFile(item.key, found.exact, found.version, item.size, "store", None, None, within=item.namespace)


def open_item(path: Path, namespace: str, key: str, workspace: Path | None, kept: Drafts) -> OpenedItem:
    """Take an item apart for the editor, with the unsaved text that was left of it; one that isn't there is new."""
    try:
        found = read(path, namespace, key)
    except UsageError:
        file = MemoryFile(key, None, "", 0, "store", None, None, within=namespace)
        as_file, reason = False, ""
    else:
        file, as_file = as_file_of(found), found.as_file
        reason = "" if found.exact is not None else found.note
    exact = ExactText.of(file.text or "")
    if workspace is None or reason:
        return OpenedItem(file, exact, None, None, 0, None, reason or "This source is only read.", as_file=as_file)
    slot, draft, more = kept.adopt(workspace, draft_name(namespace, key))
    if draft is not None and ExactText.of(draft.base_text).edited(draft.text) == file.text:
        slot.discard(0)
        draft = None
    base = ExactText.of(draft.base_text) if draft is not None else None
    return OpenedItem(file, exact, slot, draft, more, base, "", as_file=as_file)


def save(
    workspace: Path, namespace: str, key: str, as_file: bool, base: ExactText, typed: str, version: str
) -> Written:
    """Save an edited text over the version it was made from. Raises ``EditConflict`` over another one."""
    text = base.edited(typed)
    workbench.refuse_undecided(base.exact, text)
    if as_file:
        from engine.store import save_file

        return Written(typed, ExactText.of(text), save_file(workspace, namespace, key, text, version).version)
    from engine.store import save_item

    try:
        saved = save_item(workspace, namespace, key, text, version)
    except EditConflict as conflict:
        raise _with_text(conflict, workspace, namespace, key) from conflict
    return Written(typed, ExactText.of(saved.json), saved.version)


def _with_text(conflict: EditConflict, path: Path, namespace: str, key: str) -> EditConflict:
    """The conflict with what is stored as the editor would show it."""
    try:
        now = read(path, namespace, key)
    except UsageError:
        return EditConflict(str(conflict), None, "")
    return EditConflict(str(conflict), now.exact, now.version)


def delete(workspace: Path, namespace: str, key: str, version: str) -> None:
    """Delete an item as it was seen. Raises ``EditConflict`` over another one."""
    from engine.store import delete_item

    delete_item(workspace, namespace, key, version)
