"""What a model was fitted to, and weights on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from regattn._types import Table

Matrix = np.ndarray | csr_array
"""Weights, one row for each prediction: dense or sparse."""


class Training(NamedTuple):
    """What a model was fitted to: rows, outcomes and weights, None where they were not given."""

    X: Table
    y: np.ndarray | None = None
    sample_weight: np.ndarray | None = None

    @property
    def n(self) -> int:
        """Number of training rows."""
        return self.X.shape[0]
