"""Doing something right after a module was imported, without importing it."""

from __future__ import annotations

import sys
from _thread import get_ident

TYPE_CHECKING = False  # as in typing, which takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

    Action = Callable[[ModuleType], None]


def when_imported(name: str, action: Action) -> None:
    """Call ``action`` with the module as soon as it is there.

    ``action`` must not raise: it would look like a fault of the module's.
    """
    module = sys.modules.get(name)
    if module is not None and not getattr(module.__spec__, "_initializing", False):
        action(module)
        return
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _finder)
    _finder.actions[name] = action


class _Finder:
    """Finds nothing by itself: it lets the others find, and wraps the loader."""

    def __init__(self) -> None:
        self.actions: dict[str, Action] = {}
        self._searching: set[tuple[int, str]] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        search = (get_ident(), name)
        if name not in self.actions or search in self._searching:
            return None
        self._searching.add(search)  # another finder of this kind may ask us in turn
        try:
            spec = self._found_by_others(name, path, target)
        finally:
            self._searching.discard(search)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _Loader(spec.loader, lambda module: self._done(name, module))  # type: ignore[assignment]
        return spec

    def _found_by_others(self, name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = find(name, path, target) if find is not None and finder is not self else None
            if spec is not None:
                return spec
        return None

    def _done(self, name: str, module: ModuleType) -> None:
        action = self.actions.pop(name, None)
        if not self.actions and self in sys.meta_path:
            sys.meta_path.remove(self)
        if action is not None:
            action(module)


class _Loader:
    """Loads as another loader does, then acts. The module is left with its own loader."""

    def __init__(self, loader: Any, then: Action) -> None:
        self._loader, self._then = loader, then

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        spec.loader = self._loader
        made: ModuleType | None = self._loader.create_module(spec)
        spec.loader = self  # type: ignore[assignment]
        return made

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._then(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


_finder = _Finder()
