"""Characters that can't be seen or change how a text reads: which they are, what they are called, how they are drawn.

The one table for all of the window: labels, tooltips, lists and texts draw the same mark, ``‹RLO›``, for the
same character. Pure functions; for display only: copying and searching work on the true text.
"""

from __future__ import annotations

import re
import unicodedata

SPECIAL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, tab and line feed excepted
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffc"
    "\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""What can't be seen or changes how a text reads, wherever it stands. See ``harmless``."""

# Marks are letters in quotes, not control pictures: few monospaced fonts have those.
_SHORT = {
    0x00AD: "SHY", 0x034F: "CGJ", 0x061C: "ALM", 0x200B: "ZWSP", 0x200C: "ZWNJ", 0x200D: "ZWJ",
    0x200E: "LRM", 0x200F: "RLM", 0x2028: "LS", 0x2029: "PS", 0x202A: "LRE", 0x202B: "RLE",
    0x202C: "PDF", 0x202D: "LRO", 0x202E: "RLO", 0x2060: "WJ", 0x2066: "LRI", 0x2067: "RLI",
    0x2068: "FSI", 0x2069: "PDI", 0xFEFF: "BOM", 0xFFFC: "OBJ", 0x7F: "DEL", 0x85: "NEL",
}  # fmt: skip
_CONTROLS = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
)  # fmt: skip
_JOINER_SCRIPTS = ((0x0600, 0x109F), (0x1780, 0x18AF), (0x1900, 0x1CFF), (0xA800, 0xABFF))
"""Scripts whose ordinary spelling needs the zero-width joiner and non-joiner."""


def mark(code: int) -> str:
    """What is drawn in place of a character: ``‹ESC›``, ``‹RLO›``, ``‹U+FE0F›``."""
    return f"‹{short_name(code)}›"


def short_name(code: int) -> str:
    """``ESC``, ``RLO``; ``U+FE0F`` for one without a short name."""
    return _CONTROLS[code] if code < 0x20 else _SHORT.get(code, f"U+{code:04X}")


def marked(text: str) -> str:
    """``text`` with a mark for every character that would hide or turn what is read; tabs and line ends stay."""
    if not SPECIAL.search(text):
        return text

    def drawn(found: re.Match[str]) -> str:
        code = ord(found[0])
        return found[0] if harmless(text, found.start(), code) else mark(code)

    return SPECIAL.sub(drawn, text)


def harmless(source: str, at: int, code: int) -> bool:
    """Whether an invisible character only does its ordinary work here: in emoji and joined scripts."""
    before = ord(source[at - 1]) if at else 0
    after = ord(source[at + 1]) if at + 1 < len(source) else 0
    if code == 0x200D and _pictorial(before) and _pictorial(after):
        return True
    if code in (0x200C, 0x200D):
        return any(low <= before <= high for low, high in _JOINER_SCRIPTS)
    if code in (0xFE0E, 0xFE0F):
        return _pictorial(before) or (before > 0 and chr(before) in "#*0123456789")
    if 0xFE00 <= code <= 0xFE0D or 0xE0100 <= code <= 0xE01EF:
        return unicodedata.category(chr(before)) in ("Lo", "Sm", "So")
    if 0x180B <= code <= 0x180F:
        return 0x1820 <= before <= 0x18AF
    if 0xE0020 <= code <= 0xE007F:
        return _in_flag(source, at)
    return False


def _in_flag(source: str, at: int) -> bool:
    """Tag characters spell the region of a flag (England, Scotland, Wales) after a black flag."""
    for back in range(at - 1, max(-1, at - 9), -1):
        code = ord(source[back])
        if code == 0x1F3F4:
            return True
        if not 0xE0020 <= code <= 0xE007E:
            return False
    return False


def _pictorial(code: int) -> bool:
    if code in (0xFE0F, 0xA9, 0xAE, 0x203C, 0x2049) or 0x1F000 <= code <= 0x1FAFF:
        return True
    return code > 0x2000 and unicodedata.category(chr(code)) in ("So", "Sm")


def name_of(code: int) -> str:
    """In words, for a tooltip: ``U+202E RIGHT-TO-LEFT OVERRIDE``."""
    if code < 0x20 or code == 0x7F:
        return f"U+{code:04X} {short_name(code)}"
    if 0xD800 <= code <= 0xDFFF:
        return f"U+{code:04X}, half of a surrogate pair"
    name = unicodedata.name(chr(code), "")
    return f"U+{code:04X} {name}" if name else f"U+{code:04X}, a control character"
