"""What the cases share: the real window of ``tests/inspector``, and short ways of looking at it."""

from tests.inspector.conftest import colours, faults, jobs, make_window, prefs

__all__ = ["colours", "faults", "jobs", "make_window", "prefs"]
