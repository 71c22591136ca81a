"""Words: counted into tables, projected into sentences, cut into tokens."""

from regattn._extras import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, "text", "scale")
