"""The rules that the project holds itself to, as far as a machine can check them."""

import ast
import importlib.metadata
import importlib.resources
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import inspector

ROOT = Path(__file__).parents[1]


@cache
def pyproject() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def run(*arguments: str, without: tuple[str, ...] = (), **environ: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, as from a terminal."""
    env = {name: value for name, value in os.environ.items() if name not in without} | environ
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def one_sentence(stderr: str) -> str:
    lines = stderr.splitlines()
    assert len(lines) == 1, stderr
    assert lines[0].startswith("context-inspector: ")
    return lines[0]


# ---- pyproject ----------------------------------------------------------------------------------------


def pyside_allowed(version: str, python: str) -> bool:
    lines = [Requirement(line) for line in pyproject()["project"]["dependencies"]]
    mine = [r for r in lines if r.name == "pyside6-essentials" and r.marker.evaluate({"python_version": python})]
    assert len(mine) == 1
    return mine[0].specifier.contains(version)


def test_pyside_that_loses_references_is_not_taken():
    assert not pyside_allowed("6.12.0", python="3.11")
    assert pyside_allowed("6.11.3", python="3.11")
    assert pyside_allowed("6.12.0", python="3.12")
    assert pyside_allowed("6.12.0", python="3.13")


def test_every_dependency_has_both_ends_of_a_range():
    groups = [
        pyproject()["project"]["dependencies"],
        *pyproject()["project"]["optional-dependencies"].values(),
    ]
    for requirement in (Requirement(line) for group in groups for line in group):
        operators = {specifier.operator for specifier in requirement.specifier}
        assert operators == {">=", "<"}, requirement


def test_what_is_imported_is_declared():
    declared = {canonicalize_name(Requirement(line).name) for line in pyproject()["project"]["dependencies"]}
    own = {"engine", "inspector", "resources", "tests"}
    distributions = importlib.metadata.packages_distributions()
    undeclared = {}
    for path in [*(ROOT / "engine").rglob("*.py"), *(ROOT / "inspector").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module]
            else:
                continue
            for name in {name.split(".")[0] for name in names} - own - sys.stdlib_module_names:
                brought_by = {canonicalize_name(d) for d in distributions.get(name, [name])}
                if name == "shiboken6":
                    brought_by = {"pyside6-essentials"}  # as its very first requirement
                if not brought_by & declared:
                    undeclared.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert not undeclared


def test_resources_can_be_read_as_package_data():
    assert importlib.resources.files("resources").is_dir()


# ---- What is in the repository ------------------------------------------------------------------------


@cache
def committed() -> list[str]:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT)]
    if subprocess.run([*command, "rev-parse", "HEAD"], capture_output=True, check=False).returncode:
        pytest.skip("nothing is committed yet")
    listing = subprocess.run([*command, "ls-tree", "-rz", "--name-only", "HEAD"], capture_output=True, check=True)
    return [name for name in os.fsdecode(listing.stdout).split("\0") if name]


def test_no_package_registry_is_named():
    # Whoever installs has registries of their own. Put together here so that this file doesn't name one.
    hosts = [
        "pypi.",
        "pythonhosted.",
        "deb.debian.",
        "security.debian.",
        "archive.ubuntu.",
        "registry.npmjs.",
    ]
    named = re.compile("|".join(re.escape(f"{host}org" if "ubuntu" not in host else f"{host}com") for host in hosts))
    for name in committed():
        path = ROOT / name
        if path.is_file():
            found = named.search(path.read_bytes().decode("utf-8", "replace"))
            assert not found, f"{name}: {found.group()}"


def test_nothing_is_committed_that_is_made():
    made = re.compile(r"(^|/)(\.venv|__pycache__|\.\w+_cache|[^/]+\.egg-info)/|\.pyc$")
    assert [name for name in committed() if made.search(name)] == []


def test_the_top_level_stays_small():
    ours = {
        "engine",
        "inspector",
        "resources",
        "tests",
        ".ci",
        ".gitignore",
        "Makefile",
        "README.md",
        "context_inspector.py",  # the command, under a name that no project has
        "pyproject.toml",
    }
    assert {name.split("/")[0] for name in committed()} - ours - {"LICENSE"} == set()


# ---- Qt -----------------------------------------------------------------------------------------------


def test_calls_into_qt_keep_their_references_to_none(qtbot):
    from PySide6.QtWidgets import QLabel

    label = QLabel()
    qtbot.addWidget(label)
    label.setText("first")
    before = sys.getrefcount(None)
    for number in range(500):
        label.setText(str(number))
    lost = before - sys.getrefcount(None)
    assert lost < 50, f"{lost} references to None lost in 500 calls: the interpreter would abort in time"


LEAKY = """
import threading
import pytest
from PySide6.QtCore import QTimer, qWarning
from PySide6.QtWidgets import QWidget, QMenu

kept = []

def test_thread():
    stop = threading.Event()
    kept.append(stop)
    threading.Thread(target=stop.wait, args=(10,), name="lost", daemon=True).start()

def test_widget(qtbot):
    kept.append(QWidget())
    kept[-1].show()

def test_timer(qtbot):
    kept.append(QTimer())
    kept[-1].start(1000)

def test_warning(qtbot):
    qWarning("something is wrong")

def test_clean(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    menu = QMenu(window)
    timer = QTimer(window)
    timer.start(1000)
    window.show()
    cycle = [QWidget()]
    cycle.append(cycle)
    worker = threading.Thread(target=lambda: None)
    worker.start()
"""


def test_what_a_test_leaves_behind_fails_it(tmp_path):
    (tmp_path / "test_leaky.py").write_text(LEAKY)
    shutil.copy(ROOT / "tests/conftest.py", tmp_path)
    options = ("-p", "no:cacheprovider", "-q", "-rfEp", "-c", str(ROOT / "pyproject.toml"))
    done = run("-m", "pytest", *options, "--rootdir", str(tmp_path), str(tmp_path / "test_leaky.py"))
    outcomes = set(re.findall(r"^(\w+) \S*::(test_\w+)", done.stdout, re.MULTILINE))
    assert {name for outcome, name in outcomes if outcome in ("FAILED", "ERROR")} == {
        "test_thread",
        "test_widget",
        "test_timer",
        "test_warning",
    }, done.stdout
    assert ("PASSED", "test_clean") in outcomes
    for said in ("thread lost", "widget QWidget", "timer ''"):
        assert said in done.stdout


# ---- The command --------------------------------------------------------------------------------------


def test_version_imports_nothing_heavy():
    done = run("-X", "importtime", "-m", "inspector", "--version")
    assert done.returncode == 0
    assert done.stdout.split() == ["context-inspector", inspector.__version__]
    imported = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in done.stderr.splitlines()}
    assert "inspector" in imported
    heavy = {
        "PySide6",
        "shiboken6",
        "langgraph",
        "langchain",
        "langchain_core",
        "deepagents",
        "numpy",
        "engine",
    }
    assert imported & heavy == set()


def test_help_names_the_terminal_commands_and_the_exit_codes():
    done = run("-m", "inspector", "--help")
    assert done.returncode == 0
    for word in (
        "demo",
        "run",
        "threads",
        "requests",
        "show",
        "events",
        "files",
        "file",
        "./demo",
        "exit codes",
    ):
        assert word in done.stdout


@pytest.mark.parametrize("arguments", [["--nonsense"], ["one", "two"], ["no/such/file"]])
def test_bad_use_is_2(arguments):
    done = run("-m", "inspector", *arguments)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("context-inspector: ")


DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


@pytest.mark.skipif(sys.platform != "linux", reason="displays of Linux")
@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"QT_QPA_PLATFORM": "xcb"},
        {"QT_QPA_PLATFORM": "wayland"},
        {"DISPLAY": "localhost:99999"},
        {"WAYLAND_DISPLAY": "no-such-socket"},
    ],
)
def test_no_display_is_one_sentence(environ):
    done = run("-m", "inspector", without=DISPLAYS, **environ)
    assert done.returncode == 1
    assert "no display" in one_sentence(done.stderr)


@pytest.mark.skipif(sys.platform != "linux", reason="displays of Linux")
def test_an_offscreen_platform_needs_no_display():
    from inspector import preflight

    assert preflight.window_problem({"QT_QPA_PLATFORM": "offscreen"}) is None
    assert preflight.window_problem({"QT_QPA_PLATFORM": "minimal:option"}) is None


def test_a_wayland_server_that_answers_will_do(tmp_path, monkeypatch):
    from inspector import preflight

    monkeypatch.setattr(preflight, "WAYLAND", {})
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "wayland-1"))
        server.listen()
        environ = {"WAYLAND_DISPLAY": "wayland-1", "XDG_RUNTIME_DIR": str(tmp_path)}
        assert preflight.window_problem(environ) is None


BROKEN_QT = """
import builtins, sys
real = builtins.__import__
def broken(name, *rest):
    if name.startswith("PySide6"):
        raise {error}
    return real(name, *rest)
builtins.__import__ = broken
{also}
from inspector.main import main
sys.exit(main([]))
"""


@pytest.mark.parametrize(
    ("error", "also", "said"),
    [
        ("ModuleNotFoundError('No module named PySide6', name='PySide6')", "", "package PySide6 is missing"),
        (
            "ImportError('libEGL.so.1: cannot open shared object file: No such file or directory')",
            "from inspector import preflight; preflight.missing = lambda table: {'libEGL.so.1': 'libegl1'}",
            "library libEGL.so.1, not found here; on Debian or Ubuntu: sudo apt-get install -y libegl1",
        ),
        (
            "ImportError('libodd.so.7: cannot open shared object file: No such file or directory')",
            "from inspector import preflight; preflight.missing = lambda table: {}",
            "library libodd.so.7",
        ),
        ("ImportError('undefined symbol: odd')", "", "undefined symbol: odd"),
    ],
)
def test_a_missing_library_is_one_sentence(error, also, said):
    done = run("-c", BROKEN_QT.format(error=error, also=also))
    assert done.returncode == 1
    assert said in one_sentence(done.stderr)


def test_a_missing_plugin_library_is_said_before_qt_aborts(monkeypatch):
    from inspector import preflight

    monkeypatch.setitem(preflight.XCB, "libnot-there.so.0", "libnot-there0")
    said = preflight.window_problem({"DISPLAY": ":0"})
    assert "libnot-there.so.0" in said
    assert said.endswith("apt-get install -y libnot-there0")


@pytest.mark.parametrize("content", [b"not a database, but long enough to be looked at", b"SQLite format 3\0torn"])
def test_a_file_that_is_not_ours_is_3(tmp_path, content):
    path = tmp_path / "file\nwith a line end"
    path.write_bytes(content)
    done = run("-m", "inspector", str(path), without=DISPLAYS)
    assert done.returncode == 3
    one_sentence(done.stderr)
    assert path.read_bytes() == content
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_folder_is_bad_use(tmp_path):
    done = run("-m", "inspector", str(tmp_path), without=DISPLAYS)
    assert done.returncode == 2
    assert "folder" in one_sentence(done.stderr)


def test_terminal_commands_import_no_qt(tmp_path):
    program = (
        "import json, sys\n"
        "from inspector.main import main\n"
        f"code = main(['threads', {str(tmp_path / 'none.db')!r}, '--json'])\n"
        "print(json.dumps([code, [name for name in sys.modules if name.startswith('PySide6')]]))"
    )
    done = run("-c", program, without=DISPLAYS)
    code, qt = json.loads(done.stdout.splitlines()[-1])
    assert code in (2, 3)
    assert qt == []
    one_sentence(done.stderr)
