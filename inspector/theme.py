"""Colours, letters and fonts: two complete palettes over the Fusion style.

Every colour of the window comes from here, so that light and dark differ in this module only.
Views ask at paint time (``kind_colour``, ``text_colour``) and need no state of their own; a view
that bakes colours into something (a chart, a cached pixmap) listens to ``notifier().changed``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

Choice = Literal["system", "light", "dark"]

KINDS: tuple[str, ...] = ("system", "memory", "skills", "tools", "human", "ai", "tool", "summary", "other")
"""Kinds in the order in which they are stacked in the chart and named in its legend."""

_KIND: dict[str, tuple[str, str, str, str]] = {
    # kind: letter, light, dark, name in words
    "system": ("S", "#475569", "#94a3b8", "System"),
    "memory": ("M", "#7c3aed", "#b794f6", "Memory"),
    "skills": ("K", "#0f766e", "#4fd1c5", "Skills"),
    "tools": ("T", "#92610a", "#e5b454", "Tools"),
    "human": ("H", "#1d5fc4", "#79b0ff", "Human"),
    "ai": ("A", "#227a36", "#7bd88f", "AI"),
    "tool": ("R", "#b4490f", "#ff9e64", "Tool result"),
    "summary": ("Σ", "#b0277d", "#ff8ad1", "Summary"),
    "error": ("!", "#b42318", "#ff8a80", "Error"),
    "warning": ("!", "#b42318", "#ff8a80", "Warning"),
    "other": ("·", "#57606a", "#9aa4b2", "Other"),
}


@dataclass(frozen=True, slots=True)
class Scheme:
    """The colours of one scheme that do not belong to a kind."""

    text: str
    muted: str
    base: str
    """Background of data: lists, tables, text."""
    panel: str
    """Background of everything around the data."""
    line: str
    """Separators and grid lines."""
    accent: str
    selection: str
    """Background of the selected row; every kind's colour stays readable on it."""
    removed: str
    added: str


LIGHT = Scheme(
    text="#1f2328", muted="#57606a", base="#ffffff", panel="#f5f6f8", line="#d5d9df",
    accent="#1d5fc4", selection="#e3edfb", removed="#b42318", added="#227a36",
)  # fmt: skip
DARK = Scheme(
    text="#e6e8eb", muted="#9aa4b2", base="#1b1e24", panel="#22262e", line="#3a404b",
    accent="#79b0ff", selection="#29374d", removed="#ff8a80", added="#7bd88f",
)  # fmt: skip


class _Notifier(QObject):
    """Tells that the colours changed."""

    changed = Signal()


class _State:
    dark = False
    choice: Choice = "system"
    notifier: _Notifier | None = None
    hooked = False


def notifier() -> _Notifier:
    """The object whose ``changed`` is emitted after another scheme came into force."""
    if _State.notifier is None:
        _State.notifier = _Notifier()
    return _State.notifier


def is_dark() -> bool:
    """Whether the dark scheme is in force."""
    return _State.dark


def scheme() -> Scheme:
    """The colours in force."""
    return DARK if _State.dark else LIGHT


def choice() -> Choice:
    """What the user chose: the system's scheme, light or dark."""
    return _State.choice


def choose(app: QApplication, wanted: Choice) -> None:
    """Follow the system's colour scheme, or hold light or dark against it."""
    _State.choice = wanted
    hints = app.styleHints()
    if not _State.hooked:
        _State.hooked = True
        hints.colorSchemeChanged.connect(lambda _scheme: _follow(app))
    _follow(app)


def _follow(app: QApplication) -> None:
    if _State.choice == "system":
        apply(app, app.styleHints().colorScheme() == Qt.ColorScheme.Dark)
    else:
        apply(app, _State.choice == "dark")


def apply(app: QApplication, dark: bool) -> None:
    """Put Fusion and the whole palette of one scheme on the application."""
    _State.dark = dark
    if app.style().name().lower() != "fusion":
        app.setStyle(QStyleFactory.create("Fusion"))
    app.setPalette(palette(scheme()))
    notifier().changed.emit()


def palette(colours: Scheme) -> QPalette:
    """Every role of every group: a palette made from one colour leaves black holes in dark."""
    role = QPalette.ColorRole
    dark = colours is DARK
    base = QColor(colours.base)
    panel = QColor(colours.panel)
    text = QColor(colours.text)
    muted = QColor(colours.muted)
    line = QColor(colours.line)
    button = QColor("#2c313b" if dark else "#ffffff")
    wanted = {
        role.Window: panel,
        role.WindowText: text,
        role.Base: base,
        role.AlternateBase: QColor("#20242b" if dark else "#fafbfc"),
        role.Text: text,
        role.PlaceholderText: muted,
        role.Button: button,
        role.ButtonText: text,
        role.BrightText: QColor(kind_hex("error", dark)),
        role.ToolTipBase: QColor("#2c313b" if dark else "#ffffff"),
        role.ToolTipText: text,
        role.Highlight: QColor(colours.selection),
        role.HighlightedText: text,
        role.Accent: QColor(colours.accent),
        role.Link: QColor(colours.accent),
        role.LinkVisited: QColor(colours.accent),
        role.Light: QColor("#3a404b" if dark else "#ffffff"),
        role.Midlight: QColor("#313742" if dark else "#eef0f3"),
        role.Mid: line,
        role.Dark: QColor("#14171c" if dark else "#b4bac3"),
        role.Shadow: QColor("#0c0e12" if dark else "#8b939e"),
    }
    made = QPalette()
    for each, colour in wanted.items():
        made.setColor(QPalette.ColorGroup.All, each, colour)
    for each in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        made.setColor(QPalette.ColorGroup.Disabled, each, muted)
    return made


def kind_hex(kind: str, dark: bool | None = None) -> str:
    """``#rrggbb`` of a kind; an unknown kind gets the colour of ``other``."""
    _letter, light, darker, _name = _KIND.get(kind, _KIND["other"])
    return darker if (_State.dark if dark is None else dark) else light


def kind_colour(kind: str) -> QColor:
    """Colour of a kind in the scheme in force."""
    return QColor(kind_hex(kind))


def kind_letter(kind: str) -> str:
    """The letter that stands beside the colour: S M K T H A R Σ ! ·"""
    return _KIND.get(kind, _KIND["other"])[0]


def kind_name(kind: str) -> str:
    """A kind in words: ``Tool result``."""
    return _KIND.get(kind, _KIND["other"])[3]


def text_colour() -> QColor:
    """Colour of ordinary text."""
    return QColor(scheme().text)


def muted_colour() -> QColor:
    """Colour of ids, hints and what is not known."""
    return QColor(scheme().muted)


def base_colour() -> QColor:
    """Background of data."""
    return QColor(scheme().base)


def panel_colour() -> QColor:
    """Background around the data."""
    return QColor(scheme().panel)


def line_colour() -> QColor:
    """Separators and grid lines."""
    return QColor(scheme().line)


def accent_colour() -> QColor:
    """The one accent: focus and selection marks."""
    return QColor(scheme().accent)


def selection_colour() -> QColor:
    """Background of what is selected."""
    return QColor(scheme().selection)


def error_colour() -> QColor:
    """Colour of warnings and errors."""
    return kind_colour("error")


def mono_font() -> QFont:
    """The system's monospaced font at the size of the interface font: for data."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    size = QApplication.font().pointSizeF()
    if size > 0:
        font.setPointSizeF(size)
    return font


def figure_font(base: QFont | None = None) -> QFont:
    """The interface font (or ``base``) with figures of one width, for columns of numbers."""
    font = QFont(base) if base is not None else QFont(QApplication.font())
    font.setFeature(QFont.Tag("tnum"), 1)
    return font
