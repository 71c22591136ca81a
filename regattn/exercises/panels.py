"""Exercises of the chapter: Who shares with whom."""

import numpy as np

from regattn.attention import attention_weights
from regattn.data import load_grunfeld
from regattn.exercises._exercise import Exercise, Mistake
from regattn.series.panels import panel_weights


def _on_its_own_rows(*, spread: float = 1.0) -> float:
    ones, firms = np.ones((4, 1)), ["a", "a", "b", "b"]
    return float(panel_weights(ones, firms, ones[:1], ["a"], spread=spread)[0, :2].sum())


def _one_year_against_three(*, spread: float = 1.0) -> float:
    ones, firms = np.ones((4, 1)), ["a", "b", "b", "b"]
    return float(panel_weights(ones, firms, ones[:1], ["a"], spread=spread)[0, 0])


def _on_pads() -> float:
    keys = np.repeat([[np.log(4.0)], [0.0]], [4, 16], axis=0)
    return float(attention_weights(np.ones((1, 1)), keys)[0, 4:].sum())


def _typical_error(*, spread: float, years: int = 2) -> float:
    logs = np.log(load_grunfeld())
    inputs, y = logs[["value", "capital"]], logs["investment"].to_numpy()
    X = np.column_stack([np.ones(len(logs)), (inputs - inputs.mean()) / inputs.std()])
    firm, year = (logs.index.get_level_values(level).to_numpy() for level in ("firm", "year"))
    known, new = (year < 1954) & (year >= 1954 - years), year == 1954
    weights = panel_weights(X[known], firm[known], X[new], firm[new], spread=spread)
    return float(np.sqrt(np.mean((weights @ y[known] - y[new]) ** 2)))


def _first_order(rho: float, years: int, firms: int) -> float:
    return rho - (1 + rho) / years - 2 * rho / (years * firms)


EXERCISES = {
    1: Exercise(
        _on_its_own_rows,
        "how sure is the mean of a firm's two years, and how far do firms spread? The rest goes to the common mean.",
        (
            Mistake(lambda: _on_its_own_rows(spread=0.0), "this is the pooled answer."),
            Mistake(1.0, "this is the local answer: the other firm is not heard at all."),
            Mistake(2 / 3, "the rest goes to the common mean, and part of that is the firm itself."),
            Mistake(3 / 4, "the mean of two years has half of the variance of one."),
            Mistake(5 / 12, "this is one of its rows; it has two."),
        ),
        share=True,
    ),
    2: Exercise(
        _one_year_against_three,
        "two steps: how much does each firm's mean count in the common one, and how much of the rest does A keep?",
        (
            Mistake(lambda: _one_year_against_three(spread=0.0), "this is the pooled answer: every row counts alike."),
            Mistake(1.0, "this is the local answer: the other firm is not heard at all."),
            Mistake(0.75, "this is for one year each: B's mean of three years is surer, and counts for more."),
            Mistake(0.625, "in the common mean firms count by how sure their means are, not by their rows."),
            Mistake(0.5, "A is also a part of the common mean."),
            Mistake(0.4, "this is what A has in the common mean; what does it add of its own?"),
        ),
        share=True,
    ),
    3: Exercise(
        lambda: _first_order(0.5, years=15, firms=500),
        "take the first-order bias, with its sign, for the years of one firm.",
        (
            Mistake(0.5, "this would be so with very many years."),
            Mistake(0.5 - 1.5 / (500 * 15), "more firms do not help: what counts is the years of each."),
            Mistake(_first_order(0.5, years=15, firms=11), "this is for eleven firms, or divided by 14."),
            Mistake(0.5 + 0.1, "the estimate is too low, not too high."),
            Mistake(-0.1, "this is the bias; what is the estimate?"),
            Mistake(0.5 - (1 + 3 * 0.5) / 15, "this is the bias of a single series of chapter 8."),
        ),
    ),
    4: Exercise(
        _on_pads,
        "a pad's key is zero; which score has it, and which weight before the row is divided by its sum?",
        (
            Mistake(0.0, "a score of zero is not a weight of zero: softmax takes its exponential."),
            Mistake(0.8, "this is right when the real keys have the score zero too."),
            Mistake(1 / 17, "count all pads."),
            Mistake(0.2, "this is one pad against one row."),
        ),
        share=True,
    ),
    5: Exercise(
        lambda: _typical_error(spread=1.0),
        "two years of rows, one `panel_weights`, a root of a mean of squares over eleven firms.",
        (
            Mistake(lambda: _typical_error(spread=0.0), "this is the pooled line's, whose spread is zero."),
            Mistake(lambda: _typical_error(spread=1.0) ** 2, "this is the mean of the squares; take its root."),
            Mistake(lambda: _typical_error(spread=1.0, years=10), "these are ten years; 1952 and 1953 are asked for."),
        ),
    ),
}
