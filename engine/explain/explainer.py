"""The one door to explaining: every why that a window, a script or a test asks of a record."""

from __future__ import annotations

from collections.abc import Iterable

from engine.explain import check as checking
from engine.explain import diff as diffing
from engine.explain.cache import Cache, totals
from engine.explain.facts import Facts
from engine.explain.fates import fates_of
from engine.explain.model import (
    Area,
    CacheTotals,
    CacheUse,
    Fates,
    Integrity,
    Remembered,
    RequestDiff,
    SummaryReport,
    TextDiff,
    ToolReport,
    Waterfall,
)
from engine.explain.remembered import remembered_in
from engine.explain.sequence import Tick, no_tick
from engine.explain.source import Source
from engine.explain.summaries import summary_reports
from engine.explain.tools import tool_report
from engine.explain.waterfall import waterfall_of
from engine.trace.model import RequestRow


class Explainer:
    """Explains the requests of one source, a :class:`engine.Reader` or another with its read interface.

    Thread-safe where its source is. What takes longer than a request takes a ``tick``: it is called now and
    then, and what it raises ends the work. Unknown requests raise ``UsageError``.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._facts = Facts(source)
        self._cache = Cache(source, self._facts)

    # One request

    def waterfall(self, request_id: int) -> Waterfall:
        """The request after each contributor in turn, with what each changed."""
        return waterfall_of(self._source, self._facts, request_id)

    def fates(self, request_id: int) -> Fates:
        """What became of every message, and by which rule."""
        return fates_of(self._source, self._facts, request_id)

    def cache(self, request_id: int, tick: Tick = no_tick) -> CacheUse:
        """Where its prefix leaves that of the same agent's request before, and why."""
        return self._cache.use(request_id, tick)

    def remembered(self, request_id: int) -> tuple[Remembered, ...]:
        """What was not said in this turn, and by which mechanism each is here all the same."""
        return remembered_in(self._source, request_id)

    def predecessor(self, request_id: int) -> RequestRow | None:
        """The same agent's request before; None for its first."""
        return diffing.predecessor(self._source, request_id)

    # Two requests

    def diff(self, request_id: int, other_id: int | None = None, tick: Tick = no_tick) -> RequestDiff:
        """From another request, by default the same agent's one before, to this one, piece by piece."""
        return diffing.diff_requests(self._source, self._facts, request_id, other_id, tick)

    def text_diff(self, area: Area, old_part: int, new_part: int, tick: Tick = no_tick) -> TextDiff:
        """What changed inside a piece, by line and by word, over the texts of :meth:`texts`."""
        return diffing.text_diff(self._source, area, old_part, new_part, tick)

    def texts(self, area: Area, old_part: int, new_part: int) -> tuple[str, str]:
        """Both pieces as :meth:`text_diff` compares them: readable, or as JSON where what is readable is equal."""
        return diffing.texts(self._source, area, old_part, new_part)

    def provider_texts(self, old_id: int, new_id: int) -> tuple[str, str]:
        """The Provider areas of two requests as JSON."""
        return diffing.provider_texts(self._source, old_id, new_id)

    # A thread

    def thread_cache(self, thread_id: str, tick: Tick = no_tick) -> tuple[list[CacheUse], CacheTotals]:
        """Cache use of every request of a thread, and their sum."""
        uses = self._cache.thread(thread_id, tick)
        return uses, totals(uses)

    def summaries(self, thread_id: str, tick: Tick = no_tick) -> list[SummaryReport]:
        """Every summary in depth: what it evicted, what it lost, what of that was needed later."""
        return summary_reports(self._source, self._facts, thread_id, tick)

    def tools(self, thread_id: str, tick: Tick = no_tick) -> ToolReport:
        """What the tools of a thread cost, and which were never called."""
        return tool_report(self._source, self._facts, thread_id, tick)

    # All

    def check(self, threads: Iterable[str] | None = None, progress: checking.Progress = lambda *_: None) -> Integrity:
        """Work out every request of these threads (of all without names) from its state, and look for its files."""
        return checking.check(self._source, self._facts, threads, progress)
