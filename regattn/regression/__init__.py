"""Regression as attention: least squares and its spectrum, descent, learned codes, and one estimator for all."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
