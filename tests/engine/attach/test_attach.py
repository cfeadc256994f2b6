"""A program that is started with ``record`` goes on as without it, and what it asks models is recorded exactly."""

from __future__ import annotations

import subprocess
import sys
import venv
from contextlib import closing
from pathlib import Path

import pytest

from engine import Reader
from tests.engine.attach.programs import PREAMBLE, ROOT, Folder

PYTHON = sys.executable
ASK = 'print(model.invoke([SystemMessage("s"), HumanMessage(content=MEDIA)]).content)\n'

FAILS_IN_A_THREAD = """
import threading
bad = Plain(seen=seen, answers=[ValueError("no")])
thread = threading.Thread(target=bad.invoke, args=("x",))
thread.start()
thread.join()
"""
POOL = """
import threading
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool:
    print([message.content for message in pool.map(model.invoke, [f"q{n}" for n in range(8)])])
print(threading.active_count())
"""
TASKS = """
import asyncio
async def main():
    print(len(await asyncio.gather(*(model.ainvoke(f"q{n}") for n in range(5)))))
asyncio.run(main())
"""
LEFT_EARLY = """
stream = model.stream("a")
print(next(stream).content)
stream.close()
for chunk in Streaming(seen=seen).stream("b"):
    break
"""
FORK = """
pid = os.fork()
if not pid:
    model.invoke("child")
    os._exit(4)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
DAEMON = """
if os.fork():
    os.wait()
    sys.exit()
os.setsid()
os.closerange(3, 200)
"""
POOLS = """
import multiprocessing
def work(n):
    return model.invoke(f"q{n}").content
if __name__ == "__main__":
    for way in ("fork", "spawn"):
        with multiprocessing.get_context(way).Pool(2) as pool:
            print(pool.map(work, range(2)))
            pool.close()
            pool.join()
"""
KILLED = """
import signal, threading
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGTERM)
threading.Event().wait()
"""

UNTIL_WRITTEN = """
import sqlite3
written = 0
while not written:
    try:
        with sqlite3.connect("file:it.ctx?mode=ro", uri=True) as file:
            written = file.execute("SELECT count(*) FROM requests WHERE status = 'done'").fetchone()[0]
    except sqlite3.Error:
        pass
"""

PROGRAMS: dict[str, tuple[int, str]] = {
    "to its end": (1, ASK),
    "sys.exit": (1, ASK + "sys.exit(7)"),
    "sys.exit with words": (1, ASK + 'sys.exit("that was it")'),
    "an error nobody catches": (1, 'Plain(seen=seen, answers=[ValueError("overloaded")]).invoke("x")'),
    "an error in a thread": (1, FAILS_IN_A_THREAD),
    "os._exit": (1, ASK + "sys.stdout.flush()\nos._exit(3)"),
    "Ctrl-C": (1, ASK + KILLED.replace("SIGTERM", "SIGINT")),
    "exec": (2, ASK + "sys.stdout.flush()\nos.execv(sys.executable, [sys.executable, 'second.py'])"),
    "stdin": (1, "print(model.invoke(sys.stdin.read()).content, sys.stdin.isatty())"),
    "at exit": (2, "import atexit\natexit.register(lambda: print(model.invoke('bye').content))\n" + ASK),
    "threads": (8, POOL),
    "tasks": (5, TASKS),
    "streams left early": (2, LEFT_EARLY),
    "fork": (2, FORK + ASK),
    "a daemon": (1, DAEMON + ASK),
    "multiprocessing": (4, POOLS),
    "a child program": (
        2,
        "import subprocess\nprint(subprocess.run([sys.executable, 'second.py']).returncode)\n" + ASK,
    ),
    "no model": (0, "print(sys.path[1:], sorted(n for n in sys.modules if n.startswith('engine')))"),
    "warnings": (1, "import warnings\nwarnings.warn('careful')\n" + ASK),
}
WITHOUT_LANGCHAIN = {
    "nothing": "print(sys.argv, __file__, __name__, sys.flags.no_site)",
    "its environment": "print(sorted(k for k in os.environ if 'INSPECTOR' not in k and k != 'PYTHONPATH'))",
    "a function at exit": "import atexit\natexit.register(print, 'bye')\nsys.exit(2)",
}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    made.program(ASK, "second.py")
    return made


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_recorded_and_does_what_it_did(folder: Folder, name: str) -> None:
    requests, text = PROGRAMS[name]
    folder.same(PYTHON, folder.program(text), "an argument", input=b"from stdin")
    folder.check(requests)


@pytest.mark.parametrize("name", WITHOUT_LANGCHAIN)
def test_a_program_without_langchain_does_what_it_did(folder: Folder, name: str) -> None:
    folder.same(PYTHON, folder.program(WITHOUT_LANGCHAIN[name], preamble="import os, sys\n"), "an argument")
    folder.check(0)


def test_a_program_that_is_killed_leaves_what_was_finished(folder: Folder) -> None:
    recorded = folder.recorded(PYTHON, folder.program(ASK + UNTIL_WRITTEN + KILLED))
    assert recorded.returncode == -15
    with closing(Reader(folder.file)) as reader:
        (thread,) = reader.threads()
        assert [row.status for row in reader.requests(thread.thread_id)] == ["done"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["-c", PREAMBLE + ASK],
        ["-m", "program"],
        ["-u", "program.py"],
        ["-X", "utf8", "program.py"],
        ["-OO", "program.py"],
    ],
    ids=["-c", "-m", "-u", "-X", "-OO"],
)
def test_python_is_started_in_any_way(folder: Folder, arguments: list[str]) -> None:
    folder.program(ASK)
    folder.same(PYTHON, *arguments)
    folder.check(1)


@pytest.mark.parametrize(
    ("options", "said"),
    [(["-I"], "-I"), (["-E"], "-E"), (["-uS"], "-S"), (["-W", "ignore", "-I"], "-I"), (["-X", "utf8"], None)],
)
def test_a_python_that_keeps_everything_out_runs_and_it_is_said(
    folder: Folder, options: list[str], said: str | None
) -> None:
    program = folder.program('print("ran", sys.argv[1:])\nsys.exit(6)', preamble="import sys\n")
    recorded = folder.recorded(PYTHON, *options, program, "-I")
    assert (recorded.stdout, recorded.returncode) == (b"ran ['-I']\n", 6)
    lines = recorded.stderr.decode().splitlines()
    assert [f"python {said} keeps the recorder out" in line for line in lines] == ([True] if said else [])


def test_programs_started_by_a_shell(folder: Folder) -> None:
    folder.program(ASK)
    recorded = folder.recorded("sh", "-c", f"{PYTHON} program.py | cat; {PYTHON} program.py; exit 9")
    assert (recorded.stdout, recorded.returncode) == (b"yes\nyes\n", 9)
    folder.check(2)


def test_a_pipe_that_closes_early_ends_a_program_as_always(folder: Folder) -> None:
    folder.same("bash", "-c", "yes | head -1; echo ${PIPESTATUS[0]}")


def test_a_project_with_an_engine_and_an_inspector_of_its_own(folder: Folder) -> None:
    for name in ("engine", "inspector", "engine/recording"):
        (folder.path / name).mkdir()
        (folder.path / name / "__init__.py").write_text(f"mine = {name!r}\n")
    program = folder.program(
        f"import engine, engine.recording, inspector\n{ASK}"
        "print(engine.mine, engine.recording.mine, inspector.mine, engine.__file__)\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] in ('engine', 'inspector')))\n"
    )
    folder.environment["PYTHONPATH"] = str(folder.path)
    said = folder.same(PYTHON, program).decode()
    assert f"engine engine/recording inspector {folder.path}/engine/__init__.py" in said
    folder.check(1)


BLOCKER = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {names!r}:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)
if len(sys.orig_argv) == 2:  # not for the command that starts it
    sys.meta_path.insert(0, Blocker())
    print("my own")
"""
TRY = "try:\n    import {name}\n    print('there')\nexcept ImportError:\n    pass\n"
NEEDLESS = ("langchain", "langgraph", "deepagents", "sqlite_utils", "zstandard", "orjson", "numpy", "platformdirs")


def test_langchain_core_alone_is_enough_and_a_sitecustomize_of_its_own_is_run(folder: Folder) -> None:
    site = folder.path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(BLOCKER.format(names=set(NEEDLESS)))
    folder.environment["PYTHONPATH"] = str(site)
    tried = "".join(TRY.format(name=name) for name in NEEDLESS)
    then = "print(len(model.batch(['a', 'b'])), sum(path.endswith('site') for path in sys.path))"
    program = folder.program(tried + ASK + then)
    assert folder.same(PYTHON, program).splitlines() == [b"my own", b"yes", b"2 1"]
    folder.check(3)


AGENT = """
from langchain.agents import create_agent
from langchain.agents.middleware import TodoListMiddleware
def look(at: str) -> str:
    "Look."
    return at
scripted = Native(seen=seen, answers=[call("look", "c", at="x"), "done"])
agent = create_agent(scripted, [look], system_prompt="Be short.", middleware=[TodoListMiddleware()])
print(agent.invoke({"messages": [HumanMessage("go")]})["messages"][-1].content)
"""


def test_an_agent_in_another_program_is_observed(folder: Folder) -> None:
    assert folder.same(PYTHON, folder.program(AGENT)) == b"done\n"
    first, second = folder.check(2)
    with closing(Reader(folder.file)) as reader:
        detail = reader.request(second.id)
    assert [block.contributor for block in detail.system] == ["caller", "TodoListMiddleware"]
    assert {tool.name: tool.contributor for tool in detail.tools} == {
        "look": "caller",
        "write_todos": "TodoListMiddleware",
    }
    assert (first.raw_messages, second.raw_messages) == (1, 3)


OWN = """
from contextlib import closing
from engine import Reader, record
with record("own.ctx"):
    exec(AGENT)
with closing(Reader("own.ctx")) as reader:
    (thread,) = reader.threads()
    print([reader.request(id).exact for id in reader.request_ids(thread.thread_id)])
    print([block.contributor for block in reader.request(reader.request_ids(thread.thread_id)[1]).system])
"""


def test_a_program_that_records_itself_is_recorded_twice(folder: Folder) -> None:
    """Two copies of the recorder observe the same agent, and neither disturbs the other."""
    program = folder.program(f"AGENT = {AGENT!r}\nsys.path.append({str(ROOT)!r})\n{OWN}")
    recorded = folder.recorded(PYTHON, program)
    assert recorded.stderr == b""
    assert recorded.stdout.splitlines() == [b"done", b"[True, True]", b"['caller', 'TodoListMiddleware']"]
    _, second = folder.check(2)
    with closing(Reader(folder.file)) as reader:
        assert [block.contributor for block in reader.request(second.id).system] == ["caller", "TodoListMiddleware"]


WRITES = """
print("ready", flush=True)
sys.stdin.readline()
for n in range(60):
    model.invoke(f"{sys.argv[1]} {n}", {"metadata": {"thread_id": "shared"}})
    model.invoke(f"{sys.argv[1]} own {n}", {"metadata": {"thread_id": sys.argv[1]}})
"""


def test_two_processes_record_into_one_file_while_it_is_read(folder: Folder) -> None:
    program = folder.program(WRITES)
    pipe = subprocess.PIPE
    children = [
        subprocess.Popen(
            [*folder.launcher, PYTHON, str(program), name],
            cwd=folder.path, env=folder.env(), stdin=pipe, stdout=pipe, stderr=pipe,
        )
        for name in ("one", "two")
    ]  # fmt: skip
    for child in children:
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write(b"\n")
        child.stdin.flush()
    counts: list[int] = []
    reader = None
    while any(child.poll() is None for child in children):
        if reader is None and folder.file.exists():
            reader = Reader(folder.file)
        if reader is not None:
            counts.append(len(reader.requests("shared")))
    for child in children:
        _, complaints = child.communicate()
        assert (child.returncode, complaints) == (0, b"")
    assert reader is not None
    assert counts == sorted(counts)
    assert [row.number for row in reader.requests("shared")] == list(range(1, 121))
    assert [len(reader.requests(name)) for name in ("one", "two")] == [60, 60]
    reader.close()
    folder.check(240)


def test_what_is_lost_is_one_line_at_the_end(folder: Folder) -> None:
    (folder.path / "gone").mkdir()
    spoils = "import shutil\nshutil.rmtree('gone')\nopen('gone', 'w').close()\n"
    program = folder.program(f"{spoils}model.invoke('x')\nmodel.invoke('y')\nprint('done')")
    recorded = folder.run([*folder.command_line, "record", "--into", "gone/it.ctx", "--", PYTHON, str(program)])
    assert (recorded.stdout, recorded.returncode) == (b"done\n", 0)
    (line,) = recorded.stderr.decode().splitlines()
    assert line.startswith("context-inspector: ")
    assert "not recorded" in line
    assert "gone" in line


# --- a real environment with nothing else in it ---


@pytest.mark.slow
def test_in_an_environment_that_has_langchain_core_only(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=True)
    python = str(home / "bin" / "python")
    pip = subprocess.run([python, "-m", "pip", "install", "-q", "langchain-core"], capture_output=True, timeout=300)
    if pip.returncode:
        pytest.skip("langchain-core can't be installed here: " + pip.stderr.decode().strip().splitlines()[-1])
    more = "print([m.content for m in model.batch(['a', 'b'])], next(model.stream('c')).content)\n"
    assert folder.same(python, folder.program(ASK + more)) == b"yes\n['yes', 'yes'] yes \n"
    folder.check(4)
