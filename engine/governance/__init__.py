"""Deleting everything that a workspace knows about a thread or a namespace: shown before, proven afterwards."""

from engine.governance.deleting import delete
from engine.governance.planning import plan_deletion

__all__ = ["delete", "plan_deletion"]
