"""Explorers: widgets that live with a kernel and without one. They draw; the models are those of the package."""

from regattn.widgets.spectral import SpectralExplorer

__all__ = ["SpectralExplorer"]
