"""Deleting everything that a workspace knows about a thread or a namespace: shown before, proven afterwards."""

from engine.governance.deleting import delete_for_good
from engine.governance.planning import plan_deletion
from engine.governance.spaces import namespaces

__all__ = ["delete_for_good", "namespaces", "plan_deletion"]
