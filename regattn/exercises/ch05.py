"""Exercises of chapter 5, attention."""

import math

import numpy as np
import torch
from sklearn.ensemble import RandomForestRegressor
from torch.nn import functional

from regattn.attention import attend, attention_weights
from regattn.data import load_diabetes, load_macro
from regattn.exercises._exercise import Exercise
from regattn.regression.similarity import forest_codes


def _two_keys() -> float:
    return float(attend([[1.0, 0.0]], np.eye(2), [10.0, 20.0], scale=math.log(3))[0])


def _divisor() -> float:
    """Read off the divisor that torch uses for codes of four columns."""
    query, keys = torch.ones(1, 1, 4, dtype=torch.float64), torch.zeros(1, 2, 4, dtype=torch.float64)
    keys[0, 0] = 1.0
    first = functional.scaled_dot_product_attention(query, keys, torch.eye(2, dtype=torch.float64)[None])[0, 0, 0]
    return 4.0 / math.log(float(first / (1 - first)))


def _own_weight() -> float:
    growth = load_macro()["gdp_growth"].dropna()
    codes = np.column_stack([np.ones(len(growth)), (growth - growth.mean()) / growth.std(ddof=0)])
    at = growth.index.get_loc("1990Q4")
    return float(attention_weights(codes[[at]], codes, scale=1.0)[0, at])


def _own_leaf() -> float:
    X, y = (part.to_numpy()[:50] for part in load_diabetes())
    forest = RandomForestRegressor(1, bootstrap=False, random_state=0).fit(X, y)
    return float(np.diagonal(attention_weights(*forest_codes(forest, X, X), kernel="identity")).mean())


EXERCISES = {
    "05.1": Exercise(
        _two_keys,
        "the scores are ln 3 and 0; what are their exponentials, and what do they sum to?",
        wrong=15.0,
    ),
    "05.2": Exercise(
        _divisor,
        "count the columns of Q after the encoder, and remember that the variance is not the spread.",
        wrong=4.0,
    ),
    "05.3": Exercise(
        _own_weight,
        "`attention_weights(query, F, scale=1.0)` has the whole row; `at` says where 1990Q4 stands.",
        wrong=1 / 202,
    ),
    "05.4": Exercise(
        lambda: "the mean",
        "without amplification: what do all the weights become when every score is multiplied by almost nothing?",
        wrong="the regression line",
    ),
    "05.5": Exercise(_own_leaf, "who else is in the leaf of a patient who has a leaf to himself?", wrong=1 / 50),
}
