"""Small buttons in the heads of panes: a word or a sign, plain text, named for readers."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QMenu, QPushButton, QStyle, QStyleOptionToolButton, QStylePainter, QToolButton, QWidget


class WordButton(QPushButton):
    """A push button as wide as its words: the style's own takes 80 pixels for ``Find``."""

    def __init__(
        self, text: str, do: Callable[[], object] | None = None, parent: QWidget | None = None, *, name: str = ""
    ) -> None:
        super().__init__(text, parent)
        self.setAccessibleName(name or text)
        if do is not None:
            self.clicked.connect(lambda _on=False: do())

    def sizeHint(self) -> QSize:
        """The words and some air."""
        wide = self.fontMetrics().horizontalAdvance(self.text()) + 22
        return QSize(wide, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """All of the words."""
        return self.sizeHint()


def tool_button(text: str, name: str, do: Callable[[], object], parent: QWidget | None = None) -> QToolButton:
    """A flat button; ``name`` says in words what it does."""
    button = QToolButton(parent)
    button.setText(text)
    button.setAutoRaise(True)
    button.setToolTip(name)
    button.setAccessibleName(name)
    button.clicked.connect(lambda _on=False: do())
    return button


def choice_button(text: str, parent: QWidget | None = None) -> QToolButton:
    """One of several ways to show a thing; it stays down while it is the one."""
    button = QToolButton(parent)
    button.setText(text)
    button.setCheckable(True)
    button.setAutoRaise(True)
    button.setAccessibleName(f"Show as {text}")
    return button


class MenuButton(QToolButton):
    """A word that opens a menu. The word carries its own ▾, so the style's arrow is left out."""

    def __init__(self, text: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(f"{text} ▾")
        self.setAutoRaise(True)
        self.setToolTip(name)
        self.setAccessibleName(name)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.entries = QMenu(self)
        self.setMenu(self.entries)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """As any tool button."""
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.features &= ~QStyleOptionToolButton.ToolButtonFeature.HasMenu
        QStylePainter(self).drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
