"""Training-data attribution: which training outcomes a fitted model averages into a prediction, and by what weights."""

from regattn._extras import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
