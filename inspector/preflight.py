"""What must be so before Qt is imported, said in one sentence when it isn't.

Qt aborts the process, with a page of messages of its own, when the display doesn't answer or a plugin can't
be loaded. So we look first, as it would. ``.ci/setup`` installs from the tables here before anything else is
installed: only Python's own library may be imported at module level.
"""

import ctypes
import os
import re
import socket
import sys
from collections.abc import Mapping

OFFSCREEN = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
}
"""Each shared library that any Qt program loads, and the Debian package that brings it."""

XCB = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
"""The same for a window on an X server."""

WAYLAND = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
}
"""The same for a Wayland server; desktops that run one have them."""

NO_DISPLAY = (
    "There is no display to show a window on ({why}); the commands for the terminal work without one"
    " (context-inspector --help)."
)


def missing(libraries: Mapping[str, str]) -> dict[str, str]:
    """Those of ``libraries`` that the loader doesn't find, with their packages."""
    absent = {}
    for library, package in libraries.items():
        try:
            ctypes.CDLL(library)
        except OSError:
            absent[library] = package
    return absent


def window_problem(environ: Mapping[str, str] = os.environ) -> str | None:
    """Why no window can be shown, as a sentence; None when nothing speaks against it."""
    if sys.platform != "linux":
        return import_problem()
    # Qt takes the first entry that works of a list such as "wayland;xcb", each with options after a colon.
    platform = environ.get("QT_QPA_PLATFORM", "").split(";")[0].split(":")[0]
    x, wayland = environ.get("DISPLAY", ""), environ.get("WAYLAND_DISPLAY", "")
    if not platform and not x and not wayland:
        return NO_DISPLAY.format(why="neither DISPLAY nor WAYLAND_DISPLAY is set")
    problem = import_problem()
    if problem is None and (platform == "xcb" or (not platform and not wayland)):
        problem = _x_problem(x)
    elif problem is None and (platform.startswith("wayland") or (not platform and not x)):
        problem = _wayland_problem(wayland or "wayland-0", environ.get("XDG_RUNTIME_DIR", ""))
    return problem


def import_problem() -> str | None:
    """Why PySide6 can't be imported, as a sentence. Imports it: call it when the window comes next."""
    try:
        import PySide6.QtWidgets  # noqa: F401
    except ModuleNotFoundError as error:
        return package_problem(error)
    except ImportError as error:
        absent = missing(OFFSCREEN)
        if absent:
            return _libraries_problem(absent)
        found = re.search(r"\S+\.so[\w.]*", str(error))
        if found and "cannot open shared object file" in str(error):
            return f"Qt needs the system library {found.group()}, which this system doesn't have: install it."
        return f"Qt could not be loaded: {error}."
    return None


def package_problem(error: ModuleNotFoundError) -> str:
    """A Python package that isn't there, as a sentence."""
    name = (error.name or "?").split(".")[0]
    return f"The Python package {name} is missing: install the program again, with its dependencies."


def _x_problem(display: str) -> str | None:
    if not display:
        return NO_DISPLAY.format(why="DISPLAY isn't set")
    absent = missing(XCB)
    if absent:
        return _libraries_problem(absent)
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return _libraries_problem({"libxcb.so.1": "libxcb1"})
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    failed = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return NO_DISPLAY.format(why=f"the X server {display} doesn't answer") if failed else None


def _wayland_problem(display: str, runtime: str) -> str | None:
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(os.path.join(runtime, display))  # an absolute display stays as it is
        except OSError:
            return NO_DISPLAY.format(why=f"the Wayland server {display} doesn't answer")
    absent = missing(WAYLAND)
    return _libraries_problem(absent) if absent else None


def _libraries_problem(absent: Mapping[str, str]) -> str:
    noun = "library" if len(absent) == 1 else "libraries"
    return (
        f"Qt needs the system {noun} {', '.join(absent)}, not found here; on Debian or Ubuntu:"
        f" sudo apt-get install -y {' '.join(absent.values())}"
    )
