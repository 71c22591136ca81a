"""Drawings of Matplotlib that look the same and weigh half, on drawings that the book does not have."""

from __future__ import annotations

import re
import sys
from io import BytesIO

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

from tests.browser import open_offline
from tests.built import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import light_drawings


def dots(ax, rng):
    ax.scatter(*rng.normal(size=(2, 200)), s=rng.uniform(4, 90, 200), alpha=0.5)
    ax.scatter(*rng.normal(size=(2, 40)), s=rng.uniform(4, 90, 40), marker="D")
    ax.plot(rng.normal(size=99).cumsum() / 3, label="a line of 1.23456")
    ax.legend()


def words(ax, rng):
    ax.set_title(r"$\hat y_t = \sum_s \omega_{ts}\, y_s$, an ‘average’ of 1 < 2 & 3")
    ax.set_ylabel("upwards")
    ax.bar(list("abc"), [1, -2, 3], color=["#444444", "#abc", "none"], edgecolor="k", hatch="//")
    ax.axhline(0, linestyle="--")
    ax.annotate("there", (0, 1), (1, 2), arrowprops={"arrowstyle": "->"}, rotation=30)


def shades(ax, rng):
    ax.imshow(rng.normal(size=(9, 12)), aspect="auto")
    ax.contour(rng.normal(size=(9, 12)), levels=3, colors="w")
    ax.fill_between(range(9), rng.uniform(2, 4, 9), clip_on=True, alpha=0.4)


def drawn(draw, *, panels: int = 1) -> str:
    """Return a drawing with so many panels."""
    with plt.style.context({"svg.hashsalt": "regattn"}):
        figure, axes = plt.subplots(panels, figsize=(4, 3), squeeze=False)
        for ax in axes.flat:
            draw(ax, np.random.default_rng(0))
        written = BytesIO()
        figure.savefig(written, format="svg")
        plt.close(figure)
    return written.getvalue().decode()


@pytest.mark.browser
@pytest.mark.parametrize("draw", [dots, words, shades])
def test_a_drawing_that_weighs_less_looks_the_same(browser, tmp_path, draw):
    pictures = []
    whole = drawn(draw)
    lighter = light_drawings.lighter(whole)
    for name, drawing in (("whole", whole), ("lighter", lighter)):
        (tmp_path / f"{name}.svg").write_text(drawing, encoding="utf-8")
        with open_offline(browser, tmp_path / f"{name}.svg", width=400, height=300) as page:
            pictures.append(np.asarray(Image.open(BytesIO(page.screenshot())).convert("L"), dtype=int))
    apart = np.abs(pictures[0] - pictures[1])  # of 255: a hairline that moves by a hundredth may take the next pixel
    assert np.quantile(apart, 0.999) <= 48
    assert apart.mean() <= 0.1


@pytest.mark.parametrize(("draw", "share"), [(dots, 0.4), (words, 0.65), (shades, 0.75)])  # shades are a picture
def test_it_weighs_less_the_more_is_drawn_and_stays_as_it_is_a_second_time(draw, share):
    whole = drawn(draw)
    lighter = light_drawings.lighter(whole)
    assert len(lighter) < share * len(whole)
    assert light_drawings.lighter(lighter) == lighter


def test_every_name_that_is_asked_for_is_there_once():
    lighter = light_drawings.lighter(drawn(words, panels=3))
    names = re.findall(r'\bid="([^"]+)"', lighter)
    assert len(names) == len(set(names))
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', lighter)) <= set(names)
    assert {"axes_1", "axes_2", "axes_3", "xtick_1"} <= set(names)
    classes = re.findall(r"\.([a-z]+)\{", lighter)
    assert set(re.findall(r'\bclass="([^"]+)"', lighter)) == set(classes)


def test_dots_are_circles_and_other_closed_curves_are_not():
    lighter = light_drawings.lighter(drawn(dots))
    assert lighter.count("<circle") == 200
    assert lighter.count("<path") > 40


@pytest.mark.parametrize(
    ("drawn", "places", "told"),
    [
        ("M 0 0 \nL 1 2 \nz\n", 2, "M0 0L1 2z"),
        ("M 0.004 10.50 \nL -0.50 -1 \n", 2, "M0 10.5L-.5-1"),
        (
            "M 1 1 \nL 2 1 \nL 2 3 \nL 2 4 \nQ 1 2 3 4 \nL 1.005 1 \nz\nM 9 9 \nL 8 8 \n",
            1,
            "M1 1h1v2 1q-1-2 1 0l-2-3zM9 9l-1-1",
        ),
        ("M 10 20 \nL 640 5 \n", 0, "M10 20L640 5"),
    ],
)
def test_paths_say_how_far_it_is_to_the_next_point(drawn, places, told):
    assert light_drawings.shorter_path(light_drawings.PART.findall(drawn), places) == told


@pytest.mark.parametrize(("k", "name"), [(0, "a"), (25, "z"), (26, "ba"), (51, "bz"), (676, "baa")])
def test_names_are_short_and_never_twice(k, name):
    assert light_drawings.short_name(k) == name
