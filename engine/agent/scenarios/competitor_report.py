"""The weekly competitor report: an analyst's week, and the week after that starts from what was learned.

The analyst exports 20,000 rows a company (offloaded), reads parts of them, sends two researchers off
at once, gets a day's transcript pasted, checks a claim against the data, formats the report by a skill
and learns two preferences. Its window is small enough for two summaries, the second made with the first
in force.

What the analyst says is computed from the same tables as the exports (``market``); long texts lie in
``resources/scenarios/competitor_report``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from string import Template
from typing import Any, Final

from langchain_core.messages import BaseMessage

import resources
from engine.agent.scenarios import market
from engine.agent.scenarios.transcript import call_transcript
from engine.agent.scenarios.value import Scenario, ScenarioThread
from engine.agent.scripted import Call, Exchange, ScriptedChat, SummaryText, Turn
from engine.agent.settings import AgentSettings, SubagentSettings

WINDOW: Final = 64_000
"""Tokens the scripted models take; the engine summarizes at 85 % of it."""
MEMORY: Final = "/memories/AGENTS.md"
SKILL: Final = "/skills/qbr-report/SKILL.md"
SKILLS: Final = ("qbr-report", "press-release", "churn-analysis", "battlecard")
BULLETS: Final = "Write reports and answers as bullet points, not as paragraphs; price moves first"

_FOLDER: Final = "scenarios/competitor_report"
_PASTED: Final = re.compile(r"/conversation_history/[0-9a-f-]{36}\.md")
_HISTORY: Final = re.compile(r"/conversation_history/session_[0-9a-f]+\.md")


# --- facts and texts ---


@cache
def _facts(week: int) -> dict[str, str]:
    """Names for the texts: ``$AR210`` average price, ``$AR210_move`` per cent, ``$Arctis_units`` …"""
    facts: dict[str, str] = {}
    for company, models in market.COMPANIES.items():
        for model in models:
            name = model.name.replace("-", "")
            facts[name] = f"{market.average(company, week, model.name):.2f}"
            facts[f"{name}_move"] = f"{market.move(company, week, model.name):+.1f} %"
            if week - 1 in market.DAYS:
                facts[f"{name}_before"] = f"{market.average(company, week - 1, model.name):.2f}"
        by_country = sorted(
            ((market.units(company, week, country), country) for country in market.COUNTRIES),
            reverse=True,
        )
        facts[f"{company}_units"] = f"{market.units(company, week):,}"
        facts[f"{company}_top"] = ", ".join(f"{c} {n:,}" for n, c in by_country[:2])
    facts["BX200_PL"] = f"{market.average('Brightbox', week, 'BX-200', 'PL'):.2f}"
    facts["AR210_PL"] = f"{market.average('Arctis', week, 'AR-210', 'PL'):.2f}"
    facts["BX200_PL_low"] = f"{market.lowest('Brightbox', week, 'BX-200', 'PL'):.2f}"
    if week - 1 in market.DAYS:
        low = market.lowest("Brightbox", week - 1, "BX-200", "PL")
        facts["BX200_PL_low_before"] = f"{low:.2f}"
    for country in ("PL", "NL", "DK"):
        facts[f"EF403_{country}"] = f"{market.average('Everfrost', week, 'EF-403', country):.2f}"
    return facts


def _say(text: str, week: int = 22) -> str:
    return Template(text).substitute(_facts(week)).strip()


def _text(name: str, week: int = 22) -> str:
    return _say(resources.read_text(f"{_FOLDER}/{name}"), week) + "\n"


def _export_id(company: str, week: int) -> str:
    return f"call_{company.lower()}_{week}"


def _exported(company: str, week: int) -> str:
    """Where the engine leaves the company's export."""
    return f"/large_tool_results/{_export_id(company, week)}"


def _found(messages: list[BaseMessage], pattern: re.Pattern[str], default: str) -> str:
    found = [path for message in messages for path in pattern.findall(message.text)]
    return found[-1] if found else default


# --- calls ---


def _export(company: str, week: int) -> Call:
    return Call("market_data_export", {"company": company, "week": week}, id=_export_id(company, week))


def _news(company: str, week: int) -> Call:
    return Call("news_search", {"company": company, "week": week})


def _read(path: str, offset: int, limit: int) -> Call:
    return Call("read_file", {"file_path": path, "offset": offset, "limit": limit})


def _totals(company: str, week: int) -> Call:
    return _read(_exported(company, week), 20_150, 20)


def _grep(pattern: str, path: str) -> Call:
    return Call("grep", {"pattern": pattern, "path": path, "output_mode": "content"})


def _write(path: str, content: str) -> Call:
    return Call("write_file", {"file_path": path, "content": content})


def _edit(path: str, old: str, new: str) -> Call:
    return Call("edit_file", {"file_path": path, "old_string": old, "new_string": new})


def _task(company: str, week: int) -> Call:
    return Call("task", {"description": _order(company, week), "subagent_type": "market-researcher"})


def _order(company: str, week: int) -> str:
    strongest = "BE" if company == "Deltanode" else "DK"
    return (
        f"Research {company} for week {week} of 2026. Look at the totals and at {strongest} in detail. "
        "Report the price moves above 2 per cent (model, average street price in EUR, change against the "
        "week before), units in total and in the two strongest countries, and at most two news items with "
        "source and date."
    )


def _in_pasted(make: Callable[[str], Turn]) -> Callable[[list[BaseMessage]], Turn]:
    """A turn that needs the path of the pasted transcript, read from where the engine says it is."""
    return lambda messages: make(_found(messages, _PASTED, "/conversation_history"))


def _in_history(make: Callable[[str], Turn]) -> Callable[[list[BaseMessage]], Turn]:
    """A turn that needs the path of the saved history, read from the summary in force."""
    return lambda messages: make(_found(messages, _HISTORY, "/conversation_history"))


# --- the researchers ---


def _researcher(weeks_and_reports: dict[tuple[str, int], str]) -> ScriptedChat:
    script = []
    for (company, week), report in weeks_and_reports.items():
        model = market.COMPANIES[company][1].name
        country = "BE" if company == "Deltanode" else "DK"
        script.append(
            Exchange(
                _order(company, week),
                (
                    Turn(calls=(_export(company, week), _news(company, week))),
                    Turn(calls=(_totals(company, week),)),
                    Turn(calls=(_grep(f"{country},{model}", _exported(company, week)),)),
                    Turn(_say(report, week)),
                ),
            )
        )
    return ScriptedChat(
        model="scripted-researcher",
        script=script,
        call_prefix="call_r",
        profile={"max_input_tokens": WINDOW},
    )


_COLDTRACE_22: Final = """
Coldtrace, week 22
- CT-020: $CT020 EUR, $CT020_move. The only move above 2 per cent.
- Units: $Coldtrace_units in total; $Coldtrace_top.
- Electronics Purchasing, 26 May 2026: the rise is put down to the radio module, bought from one supplier; in March prices had been promised stable until autumn.
- Company site, 27 May 2026: CT-070 for the 260 vehicles of Polarweg, four years, "a low seven-figure sum".
"""
_DELTANODE_22: Final = """
Deltanode, week 22
- No price move above 2 per cent. The largest is DN-203 with $DN203_move ($DN203 EUR).
- Units: $Deltanode_units in total; $Deltanode_top.
- Sensor & Data, 25 May 2026: cooperation with the gateway maker Heliokraft ends at the end of the year; own gateways from 2027.
- Company site, 28 May 2026: data protection audit passed for hospitals in DE, FR and NL.
"""
_COLDTRACE_23: Final = """
Coldtrace, week 23
- No price move above 2 per cent; CT-020 stays at $CT020 EUR ($CT020_move).
- Units: $Coldtrace_units in total; $Coldtrace_top.
- Nordisk Kyla, 3 June 2026: label without battery shown in Gothenburg, four euro a piece, series in 2027.
"""
_DELTANODE_23: Final = """
Deltanode, week 23
- DN-202: $DN202 EUR, $DN202_move. DN-201: $DN201 EUR, $DN201_move.
- Units: $Deltanode_units in total; $Deltanode_top.
- Kühlkette aktuell, 2 June 2026: first price cut for two years; dealers connect it with the subscription of Brightbox, the company with lower costs in Ostrava.
"""


# --- week 22 ---

ASK_REPORT: Final = (
    "Good morning. Please prepare the competitor report for week 22 (25 to 31 May 2026): Arctis, Brightbox, "
    "Coldtrace, Deltanode and Everfrost. For each of them price moves, volume and the news that our field team "
    "will be asked about. Look at Arctis and Brightbox yourself, they meet us in almost every tender. Collect "
    "first; I'll say when to write it down."
)
ANSWER_QUESTIONS: Final = (
    "Street prices, in euro. Everything under 2 per cent is noise and can be left out, that holds for every "
    "report. And yes, compare with the week before only. Now Everfrost, please, in detail: we have a customer who "
    "wants to get rid of 40 EF-403."
)
PASTE_HEAD: Final = (
    "This is the transcript of Thursday's account review with Kallmeyer. What did they say about our competitors, "
    "and what do we have to check?"
)
CHECK_CLAIM: Final = (
    "Check the claim about Poland, please. The whole market, not only the average: I want to know whether a single "
    "dealer was under 150. And is Everfrost being sold off there?"
)
WRITE_REPORT: Final = "Good. Now write the report, in the format of the quarterly business review."
WANT_BULLETS: Final = (
    "The content is right. But nobody reads paragraphs on a phone between two customers: from now on bullet points "
    "please, and price moves first, for every report and also for your answers. Change this one accordingly."
)
WANT_SLACK: Final = "Thanks. And two lines for Slack, please."

_OLD_PREFERENCE: Final = "- Answer in English, with German names left as they are."
_NOISE_PREFERENCE: Final = (
    "- Prices are street prices in EUR. Changes under 2 per cent are noise and are left out.\n"
    "- Compare with the week before only."
)


def _week_22() -> ScriptedChat:
    arctis, brightbox = _exported("Arctis", 22), _exported("Brightbox", 22)
    everfrost = _exported("Everfrost", 22)
    notes, report = "/reports/week-22-notes.md", "/reports/week-22.md"
    script = (
        Exchange(
            ASK_REPORT,
            (
                Turn(
                    "I'll take Arctis and Brightbox first and give Coldtrace and Deltanode to researchers "
                    "afterwards. Starting with the data of Arctis.",
                    (_export("Arctis", 22),),
                ),
                Turn(
                    "The export was saved to a file. The totals are at its end.",
                    (_totals("Arctis", 22),),
                ),
                Turn(
                    _say("AR-210 moved by $AR210_move. I want to see whether Germany carries it or a few dealers."),
                    (_grep("DE,AR-210", arctis),),
                ),
                Turn(
                    "The cut runs through all dealers. A look at the AR-310, which has new firmware.",
                    (_read(arctis, 1_261, 630),),
                ),
                Turn(calls=(_news("Arctis", 22),)),
                Turn("Now Brightbox.", (_export("Brightbox", 22),)),
                Turn(calls=(_totals("Brightbox", 22), _news("Brightbox", 22))),
                Turn(
                    _say("BX-200 fell by $BX200_move, more than any other model. Germany in detail."),
                    (_grep("DE,BX-200", brightbox),),
                ),
                Turn(
                    "And the BX-900, which is said to have become dearer.",
                    (_read(brightbox, 1_891, 560),),
                ),
                Turn(
                    "Coldtrace and Deltanode are independent of each other, so two researchers can work at once.",
                    (_task("Coldtrace", 22), _task("Deltanode", 22)),
                ),
                Turn(calls=(_write(notes, _text("notes-22.md")),)),
                Turn(_text("answer-22-collected.md")),
            ),
        ),
        Exchange(
            ANSWER_QUESTIONS,
            (
                Turn(
                    "I'll keep that for every later report, then go on with Everfrost.",
                    (
                        _edit(
                            MEMORY,
                            _OLD_PREFERENCE,
                            f"{_OLD_PREFERENCE}\n{_NOISE_PREFERENCE}",
                        ),
                    ),
                ),
                Turn(calls=(_export("Everfrost", 22), _news("Everfrost", 22))),
                Turn(calls=(_totals("Everfrost", 22),)),
                Turn(
                    _say("EF-403: $EF403_move. Germany first, then the rows of a single day."),
                    (_grep("DE,EF-403", everfrost),),
                ),
                Turn(calls=(_read(everfrost, 1_891, 560),)),
                Turn(
                    calls=(
                        _edit(
                            notes,
                            "## Everfrost\nnot yet looked at",
                            _text("notes-22-everfrost.md").strip(),
                        ),
                    )
                ),
                Turn(_text("answer-22-everfrost.md")),
            ),
        ),
        Exchange(
            f"{PASTE_HEAD}\n\n{call_transcript()}",
            (
                _in_pasted(
                    lambda path: Turn(
                        "The transcript is too long for one message and was saved. I'll read how it begins, then "
                        "look for the names.",
                        (_read(path, 0, 120),),
                    )
                ),
                _in_pasted(lambda path: Turn(calls=(_grep("Brightbox", path), _grep("Arctis", path)))),
                _in_pasted(lambda path: Turn(calls=(_grep("Everfrost", path), _grep("Coldtrace", path)))),
                _in_pasted(
                    lambda path: Turn(
                        "The passage on Poland in its context.",
                        (_read(path, 188, 14),),
                    )
                ),
                _in_pasted(
                    lambda path: Turn(
                        "And what was agreed at the end of the day.",
                        (_read(path, 1_690, 60),),
                    )
                ),
                Turn(
                    calls=(
                        _edit(
                            notes,
                            "## Field\nnothing yet",
                            _text("notes-22-field.md").strip(),
                        ),
                    )
                ),
                Turn(_text("answer-22-transcript.md")),
            ),
        ),
        Exchange(
            CHECK_CLAIM,
            (
                Turn(calls=(_grep("PL,BX-200", brightbox),)),
                Turn(
                    _say("The lowest street price in Poland is $BX200_PL_low EUR. To be sure, the days one by one."),
                    (_read(brightbox, 18_271, 640),),
                ),
                Turn(calls=(_grep("PL,EF-403", everfrost),)),
                Turn(
                    "For comparison the Netherlands, which are not served from Poznań, and Denmark, which is.",
                    (_grep("NL,EF-403", everfrost),),
                ),
                Turn(calls=(_grep("DK,EF-403", everfrost),)),
                Turn(
                    "One more: if the AR-210 is as cheap in Poland, it is the country and not Brightbox.",
                    (_grep("PL,AR-210", arctis),),
                ),
                Turn(_text("answer-22-poland.md")),
            ),
        ),
        Exchange(
            WRITE_REPORT,
            (
                Turn(
                    "There is a skill for this format; I'll read it before I write.",
                    (Call("read_file", {"file_path": SKILL}),),
                ),
                Turn(calls=(Call("read_file", {"file_path": notes}),)),
                _in_history(
                    lambda path: Turn(
                        "The exact words on the subscription were earlier in our conversation; they are in the saved "
                        "history.",
                        (_grep("6.90", path),),
                    )
                ),
                Turn(calls=(_totals("Brightbox", 22), _totals("Everfrost", 22))),
                Turn(calls=(_write(report, _text("report-22.md")),)),
                Turn(_text("answer-22-report.md")),
            ),
        ),
        Exchange(
            WANT_BULLETS,
            (
                Turn(
                    "That holds from now on, so it goes into the memory first.",
                    (
                        _edit(
                            MEMORY,
                            "- Compare with the week before only.",
                            "- Compare with the week before only.\n"
                            f"- {BULLETS}. Reason: the field team reads on the phone between two customers.\n"
                            "- Reports follow the skill qbr-report, in bullet points.",
                        ),
                    ),
                ),
                Turn(calls=(Call("read_file", {"file_path": report}),)),
                Turn(calls=(_write("/reports/week-22-bullets.md", _text("report-22-bullets.md")),)),
                Turn(
                    "The prices of this week should be at hand next Monday.",
                    (
                        _edit(
                            MEMORY,
                            "## Preferences",
                            _say(
                                "## Known from week 22\n"
                                "- AR-210 $AR210, BX-200 $BX200, CT-020 $CT020, EF-403 $EF403 EUR (street price).\n"
                                "- Kallmeyer heard of BX-200 under 150 EUR in Poland: not in the data, the lowest "
                                "was $BX200_PL_low EUR.\n\n"
                                "## Preferences"
                            ),
                        ),
                    ),
                ),
                Turn(_text("answer-22-bullets.md")),
            ),
        ),
        Exchange(WANT_SLACK, (Turn(_text("answer-22-slack.md")),)),
    )
    pasted = {"transcript": _PASTED.pattern}
    return ScriptedChat(
        model="scripted-analyst-week-22",
        script=script,
        summaries=[
            _text("summary-22-1.md"),
            SummaryText(_keep_names("summary-22-2.md"), pasted),
        ],
        profile={"max_input_tokens": WINDOW},
    )


def _keep_names(name: str) -> str:
    """The text with the facts filled in and ``$transcript`` left for the summary to find."""
    text = resources.read_text(f"{_FOLDER}/{name}")
    return Template(text).safe_substitute(_facts(22)).strip()


# --- week 23 ---

ASK_NEXT: Final = "Good morning Monday. The report for week 23 (1 to 7 June 2026), please."
ASK_POLAND: Final = "What about Poland and the BX-200, still nobody under 150?"


def _week_23() -> ScriptedChat:
    arctis, brightbox = _exported("Arctis", 23), _exported("Brightbox", 23)
    script = (
        Exchange(
            ASK_NEXT,
            (
                Turn(
                    "Street prices, 2 per cent, bullet points: I have that from last week. Three companies here, two with "
                    "the researchers, all at once.",
                    (
                        _export("Arctis", 23),
                        _export("Brightbox", 23),
                        _export("Everfrost", 23),
                        _task("Coldtrace", 23),
                        _task("Deltanode", 23),
                    ),
                ),
                Turn(
                    calls=(
                        _totals("Arctis", 23),
                        _totals("Brightbox", 23),
                        _totals("Everfrost", 23),
                    )
                ),
                Turn(calls=(_news("Arctis", 23), _news("Brightbox", 23), _news("Everfrost", 23))),
                Turn(calls=(_grep("DE,AR-310", arctis),)),
                Turn(calls=(Call("read_file", {"file_path": SKILL}),)),
                Turn(calls=(_write("/reports/week-23.md", _text("report-23.md", 23)),)),
                Turn(_text("answer-23.md", 23)),
            ),
        ),
        Exchange(
            ASK_POLAND,
            (
                Turn(calls=(_grep("PL,BX-200", brightbox),)),
                Turn(_text("answer-23-poland.md", 23)),
            ),
        ),
    )
    return ScriptedChat(
        model="scripted-analyst-week-23",
        script=script,
        profile={"max_input_tokens": WINDOW},
    )


# --- the scenario ---


def _settings(model: ScriptedChat, reports: dict[tuple[str, int], str]) -> AgentSettings:
    tools: tuple[Any, ...] = (market.market_data_export, market.news_search)
    return AgentSettings(
        model=model,
        name="market-analyst",
        profile={"max_input_tokens": WINDOW},
        system_prompt=resources.read_text(f"{_FOLDER}/system.md").strip(),
        tools=tools,
        subagents=(
            SubagentSettings(
                name="market-researcher",
                description=(
                    "Researches one competitor in one week: exports and reads the market data, searches the "
                    "news, returns a short report. Start several at once for several companies."
                ),
                system_prompt=resources.read_text(f"{_FOLDER}/researcher.md").strip(),
                tools=tools,
                model=_researcher(reports),
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
            MEMORY: resources.read_text(f"{_FOLDER}/AGENTS.md"),
            **{f"/skills/{name}/SKILL.md": resources.read_text(f"scenarios/skills/{name}/SKILL.md") for name in SKILLS},
        },
        threads=(
            ScenarioThread(
                thread_id="competitor-report-week-22",
                title="Competitor report, week 22",
                settings=_settings(
                    _week_22(),
                    {("Coldtrace", 22): _COLDTRACE_22, ("Deltanode", 22): _DELTANODE_22},
                ),
                turns=(
                    ASK_REPORT,
                    ANSWER_QUESTIONS,
                    f"{PASTE_HEAD}\n\n{call_transcript()}",
                    CHECK_CLAIM,
                    WRITE_REPORT,
                    WANT_BULLETS,
                    WANT_SLACK,
                ),
            ),
            ScenarioThread(
                thread_id="competitor-report-week-23",
                title="Competitor report, week 23",
                settings=_settings(
                    _week_23(),
                    {("Coldtrace", 23): _COLDTRACE_23, ("Deltanode", 23): _DELTANODE_23},
                ),
                turns=(ASK_NEXT, ASK_POLAND),
            ),
        ),
    )
