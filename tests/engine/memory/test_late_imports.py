"""What takes seconds to import is imported under one lock: two threads that import it at once deadlock."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import engine

FOLDER = Path(engine.__file__).parent
FILES = sorted([*(FOLDER / "memory").glob("*.py"), *(FOLDER / "skills").glob("*.py")])


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_no_function_imports_a_large_package_by_itself(file: Path) -> None:
    tree = ast.parse(file.read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    imports = [node for function in functions for node in ast.walk(function) if isinstance(node, ast.ImportFrom)]
    large = [node.module for node in imports if (node.module or "").split(".")[0] in ("deepagents", "langgraph")]
    assert large == []
