"""Found by every Python that a recorded program starts, before the program itself: prepares to record it.

Stays readable for any version of Python, and steps aside for the sitecustomize that would have been found.
"""

# mypy: ignore-errors
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
_into = os.environ.get("CONTEXT_INSPECTOR_RECORD_INTO")

if _into and sys.version_info >= (3, 10):
    try:
        _engine = os.path.dirname(os.path.dirname(_here))
        _alias = {"__name__": "_context_inspector_alias"}
        with open(os.path.join(_engine, "attach", "alias.py"), "rb") as _file:
            exec(compile(_file.read(), _file.name, "exec"), _alias)
        _alias["load"](_engine, "attach.process").start(_into)
    except Exception:  # a recorder that can't be had must not keep the program from running
        if os.environ.get("CONTEXT_INSPECTOR_DEBUG"):
            raise

sys.path[:] = [_path for _path in sys.path if os.path.abspath(_path) != _here]
_ours = sys.modules.pop("sitecustomize", None)
try:
    __import__("sitecustomize")
except ImportError as _error:
    if getattr(_error, "name", None) != "sitecustomize":
        raise
    sys.modules["sitecustomize"] = _ours
