"""Explorers: widgets that live with a kernel and without one. They draw; the models are those of the package."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
