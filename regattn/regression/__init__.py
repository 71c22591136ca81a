"""Regression as attention: least squares and its spectrum, descent, learned codes, and one estimator for all."""

from regattn._extras import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, "torch")
