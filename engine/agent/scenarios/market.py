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
class _Row:
    date: str
    country: str
    model: str
    dealer: int
    cents: int
    units: int

    def line(self) -> str:
        price = f"{self.cents // 100}.{self.cents % 100:02}"
        return f"{self.date},{self.country},{self.model},dealer-{self.dealer:03},{price},{self.units}"


@cache
def _rows(company: str, week: int) -> tuple[_Row, ...]:
    rows = []
    strength, home = _STRENGTH[company]
    for country in COUNTRIES:
        factor = strength * (2 if country == home else 1)
        for m, model in enumerate(COMPANIES[company]):
            level = model.cents * _LEVEL[country] // 1000
            for w in sorted(DAYS):
                if w <= week:
                    level = level * (1000 + model.moves[w]) // 1000
            for d, date in enumerate(DAYS[week]):
                for dealer in range(1, DEALERS + 1):
                    wiggle = (dealer * 37 + d * 11 + m * 5 + week) % 21 - 10
                    sold = (dealer * 13 + d * 7 + m * 3 + week) % _SHARE[country]
                    rows.append(
                        _Row(
                            date,
                            country,
                            model.name,
                            dealer,
                            level + level * wiggle // 1000,
                            sold * factor // 10,
                        )
                    )
    return tuple(rows)


@cache
def average(company: str, week: int, model: str, country: str | None = None) -> float:
    """Street price in euro over dealers and days, in one country or in all of them."""
    cents = [row.cents for row in _rows(company, week) if row.model == model and country in (None, row.country)]
    return round(sum(cents) / len(cents)) / 100


@cache
def lowest(company: str, week: int, model: str, country: str) -> float:
    """Lowest street price in euro seen in one country."""
    return min(r.cents for r in _rows(company, week) if r.model == model and r.country == country) / 100


@cache
def units(company: str, week: int, country: str | None = None) -> int:
    """Units sold, in one country or in all of them."""
    return sum(row.units for row in _rows(company, week) if country in (None, row.country))


def move(company: str, week: int, model: str) -> float:
    """Change of the street price against the week before, in per cent."""
    return next(m.moves[week] for m in COMPANIES[company] if m.name == model) / 10


@cache
def _export(company: str, week: int) -> str:
    totals = [
        f"# {m.name}: average {average(company, week, m.name):.2f} EUR, "
        f"{m.moves[week] / 10:+.1f} % against week {week - 1}"
        for m in COMPANIES[company]
    ]
    rows = _rows(company, week)
    total = f"# {len(rows)} rows, {units(company, week)} units, week {week} of 2026"
    return "\n".join((HEADER, *(row.line() for row in rows), *totals, total))


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
