"""Explorers: widgets that live with a kernel and without one. They draw; the models are those of the package."""

from regattn._extras import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, "widgets", "text", "torch")
