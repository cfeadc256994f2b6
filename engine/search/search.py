"""One query over all that a workspace holds. Reads the workspace; writes its own index only.

``update`` brings the index up to date, in the background and in steps that can be stopped; ``find`` answers from
what is indexed and says how much is not yet. All methods may be called from any thread.
"""

from __future__ import annotations

import sqlite3
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

from engine.errors import InspectorError
from engine.folding import fold
from engine.search.complete import Completion, Values, complete
from engine.search.corpus import Corpus
from engine.search.filters import Facts
from engine.search.index import Index, index_path, remove
from engine.search.matching import Candidates, Match, Units
from engine.search.model import Order, Results
from engine.search.of_source import SourceCorpus
from engine.search.of_workspace import WorkspaceCorpus
from engine.search.picture import Picture
from engine.search.query import Query, parse_query
from engine.search.update import Progress, Update
from engine.sources import Source, open_source

LIMIT = 100
SECONDS = 0.09
"""What looking into the texts may take; a query then gives what it has found by then."""
_RANKED = 10
"""Times the limit: how many are looked at before the best of them are given."""


class Search:
    """Search in one file: a workspace, or any other source of threads, which may be open already.

    Raises:
        UsageError, WorkspaceError: the file is not there, or can't be read.
    """

    def __init__(self, source: Source | str | Path) -> None:
        self._own = isinstance(source, (str, Path))
        self._source: Source = open_source(Path(source)) if isinstance(source, (str, Path)) else source
        self.path = self._source.path
        self._corpus: Corpus = (
            WorkspaceCorpus(self._source) if self._source.kind == "workspace" else SourceCorpus(self._source)
        )
        try:
            self._index, self._temporary = _open(self.path)
        except BaseException:
            self._close_source()
            raise
        self._lock, self._updating = threading.Lock(), threading.Lock()
        self._seen: tuple[Picture, Units] | None = None

    @property
    def index_file(self) -> Path:
        """Where the index lies."""
        return self._index.path

    def close(self) -> None:
        """Close the files."""
        self._index.close()
        self._close_source()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _close_source(self) -> None:
        self._corpus.close()
        if self._own:
            self._source.close()

    def update(self, progress: Progress = lambda done, total, what: None, stop: threading.Event | None = None) -> bool:
        """Bring the index up to date with the workspace; False when it was stopped before the end.

        Raises:
            InspectorError: the index can't be written.
        """
        with self._updating:
            try:
                whole = Update(self._corpus, self._index, progress, stop or threading.Event()).run()
                _ = self._look()[0].told  # made here, so that no query has to
            except sqlite3.Error as error:
                raise InspectorError(f"The search index {self._index.path} can't be written: {error}.") from error
            return whole

    def find(
        self,
        query: str | Query,
        limit: int = LIMIT,
        order: Order = "newest",
        thread_id: str | None = None,
        seconds: float | None = SECONDS,
    ) -> Results:
        """Texts in which all terms occur, those of the newest requests first, or the best first.

        ``thread_id`` asks one thread only; without ``seconds`` it takes the time that it needs.

        Raises:
            QueryError: the query can't be understood.
            InspectorError: the index can't be read.
        """
        query = parse_query(query) if isinstance(query, str) else query
        try:
            return self._find(query, limit, order, thread_id, seconds)
        except sqlite3.Error as error:
            raise InspectorError(f"The search index {self._index.path} can't be read: {error}.") from error

    def _find(self, query: Query, limit: int, order: Order, thread_id: str | None, seconds: float | None) -> Results:
        began = time.perf_counter()
        picture, units = self._seen or self._look()
        scope = picture.scope(query, thread_id)
        terms = tuple(fold(term) for term in query.terms)
        scored = [(_MOST, hit) for hit in picture.plain_hits(query, terms, scope)]
        count, more = len(scored), False
        if terms or scope.only_files:
            others = not scope.only_requests or not terms
            let = units.let(query, scope.parts, others, only_others=scope.only_files)
            candidates = units.candidates(terms, let)
            count += len(candidates)
            until = None if seconds is None else began + seconds
            looks = _Looks(candidates, until, limit * (_RANKED if order == "rank" else 1))
            for match in looks:
                for hit in picture.hits(match, terms, scope, query):
                    scored.append((match.weight, hit))
                    looks.found += 1
            more = looks.more
        if order == "rank":
            scored.sort(key=lambda one: (-one[0], -(one[1].at or 0.0)))
        else:
            scored.sort(key=lambda one: -(one[1].at or 0.0))
        hits = tuple(hit for _, hit in scored[:limit])
        pending = self._corpus.newer(units.largest_part)
        return Results(hits, more or len(scored) > limit, count, pending, time.perf_counter() - began)

    def complete(self, text: str, cursor: int) -> list[Completion]:
        """What can stand at the cursor of a query, by what the workspace holds."""
        return complete(text, cursor, self.values())

    def values(self) -> Values:
        """Values that filters can have in this workspace, the most frequent first."""
        picture, _ = self._seen or self._look()
        agents = Counter(row.agent for row in picture.rows.values() if row.agent)
        tools = Counter(name for names in picture.told[0].values() for name in names)
        files = Counter(path for paths in picture.told[1].values() for path in paths)
        return Values(
            agents=[name for name, _ in agents.most_common()],
            tools=[name for name, _ in tools.most_common()],
            files=[path for path, _ in files.most_common()],
            threads=[(thread.thread_id, thread.title) for thread in picture.threads],
            errors=list(dict.fromkeys(row.error[:80] for row in picture.rows.values() if row.error)),
        )

    def facts(self) -> Facts:
        """What filters of a list of requests ask for besides its rows."""
        picture, _ = self._seen or self._look()
        return picture.facts()

    def _look(self) -> tuple[Picture, Units]:
        with self._lock:
            before = self._seen[0] if self._seen else None
            self._seen = Picture(self._corpus, before), Units(self._index, self._corpus.parts())
            return self._seen


def forget(path: str | Path) -> None:
    """Delete the index of a workspace: of one that is deleted, or from which something must be gone for good."""
    with suppress(OSError):
        remove(index_path(_folder(), Path(path)))


_MOST = 1e9


class _Looks:
    """Matches among the candidates, until there are enough or the time is over."""

    def __init__(self, candidates: Candidates, until: float | None, enough: int) -> None:
        self._candidates, self._until, self._enough = candidates, until, enough
        self.found = 0
        self.more = False

    def __iter__(self) -> Iterator[Match]:
        # Files are few and parts are many: each gets its turn, the latest first.
        for numbers in (self._candidates.of(False), self._candidates.of(True)):
            before = self.found
            for at, number in enumerate(numbers):
                match = self._candidates.match(int(number))
                if match is not None:
                    yield match
                late = self._until is not None and time.perf_counter() > self._until
                if late or self.found - before >= self._enough:
                    self.more |= at + 1 < len(numbers)
                    break


def _folder() -> Path:
    return user_cache_path("context-inspector") / "search"


def _open(path: Path) -> tuple[Index, tempfile.TemporaryDirectory[str] | None]:
    """The index of a workspace; a passing one where the cache folder can't be written."""
    folder = _folder()
    try:
        index = Index(index_path(folder, path), path)
    except (OSError, sqlite3.Error):
        return _passing(path)
    _sweep(folder, index.path)
    return index, None


def _passing(path: Path) -> tuple[Index, tempfile.TemporaryDirectory[str]]:
    temporary = tempfile.TemporaryDirectory(prefix="context-inspector-")
    try:
        return Index(index_path(Path(temporary.name), path), path), temporary
    except sqlite3.Error as error:
        temporary.cleanup()
        raise InspectorError(
            f"There is no search here: SQLite {sqlite3.sqlite_version} can't make its index ({error}). "
            "It needs 3.34 or newer, with FTS5."
        ) from error


def _sweep(folder: Path, kept: Path) -> None:
    """Delete the indexes of workspaces that are gone: they hold texts that somebody may have wanted gone."""
    for file in folder.glob("*.sqlite"):
        if file == kept:
            continue
        with suppress(sqlite3.Error, OSError):
            connection = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)
            try:
                row = connection.execute("SELECT value FROM meta WHERE name = 'workspace'").fetchone()
            finally:
                connection.close()
            if row and not Path(row[0]).exists():
                remove(file)
