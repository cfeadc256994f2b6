"""Putting text into a ``QTextDocument`` and taking it out again, letter by letter.

Qt's own ways lose something: ``toPlainText`` turns no-break spaces into blanks and U+2028 into line ends, and
PySide takes U+FEFF or U+FFFE in front of a string for a byte order mark.
"""

from __future__ import annotations

from PySide6.QtGui import QTextCursor, QTextDocument


def text_of(document: QTextDocument) -> str:
    """The text; every line end is ``\\n``."""
    return document.toRawText().replace("\u2029", "\n")


def begin(document: QTextDocument, text: str) -> None:
    """Make the document this text, with nothing to undo and unmodified."""
    document.setUndoRedoEnabled(False)
    document.clear()
    insert(QTextCursor(document), text)
    document.setUndoRedoEnabled(True)
    document.setModified(False)


def replace(document: QTextDocument, text: str) -> None:
    """Make the document this text by one edit of what differs, so that cursors keep their places."""
    old = text_of(document)
    if old == text:
        return
    head = _common(old, text)
    tail = _common(old[head:][::-1], text[head:][::-1])
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    cursor.setPosition(utf16(old[:head]))
    cursor.setPosition(utf16(old[: len(old) - tail]), QTextCursor.MoveMode.KeepAnchor)
    insert(cursor, text[head : len(text) - tail])
    cursor.endEditBlock()


def insert(cursor: QTextCursor, text: str) -> None:
    """Put the text in the place of what is selected, letter by letter."""
    guard = "." if text[:1] in ("\ufeff", "\ufffe") else ""
    at = cursor.selectionStart()
    cursor.insertText(guard + text)
    if guard:
        end = cursor.position()
        cursor.setPosition(at)
        cursor.deleteChar()
        cursor.setPosition(end - 1)


def utf16(text: str) -> int:
    """Qt's position after ``text``."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _common(one: str, other: str) -> int:
    """Length of the common beginning, by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
