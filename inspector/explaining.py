"""The explainer of one source, made when it is first needed, and texts of pieces. Called in jobs only."""

from __future__ import annotations

import json
from threading import Lock
from typing import Any

from engine.explain.model import Area


class Explaining:
    """Hands out one ``engine.Explainer`` a source: what it has worked out serves every view."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader
        self._made: Any = None
        self._lock = Lock()

    def __call__(self) -> Any:
        """The explainer; the first call imports it."""
        with self._lock:
            if self._made is None:
                import engine

                self._made = engine.Explainer(self.reader)
            return self._made

    def text(self, area: Area, part: int) -> str:
        """One piece as a reader wants it: text with its calls, or the JSON of a tool."""
        if area == "tools":
            return str(self.reader.json_text(part))
        text = str(self.reader.text(part))
        if area == "messages":
            calls = (self.reader.message(part).get("data") or {}).get("tool_calls") or ()
            lines = [
                f"→ {call.get('name')}({json.dumps(call.get('args'), ensure_ascii=False, indent=2, default=str)})"
                for call in calls
            ]
            text = "\n".join(filter(None, [text, *lines]))
        return text or str(self.reader.json_text(part))
