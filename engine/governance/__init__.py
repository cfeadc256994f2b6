"""Deleting everything that a workspace knows about a thread or a namespace: shown before, proven afterwards."""

from engine.governance.deleting import delete_for_good
from engine.governance.planning import plan_deletion

__all__ = ["delete_for_good", "plan_deletion"]
