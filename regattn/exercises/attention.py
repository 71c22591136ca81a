"""Exercises on attention."""

import math

import numpy as np
import torch
from sklearn.ensemble import RandomForestRegressor
from torch.nn import functional

from regattn.attention import attend, attention_weights
from regattn.data import load_diabetes, load_macro
from regattn.exercises._exercise import Exercise, Mistake
from regattn.regression.similarity import forest_codes


def _two_keys(scale: float) -> float:
    return float(attend([[1.0, 0.0]], np.eye(2), [10.0, 20.0], scale=scale)[0])


def _divisor() -> float:
    """Read off the divisor that torch uses for codes of four columns."""
    query, keys = torch.ones(1, 1, 4, dtype=torch.float64), torch.zeros(1, 2, 4, dtype=torch.float64)
    keys[0, 0] = 1.0
    first = functional.scaled_dot_product_attention(query, keys, torch.eye(2, dtype=torch.float64)[None])[0, 0, 0]
    return 4.0 / math.log(float(first / (1 - first)))


def _own_weight(scale: float | None, length: float | None = None) -> float:
    """Return the weight of 1990Q4 on itself, with raw keys or with keys of one length."""
    growth = load_macro()["gdp_growth"].dropna()
    codes = np.column_stack([np.ones(len(growth)), (growth - growth.mean()) / growth.std(ddof=0)])
    at = growth.index.get_loc("1990Q4")
    keys = codes if length is None else length * codes / np.linalg.norm(codes, axis=1, keepdims=True)
    return float(attention_weights(codes[[at]], keys, scale=scale)[0, at])


def _own_leaf() -> float:
    X, y = (part.to_numpy()[:50] for part in load_diabetes())
    forest = RandomForestRegressor(1, bootstrap=False, random_state=0).fit(X, y)
    return float(np.diagonal(attention_weights(*forest_codes(forest, X, X), kernel="identity")).mean())


EXERCISES = {
    1: Exercise(
        lambda: _two_keys(math.log(3)),
        "the scores are ln 3 and 0; what are their exponentials, and what do they sum to?",
        (
            Mistake(15.0, "this is the plain average: one key is nearer, so it gets more."),
            Mistake(17.5, "the two weights have changed places: the key like the query gets more."),
            Mistake(10.0, "softmax leaves no key without weight."),
            Mistake(lambda: _two_keys(1.0), "this is for a scale of one."),
        ),
    ),
    2: Exercise(
        _divisor,
        "count the columns of Q after the encoder, and remember that the variance is not the spread.",
        (
            Mistake(
                4.0,
                "is this the root of the sixteen inputs, or the columns of Q? The divisor is the root of the latter.",
            ),
            Mistake(16.0, "the inputs do not matter once they are encoded."),
            Mistake(0.5, "this is what torch multiplies by; it is asked by which number it divides."),
        ),
    ),
    3: Exercise(
        lambda: _own_weight(1.0),
        "`attention_weights(query, keys, scale=1.0)` has the whole row; `at` says where 1990Q4 stands.",
        (
            Mistake(1 / 202, "this is the uniform weight."),
            Mistake(lambda: _own_weight(None), "without `scale=1.0` the scores are divided by the root of two."),
            Mistake(lambda: _own_weight(1.0, length=1.0), "this is for keys of length one; raw keys are asked for."),
        ),
        share=True,
    ),
    4: Exercise(
        lambda: "the mean",
        "without amplification: what do all the weights become when every score is multiplied by almost nothing?",
        (
            Mistake(
                "the regression line", "the line is in the deviation, which shrinks with τ: it needs amplification."
            ),
            Mistake("the nearest value", "that would need scores that grow; these shrink."),
            Mistake("the largest score", "it takes all when τ grows; here τ shrinks."),
        ),
        options={
            "the mean": ("mean", "average", "uniform"),
            "the regression line": ("line", "regression", "ols", "least squares"),
            "the nearest value": ("near", "neighbour", "neighbor", "closest"),
            "the largest score": ("largest", "longest", "extreme"),
        },
    ),
    5: Exercise(
        _own_leaf,
        "who else is in the leaf of a patient who has a leaf to himself?",
        (
            Mistake(1 / 50, "this is the uniform weight; the leaf decides, not the sample."),
            Mistake(0.0, "in-sample the patient himself is in his leaf."),
            Mistake(1 - 1 / math.e, "this is the share of patients a bootstrap draws; here is no bootstrap."),
        ),
        share=True,
    ),
}
