"""Skills of a workspace: every SKILL.md found, whether and how it is listed to the model, and what it costs.

The engine's own parser and middleware decide; what is added here is the reason and the line.
"""

from engine.skills.costs import costs_of
from engine.skills.parsing import check_skill, engine_version, menu_line
from engine.skills.template import new_skill

__all__ = ["check_skill", "costs_of", "engine_version", "menu_line", "new_skill"]
