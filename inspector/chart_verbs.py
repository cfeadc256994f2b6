"""Commands of the chart: what it shows, and how closely."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.commands import Command

if TYPE_CHECKING:
    from inspector.window import MainWindow

PREF, FIRST = "chart_mode", "requests"
"""The chart's mode is remembered under this name; a chart over requests is what one begins with."""


def chart_commands(w: MainWindow) -> list[Command]:
    """For the menu View, the palette and the chart's own menu."""

    def mode(name: str, title: str, hint: str) -> Command:
        return Command(f"chart.{name}", f"Chart: {title}", lambda: choose(w, name), "View",
                       checked=lambda: w.prefs.text(PREF, FIRST) == name, hint=hint, contexts=("chart",),
                       separated=name == FIRST)  # fmt: skip

    def zoom(name: str, title: str, keys: tuple[str, ...], closer: bool | None, hint: str) -> Command:
        def run() -> None:
            if w.desk is not None and w.desk.chart is not None:
                w.desk.chart.show_whole() if closer is None else w.desk.chart.zoom(closer)

        return Command(f"chart.{name}", f"Chart: {title}", run, "View", keys, lambda: can_zoom(w), hint=hint,
                       contexts=("chart",), separated=closer is True)  # fmt: skip

    return [
        mode("requests", "by request", "Contexts side by side, in the order of the requests."),
        mode("time", "over time", "Contexts at the time of their requests; long pauses are cut, and say how long."),
        mode("cost", "cumulative cost", "By the price list, added up; from reported tokens only."),
        zoom("closer", "zoom in", ("Ctrl++", "Ctrl+="), True, "Around the selected request. The wheel does the same."),
        zoom("farther", "zoom out", ("Ctrl+-",), False, ""),
        zoom("whole", "all requests", ("Ctrl+0",), None, "Also those that come."),
    ]  # fmt: skip


def choose(w: MainWindow, mode: str) -> None:
    """Show the chart in another mode, and remember it."""
    w.prefs.set(PREF, mode)
    w.centre.show_chart(True)
    if w.desk is not None and w.desk.chart is not None:
        w.desk.chart.set_mode(mode)


def can_zoom(w: MainWindow) -> bool:
    """Whether a chart is there and seen."""
    return w.desk is not None and w.desk.chart is not None and not w.centre.chart.isHidden()
