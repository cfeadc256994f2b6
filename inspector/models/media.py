"""What is known of a media block without showing it: kind, MIME type, size, hash, how it is stored.

Bytes come from the block itself or not at all: no URL and no path is ever opened.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_DATA_URL = re.compile(r"data:([^;,]*)((?:;[^;,]*)*?)(;base64)?,", re.IGNORECASE)
_KINDS = {
    "image": "image", "image_url": "image", "input_image": "image", "audio": "audio", "input_audio": "audio",
    "video": "video", "file": "file", "input_file": "file", "document": "file", "media": "file",
    "text-plain": "file",
}  # fmt: skip
_FORMATS = {"wav": "audio/wav", "mp3": "audio/mpeg", "flac": "audio/flac", "opus": "audio/opus"}


@dataclass(frozen=True, slots=True)
class Media:
    """One picture, sound, video or file that stands in a message."""

    kind: str
    """``image``, ``audio``, ``video`` or ``file``."""
    mime: str | None
    stored: str
    """How the block holds it, in words."""
    data: bytes | None
    """The bytes; None where the block does not hold them."""
    size: int | None
    digest: str | None
    """SHA-256 of the bytes; for a payload kept elsewhere the digest that the block names."""
    name: str | None
    problem: str | None
    """Why there are no bytes."""


def is_media(block: Mapping[str, Any]) -> bool:
    """Whether a content block is media, by its type."""
    return block.get("type") in _KINDS


def media(block: Mapping[str, Any]) -> Media:
    """Read a media block in any of the spellings in use. Decodes and hashes: not for the GUI thread."""
    kind = _KINDS.get(str(block.get("type")), "file")
    mime = _string(block, "mime_type", "media_type")
    name = _string(block, "filename", "name", "title")
    stored, payload, given_mime, problem = _payload(block)
    mime = given_mime or mime
    if kind == "file" and mime and mime.split("/")[0] in ("image", "audio", "video"):
        kind = mime.split("/")[0]
    if problem is not None:
        named = block.get("deepagents_blob")
        return Media(kind, mime, stored, None, None, named if isinstance(named, str) else None, name, problem)
    data = payload if isinstance(payload, bytes) else _decoded(payload or "")
    if data is None:
        size = len(payload or "")
        return Media(kind, mime, stored, None, None, None, name, f"its {size} characters are not base64")
    return Media(kind, mime, stored, data, len(data), hashlib.sha256(data).hexdigest(), name, None)


def _payload(block: Mapping[str, Any]) -> tuple[str, str | bytes | None, str | None, str | None]:
    """How it is stored, base64 text or bytes, MIME type, and why there is no payload."""
    if isinstance(block.get("deepagents_blob"), str):
        return "a reference to bytes that the agent keeps elsewhere", None, None, "the bytes are not in the message"
    inner = block.get("source")
    if isinstance(inner, Mapping):
        mime = _string(inner, "media_type", "mime_type")
        if isinstance(inner.get("data"), str):
            if inner.get("type") == "text":
                return (
                    "text, in the field source",
                    inner["data"].encode("utf-8", "surrogatepass"),
                    mime or "text/plain",
                    None,
                )
            return "base64, in the field source", inner["data"], mime, None
        return _located(inner, mime, ", in the field source")
    for key in ("input_audio", "file", "image_url", "audio", "video_url"):
        inner = block.get(key)
        if isinstance(inner, Mapping):
            data = _string(inner, "data", "file_data")
            if data is not None:
                mime = _FORMATS.get(str(inner.get("format")))
                return _located({"url": data}, mime, f", in the field {key}") if data.startswith("data:") else (
                    f"base64, in the field {key}", data, mime, None
                )  # fmt: skip
            return _located(inner, None, f", in the field {key}")
    for key in ("base64", "data"):
        value = block.get(key)
        if isinstance(value, str) and not value.startswith("data:"):
            return f"base64, in the field {key}", value, None, None
        if isinstance(value, str):
            return _located({"url": value}, None, f", in the field {key}")
    if isinstance(block.get("text"), str) and block.get("type") == "text-plain":
        return "text", block["text"].encode("utf-8", "surrogatepass"), "text/plain", None
    for key in ("image_url", "url", "file_url", "file_data"):
        if isinstance(block.get(key), str):
            return _located({"url": block[key]}, None, f", in the field {key}")
    return _located(block, None, "")


def _located(inner: Mapping[str, Any], mime: str | None, where: str) -> tuple[
    str, str | bytes | None, str | None, str | None
]:  # fmt: skip
    url = _string(inner, "url", "file_url", "uri", "image_url")
    if url is not None:
        match = _DATA_URL.match(url)
        if match is None:
            return f"an address{where}: {url[:2000]}", None, mime, "it stands at an address, which is not opened"
        rest = url[match.end() :]
        if match[3]:
            return f"data URL{where}", rest, match[1] or mime, None
        from urllib.parse import unquote_to_bytes

        return f"data URL{where}", unquote_to_bytes(rest), match[1] or mime, None
    for key in ("file_id", "id"):
        if isinstance(inner.get(key), str):
            return f"{key}{where}: {inner[key][:200]}", None, mime, "the provider keeps it; only its id is here"
    return "no payload", None, mime, "the block holds no payload"


def _decoded(text: str) -> bytes | None:
    compact = text if not re.search(r"\s", text[:200]) else re.sub(r"\s+", "", text)
    try:
        return base64.b64decode(compact, validate=True)
    except (binascii.Error, ValueError):
        pass
    try:
        spelled = re.sub(r"\s+", "", text).rstrip("=")
        safe = "-" in spelled or "_" in spelled
        padded = spelled + "=" * (-len(spelled) % 4)
        return base64.b64decode(padded, altchars=b"-_" if safe else None, validate=True)
    except (binascii.Error, ValueError):
        return None


def _string(block: Mapping[str, Any], *keys: str) -> str | None:
    for key in keys:
        value = block.get(key)
        if isinstance(value, str) and value:
            return value
    return None
