"""The plain picture of an explorer, for paper and for pages without JavaScript."""

from __future__ import annotations

import base64
import io
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import style
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from regattn import figures
from regattn.widgets._kit.place_names import place_names

__all__ = ["encode", "figure_of"]

STYLE = Path(figures.__file__).with_name("book.mplstyle")
LONGEST = 60  # signs of a text in a picture
WIDTH = 7.0  # inches
FINE, COARSE = 120, 88  # dots of an inch; pictures of more than two rows would weigh too much


def figure_of(explorer: Any) -> Figure:
    """Return a figure with the explorer's panels that are not hidden, each drawn by its ``_draw``."""
    rows = [[panel for panel in row if panel not in explorer.hidden] for row in explorer.picture_rows]
    rows = [row for row in rows if row]
    with mpl.rc_context(), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # a sign without a glyph, a range without a width: drawn as well as it can be
        style.use(STYLE)
        size = (WIDTH, explorer.picture_height * max(1, len(rows)))
        figure = Figure(figsize=size, dpi=FINE if len(rows) < 3 else COARSE, layout="constrained")
        FigureCanvasAgg(figure)
        axes = {}
        for part, row in zip(figure.subfigures(max(1, len(rows)), 1, squeeze=False)[:, 0], rows, strict=False):
            axes |= dict(zip(row, part.subplots(1, len(row), squeeze=False)[0], strict=True))
        explorer._draw(axes, explorer.result())
        for text in figure.findobj(Text):
            _tame(text)
        for ax in axes.values():
            place_names(ax, figure)
    return figure


def _tame(text: Text) -> None:
    """Show a label as it is: no mathematics in it, no sign that has no shape, no end of the picture."""
    words = text.get_text()
    if not words or words.startswith("$\\mathdefault{"):  # the axis itself will write a power of ten here
        return
    words = "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in words)
    text.set(parse_math=False, text=words if len(words) <= LONGEST else words[: LONGEST - 1] + "…")


@cache
def _palette() -> Image.Image:
    """Return the colours of the roles, paler and paler, and greys: a picture needs no others and loses none."""
    roles = {figures.COLOURS[role] for role in ("key", "negative", "prediction", "leave-one-out", "test")}
    found = [(shade, shade, shade) for shade in range(0, 256, 17)]
    for role in sorted(roles):
        full = np.array([int(role[k : k + 2], 16) for k in (1, 3, 5)])
        levels = 24 if role == figures.COLOURS["key"] else 6  # tables are shaded in the colour of keys
        found += [tuple(np.rint(255 + (full - 255) * level / levels).astype(int)) for level in range(1, levels + 1)]
    palette = Image.new("P", (1, 1))
    palette.putpalette([int(part) for colour in found for part in colour])
    return palette


def encode(figure: Figure) -> str:
    """Return a figure as a small PNG in base64."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        figure.canvas.draw()
    drawn = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")
    small = io.BytesIO()
    drawn.quantize(palette=_palette(), dither=Image.Dither.NONE).save(small, "png", optimize=True)
    return base64.b64encode(small.getvalue()).decode()
