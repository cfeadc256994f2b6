"""JSON indented for reading, with every value spelled as it was: numbers, escapes and equal keys stay.

Pure functions, no Qt; call off the GUI thread for a text of unknown size.
"""

from __future__ import annotations

import json
import re

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_STEP = "  "


def indented(text: str) -> str | None:
    """``text`` with line ends and blanks between its values; None when it isn't JSON."""
    try:
        json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    out: list[str] = []
    depth = 0
    opened = False
    for token in _TOKEN.findall(text.removeprefix("\ufeff")):
        if token in "}]":
            depth -= 1
            if not opened:
                out.append("\n" + _STEP * depth)
            out.append(token)
            opened = False
            continue
        if opened:
            out.append("\n" + _STEP * depth)
            opened = False
        if token in "{[":
            depth += 1
            opened = True
            out.append(token)
        elif token == ",":
            out.append(",\n" + _STEP * depth)
        else:
            out.append(": " if token == ":" else token)
    return "".join(out)


def looks_like_json(path: str, text: str) -> bool:
    """Whether it is worth offering to indent: by name, or by the first and last character."""
    if path.lower().endswith((".json", ".ipynb", ".geojson")):
        return True
    ends = text[:64].lstrip("\ufeff \t\r\n")[:1] + text[-64:].rstrip()[-1:]
    return ends in ("{}", "[]")
