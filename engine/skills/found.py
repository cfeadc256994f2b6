"""Every SKILL.md that a thread's agent could find: listed or not and why, beside what the model sees of it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.kinds import block_kind
from engine.lifetimes import PLACE_OF_KIND
from engine.memory.stored import version_of
from engine.places import SKILLS, Layout
from engine.skills.engine_parser import menu_of
from engine.skills.parsing import check_skill, menu_line
from engine.trace.book import Book
from engine.trace.content import text_of
from engine.trace.files import Files, content_of, size_of
from engine.trace.model import Event, SkillDrift, SkillRow
from engine.workbench import SkillCheck

_FILE = "SKILL.md"
_CHARS_A_TOKEN = 4
_MENU_LINE = re.compile(r"^  -> Read `(.+)` for full instructions$", re.MULTILINE)


@dataclass(slots=True)
class _Seen:
    """Requests of a thread in which each skill showed, by path."""

    listed: dict[str, list[int]] = field(default_factory=dict)
    read: dict[str, list[int]] = field(default_factory=dict)
    pinned: dict[str, list[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Folders:
    """Where the agent looks for skills."""

    sources: list[str]
    linked: Mapping[str, str]
    """Folders that lie elsewhere, and the source with the link to each."""
    circles: Mapping[str, str]
    """Sources that the engine can't list, and the link in each that leads in a circle."""

    def circle(self, path: str) -> str | None:
        """The link that keeps the engine from listing this file's source."""
        source = self.linked.get(path.removesuffix(f"/{_FILE}"))
        sources = [source] if source is not None else [one for one in self.sources if path.startswith(one)]
        return next((self.circles[one] for one in sources if one in self.circles), None)

    def depth(self, path: str) -> int | None:
        """Folders between a source and the file: 1 where the engine looks; None for a file under no source."""
        if path.removesuffix(f"/{_FILE}") in self.linked:
            return 1
        bases = [base for base in (f"{source.rstrip('/')}/" for source in self.sources) if path.startswith(base)]
        depths = [path.removeprefix(base).count("/") for base in bases]
        return 1 if 1 in depths else min(depths, default=None)

    def menu(self, files: Mapping[str, bytes]) -> list[dict[str, Any]]:
        """What an agent would load of these files now; one behind a link has its real path there too."""
        real: dict[str, str] = {}
        for path in files:
            if self.circle(path) is not None:
                continue
            folder = path.removesuffix(f"/{_FILE}")
            source = self.linked.get(folder)
            here = path if source is None else f"{source.rstrip('/')}/{folder.rsplit('/', 1)[1]}/{_FILE}"
            real.setdefault(here, path)
        listed, _ = menu_of({here: files[path] for here, path in real.items()}, self.sources)
        return [{**skill, "path": real[str(skill["path"])]} for skill in listed]


def skills_of(book: Book, files: Files, thread_id: str, events: Sequence[Event]) -> list[SkillRow]:
    """Skills by name: the thread's menu, and every SKILL.md that is not in it."""
    _, values = files.state(thread_id)
    menu = values.get("skills_metadata")
    thread = menu if isinstance(menu, list) else None
    sources = _sources(files.settings(thread_id).get("skills"), thread)
    every, layout = files.skill_files(thread_id, sources), files.layout(thread_id)
    folders = _Folders(sources, files.linked_skills(thread_id, sources), files.circles(thread_id, sources))
    found = {path: data for path, data in every.items() if path.endswith(f"/{_FILE}") and folders.depth(path)}
    readable = {path: bytes_ for path, data in found.items() if (bytes_ := content_of(data)[0]) is not None}
    now = folders.menu({path: data for path, data in readable.items() if folders.depth(path) == 1})
    seen, disclosed = (_seen(book, thread_id, events), values.get("_skill_tools_disclosed") or {})
    rows = [
        _row(path, every, readable.get(path), thread, now, folders, seen, disclosed, layout)
        for path in dict.fromkeys((*(str(skill["path"]) for skill in thread or ()), *sorted(found)))
    ]
    return sorted(rows, key=lambda row: (row.name, row.path))


def _sources(declared: Any, menu: list[dict[str, Any]] | None) -> list[str]:
    """Folders that the agent searches: as its settings say, else where its menu has its skills from."""
    if isinstance(declared, list):
        return [str(source) for source in declared]
    folders = (str(skill["path"]).rsplit("/", 2)[0] + "/" for skill in menu or ())
    return list(dict.fromkeys(folders)) or [SKILLS]


def _row(
    path: str,
    every: Mapping[str, Any],
    data: bytes | None,
    thread: list[dict[str, Any]] | None,
    now: list[dict[str, Any]],
    folders: _Folders,
    seen: _Seen,
    disclosed: Mapping[str, str],
    layout: Layout,
) -> SkillRow:
    check = check_skill(path, data) if data is not None else SkillCheck(False, None, None, ())
    mine, fresh = _listed(path, thread or ()), _listed(path, now)
    shown = mine if thread is not None else fresh
    text = _text(data)
    metadata = shown or check.metadata or {}
    other = _instead(metadata.get("name"), path, thread if thread is not None else now) if shown is None else None
    reason, line = (None, None) if shown is not None else _reason(path, every, check, other, folders, fresh)
    if shown is not None and data is None:
        reason = content_of(every[path])[1] if path in every else "its file is no longer there"
    menu = menu_line(shown) if shown is not None else ""
    include = tuple(str((metadata.get("metadata") or {}).get("include_tools") or "").split())
    return SkillRow(
        name=str(metadata.get("name") or path.split("/")[-2]),
        path=path,
        description=str(metadata.get("description") or ""),
        menu_tokens=math.ceil(len(menu) / _CHARS_A_TOKEN),
        full_tokens=None if data is None else math.ceil(len(data.decode("utf-8", "replace")) / _CHARS_A_TOKEN),
        listed_in=len(seen.listed.get(path, ())),
        read_in=tuple(seen.read.get(path, ())),
        problem=reason,
        listed=shown is not None,
        line=line,
        menu=menu,
        menu_now=menu_line(fresh) if fresh is not None else "",
        overridden_by=other,
        findings=check.findings,
        drift=_drift(thread, mine, fresh, path in every),
        listed_requests=tuple(seen.listed.get(path, ())),
        pinned_in=tuple(seen.pinned.get(path, ())),
        helpers=_helpers(path, every),
        tools=include,
        disclosed=tuple(sorted(tool for tool, by in disclosed.items() if by in include)),
        allowed_tools=tuple(metadata.get("allowed_tools") or ()),
        place="" if path not in every else PLACE_OF_KIND[layout.locate(path).kind],
        within=layout.locate(path).within,
        version=version_of(data),
        text=text,
    )


def _reason(
    path: str,
    every: Mapping[str, Any],
    check: SkillCheck,
    other: str | None,
    folders: _Folders,
    fresh: dict[str, Any] | None,
) -> tuple[str, int | None]:
    """Why a skill is not listed, and on which line of it."""
    if (link := folders.circle(path)) is not None:
        return (f"A link of its source leads in a circle ({link}), and the engine loads nothing of that source.", None)
    if folders.depth(path) != 1:
        return ("It does not lie in a folder directly under a source, and the engine looks no deeper.", None)
    if check.reason is not None:
        return check.reason.sentence, check.reason.line
    if other is not None:
        return f"A later one has the same name and is listed instead: {other}.", None
    if path in every and not check.listed:
        return (f"Its file can't be read: {content_of(every[path])[1] or 'it is damaged'}.", None)
    if fresh is not None:
        return ("It was added or mended after this thread loaded its menu; a new thread lists it.", None)
    return "It is not in the thread's menu.", None


def _drift(
    thread: list[dict[str, Any]] | None, mine: dict[str, Any] | None, fresh: dict[str, Any] | None, there: bool
) -> SkillDrift:
    if thread is None:
        return "not-loaded"
    if mine == fresh:
        return "none"
    if mine is None:
        return "file-new"
    return "file-newer" if there else "file-gone"


def _listed(path: str, menu: Iterable[dict[str, Any]]) -> dict[str, Any] | None:
    return next((skill for skill in menu if skill.get("path") == path), None)


def _instead(name: Any, path: str, menu: Iterable[dict[str, Any]]) -> str | None:
    return next((str(skill["path"]) for skill in menu if skill["name"] == name and skill["path"] != path), None)


def _helpers(path: str, every: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    folder = path.removesuffix(_FILE)
    others = (one for one in sorted(every) if one.startswith(folder) and one != path)
    return tuple((one, size_of(every[one])) for one in others)


def _text(data: bytes | None) -> str | None:
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _seen(book: Book, thread_id: str, events: Sequence[Event]) -> _Seen:
    seen = _Seen()
    for event in events:
        if event.request_number is None:
            continue
        if event.kind == "skill read":
            _note(seen.read, event.data.get("path"), event.request_number)
        elif event.kind == "skill pinned" and isinstance(event.data.get("skill"), dict):
            _note(seen.pinned, event.data["skill"].get("path"), event.request_number)
    blocks: dict[int, list[str]] = {}
    for number, node, origin in book.rows(
        "SELECT r.number, r.system_node, r.origin_part FROM requests r JOIN threads t ON t.id = r.thread "
        "WHERE t.thread_id = ? AND json_extract(r.sizes, '$.skills') > 0 ORDER BY r.number",
        (thread_id,),
    ):
        contributors = (book.value(origin).get("system") or []) if origin else []
        for who, piece in zip(contributors, book.path_of(node)[1:], strict=False):
            if block_kind(who) == "skills":
                if piece[0] not in blocks:
                    blocks[piece[0]] = _MENU_LINE.findall(text_of([book.value(piece[0])]))
                for path in blocks[piece[0]]:
                    _note(seen.listed, path, number)
    return seen


def _note(where: dict[str, list[int]], path: Any, number: int) -> None:
    numbers = where.setdefault(str(path), [])
    if number not in numbers[-1:]:
        numbers.append(number)
