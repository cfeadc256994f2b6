"""A real browser without a window, driven through its own debugging pipe."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

LIMIT = 60.0
"""Seconds that anything may take."""


def find() -> str | None:
    """Path of the browser; None where it isn't installed."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One browser with one empty page. Every request that the page makes is kept, whatever comes of it."""

    def __init__(self, command: str, profile: Path) -> None:
        to_browser, from_browser = os.pipe(), os.pipe()
        # Nothing outside is reached: whatever a page asked for, it would go to a port where nobody listens.
        flags = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio",
            "--proxy-server=http://127.0.0.1:9", "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank",
        ]  # fmt: skip

        def take_pipes() -> None:
            os.dup2(to_browser[0], 3)
            os.dup2(from_browser[1], 4)

        os.set_inheritable(to_browser[0], True)
        os.set_inheritable(from_browser[1], True)
        self._process = subprocess.Popen(
            [command, *flags],
            pass_fds=(3, 4),
            preexec_fn=take_pipes,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser[0])
        os.close(from_browser[1])
        self._out, self._in = to_browser[1], from_browser[0]
        os.set_blocking(self._in, False)
        self._buffer, self._number = b"", 0
        self._events: list[dict[str, Any]] = []
        targets = self._call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self._session: str | None = None
        self._session = self._call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self._call(f"{domain}.enable")

    def open(self, file: Path) -> None:
        """Load a file and wait until all that it asks for has come or failed."""
        self._events.clear()
        self._call("Page.navigate", url=file.as_uri())
        end = time.monotonic() + LIMIT
        while not any(event["method"] == "Page.loadEventFired" for event in self._events):
            assert time.monotonic() < end, "the page did not load"
            self._read(0.2)

    def requests(self) -> list[str]:
        """Addresses that the page asked for, its own included."""
        asked = [event for event in self._events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in asked]

    def complaints(self) -> list[str]:
        """What the browser says in its log: of a policy that forbade something, for one."""
        entries = [event["params"]["entry"] for event in self._events if event["method"] == "Log.entryAdded"]
        return [entry["text"] for entry in entries]

    def value(self, expression: str) -> Any:
        """What an expression is in the page."""
        result = self._call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def close(self) -> None:
        """End the browser."""
        os.close(self._out)
        os.close(self._in)
        self._process.kill()
        self._process.wait()

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        number = self._number
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if getattr(self, "_session", None):
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            for answer in self._read(0.2):
                if answer.get("id") == number:
                    assert "error" not in answer, answer["error"]
                    return dict(answer["result"])
            assert self._process.poll() is None, "the browser has ended"
        raise AssertionError(f"no answer to {method}")

    def _read(self, seconds: float) -> list[dict[str, Any]]:
        """Answers that came; events are kept."""
        if select.select([self._in], [], [], seconds)[0]:
            self._buffer += os.read(self._in, 1 << 20)
        *whole, self._buffer = self._buffer.split(b"\0")
        answers = []
        for text in whole:
            message = json.loads(text)
            if "method" in message:
                self._events.append(message)
            else:
                answers.append(message)
        return answers
