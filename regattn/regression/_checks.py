"""What the learners of many data sets ask of their inputs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from regattn._validation import check_matrix


def check_covariance(C: ArrayLike) -> np.ndarray:
    """Return a covariance of predictors, (p, p), symmetric and positive definite, or raise."""
    C = check_matrix(C, "C")
    if C.shape[0] != C.shape[1] or not np.allclose(C, C.T):
        raise ValueError(f"C must be square and symmetric, got shape {C.shape}")
    if (least := np.linalg.eigvalsh(C)[0]) <= 0:
        raise ValueError(f"C must be positive definite, got {least:g} for its least eigenvalue")
    return C
