"""Running a program by itself and recorded, in processes of their own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine import Reader
from tests.contract.recorded import as_received
from tests.contract.stranger import as_text, seen_in

ROOT = Path(__file__).parents[3]
PREAMBLE = f"""
import os, sys
sys.path.append({str(ROOT / "tests" / "contract")!r})
from stranger import MEDIA, Native, Plain, Seen, Streaming, call
from langchain_core.messages import HumanMessage, SystemMessage
seen = Seen(os.environ["SEEN"])
model = Native(seen=seen)
"""
LAUNCHER = f"import sys; sys.path.append({str(ROOT)!r}); from context_inspector import main; sys.exit(main())"
"""As the command is found when it is installed: after whatever the folder has."""


@dataclass
class Folder:
    """A folder with a program, a file that it is recorded into, and what its models noted."""

    path: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def file(self) -> Path:
        return self.path / "it.ctx"

    @property
    def seen(self) -> Path:
        return self.path / "seen.jsonl"

    @property
    def launcher(self) -> list[str]:
        return [*self.command_line, "record", "--into", str(self.file), "--"]

    @property
    def command_line(self) -> list[str]:
        """The program ``context-inspector``."""
        return [sys.executable, "-c", LAUNCHER]

    def program(self, text: str, name: str = "program.py", preamble: str = PREAMBLE) -> Path:
        """Write a program; its models note what they are given."""
        path = self.path / name
        path.write_text(preamble + text)
        return path

    def same(self, *command: Any, input: bytes = b"") -> bytes:
        """Run a command by itself and recorded, side by side; what both wrote to their output."""
        pipe = subprocess.PIPE
        own, noted = [*map(str, command)], {**self.env(), "SEEN": str(self.path / "seen by itself")}
        plain = subprocess.Popen(own, cwd=self.path, env=noted, stdin=pipe, stdout=pipe, stderr=pipe)
        recorded = subprocess.Popen(
            [*self.launcher, *own], cwd=self.path, env=self.env(), stdin=pipe, stdout=pipe, stderr=pipe
        )
        said, complained = plain.communicate(input, 120)
        said_too, complained_too = recorded.communicate(input, 120)
        assert said_too == said
        assert complained_too == complained
        assert recorded.returncode == plain.returncode
        return said

    def recorded(self, *command: Any) -> subprocess.CompletedProcess[bytes]:
        """Run a command recorded."""
        return self.run([*self.launcher, *map(str, command)])

    def run(self, command: list[str]) -> subprocess.CompletedProcess[bytes]:
        """Run a command here."""
        return subprocess.run(command, cwd=self.path, env=self.env(), capture_output=True, timeout=120)

    def env(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return {**kept, "SEEN": str(self.seen), "PYTHONDONTWRITEBYTECODE": "1", **self.environment}

    def check(self, requests: int) -> list[Any]:
        """Hold the record against what the models were given; its requests."""
        if not requests:
            assert not self.file.exists()
            return []
        with contextlib.closing(Reader(self.file)) as reader:
            rows = [row for thread in reader.threads() for row in reader.requests(thread.thread_id)]
            recorded = Counter(as_text(as_received(reader, row.id)) for row in rows)
            received = Counter(map(as_text, seen_in(str(self.seen))))
            assert not received - recorded
            assert not recorded - received
            assert all(reader.request(row.id).exact for row in rows)
        assert len(rows) == requests
        return rows
