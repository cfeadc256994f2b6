"""Large packages are imported late by one thread at a time: see ``engine/importing.py``."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
LARGE = {"deepagents", "langchain", "langchain_core", "langgraph", "langsmith", "pydantic"}
APART = ("engine/recording/", "engine/attach/", "engine/rebuild/child.py")  # another program's, a process of its own
ENGINE = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "engine").rglob("*.py"))


@cache
def tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


def imported(node: ast.AST) -> Iterator[str]:
    """The modules that an import statement names, each with the packages around it."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module:
        names = [f"{node.module}.{alias.name}" for alias in node.names]
    for name in names:
        parts = name.split(".")
        yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))


def for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def of_the_module(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """What runs when a module is imported, but for what only names types."""
    for node in body:
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not for_types(node):
            yield from of_the_module([each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)])


@cache
def is_large(module: str) -> bool:
    """Whether importing a module imports one of the large packages."""
    if module.partition(".")[0] in LARGE:
        return True
    file = module.replace(".", "/")
    found = next((each for each in (f"{file}.py", f"{file}/__init__.py") if each in ENGINE), None)
    if found is None:
        return False
    beginnings = {module, module.rpartition(".")[0]}
    return any(
        is_large(name)
        for node in of_the_module(tree(found).body)
        for name in imported(node)
        if name not in beginnings and not module.startswith(f"{name}.")
    )


def unlocked(node: ast.AST, late: bool = False) -> Iterator[tuple[int, str]]:
    """Imports of large modules in functions, outside the lock: line and statement."""
    for each in ast.iter_child_nodes(node):
        if for_types(each) or (isinstance(each, ast.With) and "importing.lock" in ast.unparse(each.items[0])):
            continue
        if late and any(map(is_large, imported(each))):
            yield each.lineno, ast.unparse(each)
        yield from unlocked(each, late or isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)))


def test_large_packages_are_imported_late_under_the_lock():
    held_to_it = [file for file in ENGINE if not file.startswith(APART) and not file.endswith("cli.py")]
    assert not {file: found for file in held_to_it if (found := list(unlocked(tree(file))))}


def test_an_import_outside_the_lock_would_be_seen():
    late = ast.parse("def f():\n    from engine.agent.build import build_agent\n")
    held = ast.parse("def f():\n    with importing.lock:\n        from engine.agent.build import build_agent\n")
    assert [line for line, _ in unlocked(late)] == [2]
    assert not list(unlocked(held))
