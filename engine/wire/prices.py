"""What a request cost, by the price list that ``genai-prices`` brings with it. Never asks the network."""

from __future__ import annotations

import dataclasses
import functools
import ipaddress
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlsplit

from engine.wire.model import Cost, TokenSplit


def cost(
    tokens: TokenSplit, model: str | None, provider: str | None, at: float, *, tier: str | None = None, host: str = ""
) -> Cost:
    """Cost of reported tokens at the time of the request; without an amount, the reason why there is none."""
    if not tokens.reported or tokens.input is None or tokens.output is None:
        return Cost(None, reason="the provider reported no tokens; a cost is never made from an estimate")
    if tokens.fresh is None:
        return Cost(None, reason=f"the reported tokens are inconsistent: {tokens.problem}")
    if not model:
        return Cost(None, reason="the model is not known")
    from genai_prices import Usage, calc_price  # deferred: a large table, needed for reported tokens only

    counts = {
        "input_tokens": tokens.input,
        "output_tokens": tokens.output,
        "cache_read_tokens": tokens.cache_read,
        "cache_write_tokens": tokens.cache_creation,
        "cache_write_5m_tokens": tokens.cache_creation_5m,
        "cache_write_1h_tokens": tokens.cache_creation_1h,
    }
    try:
        found = calc_price(
            Usage(**{name: count for name, count in counts.items() if count is not None}),
            model,
            provider_id=provider,
            genai_request_timestamp=datetime.fromtimestamp(at, UTC),
            price_context={"service_tier": tier} if tier else None,
        )
    except LookupError:
        whose = f" of {provider}" if provider else ""
        return Cost(None, prices=price_list(), reason=f"the price list has no model {model!r}{whose}")
    except ValueError as error:
        return Cost(None, prices=price_list(), reason=f"the price list can't tell it: {error}")
    return Cost(
        amount=found.total_price,
        input=found.input_price,
        output=found.output_price,
        model=found.model.id,
        provider=found.provider.id,
        prices=price_list(),
        note=f"sent to {host}, which may have prices of its own" if _is_near(host) else "",
    )


@functools.cache
def price_list() -> str:
    """The list's name and version, and the newest day for which it has a price."""
    from genai_prices import __version__
    from genai_prices.data_snapshot import get_snapshot

    today = datetime.now(UTC).date()
    days = {day for provider in get_snapshot().providers for day in _days(provider)}
    newest = max((day for day in days if day <= today), default=None)
    return f"genai-prices {__version__}" + (f" (prices to {newest.isoformat()})" if newest else "")


def _days(value: Any) -> Iterator[date]:
    """Days on which a price of the list began."""
    if isinstance(value, date):
        yield value.date() if isinstance(value, datetime) else value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _days(getattr(value, field.name, None))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _days(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _days(item)


def _is_near(host: str) -> bool:
    """Whether a host is this machine or its network, and so hardly the provider itself."""
    name = urlsplit(f"//{host}").hostname or ""
    try:
        return ipaddress.ip_address(name).is_private
    except ValueError:
        return name == "localhost" or name.endswith((".local", ".internal"))
