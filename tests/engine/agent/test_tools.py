"""Tools by name: what code it is, whether it may run, and what it gives."""

from __future__ import annotations

import json
import os
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from engine import importing
from engine.agent.build import build_agent
from engine.agent.listing import list_tools
from engine.agent.loading import load_tools
from engine.agent.settings import AgentSettings, SubagentSettings
from engine.agent.trust import distrust_tool, tool_source, trust_file, trust_tool
from engine.errors import InspectorError, UsageError
from engine.workspace import Workspace

TWO = '''
from __future__ import annotations

from langchain_core.tools import tool

from os.path import join


def helper(path: str) -> str:
    """Is no tool, since there are some."""
    return join("/", path)


@tool
def add(one: int, other: int = 2) -> int:
    """Adds two numbers."""
    return one + other


@tool
def greet(name: str) -> str:
    """Greets somebody."""
    return "Hello, " + name
'''
PLAIN = '''
def look(place: str) -> str:
    """Looks at a place."""
    return place


def _hidden() -> None:
    """Hidden."""


def undescribed(x: int) -> int:
    return x
'''


@pytest.fixture(autouse=True)
def own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))


def made(folder: Path, text: str, name: str = "tools.py") -> str:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return str(file)


def trusted(folder: Path, text: str, name: str = "tools.py", attribute: str = "") -> str:
    named = made(folder, text, name) + attribute
    trust_tool(named)
    return named


def names(tools: list[Any]) -> list[str]:
    return [getattr(item, "name", None) or item.__name__ for item in tools]


# --- trust ---


def test_code_runs_only_when_it_is_trusted(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    text = f"open({str(mark)!r}, 'w').close()\n{PLAIN}"
    named = made(tmp_path, text)
    assert not tool_source(named).trusted
    for attempt in (load_tools, lambda tools: list_tools(tools[0])):
        with pytest.raises(UsageError, match="was not allowed to run yet"):
            attempt([named])
    for settings in (
        AgentSettings(model="scripted", tools=[named]),
        AgentSettings(model="scripted", subagents=[SubagentSettings("a", "b", "c", tools=[named])]),
    ):
        with pytest.raises(UsageError, match="was not allowed to run yet"):
            build_agent(Workspace.create(tmp_path / f"{len(settings.tools)}.ctx"), settings)
    assert not mark.exists()
    trust_tool(named)
    assert names(load_tools([named])) == ["look"]
    assert mark.exists()


def test_a_file_that_was_changed_asks_again(tmp_path: Path) -> None:
    named = trusted(tmp_path, PLAIN)
    made(tmp_path, PLAIN.replace("Looks", "Stares"))
    source = tool_source(named)
    assert (source.trusted, source.changed) == (False, True)
    with pytest.raises(UsageError, match="was changed since you let it run"):
        load_tools([named])
    trust_tool(named)
    assert load_tools([named])[0].__doc__ == "Stares at a place."


def test_what_was_shown_is_what_is_trusted(tmp_path: Path) -> None:
    shown = tool_source(made(tmp_path, PLAIN))
    made(tmp_path, PLAIN + "\n# more")
    with pytest.raises(UsageError, match="changed after it was shown"):
        trust_tool(shown.text, shown.digest)
    assert not tool_source(shown.text).trusted


def test_a_file_is_asked_for_once_whatever_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trusted(tmp_path, TWO)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.py").symlink_to(tmp_path / "tools.py")
    for text in ("tools.py", "tools.py:add", "link.py", f"{tmp_path}/../{tmp_path.name}/tools.py"):
        assert tool_source(text).trusted
    made(tmp_path / "elsewhere", TWO)
    assert not tool_source("elsewhere/tools.py").trusted


def test_trust_lies_in_the_users_configuration_alone(tmp_path: Path) -> None:
    named = trusted(tmp_path, PLAIN)
    assert json.loads(trust_file().read_text())["trusted"] == {named: tool_source(named).digest}
    assert stat.S_IMODE(trust_file().stat().st_mode) == 0o600
    distrust_tool(named)
    assert not tool_source(named).trusted


@pytest.mark.parametrize("damaged", ["", "{", "[]", '{"trusted": []}', '{"trusted": {"x": 5}}'])
def test_a_damaged_configuration_trusts_nothing(tmp_path: Path, damaged: str) -> None:
    named = trusted(tmp_path, PLAIN)
    trust_file().write_text(damaged)
    assert not tool_source(named).trusted
    assert trust_tool(named).trusted


def test_a_configuration_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    with pytest.raises(InspectorError, match="can't be written"):
        trust_tool(made(tmp_path, PLAIN))


def test_a_modules_name_is_resolved_without_running_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = "raise SystemExit('it ran')"
    made(tmp_path, ran, "outer_pack/__init__.py")
    made(tmp_path, ran + PLAIN, "outer_pack/inner.py")
    monkeypatch.syspath_prepend(str(tmp_path))
    source = tool_source("outer_pack.inner:look")
    assert [Path(file).name for file in source.files] == ["__init__.py", "inner.py"]
    assert (source.module, source.attribute) == ("outer_pack.inner", "look")
    trust_tool("outer_pack.inner:look")
    made(tmp_path, "", "outer_pack/__init__.py")
    assert tool_source("outer_pack.inner:look").changed, "the package's own code runs too"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no tool"),
        ("tools", "names no tool"),
        ("/nowhere/tools.py", "There is no file"),
        ("/nowhere/tools.py:a b", "names no tool"),
        ("no_such_module_anywhere:x", "There is no module no_such_module_anywhere"),
        ("engine.nothing:x", "There is no module engine.nothing"),
        ("engine.cli.deeper:x", "There is no module engine.cli.deeper"),
        ("sys:path", "has no file of its own"),
        ("../../etc:x", "names no tool"),
        ("/nowhere/a:b.py", "There is no file"),
    ],
)
def test_what_names_no_code_is_said(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        tool_source(text)


# --- loading ---


def test_a_file_gives_its_tools_and_a_name_gives_one(tmp_path: Path) -> None:
    named = trusted(tmp_path, TWO)
    assert names(load_tools([named])) == ["add", "greet"]
    assert names(load_tools([f"{named}:greet"])) == ["greet"]
    assert names(load_tools([trusted(tmp_path, PLAIN, "plain.py")])) == ["look"]


def test_lists_toolkits_and_tools_of_a_provider_are_taken(tmp_path: Path) -> None:
    text = TWO + (
        "class Kit:\n    def get_tools(self):\n        return [add, greet]\n"
        "kit = Kit()\nboth = (add, [greet])\nsearch = {'type': 'web_search'}\n"
    )
    named = trusted(tmp_path, text)
    for attribute in ("kit", "both"):
        assert names(load_tools([f"{named}:{attribute}"])) == ["add", "greet"]
    assert load_tools([f"{named}:search"]) == [{"type": "web_search"}]


def test_all_names_what_it_names(tmp_path: Path) -> None:
    assert names(load_tools([trusted(tmp_path, TWO + "__all__ = ['helper', 'add']\n")])) == ["helper", "add"]


def test_a_module_of_the_path_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    made(tmp_path, PLAIN, "module_of_tools.py")
    trust_tool("module_of_tools:look")
    (found,) = load_tools(["module_of_tools:look"])
    assert found("here") == "here"
    made(tmp_path, PLAIN + "\n# changed", "module_of_tools.py")
    trust_tool("module_of_tools:look")
    with pytest.raises(UsageError, match="changed after it was loaded"):
        load_tools(["module_of_tools:look"])


def test_code_runs_as_its_own_and_once(tmp_path: Path) -> None:
    """Its annotations are objects unless it says otherwise, and its state is one for all agents."""
    text = "import beside\ndef look(x: int) -> str:\n    '''Looks.'''\n    return beside.WORD\n"
    made(tmp_path, "WORD = 'beside'\n", "beside.py")
    named = trusted(tmp_path, text)
    (one,), (other,) = load_tools([named]), load_tools([named])
    assert one is other and one(1) == "beside" and one.__annotations__["x"] is int


def test_code_that_hangs_holds_up_none_of_our_imports(tmp_path: Path) -> None:
    begun, go = tmp_path / "begun", tmp_path / "go"
    for pipe in (begun, go):
        os.mkfifo(pipe)
    named = trusted(tmp_path, f"open({str(begun)!r}, 'w').close()\nopen({str(go)!r}).close()\n{PLAIN}")
    loading = threading.Thread(target=load_tools, args=([named],))
    loading.start()
    begun.read_text()
    free = importing.lock.acquire(blocking=False)
    go.write_text("")
    loading.join()
    assert free
    importing.lock.release()


@pytest.mark.parametrize(
    ("text", "attribute", "words"),
    [
        ("def a(:\n", "", r"tools\.py, line 1: invalid syntax"),
        ("x = 1\ny = x / 0\n", "", r"tools\.py, line 2: ZeroDivisionError"),
        ("import no_such_thing\n", "", r"tools\.py, line 1: ModuleNotFoundError"),
        ("raise SystemExit(3)\n", "", r"tools\.py, line 1: SystemExit"),
        (PLAIN, ":nothing", r"tools\.py has no nothing"),
        ("number = 5\n", ":number", "is a int, not a tool"),
        ("class Kit:\n    def get_tools(self):\n        return []\n", ":Kit", "is a type, not a tool"),
        ("class K:\n    def get_tools(self):\n        return 1 / 0\nk = K()\n", ":k", r"tools\.py, line 3"),
        ("x = 1\n\ndef bare(a):\n    return a\n", ":bare", r"tools\.py, line 3: bare can't be a tool"),
        ("def bare(a):\n    return a\n", "", "has no tools"),
        ("__all__ = ['gone']\n", "", "has no gone"),
        (PLAIN.replace("look", "read_file"), "", "name of one of the engine's own"),
        (PLAIN.replace("look", "task"), "", "name of one of the engine's own"),
        (PLAIN + "twice = [look, look]\n", ":twice", "Two tools have the name 'look'"),
        ("\0", "", "null bytes"),
    ],
)
def test_faults_are_sentences_with_their_place(tmp_path: Path, text: str, attribute: str, words: str) -> None:
    named = trusted(tmp_path, text, attribute=attribute)
    with pytest.raises(UsageError, match=words):
        load_tools([named])


def test_two_files_with_one_name_of_a_tool_are_refused(tmp_path: Path) -> None:
    one, other = trusted(tmp_path, PLAIN), trusted(tmp_path, PLAIN, "other.py")
    with pytest.raises(UsageError, match="Two tools have the name 'look'"):
        load_tools([one, other])


# --- listing ---


def test_tools_are_listed_with_their_schemas_and_where_they_are_written(tmp_path: Path) -> None:
    named = trusted(tmp_path, TWO + "print('noise')\n")
    add, greet = list_tools(named)
    assert (add.name, add.description) == ("add", "Adds two numbers.")
    assert add.schema["properties"]["other"] == {"type": "integer", "default": 2}
    assert add.schema["required"] == ["one"]
    assert greet.file == named and greet.line == TWO.splitlines().index("def greet(name: str) -> str:")
    assert not any(getattr(module, "__file__", None) == named for module in list(sys.modules.values()))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("while True: pass\n", "was not loaded after 2 seconds and was stopped"),
        ("import os; os._exit(3)\n", "ended its process"),
        ("def a(:\n", "line 1"),
    ],
)
def test_broken_code_harms_nobody(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InspectorError, match=words):
        list_tools(trusted(tmp_path, text), seconds=2 if "while" in text else 60)
