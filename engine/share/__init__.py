"""Sharing: threads and requests as HTML, Markdown and JSON, snippets to copy, and reading the JSON back.

Names are loaded when they are first used: a terminal command must not wait for what it doesn't need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.importing import late

if TYPE_CHECKING:
    from engine.masking import mask as mask
    from engine.masking import secrets_in as secrets_in
    from engine.share.export import Export as Export
    from engine.share.export import export_thread as export_thread
    from engine.share.export import save_export as save_export
    from engine.share.load import import_thread as import_thread
    from engine.share.snippets import area_json as area_json
    from engine.share.snippets import message_json as message_json
    from engine.share.snippets import request_curl as request_curl
    from engine.share.snippets import request_json as request_json
    from engine.share.snippets import request_python as request_python
    from engine.share.writing import Imported as Imported

_NAMES = {
    "Export": "engine.share.export",
    "Imported": "engine.share.writing",
    "area_json": "engine.share.snippets",
    "export_thread": "engine.share.export",
    "import_thread": "engine.share.load",
    "mask": "engine.masking",
    "message_json": "engine.share.snippets",
    "request_curl": "engine.share.snippets",
    "request_json": "engine.share.snippets",
    "request_python": "engine.share.snippets",
    "save_export": "engine.share.export",
    "secrets_in": "engine.masking",
}

__all__ = [*_NAMES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(late(_NAMES[name]), name)
    raise AttributeError(f"module 'engine.share' has no attribute {name!r}")
