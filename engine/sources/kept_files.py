"""Files, memory and skills of a stranger's thread: what its state holds, and what it names and doesn't hold.

Paths are names inside the state. None is ever looked up on the user's disk.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping
from typing import Any

from engine.errors import InspectorError, UsageError
from engine.lifetimes import LIFETIMES, THREAD_STATE
from engine.places import HISTORY, RESULTS
from engine.sources.history import History
from engine.trace.files import content_of
from engine.trace.model import Artifact, Event, MemoryFile, SkillRow

ELSEWHERE = "elsewhere"
_LIFETIME = "not known: the writing program kept it outside its database"
_ABSENT = "not found: it is not in this database"
_CHARS_A_TOKEN = 4
_MAGIC = {b"\x89PNG": "a PNG picture", b"\xff\xd8\xff": "a JPEG picture", b"GIF8": "a GIF picture", b"%PDF": "a PDF"}


class KeptFiles(History):
    """What a thread's newest state says of files."""

    def _values(self) -> Mapping[str, Any]:
        found = self.thread.newest()
        return found[1].state.values if found is not None else {}

    def files(self) -> list[Artifact]:
        """Files in the state, and those that events name and that lie elsewhere, by path."""
        left_by: dict[str, Event] = {}
        for event in reversed(self.events):
            path = event.data.get("path")
            if event.kind in {"offload", "summary"} and isinstance(path, str):
                left_by[path] = event
        memory = self._values().get("memory_contents")
        memory = memory if isinstance(memory, dict) else {}
        state = self.newest_files()
        rows = [self._artifact(path, data, left_by.get(path), path in memory) for path, data in state.items()]
        rows += [_missing(path, event) for path, event in left_by.items() if path not in state]
        return sorted(rows, key=lambda artifact: artifact.path)

    def file(self, path: str) -> bytes:
        """Bytes of a file in the state."""
        state = self.newest_files()
        if path not in state:
            raise UsageError(f"The thread has no file at {path} in its state; it may lie outside this database.")
        content, problem = _content_of(state[path])
        if content is None:
            raise InspectorError(f"The file {path} can't be shown: {problem}.")
        return content

    def _artifact(self, path: str, data: Any, event: Event | None, is_memory: bool) -> Artifact:
        content, problem = _content_of(data)
        modified = data.get("modified_at") if isinstance(data, dict) else None
        return Artifact(
            path=path,
            size=len(content or b""),
            place=THREAD_STATE,
            lifetime=LIFETIMES[THREAD_STATE],
            kind=_kind(path, event, is_memory),
            request=event.request if event is not None else None,
            tool_call_id=event.data.get("tool_call_id") if event is not None else None,
            modified_at=modified if isinstance(modified, str) else None,
            problem=problem or _mislabelled(data),
        )

    def memory(self) -> list[MemoryFile]:
        """Memory as the state has cached it, and the files themselves where the state holds them."""
        memory, state = self._values().get("memory_contents"), self.newest_files()
        rows = []
        for path, text in memory.items() if isinstance(memory, dict) else ():
            content, problem = _content_of(state[path]) if path in state else (None, None)
            rows.append(
                MemoryFile(
                    path=str(path),
                    text=content.decode("utf-8", "replace") if content is not None else None,
                    version=hashlib.sha256(content).hexdigest() if content is not None else "",
                    size=len(content or b""),
                    place=THREAD_STATE if path in state else ELSEWHERE,
                    modified_at=None,
                    in_thread=text if isinstance(text, str) else None,
                    read_only="it belongs to another program; nothing of it can be edited here",
                    problem=problem
                    if path in state
                    else "the file is not in this database; shown is what the thread loaded of it",
                )
            )
        return rows

    def skills(self) -> list[SkillRow]:
        """Skills as the state lists them, by name."""
        listed, state = self._values().get("skills_metadata"), self.newest_files()
        reads: dict[Any, dict[int, None]] = {}
        for event in self.events:
            if event.kind == "skill read" and event.request_number is not None:
                reads.setdefault(event.data.get("path"), {})[event.request_number] = None
        rows = []
        for skill in listed if isinstance(listed, list) else ():
            if not isinstance(skill, dict):
                continue
            name, path, about = (str(skill.get(field) or "") for field in ("name", "path", "description"))
            content = _content_of(state[path])[0] if path in state else None
            menu = f"- **{name}**: {about}\n  -> Read `{path}` for full instructions"
            rows.append(
                SkillRow(
                    name=name,
                    path=path,
                    description=about,
                    menu_tokens=math.ceil(len(menu) / _CHARS_A_TOKEN),
                    full_tokens=None
                    if content is None
                    else math.ceil(len(content.decode("utf-8", "replace")) / _CHARS_A_TOKEN),
                    listed_in=self._listed_in(),
                    read_in=tuple(reads.get(path, ())),
                    problem=None if content is not None else "its file is not in this database",
                )
            )
        return sorted(rows, key=lambda row: row.name)

    def _listed_in(self) -> int:
        """Requests whose state listed skills."""
        return sum(1 for step in self.thread.steps.values() for made in step.made if made.values.get("skills_metadata"))


def _content_of(data: Any) -> tuple[bytes | None, str | None]:
    """Bytes of a stored file, or None and the reason; the first releases stored the bare text."""
    return content_of({"content": data} if isinstance(data, str) else data)


def _missing(path: str, event: Event) -> Artifact:
    kind = _kind(path, event, False)
    call = event.data.get("tool_call_id")
    return Artifact(path, 0, ELSEWHERE, _LIFETIME, kind, event.request, call, None, _ABSENT)


def _kind(path: str, event: Event | None, is_memory: bool) -> Any:
    if event is not None:
        if event.kind == "summary":
            return "history"
        return "offloaded message" if event.data.get("of") == "message" else "offloaded result"
    if is_memory or path.startswith("/memories/"):
        return "memory"
    if path.startswith(RESULTS):
        return "offloaded result"
    if path.startswith(HISTORY):
        return "history"
    return "skill" if path.startswith("/skills/") else "file"


def _mislabelled(data: Any) -> str | None:
    """What is odd about a file that is stored as text."""
    text = data.get("content") if isinstance(data, dict) and data.get("encoding") != "base64" else None
    if not isinstance(text, str) or not len(text.strip()) >= 8 or len(text) % 4:
        return None
    try:
        head = base64.b64decode(text[:400], validate=True)
    except ValueError:
        return None
    kind = next((words for magic, words in _MAGIC.items() if head.startswith(magic)), None)
    return f"stored as text, but it reads as the base64 of {kind}" if kind else None
