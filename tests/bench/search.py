"""Searching a big record: ``python -m tests.bench.search FILE [--quick]`` in a process of its own.

The record is written straight into the file, with the writer's own hands: 5,000 requests whose lists grow and
are summarized, 100 MB of text that is prose, tables, code and Chinese. Queries are timed one by one, each
several times, with the operating system's cache warm, as it is for somebody who works with the file.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from engine.recording.book import Book
from engine.recording.canon import encode, encode_block, encode_message, encode_tool
from engine.search import Search, filter_requests
from engine.trace import Reader
from engine.workspace import Workspace
from tests.bench import child
from tests.bench.report import Row, at_most, megabytes, ms, seconds, show, spread
from tests.bench.workload import Words

CHARS = 100_000_000
REQUESTS = 5_000
THREADS = 20
TRIALS = 5
GOAL = 0.100

QUERIES = {
    "a rare word": "zxqvkj",
    "a word that isn't there": "qqzzyyxx",
    "a common word": "{common}",
    "two common words": "{common} {second}",
    "a phrase": '"{phrase}"',
    "an identifier, inside": "delta_channel_history",
    "a Chinese word of two characters": "摘要",
    "a Chinese phrase": "上下文工程",
    "one Chinese character": "龘",
    "two letters": "qz",
    "a common word, filtered": "{common} agent:researcher tokens>1k kind:tool",
    "a common word, best first": "{common}",
    "filters alone": "has:summary purpose:agent",
    "common pieces of a word that isn't there": "{torn}",
}


def measure(figures: dict[str, Any]) -> None:
    """Print what :func:`main` measured."""
    rows = [
        Row("text searched", f"{figures['chars'] / 1e6:,.1f} million characters, {figures['requests']:,} requests"),
        Row("indexing it all, once; processor time", f"{seconds(figures['index'])}; {seconds(figures['index_cpu'])}"),
        Row("indexing one request more", ms(figures["one_more"])),
        Row(
            "index beside the workspace",
            f"{megabytes(figures['index_bytes'])} beside {megabytes(figures['record_bytes'])}",
        ),
        Row("opening an index that is up to date", seconds(figures["open"])),
    ]
    for name, one in figures["queries"].items():
        found = f"{one['hits']}{'+' if one['more'] else ''} of {one['candidates']:,}"
        rows.append(at_most(f"{name} ({found})", statistics.median(one["seconds"]), GOAL, ms))
        rows.append(Row("  each; processor time", f"{spread(one['seconds'])}; {ms(one['cpu'])}"))
    rows += [
        Row("filtering the list of all requests", spread(figures["filter"])),
        Row("peak memory", megabytes(figures["peak"])),
    ]
    show("Searching: each query once the index is there (hits shown of candidates)", rows)


def main() -> int:
    """Write the record, index it and ask; print the figures as JSON."""
    file, share = Path(sys.argv[1]), 0.1 if "--quick" in sys.argv else 1.0
    words = Words(7)
    writing = Record(file, words, share)
    for _ in range(int(REQUESTS * share)):
        writing.request()
    writing.commit()
    figures: dict[str, Any] = {"chars": writing.chars, "requests": writing.requests}
    search = Search(file)
    began, used = time.perf_counter(), time.process_time()
    search.update()
    figures["index"], figures["index_cpu"] = time.perf_counter() - began, time.process_time() - used
    writing.request()
    writing.commit()
    figures["one_more"] = _timed(search.update)
    search.close()
    began = time.perf_counter()
    search = Search(file)
    search.update()
    figures["open"] = time.perf_counter() - began
    named = names(words)
    figures["queries"] = {name: _ask(search, query.format(**named), name) for name, query in QUERIES.items()}
    with closing(Reader(file)) as reader:
        rows = [row for thread in reader.threads() for row in reader.requests(thread.thread_id)]
    facts = search.facts()
    figures["filter"] = [
        _timed(lambda: filter_requests(rows, "agent:researcher tokens>1k has:summary", facts)) for _ in range(TRIALS)
    ]
    search.close()
    figures["index_bytes"] = _bytes(search.index_file)
    figures["record_bytes"] = _bytes(file)
    figures["peak"] = child.peak_bytes()
    print(json.dumps(figures))
    return 0


class Record:
    """A record in the making: its threads take turns."""

    def __init__(self, file: Path, words: Words, share: float, threads: int = THREADS) -> None:
        self._db = Workspace.create(file).connect(autocommit=True)
        self._book, self._words, self._draw = Book(self._db), words, random.Random(3)
        self._size = int(CHARS / REQUESTS)
        self.chars = self.requests = 0
        self._tools = self._list(encode_tool(_schema(number)) for number in range(30))
        self._threads = [self._thread(number) for number in range(threads)]
        self._db.execute("BEGIN")

    def request(self) -> None:
        """One request more: a call and its long result, after what was there."""
        number, draw = self.requests, self._draw
        thread = self._threads[number % len(self._threads)]
        call = AIMessage(
            self._words.prose(draw.randint(0, 200)),
            tool_calls=[{"name": draw.choice(("search_reports", "read_file")), "args": {"q": self._words.prose(40)},
                         "id": f"call_{number}"}],
        )  # fmt: skip
        result = ToolMessage(_text(self._words, draw, self._size), tool_call_id=f"call_{number}", name="read_file")
        new = [encode_message(call), encode_message(result)]
        self.chars += sum(part.chars for part in new)
        in_thread = number // len(self._threads) + 1
        before = thread["cutoff"]
        summary = in_thread % 50 == 0
        if summary:
            short = HumanMessage(self._words.prose(3_000), additional_kwargs={"lc_source": "summarization"})
            thread["messages"], thread["cutoff"], thread["sizes"] = (0, 0), thread["raw"][1], {}
            self._append(thread, "messages", [encode_message(short)])
        for name in ("messages", "raw"):
            self._append(thread, name, new)
        for part in new:
            thread["sizes"][part.kind] = thread["sizes"].get(part.kind, 0) + part.tokens
        sizes = {"system": 1_000, "tools": 400, "summary": 750 * bool(thread["cutoff"]), **thread["sizes"]}
        answer = self._book.part(encode_message(AIMessage(self._words.prose(300))))
        tokens = sum(sizes.values())
        row = self._db.execute(
            "INSERT INTO requests(token, thread, number, purpose, agent, lane, checkpoint_ns, depth, exact, "
            "system_node, tools_node, messages_node, raw_node, params_part, origin_part, response_part, messages, "
            "raw_messages, chars, tokens, sizes, started_at, status, cutoff, window, trigger_at) "
            "VALUES (?, ?, ?, 'agent', ?, '', '', 0, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'done', ?, ?, ?)",
            (str(number), thread["row"], in_thread, "researcher" if number % 3 else None, thread["system"],
             self._tools, thread["messages"][0], thread["raw"][0],
             self._book.part(encode("params", {"model": "bench"})),
             self._book.part(encode("origin", {"system": ["caller"]})), answer, thread["messages"][1],
             thread["raw"][1], 0, tokens, json.dumps(sizes), float(number), thread["cutoff"] or None,
             400_000, 340_000),
        ).lastrowid  # fmt: skip
        if summary:
            told = {"cutoff": thread["cutoff"], "evicted_from": before, "part": answer}
            self._db.execute(
                "INSERT INTO events(thread, request, lane, kind, at, data) VALUES (?, ?, '', 'summary', ?, ?)",
                (thread["row"], row, float(number), json.dumps(told)),
            )
        self.requests += 1

    def commit(self) -> None:
        self._db.execute("COMMIT")
        self._db.execute("BEGIN")

    def _thread(self, number: int) -> dict[str, Any]:
        row = self._db.execute(
            "INSERT INTO threads(thread_id, title, created_at, updated_at) VALUES (?, ?, 0, 0)",
            (f"thread-{number}", f"Thread {number}"),
        ).lastrowid
        shell = encode("shell", {"type": "system", "form": "list", "data": {}})
        block = encode_block({"type": "text", "text": str(SystemMessage(self._words.prose(4_000)).content)})
        return {"row": row, "system": self._list([shell, block]), "messages": (0, 0), "raw": (0, 0),
                "sizes": {}, "cutoff": 0}  # fmt: skip

    def _append(self, thread: dict[str, Any], name: str, parts: list[Any]) -> None:
        """Lengthen one of the lists: its last node and how many it has."""
        node, depth = thread[name]
        for part in parts:
            depth += 1
            node = self._book.node(node, self._book.part(part), depth)
        thread[name] = node, depth

    def _list(self, parts: Any) -> int:
        node = 0
        for depth, part in enumerate(parts):
            node = self._book.node(node, self._book.part(part), depth + 1)
        return node


def names(words: Words) -> dict[str, str]:
    """Words of the text, for the queries."""
    by_rank = words._words
    return {
        "common": by_rank[12], "second": by_rank[40], "phrase": f"{by_rank[0]} {by_rank[1]}",
        "torn": f"{by_rank[3]} {by_rank[2]} {by_rank[5]} {by_rank[7]}",
    }  # fmt: skip


def _text(words: Words, draw: random.Random, size: int) -> str:
    """About ``size`` characters: prose, a table, code or Chinese, with a rare word now and then."""
    kind, chars = draw.random(), int(size * draw.uniform(0.2, 1.8))
    if kind < 0.5:
        text = words.prose(chars)
    elif kind < 0.75:
        text = words.table(chars)
    elif kind < 0.92:
        names = ("get_delta_channel_history", "checkpoint_id", "thread_row", "parseQuery", "HTTPServer", "x2")
        lines = [
            f"    {draw.choice(names)}_{draw.randint(0, 400)} = {words.prose(12).split()[0]}({draw.choice(names)})"
            for _ in range(chars // 52)
        ]
        text = "\n".join(lines)
    else:
        text = "".join(chr(0x4E00 + int(draw.paretovariate(0.7)) % 5_000) for _ in range(chars // 4))
        text += "每次摘要之后，上下文工程" if draw.random() < 0.2 else ""
    return text + (" zxqvkj" if draw.random() < 0.002 else "")


def _schema(number: int) -> dict[str, Any]:
    named = {"name": f"tool_{number}", "description": "Reads reports.", "parameters": {"type": "object"}}
    return {"type": "function", "function": named}


def _ask(search: Search, query: str, name: str) -> dict[str, Any]:
    order: Any = "rank" if name.endswith("best first") else "newest"
    used = time.process_time()
    found = [search.find(query, order=order) for _ in range(TRIALS)]
    used = (time.process_time() - used) / TRIALS
    last = found[-1]
    return {
        "seconds": [one.seconds for one in found],
        "cpu": used,
        "hits": len(last.hits),
        "more": last.more,
        "candidates": last.candidates,
    }


def _timed(action: Any) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def _bytes(file: Path) -> int:
    return sum(
        file.with_name(file.name + end).stat().st_size
        for end in ("", "-wal")
        if file.with_name(file.name + end).exists()
    )


if __name__ == "__main__":
    sys.exit(main())
