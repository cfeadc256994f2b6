"""Stacked bars as pixels: as long for five requests as for five thousand. Numpy alone.

The picture is made column by column: which request stands in a column of pixels, how high its parts are there.
Where several requests share a column, the largest stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[Any]]

SOLID, DOTS, SLANTS, LINES = 0, 1, 2, 3
"""Patterns: one that is not solid lets the background through, so that parts differ not by their colour alone."""


@dataclass(frozen=True, slots=True)
class Paint:
    """How a part is painted: opaque 0xAARRGGBB, in full and dimmed."""

    full: int
    dim: int
    pattern: int = SOLID


def owners(left: Numbers, right: Numbers, weight: Numbers, width: int) -> Numbers:
    """For each column of pixels the request that stands there, −1 for none; edges in pixels, ``right`` outside."""
    found = np.full(width, -1, np.int64)
    order = np.argsort(weight, kind="stable")  # what is written last stays
    order = order[weight[order] > 0]
    first = np.clip(left[order], 0, width)
    wide = np.maximum(np.clip(right[order], 0, width) - first, 0)
    if not wide.sum():
        return found
    start = np.cumsum(wide) - wide
    columns = np.arange(int(wide.sum())) - np.repeat(start - first, wide)
    found[columns] = np.repeat(order, wide)
    return found


def paint(
    owner: Numbers, tops: Numbers, paints: Sequence[Paint], patterns: Numbers, dimmed: Numbers, height: int, dot: int
) -> Numbers:
    """The picture, ``height`` by the columns of ``owner``, with nothing (0) where no bar is.

    ``tops`` are the upper edges of each request's parts in pixels, from the bottom, ascending; ``patterns`` and
    ``dimmed`` are of requests; ``dot`` is the size of a pattern's dot in pixels.
    """
    picture = np.zeros((height, len(owner)), np.uint32)
    there = owner >= 0
    if not there.any() or not len(paints):
        return picture
    edges = np.where(there[:, None], np.minimum(tops[owner], height), 0).T
    dim = there & dimmed[owner]
    up = np.arange(height - 1, -1, -1)[:, None]
    for index in range(len(paints) - 1, -1, -1):
        each = paints[index]
        rows = slice(height - int(edges[index].max()), height)
        inside = up[rows] < edges[index]
        np.copyto(picture[rows], np.where(dim, each.dim, each.full).astype(np.uint32), where=inside)
        if each.pattern != SOLID:
            picture[rows][inside & _holes(each.pattern, up[rows], len(owner), dot)] = 0
    column = np.where(there, patterns[owner], SOLID)
    for pattern in (SLANTS, LINES):
        those = column == pattern
        if those.any():
            picture[_holes(pattern, up, len(owner), dot) & those] = 0
    return picture


def ticks(picture: Numbers, columns: Numbers, top: int, high: int, wide: int, colour: int) -> None:
    """Mark columns by a bar ``wide`` pixels across, from row ``top`` on."""
    width = picture.shape[1]
    for step in range(wide):
        here = columns + step
        picture[top : top + high, here[(here >= 0) & (here < width)]] = colour


def steps(owner: Numbers, values: Numbers) -> list[tuple[int, int, float]]:
    """Runs of equal values along the columns: first column, the one after the last, value. NaN is left out.

    A column without a request goes on with the value before it.
    """
    width = len(owner)
    there = np.flatnonzero(owner >= 0)
    if not len(there):
        return []
    last = np.maximum.accumulate(np.where(owner >= 0, np.arange(width), -1))
    along = values[owner[np.where(last < 0, there[0], last)]]
    changes = np.flatnonzero((along[1:] != along[:-1]) & ~(np.isnan(along[1:]) & np.isnan(along[:-1]))) + 1
    starts = [0, *changes.tolist()]
    return [
        (start, end, float(along[start]))
        for start, end in zip(starts, [*starts[1:], width], strict=True)
        if not np.isnan(along[start])
    ]


def _holes(pattern: int, up: Numbers, width: int, dot: int) -> Numbers:
    """Where a pattern lets the background through."""
    rows, across = up // dot, np.arange(width) // dot
    if pattern == DOTS:
        return np.asarray((rows + across) % 2 == 0)
    if pattern == SLANTS:
        return np.asarray((rows + across) % 6 < 2)
    return np.asarray(np.broadcast_to(rows % 4 == 0, (len(up), width)))
