"""Readable tables for a terminal: plain text, control characters made visible."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

_WIDEST = 60
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Columns aligned by their widest cell; numbers to the right, long text cut in the middle."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)] if cells else [*map(len, columns)]
    lines = ["  ".join(name.ljust(width) for name, width in zip(columns, widths, strict=True)).rstrip()]
    for row, values in zip(cells, rows, strict=True):
        parts = [
            cell.rjust(width) if isinstance(value, (int, float)) else cell.ljust(width)
            for cell, value, width in zip(row, values, widths, strict=True)
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)


def visible(text: str) -> str:
    """The text on one line, with every control or direction-changing character as an escape."""
    return "".join(
        char
        if unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        else char.encode("unicode_escape").decode()
        for char in text
    )


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, (list, tuple)):
        value = ", ".join(map(str, value))
    if isinstance(value, float):
        value = f"{value:.1f}"
    text = visible(str(value))
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST // 2]}…{text[-_WIDEST // 2 + 1 :]}"
