"""Explorers on a page of their own, as the built book would carry them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from regattn.data import load_macro
from regattn.widgets import SpectralExplorer
from regattn.widgets._kit import Explorer

HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>An explorer</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1"></head><body><main><h1>An explorer</h1>'
)


def write_page(folder: Path, *explorers: Explorer) -> Path:
    """Write a page that holds the explorers' HTML and return its path."""
    path = folder / "page.html"
    path.write_text(HEAD + "\n".join(e.to_html() for e in explorers) + "</main></body></html>", encoding="utf-8")
    return path


def inflation_explorer(**options) -> SpectralExplorer:
    """Return an explorer of next quarter's US inflation, trained to 1998, tested after."""
    macro = load_macro()
    X = macro[["inflation", "unemployment", "bill_rate"]].to_numpy()[:-1]
    y = macro["inflation"].to_numpy()[1:]
    quarters = [str(quarter) for quarter in macro.index[1:]]
    n = 157
    return SpectralExplorer(
        X[:n], y[:n], X[n:], y[n:], labels=quarters[:n], labels_new=quarters[n:], units="% a year", **options
    )


def made_up_explorer(n: int, p: int, m: int, **options) -> SpectralExplorer:
    """Return an explorer of simulated rows, ``m`` of them for testing."""
    rng = np.random.default_rng(n * 1000 + p)
    X, slopes = rng.normal(size=(n + m, p)), rng.normal(size=p)
    y = X @ slopes + 3 + rng.normal(size=n + m)
    test = (X[n:], y[n:]) if m else (None, None)
    return SpectralExplorer(X[:n], y[:n], *test, **options)
