"""What the weeks of the competitor report are made of: facts, texts with the facts filled in, and calls."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from string import Template
from typing import Final

from langchain_core.messages import BaseMessage

import resources
from engine.agent.scenarios import market
from engine.agent.scripted import Call, Turn

WINDOW: Final = 64_000
"""Tokens that the scripted models take; the engine summarizes at 85 % of it."""
MEMORY: Final = "/memories/AGENTS.md"
SKILL: Final = "/skills/qbr-report/SKILL.md"
FOLDER: Final = "scenarios/competitor_report"
PASTED: Final = re.compile(r"/conversation_history/[0-9a-f-]{36}\.md")
"""Where the engine leaves a pasted message."""
HISTORY: Final = re.compile(r"/conversation_history/session_[0-9a-f]+\.md")
"""Where the engine saves what a summary replaces."""


@cache
def facts(week: int) -> dict[str, str]:
    """Names for the texts: ``$AR210`` average price, ``$AR210_move`` per cent, ``$Arctis_units`` …"""
    result: dict[str, str] = {}
    for company, models in market.COMPANIES.items():
        for model in models:
            name = model.name.replace("-", "")
            result[name] = f"{market.average(company, week, model.name):.2f}"
            result[f"{name}_move"] = f"{market.move(company, week, model.name):+.1f} %"
            if week - 1 in market.DAYS:
                result[f"{name}_before"] = f"{market.average(company, week - 1, model.name):.2f}"
        by_country = sorted(
            ((market.units(company, week, country), country) for country in market.COUNTRIES),
            reverse=True,
        )
        result[f"{company}_units"] = f"{market.units(company, week):,}"
        result[f"{company}_top"] = ", ".join(f"{c} {n:,}" for n, c in by_country[:2])
    result["BX200_PL"] = f"{market.average('Brightbox', week, 'BX-200', 'PL'):.2f}"
    result["AR210_PL"] = f"{market.average('Arctis', week, 'AR-210', 'PL'):.2f}"
    result["BX200_PL_low"] = f"{market.lowest('Brightbox', week, 'BX-200', 'PL'):.2f}"
    if week - 1 in market.DAYS:
        low = market.lowest("Brightbox", week - 1, "BX-200", "PL")
        result["BX200_PL_low_before"] = f"{low:.2f}"
    for country in ("PL", "NL", "DK"):
        result[f"EF403_{country}"] = f"{market.average('Everfrost', week, 'EF-403', country):.2f}"
    return result


def say(text: str, week: int = 22) -> str:
    """The text with the facts of a week filled in."""
    return Template(text).substitute(facts(week)).strip()


def text(name: str, week: int = 22) -> str:
    """A text of the scenario's folder with the facts filled in."""
    return say(resources.read_text(f"{FOLDER}/{name}"), week) + "\n"


def _export_id(company: str, week: int) -> str:
    return f"call_{company.lower()}_{week}"


def exported(company: str, week: int) -> str:
    """Where the engine leaves the company's export."""
    return f"/large_tool_results/{_export_id(company, week)}"


def found(messages: list[BaseMessage], pattern: re.Pattern[str], default: str) -> str:
    """The last path of this pattern that the messages name."""
    paths = [path for message in messages for path in pattern.findall(message.text)]
    return paths[-1] if paths else default


def export(company: str, week: int) -> Call:
    return Call("market_data_export", {"company": company, "week": week}, id=_export_id(company, week))


def news(company: str, week: int) -> Call:
    return Call("news_search", {"company": company, "week": week})


def read(path: str, offset: int, limit: int) -> Call:
    return Call("read_file", {"file_path": path, "offset": offset, "limit": limit})


def totals(company: str, week: int) -> Call:
    """Read the end of an export, where its totals are."""
    return read(exported(company, week), 20_150, 20)


def grep(pattern: str, path: str) -> Call:
    return Call("grep", {"pattern": pattern, "path": path, "output_mode": "content"})


def write(path: str, content: str) -> Call:
    return Call("write_file", {"file_path": path, "content": content})


def edit(path: str, old: str, new: str) -> Call:
    return Call("edit_file", {"file_path": path, "old_string": old, "new_string": new})


def task(company: str, week: int) -> Call:
    return Call("task", {"description": order(company, week), "subagent_type": "market-researcher"})


def detail(company: str) -> str:
    """The country that a researcher looks at."""
    return "BE" if company == "Deltanode" else "DK"


def order(company: str, week: int) -> str:
    """What a researcher is told; it also finds the researcher's script."""
    return (
        f"Research {company} for week {week} of 2026. Look at the totals and at {detail(company)} in detail. "
        "Report the price moves above 2 per cent (model, average street price in EUR, change against the "
        "week before), units in total and in the two strongest countries, and at most two news items with "
        "source and date."
    )


def in_pasted(make: Callable[[str], Turn]) -> Callable[[list[BaseMessage]], Turn]:
    """A turn that needs the path of the pasted transcript, read from where the engine says it is."""
    return lambda messages: make(found(messages, PASTED, "/conversation_history"))


def in_history(make: Callable[[str], Turn]) -> Callable[[list[BaseMessage]], Turn]:
    """A turn that needs the path of the saved history, read from the summary in force."""
    return lambda messages: make(found(messages, HISTORY, "/conversation_history"))


def template(name: str, week: int) -> str:
    """As :func:`text`, with the names that are no facts left for a summary to find."""
    return Template(resources.read_text(f"{FOLDER}/{name}")).safe_substitute(facts(week)).strip()
