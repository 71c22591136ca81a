"""A report as one page of HTML that needs nothing else: tables, drawings of contributions, and what the words mean."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from regattn._colours import ROLES
from regattn._tables import in_digits, written

if TYPE_CHECKING:
    from pandas import DataFrame, Index

SHOWN = 12  # predictions that are taken apart
LOUDEST = 10  # rows of each
LOOK = {"float_format": in_digits, "na_rep": "–", "border": 0}
WIDTH, HEIGHT = 720, 200

MEANING = {
    "prediction": "the sum of weights times outcomes",
    "baseline": "the mean outcome times the sum of weights",
    "for, against": "what rows add above and below it: weight × (outcome − mean)",
    "concentration": "part of all weight, whatever its sign, on the loudest {share:.0%} of rows",
    "short position": "sum of the weights below zero: the model extrapolates",
    "leverage": "sum of all weights",
    "turnover": "sum of changes of weights since the prediction before",
    "effective rows": "rows that, counted alike, would make as noisy an average",
    "distance": "how far out the predictors lie, in units of the farthest training row",
}

STYLE = """
:root { color-scheme: light dark; --for: light-dark(FOR); --against: light-dark(AGAINST); }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid #8886; }
dt { font-weight: 600; } dd { margin: 0 0 .3rem 1rem; }
svg { width: 100%; height: auto; } svg text { font-size: 12px; fill: currentColor; }
.for { fill: var(--for); stroke: var(--for); } .against { fill: var(--against); stroke: var(--against); }
@media print { section { break-inside: avoid; } }
"""


def page(report: Any, title: str, notes: Iterable[str]) -> str:
    """Return the whole document of a ForecastReport."""
    style = STYLE
    for word, role in (("FOR", "positive"), ("AGAINST", "negative")):
        style = style.replace(f"({word})", f"({', '.join(ROLES[role])})")
    m = len(report.rows)
    rest = f"<p>The first {SHOWN} of {m} predictions are taken apart.</p>\n" if m > SHOWN else ""
    sections = "".join(_section(report, j) for j in range(min(m, SHOWN)))
    meaning = MEANING if report.distance is not None else {k: v for k, v in MEANING.items() if k != "distance"}
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{_text(title)}</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{style}</style>\n</head>\n<body>\n<main>\n<h1>{_text(title)}</h1>\n"
        f"{''.join(f'<p>{_text(note)}</p>{chr(10)}' for note in notes)}"
        f"<h2>Predictions</h2>\n{_table(report.to_frame())}\n<h2>What the columns say</h2>\n"
        f"{_list(meaning, share=report.share)}\n{rest}{sections}"
        "<p>Weights say which outcomes the fitted model averages, not what caused them.</p>\n"
        "</main>\n</body>\n</html>\n"
    )


def _section(report: Any, j: int) -> str:
    row, name = report.to_frame().iloc[j], _text(report.rows[j])
    by = report.predictors
    parts = "" if by is None or isinstance(by, str) else f"<h3>By predictor</h3>\n{_table(by.iloc[[j]])}\n"
    return (
        f"<section>\n<h2>{name}</h2>\n"
        f"<p>{in_digits(row['prediction'], 5)} = {in_digits(row['baseline'], 5)} from the mean, "
        f"+ {in_digits(row['for'])} from rows for more, − {in_digits(abs(row['against']))} from rows for less.</p>\n"
        f"{drawing(report.contributions()[j], report.columns, str(report.rows[j]))}\n"
        f"<h3>Loudest rows</h3>\n{_table(report.top(min(LOUDEST, len(report.outcomes)), prediction=j))}\n"
        f"{parts}</section>\n"
    )


def drawing(contributions: np.ndarray, labels: Index, name: str) -> str:
    """Return an SVG with a bar for each training row that contributes, in the order of the rows."""
    n, most = len(contributions), float(np.abs(contributions).max()) or 1.0
    step, middle = WIDTH / n, HEIGHT / 2
    wide = max(0.8 * step, 0.6)
    bars = {"for": "", "against": ""}
    for i in np.flatnonzero(np.abs(contributions) > most / (20 * HEIGHT)):
        height = contributions[i] / most * (middle - 8)
        side = "for" if height > 0 else "against"
        bars[side] += f"M{(i + 0.5) * step - wide / 2:.1f} {middle:g}h{wide:.2f}v{-height:.1f}h{-wide:.2f}z"
    loud = int(np.abs(contributions).argmax())
    told = (
        f"Contributions of {n} training rows to {name}, in order; the largest is {in_digits(contributions[loud])}, of "
        f"{written(labels[loud])}"
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT + 20}" role="img" aria-label="{_text(told)}">\n'
        f'<line x1="0" x2="{WIDTH}" y1="{middle:g}" y2="{middle:g}" stroke="currentColor" stroke-width=".5"/>\n'
        + "".join(f'<path class="{side}" stroke-width="0" d="{path}"/>\n' for side, path in bars.items() if path)
        + f'<text x="0" y="{HEIGHT + 14}">{_text(written(labels[0]))}</text>\n'
        f'<text x="{WIDTH}" y="{HEIGHT + 14}" text-anchor="end">{_text(written(labels[-1]))}</text>\n'
        f'<text x="0" y="12">{in_digits(most, 3)}</text>\n<text x="0" y="{HEIGHT}">{in_digits(-most, 3)}</text>\n</svg>'
    )


def _table(table: DataFrame) -> str:
    found = table.rename(index=_inert, columns=_inert).to_html(**LOOK)  # which escapes them
    return f'<div class="wide" tabindex="0" role="region" aria-label="table">\n{found}\n</div>'


def _list(meaning: Mapping[str, str], **values: Any) -> str:
    return f"<dl>\n{''.join(f'<dt>{k}</dt><dd>{v.format(**values)}</dd>{chr(10)}' for k, v in meaning.items())}</dl>"


def _text(label: Any) -> str:
    """Return a label as HTML shows it."""
    return html.escape(_inert(label))


def _inert(label: Any) -> str:
    """Return a label without control characters, which no document may hold."""
    return "".join(c for c in written(label) if c.isprintable())
