"""What the requests of a thread cost together, as it added up. Imports numpy: import it off the GUI thread."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from engine.trace.model import RequestRow
from inspector.models.bars import Numbers, maker

MAKERS = ("main agent", "subagents", "summaries")


class Price(NamedTuple):
    """Cost of one request in US dollars; without an amount, why there is none."""

    amount: Decimal | None
    reason: str = ""


NOT_REPORTED = Price(None, "the provider reported no tokens; a cost is never made from an estimate")
NOT_ENDED = Price(None, "it has not ended")


@dataclass(frozen=True, slots=True, eq=False)
class Spending:
    """Costs that are known, added up; what isn't known adds nothing and is counted."""

    prices: Mapping[int, Price]
    """By the request's id."""
    costs: Numbers
    """A line a request, a column for each of ``MAKERS``: US dollars up to and with this request."""
    cached: Numbers
    """Share of the reported input tokens up to here that was read from the provider's cache; NaN before any."""
    known: int
    """Requests whose cost is known."""

    def total(self) -> Decimal:
        """All that is known."""
        return sum((price.amount for price in self.prices.values() if price.amount is not None), Decimal(0))

    def said(self) -> str:
        """``Cost known for 40 of 52 requests``."""
        return f"cost known for {self.known} of {len(self.costs)} requests"


def prices_of(
    reader: Any,
    rows: Sequence[RequestRow | None],
    known: Mapping[int, Price],
    progress: Callable[[int, int | None], object],
) -> dict[int, Price]:
    """Prices of these requests by the price list. Only requests with reported tokens are read, each once."""
    from engine import request_cost

    found = dict(known)
    missing = [row for row in rows if row is not None and row.id not in found]
    for done, row in enumerate(missing):
        progress(done, len(missing))
        if row.status == "running":
            continue
        if row.usage.input_tokens is None:
            found[row.id] = NOT_REPORTED
            continue
        cost = request_cost(reader, row.id)
        found[row.id] = Price(cost.amount, cost.reason)
    return found


def spending(rows: Sequence[RequestRow | None], prices: Mapping[int, Price]) -> Spending:
    """Add up what is known."""
    costs = np.zeros((len(rows), len(MAKERS)))
    tokens = np.zeros((len(rows), 2))
    known = 0
    for index, row in enumerate(rows):
        if row is None:
            continue
        price = prices.get(row.id, NOT_ENDED)
        if price.amount is not None:
            known += 1
            costs[index, maker(row)] = float(price.amount)
        if row.usage.input_tokens is not None:
            tokens[index] = row.usage.input_tokens, row.usage.cache_read or 0
    given, read = np.cumsum(tokens, axis=0).T if len(rows) else (np.zeros(0), np.zeros(0))
    cached = np.divide(read, given, out=np.full(len(rows), np.nan), where=given > 0)
    return Spending(prices, np.cumsum(costs, axis=0), cached, known)


def money(amount: float | Decimal) -> str:
    """US dollars, a small sum by its first three digits: ``$12.40``, ``$0.00310``."""
    value = float(amount)
    if value == 0:
        return "$0"
    digits = 2 if value >= 1 else min(12, 2 - math.floor(math.log10(value)))
    return f"${value:,.{digits}f}".replace(",", "\u2009")
