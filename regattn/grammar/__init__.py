"""A small language that is known exactly: its sentences, their true probabilities, and scores against them."""

from regattn._extras import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, "torch")
