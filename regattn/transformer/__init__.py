"""The transformer: positions, heads, blocks, the language model they make, and how it is trained and used."""

from regattn._extras import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, "torch", "text")
