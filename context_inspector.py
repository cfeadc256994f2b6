"""The command ``context-inspector``: ours, whatever packages the folder that it is started in has.

A project may have an ``engine`` or an ``inspector`` of its own, on a path that comes before ours.
"""

import importlib.util
import sys
from pathlib import Path

_HOME = Path(__file__).resolve().parent
_OURS = ("engine", "inspector", "resources")


def main() -> int:
    """Run the command and return its exit code."""
    for name in _OURS:
        place = _HOME / name / "__init__.py"
        spec = importlib.util.spec_from_file_location(name, place, submodule_search_locations=[str(place.parent)])
        if name not in sys.modules and place.exists() and spec is not None and spec.loader is not None:
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
    from inspector.main import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
