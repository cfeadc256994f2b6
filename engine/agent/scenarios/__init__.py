"""The demo scenarios: prepared conversations that the real engine runs offline, the same every time."""

from __future__ import annotations

from engine.agent.scenarios.competitor_report import competitor_report
from engine.agent.scenarios.eight_rounds import VARIANTS, Variant, eight_rounds
from engine.agent.scenarios.value import Scenario, ScenarioThread

__all__ = [
    "VARIANTS",
    "Scenario",
    "ScenarioThread",
    "Variant",
    "competitor_report",
    "demo_scenarios",
    "eight_rounds",
]


def demo_scenarios() -> tuple[Scenario, ...]:
    """Every scenario of the demo workspace, in the order to run them."""
    return (competitor_report(), *(eight_rounds(variant) for variant in VARIANTS))
