"""Names of points in a plain picture, placed so that none covers another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from regattn import figures

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["place_names"]

MARK = 3.5  # points from the middle of a mark with a name to its edge; of another it is half of that
DISTANCES = (4, 10, 18, 28, 40, 54, 70)  # points between a mark and its name; from the second on a line joins them
SIDES = [(1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0)]


def place_names(ax: Axes, figure: Figure) -> None:
    """Move the names of a panel's points apart: each to the nearest free place by its point, the first named first.

    A name covers no other name, no named point and no line to a name, if it can no other point either, and stays in
    the frame; one that is not right at its point gets a line. Names for which there is no room are left out.
    """
    names = [text for text in ax.texts if isinstance(text, Annotation)]
    if not names:
        return
    figure.draw_without_rendering()  # settles where the frame is
    scale = figure.dpi / 72
    points = [ax.transData.transform(name.xy) for name in names]
    dots = [ax.transData.transform(dot) for marks in ax.collections for dot in marks.get_offsets()]
    taken = [_square(point, MARK * scale) for point in points]
    dotted = [_square(dot, MARK * scale / 2) for dot in dots]
    placed: list[Bbox] = []
    for name, point in zip(names, points, strict=True):
        name.set(ha="center", va="center", in_layout=False)
        line = _place(name, point, [taken + dotted, taken], placed)
        if line is None:
            name.remove()
            continue
        placed.append(_box_of(name).padded(3 * scale, 0))  # the space between two words
        taken += [placed[-1], *(_square(at, 0) for at in line)]
        if len(line):
            ends = ax.transData.inverted().transform(line[[0, -1]])
            ax.plot(*ends.T, color=figures.COLOURS["neutral"], linewidth=0.6, scalex=False, scaley=False)


def _box_of(name: Annotation) -> Bbox:
    """Return the box of the words alone, in pixels, without the line that leads to them."""
    name.update_positions(name.figure.canvas.get_renderer())
    return Text.get_window_extent(name)


def _square(middle: np.ndarray, half: float) -> Bbox:
    return Bbox([middle - half, middle + half])


def _place(name: Annotation, point: np.ndarray, kept_free: list[list[Bbox]], placed: list[Bbox]) -> np.ndarray | None:
    """Move a name to the first place that is free of one list of boxes after another; return the points of its line.

    There are none of them right at the point. None: there is no such place.
    """
    size, scale = _box_of(name), name.figure.dpi / 72
    for taken in kept_free:
        for offset, far in _offsets(size, scale):
            name.set_position(offset)
            box = _box_of(name)
            line = _between(point, box) if far else np.empty((0, 2))
            inside = all(name.axes.bbox.contains(*corner) for corner in box.corners())
            if inside and not box.count_overlaps(taken) and not any(_holds(other, line) for other in placed):
                return line
    return None


def _offsets(box: Bbox, scale: float) -> Iterator[tuple[tuple[float, float], bool]]:
    """Yield where the middle of a box may stand, in points from what it names, and whether that is far."""
    half = np.array([box.width, box.height]) / (2 * scale)
    for distance in DISTANCES:
        for side in SIDES:
            step = max(MARK, distance if 0 in side else distance / np.sqrt(2))  # as far to a corner as to an edge
            yield tuple(np.array(side) * (half + step + 0.5)), distance > DISTANCES[0]


def _between(point: np.ndarray, box: Bbox) -> np.ndarray:
    """Return points of the line from a mark to the nearest place of a box, both ends included."""
    end = np.clip(point, box.min, box.max)
    return point + np.linspace(0, 1, 24)[:, None] * (end - point)


def _holds(box: Bbox, line: np.ndarray) -> bool:
    """Return whether a point of a line is in a box."""
    return bool(((line >= box.min) & (line <= box.max)).all(axis=1).any())
