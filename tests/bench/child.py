"""Parts of the bench that run in a process of their own."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

_OFFSCREEN = "This plugin does not support"
"""Qt says so of the screen that isn't one, at every window."""

ROOT = Path(__file__).resolve().parents[2]


def run(
    module: str, *arguments: str | Path, home: Path | None = None, more: dict[str, str] | None = None
) -> dict[str, Any]:
    """Run ``python -m module`` and return the JSON object that its last line holds.

    Raises:
        SystemExit: it failed; its own words have gone to standard error.
    """
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment(home) | (more or {}),
        capture_output=True,
        text=True,
    )
    sys.stderr.writelines(line for line in done.stderr.splitlines(keepends=True) if _OFFSCREEN not in line)
    if done.returncode:
        sys.exit(f"{' '.join(command[1:])} ended with {done.returncode}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def remove(file: Path) -> None:
    """Delete a database and what SQLite left beside it."""
    for end in ("", "-wal", "-shm", "-journal"):
        file.with_name(file.name + end).unlink(missing_ok=True)


def peak_bytes() -> int:
    """The most memory that this process has had at once."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) * 1024
    except (OSError, StopIteration):  # not Linux; there, what the parent had before the exec would count too
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


class Stepped:
    """A process that waits for a word before each of its steps."""

    def __init__(self, module: str, *arguments: str | Path) -> None:
        command = [sys.executable, "-m", module, *map(str, arguments)]
        self._what = " ".join(command[1:])
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def wait(self) -> str:
        """What it says once its step is done: an empty line, or at the end its figures.

        Raises:
            SystemExit: it ended before.
        """
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"{self._what} ended with {self._process.wait()}")
        return line.strip()

    def step(self) -> None:
        """Let it go on."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def close(self) -> None:
        """Wait for its end."""
        self._process.communicate()


def environment(home: Path | None = None) -> dict[str, str]:
    """This process's environment without tracing, keys and the user's screen and folders."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    kept |= {"LANGSMITH_TRACING": "false", "LANGCHAIN_TRACING_V2": "false", "QT_QPA_PLATFORM": "offscreen"}
    if home is not None:
        kept |= {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
    return kept
