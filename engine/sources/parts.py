"""What can be asked of a part of a stranger's thread, as of a part of a record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from engine.sources.shelf import Shelf
from engine.trace.book import Recent
from engine.trace.content import head_of, text_of
from engine.trace.model import MessageHead


class PartsOfShelf:
    """Bodies of parts. ``engine.trace.Reader`` says what each method means."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._heads: Recent[int, MessageHead] = Recent(20_000, lambda _: 1)

    def heads(self, parts: Sequence[int]) -> dict[int, MessageHead]:
        """What rows show of these messages."""
        return {part: self._heads.get(part, lambda part=part: head_of(part, self.message(part))) for part in parts}  # type: ignore[misc]

    def message(self, part: int) -> dict[str, Any]:
        """A message as LangChain's own dict, ``{"type": …, "data": …}``."""
        value = self._shelf.value(part)
        return value if isinstance(value, dict) else {"type": "block", "data": {"content": value}}

    def value(self, part: int) -> Any:
        """Any part's JSON value, as it is stored."""
        return self._shelf.value(part)

    def text(self, part: int) -> str:
        """The whole readable text of a part: a message's text, else its JSON."""
        value = self._shelf.value(part)
        if isinstance(value, dict) and isinstance(value.get("data"), dict) and "content" in value["data"]:
            return text_of(value["data"]["content"])
        return value if isinstance(value, str) else self.json_text(part)

    def json_text(self, part: int) -> str:
        """The stored JSON, indented."""
        return json.dumps(self._shelf.value(part), ensure_ascii=False, indent=2)
