"""Figures: every function draws numbers it is given and returns the Axes; none computes a model."""

from regattn._extras import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, "figures")
