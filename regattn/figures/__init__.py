"""Figures: every function draws numbers it is given and returns the Axes; none computes a model."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
