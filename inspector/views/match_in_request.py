"""Where a hit of the search stands in a request that is shown: its area, its row, and the words in its text."""

from __future__ import annotations

from typing import Any

from engine.search.model import Hit
from inspector.found_words import words_of
from inspector.views.message import Sought


def show_match(request: Any, hit: Hit) -> None:
    """Bring the piece of the shown request to the front, and the match in it on the screen."""
    words, place = words_of(hit), hit.index or 0
    sought = Sought(words, hit.position, hit.field == "text")
    if hit.area == "raw":
        request.show_raw(hit.index)
    else:
        request.show_part("provider" if hit.area == "response" else hit.area, place)
    if not words:
        return
    if hit.area == "raw":
        request.raw_effective.message.show_match(sought)
    elif hit.area == "messages":
        request.messages.message.show_match(sought)
    elif hit.area == "response":
        request.provider.tabs.setCurrentWidget(request.provider.response)
        request.provider.response.show_match(sought)
    elif hit.area == "provider":
        request.provider.tabs.setCurrentWidget(request.provider.json)
        request.provider.json.show_match(words, 0)
    elif hit.area == "system":
        request.system.text.show_json(hit.field != "text")
        request.system.text.current().show_match(words, hit.position)
    elif hit.area == "tools":
        request.tools.show_match(words)
