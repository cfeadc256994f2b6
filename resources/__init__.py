"""Texts and pictures that come with the program; no code but how to read them."""

from __future__ import annotations

from importlib.resources import files


def read_text(path: str) -> str:
    """The text of one resource, by its path below this folder."""
    return files(__name__).joinpath(path).read_text(encoding="utf-8")
