"""The weekly competitor report: an analyst's week, and the week after that starts from what was learned.

The analyst exports 20,000 rows a company (offloaded), reads parts of them, sends two researchers off
at once, gets a day's transcript pasted, checks a claim against the data, formats the report by a skill
and learns two preferences. Its window is small enough for two summaries, the second made with the first
in force.

What the analyst says is computed from the same tables as the exports (``market``); long texts lie in
``resources/scenarios/competitor_report``.
"""

from __future__ import annotations

from typing import Any, Final

import resources
from engine.agent.scenarios import market, week_22, week_23
from engine.agent.scenarios.report_parts import (
    FOLDER,
    MEMORY,
    WINDOW,
    detail,
    export,
    exported,
    grep,
    news,
    order,
    text,
    totals,
)
from engine.agent.scenarios.value import Scenario, ScenarioThread
from engine.agent.scripted import Exchange, ScriptedChat, Turn
from engine.agent.settings import AgentSettings, SubagentSettings

SKILLS: Final = ("qbr-report", "press-release", "churn-analysis", "battlecard")


def _researcher(week: int) -> ScriptedChat:
    script = []
    for company in ("Coldtrace", "Deltanode"):
        model, country = market.COMPANIES[company][1].name, detail(company)
        script.append(
            Exchange(
                order(company, week),
                (
                    Turn(calls=(export(company, week), news(company, week))),
                    Turn(calls=(totals(company, week),)),
                    Turn(calls=(grep(f"{country},{model}", exported(company, week)),)),
                    Turn(text(f"researcher-{week}-{company.lower()}.md", week)),
                ),
            )
        )
    return ScriptedChat(
        model="scripted-researcher", script=script, call_prefix="call_r", profile={"max_input_tokens": WINDOW}
    )


def _settings(model: ScriptedChat, week: int) -> AgentSettings:
    tools: tuple[Any, ...] = (market.market_data_export, market.news_search)
    return AgentSettings(
        model=model,
        name="market-analyst",
        profile={"max_input_tokens": WINDOW},
        system_prompt=resources.read_text(f"{FOLDER}/system.md").strip(),
        tools=tools,
        subagents=(
            SubagentSettings(
                name="market-researcher",
                description=(
                    "Researches one competitor in one week: exports and reads the market data, searches the "
                    "news, returns a short report. Start several at once for several companies."
                ),
                system_prompt=resources.read_text(f"{FOLDER}/researcher.md").strip(),
                tools=tools,
                model=_researcher(week),
            ),
        ),
        tags={"scenario": "competitor-report"},
    )


def competitor_report() -> Scenario:
    """Two threads over one store: week 22, and week 23 with the memory that week 22 left."""
    return Scenario(
        name="competitor-report",
        title="Weekly competitor report",
        seed_files={
            MEMORY: resources.read_text(f"{FOLDER}/AGENTS.md"),
            **{f"/skills/{name}/SKILL.md": resources.read_text(f"scenarios/skills/{name}/SKILL.md") for name in SKILLS},
        },
        threads=(
            ScenarioThread(
                thread_id="competitor-report-week-22",
                title="Competitor report, week 22",
                settings=_settings(week_22.analyst(), 22),
                turns=week_22.TURNS,
            ),
            ScenarioThread(
                thread_id="competitor-report-week-23",
                title="Competitor report, week 23",
                settings=_settings(week_23.analyst(), 23),
                turns=week_23.TURNS,
            ),
        ),
    )
