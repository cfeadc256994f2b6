"""Acting right after a module was imported."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.recording.imports import when_imported


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_module_that_comes_later(folder: Path) -> None:
    (folder / "comes_later.py").write_text("value = 1\n")
    acted: list[ModuleType] = []
    when_imported("comes_later", lambda module: acted.append(module))
    finders = len(sys.meta_path)
    assert acted == []
    module = importlib.import_module("comes_later")
    assert acted == [module]
    assert module.value == 1
    assert module.__file__ == str(folder / "comes_later.py")
    assert type(module.__loader__).__module__ == type(module.__spec__.loader).__module__ == "_frozen_importlib_external"
    importlib.reload(module)
    assert len(acted) == 1
    assert len(sys.meta_path) <= finders


def test_a_module_that_is_there() -> None:
    acted: list[ModuleType] = []
    when_imported("json", acted.append)
    assert acted == [sys.modules["json"]]


def test_an_action_sees_a_whole_module_and_may_change_it(folder: Path) -> None:
    package = folder / "a_package"
    package.mkdir()
    (package / "__init__.py").write_text("from a_package.part import make\n")
    (package / "part.py").write_text("def make():\n    return 'original'\n")

    def exchange(module: ModuleType) -> None:
        module.make = lambda: "exchanged"  # type: ignore[attr-defined]

    when_imported("a_package.part", exchange)
    assert importlib.import_module("a_package").make() == "exchanged"


def test_a_module_that_fails_fails_as_it_would(folder: Path) -> None:
    (folder / "fails.py").write_text("raise ValueError('no')\n")
    acted: list[ModuleType] = []
    when_imported("fails", acted.append)
    with pytest.raises(ValueError, match="no"):
        importlib.import_module("fails")
    assert "fails" not in sys.modules
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("nowhere_to_be_found")
    assert acted == []
    (folder / "fails.py").write_text("value = 'mended'\n")
    importlib.invalidate_caches()
    assert importlib.import_module("fails").value == "mended"
    assert len(acted) == 1


def test_other_finders_of_this_kind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They ask all finders too, us among them."""

    class Asks:
        asked = 0

        def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
            if name != "asked_for" or self.asked:
                return None
            self.asked += 1
            return importlib.util.find_spec(name)

    (folder / "asked_for.py").write_text("value = 1\n")
    acted: list[ModuleType] = []
    when_imported("asked_for", acted.append)
    monkeypatch.setattr(sys, "meta_path", [Asks(), *sys.meta_path, Asks()])
    assert importlib.import_module("asked_for").value == 1
    assert len(acted) == 1
