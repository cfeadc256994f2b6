"""A thread, or one request of it, laid out for reading: what a page says and in which order, in no format yet.

As in the record, each text stands once, where it first appears; a request tells the rest of its lists by what it
shares with the same agent's request before. Likely secrets are masked here, before any format sees them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from engine.errors import InspectorError, UsageError
from engine.masking import Masker
from engine.share.page import Area, File, Item, Outline, Same, Section
from engine.share.values import json_of, more_of, part_facts, plain, request_facts, text_of_part
from engine.sources.source import Source
from engine.trace.content import head_of, text_of
from engine.trace.model import Artifact, Event, RequestDetail, RequestRow, ThreadRow

Progress = Callable[[int, int, str], None]


class Outliner:
    """Lays out one thread of a source.

    Raises:
        UsageError: there is no such thread or request.
        InspectorError: ``stop`` was set.
    """

    def __init__(
        self,
        source: Source,
        thread_id: str,
        masker: Masker,
        progress: Progress = lambda done, total, what: None,
        stop: threading.Event | None = None,
    ) -> None:
        self._source, self._masker = source, masker
        self._progress, self._stop = progress, stop or threading.Event()
        self._thread = thread_row(source, thread_id)
        self._told: dict[int, str] = {}
        """Anchor of each part that is on the page already."""
        self._before: dict[tuple[str, str, str], tuple[RequestRow, Sequence[int]]] = {}
        """By agent and area: the last request, and the parts of its list."""

    def outline(self, number: int | None = None, with_files: bool = False) -> Outline:
        """The thread, or the request of this number."""
        rows = requests_of(self._source, self._thread, number)
        sections = []
        for done, row in enumerate(rows):
            self._check()
            sections.append(self._section(self._source.request(row.id)))
            self._progress(done + 1, len(rows), "requests")
        thread = self._thread.thread_id
        summaries = [summary for summary in self._source.summaries(thread) if number is None]
        items = [
            self._item(
                f"summary-{at}",
                summary.part,
                "summary",
                None,
                f"Summary {at}",
                (
                    f"first sent in request {summary.request_number}",
                    f"stands for messages {summary.evicted_from}–{summary.cutoff - 1}",
                    f"~{summary.tokens_before:,} → ~{summary.tokens_after:,} tokens",
                    f"history: {summary.path}" if summary.path else "the history was not saved",
                ),
            )
            for at, summary in enumerate(summaries, 1)
        ]
        files = [self._file(artifact, with_files) for artifact in self._source.files(thread)]
        title = self._masker.text(self._thread.title)
        return Outline(self._thread, title, number is None, sections, items, files, with_files, self._masker)

    def _section(self, detail: RequestDetail) -> Section:
        row = detail.row
        anchor = f"request-{row.number}"
        areas = [
            self._area(anchor, detail, "System", detail.system, lambda block: block.contributor),
            self._area(anchor, detail, "Messages", detail.messages, lambda message: message.kind),
            self._area(anchor, detail, "Tools", detail.tools, lambda tool: tool.name),
            Area("Provider", "", (self._provider(anchor, detail),)),
            self._raw(anchor, detail),
            self._response(anchor, detail),
        ]
        events = tuple((event.kind, self._data(event)) for event in detail.events)
        return Section(anchor, row, request_facts(detail), self._masker.text(row.error or ""), tuple(areas), events)

    def _area(
        self, anchor: str, detail: RequestDetail, name: str, parts: Sequence[Any], title: Callable[[Any], str]
    ) -> Area:
        """A list of parts: what it shares with the request before, then the rest."""
        row = detail.row
        key = (row.purpose, row.checkpoint_ns.rpartition("|")[0], name)
        ids = [part.part for part in parts]
        earlier, known = self._before.get(key, (None, ()))
        shared = 0
        while shared < min(len(ids), len(known)) and ids[shared] == known[shared]:
            shared += 1
        rows: list[Item | Same] = []
        if earlier is not None and shared:
            rows.append(Same(0, shared - 1, f"request-{earlier.number}", f"as in request {earlier.number}"))
        for part in parts[shared:]:
            facts = part_facts(part)
            place = f"{anchor}-{name.lower()}-{part.index}"
            rows.append(self._told_once(place, part.part, part.kind, part.index, title(part), facts))
        self._before[key] = (row, ids)
        note = f"{len(parts):,}" if parts else detail.not_recorded.get(name.lower()) or "empty"
        return Area(name, note, tuple(rows))

    def _raw(self, anchor: str, detail: RequestDetail) -> Area:
        """The raw messages by fate: those that were sent as they are, or are told already, in one line each run."""
        name = "Raw → effective"
        if not len(detail.raw):
            return Area(name, detail.not_recorded.get("raw") or "the state was not recorded", ())
        # A list as pieces costs nothing; its rows before the cut are made one by one.
        pieces = self._source.lists(detail.row.id).raw
        cut = min(detail.cutoff or 0, len(pieces))
        rows: list[Item | Same] = []
        fate, start = ("", ""), 0

        def run(end: int) -> None:
            if start < end:
                rows.append(Same(start, end - 1, "", ": ".join(word for word in fate if word)))

        evicted = (detail.raw[0].fate, detail.raw[0].reason)
        for index, (part, kind, _, _) in enumerate(pieces):
            now = evicted if index < cut else (detail.raw[index].fate, detail.raw[index].reason)
            if now != fate:
                run(index)
                fate, start = now, index
            if part not in self._told:
                run(index)
                facts = tuple(word for word in now if word)
                rows.append(self._told_once(f"{anchor}-raw-{index}", part, kind, index, kind, facts))
                start = index + 1
        run(len(pieces))
        words = f"{len(pieces):,} raw, {len(detail.messages):,} effective"
        if detail.cutoff is not None:
            words += f"; a summary stands for the first {detail.cutoff:,}"
        return Area(name, words, tuple(rows))

    def _response(self, anchor: str, detail: RequestDetail) -> Area:
        if detail.response is None:
            return Area("Response", "none", ())
        item = self._told_once(f"{anchor}-response", detail.response, "ai", None, "ai", ())
        return Area("Response", "", (item,))

    def _told_once(
        self, anchor: str, part: int, kind: str, index: int | None, title: str, facts: tuple[str, ...]
    ) -> Item | Same:
        if part in self._told:
            at = index or 0
            return Same(at, at, self._told[part], "; ".join((title, *facts, "told above")))
        self._told[part] = anchor
        return self._item(anchor, part, kind, index, title, facts)

    def _item(self, anchor: str, part: int, kind: str, index: int | None, title: str, facts: tuple[str, ...]) -> Item:
        value = self._masker.value(self._source.value(part))
        if not isinstance(value, dict) or not isinstance(value.get("data"), dict) or "content" not in value["data"]:
            return Item(anchor, kind, index, self._masker.text(title), facts, text_of_part(value), "")
        head = head_of(part, value)
        words = [word for word in (head.name, head.tool_call_id, head.status, head.note) if word]
        shown = " ".join(dict.fromkeys([title, *words]))
        return Item(anchor, kind, index, shown, facts, text_of(value["data"]["content"]), more_of(value["data"]))

    def _provider(self, anchor: str, detail: RequestDetail) -> Item:
        provider = {name: value for name, value in detail.provider.items() if name != "wire"}
        attempts = self._source.wire(detail.row.id)
        provider["wire"] = [
            {"attempt": one.number, "to": f"{one.method} {one.host}{one.url_path}", "status": one.status,
             "error": one.error, "bytes": one.size}
            for one in attempts
        ] or None  # fmt: skip
        shown = json_of(self._masker.value(plain(provider)))
        usage = json_of(detail.usage) if detail.usage else ""
        return Item(
            f"{anchor}-provider",
            "provider",
            None,
            "parameters",
            ("usage as reported below",) if usage else (),
            shown,
            usage,
        )

    def _data(self, event: Event) -> str:
        data = {name: value for name, value in event.data.items() if name not in {"part", "calls"}}
        return json_of(self._masker.value(plain(data)))

    def _file(self, artifact: Artifact, with_text: bool) -> File:
        self._check()
        facts: tuple[str, ...] = (f"{artifact.size:,} bytes", artifact.place, artifact.kind, artifact.problem or "")
        text: str | None = None
        if with_text:
            try:
                content = self._source.file(self._thread.thread_id, artifact.path)
                text = self._masker.text(content.decode("utf-8", "surrogatepass"))
            except UnicodeDecodeError:
                facts = (*facts, "no text: its bytes are not shown")
            except InspectorError as error:
                facts = (*facts, str(error))
        return File(artifact, tuple(fact for fact in facts if fact), text)

    def _check(self) -> None:
        if self._stop.is_set():
            raise InspectorError("The export was stopped. Nothing was written.")


def thread_row(source: Source, thread_id: str) -> ThreadRow:
    """The row of a thread. Raises ``UsageError`` when there is none."""
    found = next((row for row in source.threads() if row.thread_id == thread_id), None)
    if found is None:
        raise UsageError(f"There is no thread {thread_id!r} in {source.path}.")
    return found


def requests_of(source: Source, thread: ThreadRow, number: int | None) -> list[RequestRow]:
    """The requests of a thread, or the one of this number. Raises ``UsageError`` when there is none."""
    rows = [row for row in source.requests(thread.thread_id) if number in {None, row.number}]
    if number is not None and not rows:
        raise UsageError(f"The thread {thread.thread_id!r} has no request number {number}.")
    return rows
