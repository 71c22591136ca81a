"""A small language that is known exactly: its sentences, their true probabilities, and scores against them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
