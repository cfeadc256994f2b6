"""The provider's side of one request, asked of any reader: the comparison, the tokens, the cost."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from engine.wire.compare import LangChainView, compare
from engine.wire.markers import langchain_markers, message_of, wire_markers
from engine.wire.model import Comparison, Cost, TokenSplit
from engine.wire.prices import cost
from engine.wire.usage import split

if TYPE_CHECKING:
    from engine.sources import Source


def wire_comparison(reader: Source, request_id: int) -> Comparison | None:
    """The body last sent beside LangChain's view; None where no body was recorded.

    Reads every message of the request, so it is for a job.
    """
    attempt = next((each for each in reversed(reader.wire(request_id)) if each.has_body), None)
    if attempt is None:
        return None
    detail = reader.request(request_id)
    view = LangChainView(
        system=reader.system_message(request_id),
        messages=[reader.message(row.part) for row in detail.messages],
        tools=[reader.value(row.part) for row in detail.tools],
        params=detail.provider,
    )
    try:
        body = json.loads(reader.wire_bytes(attempt.id))
    except ValueError:
        body = None
    numbered = list(enumerate(view.messages))
    blocks = [reader.value(block.part) for block in detail.system]
    shell = body if isinstance(body, dict) else {}
    return dataclasses.replace(
        compare(attempt, body, view),
        markers_asked=langchain_markers(blocks, view.tools, numbered, view.params),
        markers_sent=wire_markers(shell, (), lambda block: message_of(block, numbered[::-1])),
    )


def token_split(reader: Source, request_id: int) -> TokenSplit:
    """Reported tokens of a request, told apart."""
    return split(reader.request(request_id).usage)


def request_cost(reader: Source, request_id: int) -> Cost:
    """What a request cost by the price list, at the prices of its day."""
    detail = reader.request(request_id)
    attempt = next(iter(reversed(reader.wire(request_id))), None)
    answer: dict[str, Any] = (reader.message(detail.response).get("data") or {}) if detail.response else {}
    told = answer.get("response_metadata") or {}
    tier = told.get("service_tier")
    return cost(
        split(detail.usage),
        told.get("model_name") or told.get("model") or detail.row.model,
        detail.provider.get("provider"),
        detail.row.started_at,
        tier=tier if isinstance(tier, str) else None,
        host=attempt.host if attempt is not None else "",
    )
