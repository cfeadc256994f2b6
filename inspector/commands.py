"""Every action of the window once: name, shortcut, when it is enabled, what it does.

Menus, context menus, shortcuts, the palette and the help page are made from this table; a view
never takes a key of its own for something a user might look for by name. What every list, field and
search bar does with Return or Escape is no command; the help page names it from ``InPlace`` rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QMenu, QMenuBar, QWidget

SCOPES = {"centre": "in the middle", "table": "in the table of requests", "chart": "in the chart",
          "answer": "in the answer above the message"}  # fmt: skip
"""Parts of the window that keys belong to, in words."""
MENUS: tuple[str, ...] = ("File", "Edit", "Thread", "Go", "View", "Help")
"""Menus of the menu bar, in order."""


def _always() -> bool:
    return True


@dataclass(frozen=True)
class Command:
    """One action."""

    id: str
    """``go.next_summary``: group and name, unique."""
    title: str
    """As the menu and the help page write it; a constant of ours, never data."""
    run: Callable[[], object]
    menu: str = ""
    """One of ``MENUS``; empty for an action that only a context menu or a key reaches."""
    keys: tuple[str, ...] = ()
    """Shortcuts in portable text, the first one is shown: ``("Ctrl+O",)``."""
    enabled: Callable[[], bool] = _always
    checked: Callable[[], bool] | None = None
    """For an action that is on or off: which one it is now."""
    scope: str = ""
    """Name of the part of the window whose focus the keys need; empty for the whole window."""
    also: tuple[tuple[str, str], ...] = ()
    """More keys, each with the part whose focus it needs, empty for none: ``(("chart", "Right"), ("", "F6"))``."""
    hint: str = ""
    """One sentence for the help page."""
    contexts: tuple[str, ...] = field(default=())
    """Names of the context menus that hold it: ``("request",)``."""
    separated: bool = False
    """A line stands above it in menus."""


@dataclass(frozen=True)
class InPlace:
    """What a part does with a key by itself, as every such part does. For the help page, and against clashes."""

    where: str
    """The part, as a user would call it: ``Search bar``."""
    does: str
    keys: tuple[str, ...]
    """In portable text."""


def written(key: str) -> str:
    """A key as this system writes it."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)


def keys_of(command: Command, places: bool = False) -> str:
    """All keys of a command as this system writes them; with ``places``, each with the part where it works."""
    keys = [*((command.scope, key) for key in command.keys), *command.also]
    return ", ".join(written(key) + (f" ({SCOPES.get(scope, scope)})" if places and scope else "")
                     for scope, key in keys)  # fmt: skip


class Commands(QObject):
    """The table, and the actions, menus and help that come from it.

    What is enabled follows a moment after a change, once for all that one key changes, and always before a
    shortcut is tried, a menu opens or somebody asks for an action.
    """

    ran = Signal(str)
    """A command was run, by its id."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._commands: dict[str, Command] = {}
        self._actions: dict[str, QAction] = {}
        self._shortcuts: dict[str, list[QShortcut]] = {}
        self._scopes: dict[str, QWidget] = {}
        self._in_place: tuple[InPlace, ...] = ()
        self._enabled: dict[str, bool] = {}
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)  # after what was changed has been painted
        self._soon.timeout.connect(self._bring_up_to_date)
        window.installEventFilter(self)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._focus_changed)

    def scope(self, name: str, widget: QWidget) -> None:
        """Name a part of the window, for commands whose keys work only there."""
        self._scopes[name] = widget

    def add(self, *commands: Command) -> None:
        """Enter commands in the table. An id that is taken or a key that clashes is a bug."""
        for command in commands:
            if command.id in self._commands:
                raise ValueError(f"two commands are called {command.id}")
            if command.menu and command.menu not in MENUS:
                raise ValueError(f"{command.id}: there is no menu {command.menu}")
            clash = self._clash(command)
            if clash:
                raise ValueError(f"{command.id} and {clash} share a key")
            self._commands[command.id] = command
            self._actions[command.id] = self._make(command)

    def name_in_place(self, *rows: InPlace) -> None:
        """Name what parts do with keys by themselves. A command of the whole window must not take them."""
        taken = {_portable(key): row.where for row in rows for key in row.keys}
        for command in self._commands.values():
            for key, scope in _places(command):
                if not scope and key in taken:
                    raise ValueError(f"{command.id} takes a key from {taken[key]}")
        self._in_place = rows

    def all(self) -> list[Command]:
        """The table, in the order of entry."""
        return list(self._commands.values())

    def action(self, command_id: str) -> QAction:
        """The action of a command, for a button or a menu; enabled as it is now."""
        self._settle()
        return self._actions[command_id]

    def run(self, command_id: str) -> bool:
        """Run a command by its id; False when it isn't enabled now."""
        command = self._commands[command_id]
        if not command.enabled():
            return False
        self._triggered(command)
        return True

    def refresh(self) -> None:
        """Something changed that commands may depend on."""
        if not self._soon.isActive():
            self._soon.start()

    def build_menus(self, bar: QMenuBar) -> None:
        """Fill the menu bar."""
        for name in MENUS:
            entries = [c for c in self._commands.values() if c.menu == name]
            if entries:
                menu = bar.addMenu(f"&{name}")
                self._fill(menu, entries)
                menu.aboutToShow.connect(self._bring_up_to_date)

    def context_menu(self, context: str, parent: QWidget) -> QMenu:
        """A context menu of the commands that name this context."""
        self._bring_up_to_date()
        menu = QMenu(parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill(menu, [c for c in self._commands.values() if context in c.contexts])
        return menu

    def keys_page(self) -> list[tuple[str, str, str, str]]:
        """Rows of the help page: menu or part, title, keys as this system writes them, hint."""
        rows = [(each.menu, each.title, keys_of(each, places=True), each.hint) for each in self._commands.values()]
        for part in self._in_place:
            rows.append((part.where, part.does, ", ".join(written(key) for key in part.keys), ""))
        return rows

    def eventFilter(self, _window: QObject, event: QEvent) -> bool:
        """A key on its way to a shortcut, which works when its command is enabled now."""
        if event.type() == QEvent.Type.ShortcutOverride:
            self._settle()
        return False

    # -- inside ----------------------------------------------------------------------------

    def _settle(self) -> None:
        if self._soon.isActive():
            self._bring_up_to_date()

    def _bring_up_to_date(self) -> None:
        """Enabled and checked of every action."""
        self._soon.stop()
        for command_id, command in self._commands.items():
            on = bool(command.enabled())
            if on != self._enabled.get(command_id, True):
                self._enabled[command_id] = on
                self._actions[command_id].setEnabled(on)
                for shortcut in self._shortcuts.get(command_id, ()):
                    shortcut.setEnabled(on)
            if command.checked is not None:
                self._actions[command_id].setChecked(bool(command.checked()))

    def _make(self, command: Command) -> QAction:
        action = QAction(command.title.replace("&", "&&"), self._window)
        action.setObjectName(command.id)
        action.setStatusTip(command.hint)
        if command.keys:
            action.setShortcuts([QKeySequence(key) for key in command.keys])
        if command.checked is not None:
            action.setCheckable(True)
            action.setChecked(bool(command.checked()))
        action.triggered.connect(lambda _on=False, c=command: self._triggered(c))
        if command.scope:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self._scopes[command.scope].addAction(action)
        else:
            self._window.addAction(action)
        for scope, key in command.also:
            shortcut = QShortcut(QKeySequence(key), self._scopes[scope] if scope else self._window)
            shortcut.setObjectName(command.id)
            if scope:
                shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda c=command: self._triggered(c))
            self._shortcuts.setdefault(command.id, []).append(shortcut)
        return action

    def _focus_changed(self, _old: QWidget | None, _new: QWidget | None) -> None:
        """Some commands work on the part that has the keyboard."""
        self.refresh()

    def _triggered(self, command: Command) -> None:
        if command.enabled():
            command.run()
            self.ran.emit(command.id)
        self.refresh()

    def _fill(self, menu: QMenu, entries: Iterable[Command]) -> None:
        for command in entries:
            if command.separated and not menu.isEmpty():
                menu.addSeparator()
            menu.addAction(self._actions[command.id])

    def _clash(self, new: Command) -> str | None:
        wanted = _places(new)
        for n, (key, scope) in enumerate(wanted):
            if any(key == other and self._overlap(scope, where) for other, where in wanted[:n]):
                return new.id
        for old in self._commands.values():
            for key, scope in _places(old):
                if any(key == other and self._overlap(scope, where) for other, where in wanted):
                    return old.id
        return None

    def _overlap(self, one: str, other: str) -> bool:
        """Whether a key of both could mean either: parts that stand in one another."""
        if not one or not other or one == other:
            return True
        a, b = self._scopes[one], self._scopes[other]
        return a.isAncestorOf(b) or b.isAncestorOf(a)


@lru_cache(maxsize=256)
def _portable(key: str) -> str:
    return QKeySequence(key).toString()


def _places(command: Command) -> list[tuple[str, str]]:
    """Keys of a command, each with the name of the part where it works."""
    return [(_portable(key), command.scope) for key in command.keys] + [
        (_portable(key), scope) for scope, key in command.also
    ]
