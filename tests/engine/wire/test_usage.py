"""Reported tokens told apart (S17), and what they cost."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from engine.wire.model import TokenSplit
from engine.wire.prices import cost, price_list
from engine.wire.usage import split

DAY = datetime(2026, 11, 1, tzinfo=UTC).timestamp()


def usage(given: int, out: int, total: int | None = None, **details: int) -> dict[str, Any]:
    total = given + out if total is None else total
    return {"input_tokens": given, "output_tokens": out, "total_tokens": total, "input_token_details": details}


@pytest.mark.parametrize(
    ("reported", "fresh", "read", "created"),
    [
        (usage(130_213, 9, cache_read=128_955, cache_creation=1_253), 5, 128_955, 1_253),
        (usage(2_010, 9, cache_read=0, cache_creation=0, ephemeral_5m_input_tokens=1_500,
               ephemeral_1h_input_tokens=500), 10, 0, 2_000),
        (usage(2_010, 9, cache_creation=2_000, ephemeral_5m_input_tokens=1_500, ephemeral_1h_input_tokens=500),
         10, None, 2_000),
        (usage(17_903, 9, cache_read=17_817), 86, 17_817, None),
        (usage(100, 9), 100, None, None),
        (usage(0, 0), 0, None, None),
        (usage(100, 9, flex_cache_read=40, flex=60), 60, 40, None),
    ],
)  # fmt: skip
def test_nothing_is_counted_twice(reported: Any, fresh: int, read: int | None, created: int | None) -> None:
    found = split(reported)
    assert (found.fresh, found.cache_read, found.cache_creation, found.problem) == (fresh, read, created, None)
    assert (found.fresh or 0) + (found.cache_read or 0) + (found.cache_creation or 0) == found.input


def test_lifetimes_are_told_apart() -> None:
    found = split(usage(2_010, 9, cache_creation=0, ephemeral_5m_input_tokens=1_500, ephemeral_1h_input_tokens=500))
    assert (found.cache_creation_5m, found.cache_creation_1h) == (1_500, 500)


@pytest.mark.parametrize("none", [None, {}])
def test_not_reported_is_not_zero(none: Any) -> None:
    assert split(none) == TokenSplit(False)
    assert split(none).input is None


def test_what_can_not_be_is_said() -> None:
    wrong = split(usage(5, 9, cache_read=128_955))
    assert wrong.fresh is None
    assert wrong.problem == "128,955 tokens from and to the cache are more than the 5 of all input"
    total = split(usage(3, 4, total=99))
    assert total.fresh == 3
    assert total.problem == "the total of 99 is not the 3 of input and the 4 of output"


def test_a_known_model_costs_what_the_list_says() -> None:
    found = cost(split(usage(1_000_000, 100_000)), "gpt-4o", "openai", DAY)
    assert (found.input, found.output, found.amount) == (Decimal("2.5"), Decimal("1"), Decimal("3.5"))
    assert (found.model, found.provider, found.reason) == ("gpt-4o", "openai", "")
    assert found.prices == price_list()
    assert found.prices.startswith("genai-prices 0.2.")
    assert "(prices to 20" in found.prices


def test_cache_reads_and_creations_have_prices_of_their_own() -> None:
    def amount(**details: int) -> Decimal:
        found = cost(split(usage(1_000, 0, **details)), "claude-sonnet-4-5", "anthropic", DAY).amount
        assert found is not None
        return found

    fresh, million = amount(), Decimal(1_000_000)
    assert fresh == 3_000 / million
    assert amount(cache_read=1_000) == 300 / million
    assert amount(cache_creation=1_000) == 3_750 / million
    assert amount(cache_creation=0, ephemeral_5m_input_tokens=1_000) == 3_750 / million
    assert amount(cache_creation=0, ephemeral_1h_input_tokens=1_000) == 6_000 / million


@pytest.mark.parametrize(
    ("tokens", "model", "provider", "reason"),
    [
        (None, "gpt-4o", "openai", "the provider reported no tokens; a cost is never made from an estimate"),
        (usage(5, 9, cache_read=128_955), "gpt-4o", "openai", "the reported tokens are inconsistent: 128,955 tokens"),
        (usage(5, 9), None, "openai", "the model is not known"),
        (usage(5, 9), "scripted", None, "the price list has no model 'scripted'"),
        (usage(5, 9), "scripted", "openai", "the price list has no model 'scripted' of openai"),
        (usage(5, 9), "m", "a provider of our own", "the price list has no model 'm' of a provider of our own"),
    ],
)
def test_without_an_amount_there_is_the_reason(tokens: Any, model: Any, provider: Any, reason: str) -> None:
    found = cost(split(tokens), model, provider, DAY)
    assert found.amount is None
    assert found.reason.startswith(reason)


def test_a_server_of_ones_own_may_have_other_prices() -> None:
    for host in ("127.0.0.1:8000", "localhost", "10.0.0.3", "[::1]:80", "models.internal"):
        assert cost(split(usage(1, 1)), "gpt-4o", "openai", DAY, host=host).note.startswith(f"sent to {host}")
    assert cost(split(usage(1, 1)), "gpt-4o", "openai", DAY, host="api.openai.com").note == ""
