"""The pasted call transcript: a day of account reviews, long enough to be offloaded as a message.

The text is put together from the parts in ``resources/scenarios/competitor_report/transcript.md``
by counting, never by chance: the same 200,000 and some characters every time.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import resources

SPEAKERS: Final = {
    "K": "Kallmeyer",
    "L": "Lindqvist",
    "D": "Dvořák",
    "F": "Falk",
    "O": "Oyelaran",
}
ACCOUNTS: Final = 153
_STEPS: Final = (
    "open", "volume", "use", "calibration", "answer", "wish", "wished", "money", "priced", "next",
    "closing",
)  # fmt: skip
_KINDS: Final = (
    "Adler-Apotheke", "St.-Annen-Apotheke", "Laborpraxis Wieck", "Klinikum am Bodden",
    "Hirsch-Apotheke", "Impfzentrum Mitte", "Veterinärlabor Nord", "Rathaus-Apotheke",
    "Dialysezentrum Hafen", "Löwen-Apotheke", "Blutspendedienst Küste", "Feinkost Petersen",
    "Institut für Hygiene", "Apotheke am Markt", "Fischgroßhandel Lornsen", "Tierklinik Sund",
    "Zytolabor Brandt", "Park-Apotheke", "Augenklinik Warnow",
)  # fmt: skip
_CITIES: Final = (
    "Flensburg", "Stade", "Wismar", "Rostock", "Greifswald", "Husum", "Lüneburg", "Szczecin",
    "Schwerin", "Itzehoe", "Güstrow", "Stralsund", "Eutin", "Neumünster", "Cuxhaven", "Celle",
    "Heide", "Anklam", "Bremerhaven", "Ratzeburg", "Koszalin", "Parchim", "Oldenburg",
)  # fmt: skip
_PEOPLE: Final = (
    "Brandt", "Yılmaz", "Thomsen", "Nowak", "Harms", "Okafor", "Seidel", "Matthiesen", "Kruse",
    "Lehmkuhl", "Wójcik",
)  # fmt: skip
_MONTHS: Final = ("January", "March", "April", "June", "September", "October", "November")
HEAD: Final = "Automatic transcript, account review with Kallmeyer Kühltechnik, Hamburg, 28 May 2026, 08:30 to 16:00"


def _parts() -> dict[str, list[str]]:
    parts: dict[str, list[str]] = {}
    current: list[str] = []
    for line in resources.read_text("scenarios/competitor_report/transcript.md").splitlines():
        if line.startswith("## "):
            current = parts.setdefault(line[3:], [])
        elif line and not line.startswith("#"):
            current.append(line)
    return parts


@cache
def call_transcript() -> str:
    """The whole transcript, one utterance a line, with time and speaker."""
    parts = _parts()
    lines = [
        HEAD,
        "Present: Jonas Kallmeyer, Petra Lindqvist, Marek Dvořák (Kallmeyer); "
        "Ines Falk, Tom Oyelaran (Nordwind Messtechnik)",
        "",
    ]
    seconds = 8 * 3600 + 31 * 60

    def say(template: str, account: int, turn: int) -> None:
        nonlocal seconds
        seed = account * 31 + turn * 17
        text = template.format(
            customer=_KINDS[account % len(_KINDS)],
            city=_CITIES[(account * 5 + (turn > 0) * turn) % len(_CITIES)],
            person=_PEOPLE[(account * 3) % len(_PEOPLE)],
            month=_MONTHS[seed % len(_MONTHS)],
            year=2009 + seed % 14,
            n=12 + seed * 7 % 61,
            m=2 + seed * 5 % 9,
        )
        clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        lines.append(f"[{clock}] {SPEAKERS[text[0]]}: {text[3:]}")
        seconds += 6 + len(text) // 10

    for account in range(1, ACCOUNTS + 1):
        for turn, step in enumerate(_STEPS):
            choices = parts[step]
            say(choices[(account * 3 + turn * 2 + account // 7) % len(choices)], account, turn)
        for turn, template in enumerate(parts.get(f"after {account}", ())):
            say(template, account, len(_STEPS) + turn)
    return "\n".join(lines)
