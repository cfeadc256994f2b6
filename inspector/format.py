"""Numbers, times and untrusted text as the window writes them. Pure functions, no widgets.

Untrusted text (thread ids, tool names, file names, errors) goes through ``one_line`` or ``marked``
before it is shown, through ``tip`` before it becomes a tooltip and through ``menu_text`` before it
becomes a menu entry: Qt guesses rich text in tooltips and eats ``&`` in menus. All of them mask likely secrets.
"""

from __future__ import annotations

import html
import re
import time
from datetime import datetime

from engine.masking import beginning, mask
from inspector import invisible

__all__ = [
    "ESTIMATE",
    "THIN",
    "UNKNOWN",
    "absolute",
    "ago",
    "change",
    "count",
    "duration",
    "elide_middle",
    "exact",
    "exact_tokens",
    "marked",
    "menu_text",
    "one_line",
    "size",
    "tip",
    "tokens",
]

UNKNOWN = "–"
"""What is shown for a value that is not known; the reason belongs on hover."""
THIN = "\u2009"
ESTIMATE = "~"


def exact(n: int | None) -> str:
    """The whole number, thousands apart by a thin space: ``153 757``."""
    if n is None:
        return UNKNOWN
    return f"{n:,}".replace(",", THIN)


def count(n: int | None, noun: str = "", plural: str | None = None) -> str:
    """A number of things: ``1 request``, ``5 000 requests``."""
    shown = exact(n)
    if not noun:
        return shown
    return f"{shown} {noun if n == 1 else (plural or noun + 's')}"


def size(n: int | None) -> str:
    """Short: ``999``, ``1.2k``, ``240k``, ``1.5M``. The exact number belongs on hover and in copies."""
    if n is None:
        return UNKNOWN
    sign, left = ("-", -n) if n < 0 else ("", n)
    if left < 1000:
        return f"{sign}{left}"
    value = float(left)
    for unit in ("k", "M", "G"):
        value /= 1000
        if value < 9.95:
            digits = f"{value:.1f}"
            return f"{sign}{digits.removesuffix('.0')}{unit}"
        if value < 999.5:
            return f"{sign}{value:.0f}{unit}"
    return f"{sign}{value:.0f}G"


def change(n: int | None) -> str:
    """A difference with its sign: ``+1.2k``, ``−240k``, ``0``."""
    if n is None:
        return UNKNOWN
    if n == 0:
        return "0"
    return ("+" if n > 0 else "\u2212") + size(abs(n))


def tokens(n: int | None, estimated: bool = True) -> str:
    """A token count: ``1.2k`` as reported, ``~1.2k`` as estimated."""
    if n is None:
        return UNKNOWN
    return (ESTIMATE if estimated and n else "") + size(n)  # nothing is nothing, and needs no estimate


def exact_tokens(n: int | None, estimated: bool = True) -> str:
    """For hover and copies: ``1 234 tokens, reported by the provider``."""
    if n is None:
        return "not known"
    return f"{count(n, 'token')}, {'estimated' if estimated else 'reported by the provider'}"


def duration(ms: float | None) -> str:
    """``340 ms``, ``1.2 s``, ``2 min 5 s``, ``1 h 3 min``."""
    if ms is None:
        return UNKNOWN
    if ms < 999.5:
        return f"{ms:.0f} ms"
    seconds = ms / 1000
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def ago(ts: float | None, now: float | None = None) -> str:
    """A time in a list: ``just now``, ``5 min ago``, ``3 h ago``, ``yesterday``, else the date."""
    if ts is None:
        return UNKNOWN
    at = time.time() if now is None else now
    passed = at - ts
    if passed < -60:
        return absolute(ts)[:16]
    if passed < 60:
        return "just now"
    if passed < 3600:
        return f"{int(passed // 60)} min ago"
    then, today = _local(ts), _local(at)
    if then is None or today is None:
        return UNKNOWN
    days = (today.date() - then.date()).days
    if days == 0 or passed < 6 * 3600:
        return f"{int(passed // 3600)} h ago"
    if days == 1:
        return "yesterday"
    if days < 7:
        return f"{days} days ago"
    return then.strftime("%Y-%m-%d")


def absolute(ts: float | None) -> str:
    """Local date and time to the second: ``2026-03-02 14:05:11``."""
    then = None if ts is None else _local(ts)
    return UNKNOWN if then is None else then.strftime("%Y-%m-%d %H:%M:%S")


def _local(ts: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(ts)
    except (OverflowError, OSError, ValueError):
        return None


_BLANKS = re.compile("[ \t\r\n\x0b\x0c\x85\u2028\u2029]+")


def marked(text: str) -> str:
    """``text`` with marks for hidden characters and masks for likely secrets; tabs and line ends stay."""
    return invisible.marked(mask(text).text)


def one_line(text: str, limit: int = 300, *, goes_on: bool = False) -> str:
    """``text`` for one row: marked, masked, line ends and runs of blanks as one space, cut with ``…``."""
    cut = beginning(text, limit * 4, goes_on)
    line = invisible.marked(_BLANKS.sub(" ", cut).strip(" "))
    if len(line) > limit or limit * 4 < len(text):
        return line[:limit].rstrip() + "…"
    return line


def tip(text: str) -> str:
    """``text`` as a tooltip that shows it letter by letter, secrets masked, whatever it holds."""
    if not text:
        return ""
    shown = beginning(text, 2000) + ("…" if len(text) > 2000 else "")
    return f"<qt><p style='white-space:pre-wrap; margin:0'>{html.escape(invisible.marked(shown))}</p></qt>"


def menu_text(text: str, limit: int = 60) -> str:
    """``text`` as a menu entry, tab title or button: ``&`` shown, not taken for a mnemonic."""
    return one_line(text, limit).replace("&", "&&")


def elide_middle(text: str, limit: int = 60) -> str:
    """Long names keep both ends: ``/large_tool_res…call_17``."""
    if len(text) <= limit:
        return text
    head = (limit - 1) // 2
    return f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"
