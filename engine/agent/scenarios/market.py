"""The world of the competitor report: five companies, their prices and their news.

Everything is computed by integer arithmetic from the tables below, so that an export is the same in
every run and what the scripted analyst says about it is true.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import resources

COUNTRIES: Final = ("DE", "AT", "CH", "NL", "BE", "DK", "SE", "PL")
DEALERS: Final = 90
DAYS: Final = {
    22: tuple(f"2026-05-{day:02}" for day in range(25, 32)),
    23: tuple(f"2026-06-{day:02}" for day in range(1, 8)),
}
HEADER: Final = "date,country,model,dealer,street_eur,units"


@dataclass(frozen=True)
class Model:
    """One product: its street price in week 21 in cents, and what each week changed, in per mille."""

    name: str
    cents: int
    moves: dict[int, int]


COMPANIES: Final[dict[str, tuple[Model, ...]]] = {
    "Arctis": (
        Model("AR-110", 9_400, {22: -4, 23: 3}),
        Model("AR-210", 18_940, {22: -39, 23: -5}),
        Model("AR-310", 26_450, {22: 6, 23: -42}),
        Model("AR-500", 51_200, {22: 0, 23: 2}),
    ),
    "Brightbox": (
        Model("BX-100", 8_750, {22: 3, 23: -2}),
        Model("BX-200", 17_680, {22: -64, 23: -21}),
        Model("BX-300", 24_900, {22: -8, 23: 4}),
        Model("BX-900", 60_500, {22: 26, 23: 0}),
    ),
    "Coldtrace": (
        Model("CT-010", 7_990, {22: 2, 23: 1}),
        Model("CT-020", 14_350, {22: 31, 23: 0}),
        Model("CT-030", 21_700, {22: -6, 23: -3}),
        Model("CT-070", 44_800, {22: 5, 23: -4}),
    ),
    "Deltanode": (
        Model("DN-201", 11_300, {22: -1, 23: -28}),
        Model("DN-202", 15_900, {22: 4, 23: -31}),
        Model("DN-203", 22_150, {22: -7, 23: 2}),
        Model("DN-208", 47_250, {22: 0, 23: 5}),
    ),
    "Everfrost": (
        Model("EF-401", 8_200, {22: -5, 23: 1}),
        Model("EF-402", 16_420, {22: 9, 23: -48}),
        Model("EF-403", 23_980, {22: -52, 23: -6}),
        Model("EF-409", 55_300, {22: 1, 23: 0}),
    ),
}
_LEVEL: Final = dict(zip(COUNTRIES, (1000, 1012, 1085, 994, 1003, 1041, 1037, 931), strict=True))
_SHARE: Final = dict(zip(COUNTRIES, (31, 9, 8, 14, 10, 7, 9, 12), strict=True))
_STRENGTH: Final = {
    "Arctis": (12, "DE"),
    "Brightbox": (11, "PL"),
    "Coldtrace": (6, "DK"),
    "Deltanode": (7, "NL"),
    "Everfrost": (5, "SE"),
}
"""Tenths of the usual sales, and the country where it is twice that."""


@dataclass(frozen=True)
class _Group:
    """One model in one country over a week: price in cents and units, for each day every dealer."""

    country: str
    model: str
    cents: list[int]
    units: list[int]


@cache
def _groups(company: str, week: int) -> tuple[_Group, ...]:
    strength, home = _STRENGTH[company]
    groups = []
    for country in COUNTRIES:
        factor, share = strength * (2 if country == home else 1), _SHARE[country]
        for m, model in enumerate(COMPANIES[company]):
            level = model.cents * _LEVEL[country] // 1000
            for past in sorted(DAYS):
                if past <= week:
                    level = level * (1000 + model.moves[past]) // 1000
            # The price goes up and down by one per cent, and every 21st dealer is in the same place.
            prices = [level + level * wiggle // 1000 for wiggle in range(-10, 11)]
            cells = [(day, dealer) for day in range(len(DAYS[week])) for dealer in range(1, DEALERS + 1)]
            groups.append(
                _Group(
                    country,
                    model.name,
                    [prices[(dealer * 37 + day * 11 + m * 5 + week) % 21] for day, dealer in cells],
                    [(dealer * 13 + day * 7 + m * 3 + week) % share * factor // 10 for day, dealer in cells],
                )
            )
    return tuple(groups)


def average(company: str, week: int, model: str, country: str | None = None) -> float:
    """Street price in euro over dealers and days, in one country or in all of them."""
    groups = [g for g in _groups(company, week) if g.model == model and country in (None, g.country)]
    return round(sum(sum(g.cents) for g in groups) / sum(len(g.cents) for g in groups)) / 100


def lowest(company: str, week: int, model: str, country: str) -> float:
    """Lowest street price in euro seen in one country."""
    return min(min(g.cents) for g in _groups(company, week) if (g.model, g.country) == (model, country)) / 100


def units(company: str, week: int, country: str | None = None) -> int:
    """Units sold, in one country or in all of them."""
    return sum(sum(g.units) for g in _groups(company, week) if country in (None, g.country))


def move(company: str, week: int, model: str) -> float:
    """Change of the street price against the week before, in per cent."""
    return next(m.moves[week] for m in COMPANIES[company] if m.name == model) / 10


@cache
def _export(company: str, week: int) -> str:
    lines = [HEADER]
    for group in _groups(company, week):
        cells = iter(zip(group.cents, group.units, strict=True))
        for date in DAYS[week]:
            for dealer in range(1, DEALERS + 1):
                cents, sold = next(cells)
                price = f"{cents // 100}.{cents % 100:02}"
                lines.append(f"{date},{group.country},{group.model},dealer-{dealer:03},{price},{sold}")
    rows = len(lines) - 1
    for m in COMPANIES[company]:
        mean, change = average(company, week, m.name), move(company, week, m.name)
        lines.append(f"# {m.name}: average {mean:.2f} EUR, {change:+.1f} % against week {week - 1}")
    lines.append(f"# {rows} rows, {units(company, week)} units, week {week} of 2026")
    return "\n".join(lines)


def market_data_export(company: str, week: int) -> str:
    """Export one competitor's street prices and units: every model, country, dealer and day of a week.

    Args:
        company: Arctis, Brightbox, Coldtrace, Deltanode or Everfrost.
        week: Calendar week of 2026.
    """
    if company not in COMPANIES:
        return f"Error: no such company: {company}. Known: {', '.join(COMPANIES)}."
    if week not in DAYS:
        return f"Error: no data for week {week}. There is data for {', '.join(map(str, DAYS))}."
    return _export(company, week)


def news_search(company: str, week: int) -> str:
    """Search trade press, company sites and filings for what was published on a competitor in a week.

    Args:
        company: Name of the company.
        week: Calendar week of 2026.
    """
    if company not in COMPANIES or week not in DAYS:
        return f"No articles found on {company} in week {week}."
    text = resources.read_text(f"scenarios/competitor_report/news/{company.lower()}.md")
    found = [part.strip() for part in text.split("\n---\n") if f"Week: {week}\n" in part]
    return f"{len(found)} articles on {company}, week {week} of 2026\n\n" + "\n\n".join(found)
