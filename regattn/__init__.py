"""Regression is attention: one weighted average, from least squares to transformers.

>>> import regattn
>>> regattn.attend([[1.0]], [[1.0], [1.0]], [2.0, 4.0])
array([3.])
"""

from regattn.attention import KERNELS, attend, attention_weights, causal_mask, elu, nearest, others_mask
from regattn.least_squares import proximity_weights, scale_and_alignment, spectrum

__all__ = [
    "KERNELS",
    "attend",
    "attention_weights",
    "causal_mask",
    "elu",
    "nearest",
    "others_mask",
    "proximity_weights",
    "scale_and_alignment",
    "spectrum",
]
