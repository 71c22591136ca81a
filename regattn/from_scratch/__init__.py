"""The algorithms of the book as on a blackboard: NumPy alone, no checks.

The chapters show these lines, and the tests hold the package's fast code to them.
"""

from regattn.from_scratch.attention import (
    attend,
    block,
    head,
    identity,
    language_model,
    layer_norm,
    least_squares_weights,
    leave_one_out,
    ridge_filter,
    ridge_weights,
    softmax,
)
from regattn.from_scratch.codes import best_cut, learn_merges, merge, quantise
from regattn.from_scratch.descent import feature_map, gradient_descent, logistic_descent, network_step
from regattn.from_scratch.layers import induction, residual_layers
from regattn.from_scratch.places import clocks, turn
from regattn.from_scratch.series import (
    honest_weights,
    lag_rows,
    level_filter,
    masked_average,
    panel_weights,
    within_slope,
)

__all__ = [
    "attend",
    "best_cut",
    "block",
    "clocks",
    "feature_map",
    "gradient_descent",
    "head",
    "honest_weights",
    "identity",
    "induction",
    "lag_rows",
    "language_model",
    "layer_norm",
    "learn_merges",
    "least_squares_weights",
    "leave_one_out",
    "level_filter",
    "logistic_descent",
    "masked_average",
    "merge",
    "network_step",
    "panel_weights",
    "quantise",
    "residual_layers",
    "ridge_filter",
    "ridge_weights",
    "softmax",
    "turn",
    "within_slope",
]
