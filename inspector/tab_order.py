"""Where Tab leads: to the next widget as one reads, whenever and by whom it was made.

Qt's own order is that of making, and a widget that hands its focus on counts at its own place; with
panes that come later and change their parts, that order jumps and can run in circles.
"""

from __future__ import annotations

from functools import cmp_to_key

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QTabBar, QWidget


def takes_tab(widget: QWidget) -> bool:
    """Whether Tab stops at this widget itself."""
    return (
        bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        and widget.focusProxy() is None
        and not isinstance(widget.parentWidget(), QTabBar)  # its arrows; the bar itself has keys
    )


def in_order(root: QWidget) -> list[QWidget]:
    """What Tab stops at inside ``root``, as one reads: nested parts whole, rows before columns."""
    found: list[QWidget] = []
    stops: set[QWidget] = set()
    inside: set[QWidget] = set()
    for widget in root.findChildren(QWidget):
        if widget.isVisible() and widget.isEnabled() and widget.window() is root.window() and takes_tab(widget):
            stops.add(widget)
            above: QWidget | None = widget
            while above is not None and above is not root and above not in inside:
                inside.add(above)
                above = above.parentWidget()

    def walk(parent: QWidget) -> None:
        children = [c for c in parent.children() if isinstance(c, QWidget) and c in inside]
        for child in sorted(children, key=cmp_to_key(_compare)):
            if child in stops:
                found.append(child)
            walk(child)

    walk(root)
    return found


def following(root: QWidget, current: QWidget | None, forward: bool) -> QWidget | None:
    """The widget after ``current`` (or before it), around the ends."""
    order = in_order(root)
    if not order:
        return None
    while current is not None and current not in order:
        current = current.parentWidget()
    if current is None:
        return order[0 if forward else -1]
    return order[(order.index(current) + (1 if forward else -1)) % len(order)]


def focus_first(widget: QWidget) -> bool:
    """Give the keyboard to a widget's own choice, else to the first inside it that takes it."""
    chosen: QWidget | None = widget
    while chosen is not None and chosen.focusProxy() is not None:
        chosen = chosen.focusProxy()
    if chosen is None or not chosen.isVisible() or not takes_tab(chosen):
        chosen = next(iter(in_order(widget)), None)
    if chosen is not None:
        chosen.setFocus(Qt.FocusReason.ShortcutFocusReason)
    return chosen is not None


def _compare(one: QWidget, other: QWidget) -> int:
    a, b = one.geometry(), other.geometry()
    if _same_row(a, b):
        return a.x() - b.x()
    return a.y() - b.y()


def _same_row(a: QRect, b: QRect) -> bool:
    common = min(a.bottom(), b.bottom()) - max(a.top(), b.top())
    return 2 * common > min(a.height(), b.height())
