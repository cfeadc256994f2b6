"""The engine under a private name, for a program that may have an ``engine`` of its own.

Modules are the same files; what they import from ``engine`` comes from the private package, and neither
``sys.modules["engine"]`` nor ``sys.path`` is touched.
"""

from __future__ import annotations

import builtins
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader

TYPE_CHECKING = False  # as in typing, which takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

PRIVATE = "_context_inspector_engine"
_PUBLIC = "engine"


def load(folder: str, name: str) -> ModuleType:
    """The module ``engine.<name>`` of this folder, under the private name."""
    if PRIVATE not in sys.modules:
        spec = ModuleSpec(PRIVATE, None, is_package=True)
        spec.submodule_search_locations = [folder]
        package = type(sys)(PRIVATE)
        package.__spec__, package.__path__ = spec, [folder]
        sys.modules[PRIVATE] = package
        sys.meta_path.insert(0, _Finder)
    full = PRIVATE + "." + name
    __import__(full)
    return sys.modules[full]


class _Finder:
    """Finds the private package's modules."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith(PRIVATE + "."):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Runs a module with an ``import`` that knows the private name."""

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = dict(builtins.__dict__, __import__=_import)
        super().exec_module(module)


def _import(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    if level == 0 and (name == _PUBLIC or name.startswith(_PUBLIC + ".")):
        name = PRIVATE + name[len(_PUBLIC) :]
    return builtins.__import__(name, globals, locals, fromlist, level)
