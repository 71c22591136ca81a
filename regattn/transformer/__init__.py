"""The transformer: positions, heads, blocks, the language model they make, and how it is trained and used."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
