"""Makes the pictures of the README: ``python tests/pictures.py`` writes them to ``resources/pictures``.

The demo is run by the engine into a temporary folder, the window is shown to a screen that isn't one,
and nothing of the user's settings is read or written.
"""

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIZE = (1440, 900)
WAIT_S = 60


def main() -> int:
    """Make every picture; the exit code."""
    with tempfile.TemporaryDirectory(prefix="pictures-") as folder:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        for name in ("CONFIG", "STATE", "DATA", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = folder
        sys.path.insert(0, str(ROOT))
        demo = Path(folder) / "demo.sqlite"
        _make(demo)
        target = ROOT / "resources" / "pictures"
        target.mkdir(parents=True, exist_ok=True)
        _draw(demo, target)
    return 0


def _make(demo: Path) -> None:
    from engine import make_demo

    make_demo(demo, lambda what, done, total: print(f"{done}/{total} {what}"))


def _draw(demo: Path, target: Path) -> None:
    from inspector import theme
    from inspector.app import application
    from inspector.prefs import Prefs
    from inspector.window import MainWindow

    kept = Prefs()
    app = application(kept)
    theme.choose(app, "light")
    window = MainWindow(kept)
    window.resize(*SIZE)
    window.show()
    window.open(demo)
    _settle(app, window)
    session, request = window.session, window.desk.request
    first = min(session.threads, key=lambda row: row.created_at or 0)
    window.choose_thread(first.thread_id)
    _settle(app, window)
    session.select_index(0)
    window.commands.run("go.next_summary")
    window.commands.run("go.next_summary")

    def save(name: str) -> None:
        _settle(app, window)
        window.status.show_source("demo.sqlite")
        window.activateWindow()
        window.focus("requests")
        _settle(app, window)
        window.grab().save(str(target / name), "PNG", 0)
        print(target / name)

    request.show_area(1)
    window.around.show("files")
    save("window-light.png")
    request.show_area(4)
    window.around.show("summaries")
    save("raw-and-effective.png")
    theme.choose(app, "dark")
    session.select_index(0)
    request.show_area(0)
    window.around.show("memory")
    save("system-dark.png")
    theme.choose(app, "light")
    window.agents.open(_agent(demo).id)
    _settle(app, window)
    agents = window.agents.window
    agents.resize(1180, 760)
    agents.form.show_section(5)
    _until(app, lambda: window.jobs.idle() and not agents.form.checks.waits())
    _settle(app, window)
    agents.grab().save(str(target / "agents.png"), "PNG", 0)
    agents.close()
    window.new_thread()
    window.composer.edit.setPlainText("Which competitor moved its prices most in week 23?")
    window.send()
    _until(app, lambda: window.parts.answer.asks_hand() and len(window.session.rows) == 1)
    window.around.show("files")
    save("by-hand.png")
    window.composer.stop()
    _until(app, lambda: not window.composer.running)
    window.close()


def _agent(demo: Path) -> object:
    from engine import AgentSettings, save_agent

    settings = AgentSettings(
        model="anthropic:claude-sonnet-4-5", system_prompt="You watch the market.", summarize=("tokens", 90_000)
    )
    return save_agent(demo, "Market analyst", settings)


def _until(app: object, done: object) -> None:
    import time

    end = time.monotonic() + WAIT_S
    while not done():  # type: ignore[operator]
        if time.monotonic() > end:
            raise SystemExit("What is to be drawn did not come.")
        app.processEvents()  # type: ignore[attr-defined]
        time.sleep(0.01)


def _settle(app: object, window: object) -> None:
    import time

    end, quiet = time.monotonic() + WAIT_S, 0
    while quiet < 40:
        if time.monotonic() > end:
            raise SystemExit("The window did not settle.")
        app.processEvents()  # type: ignore[attr-defined]
        time.sleep(0.01)
        session = window.session  # type: ignore[attr-defined]
        ready = session is not None and session.threads is not None and not session.loading
        ready = ready and window.desk.chart is not None and window.jobs.idle()  # type: ignore[attr-defined]
        quiet = quiet + 1 if ready else 0


if __name__ == "__main__":
    raise SystemExit(main())
