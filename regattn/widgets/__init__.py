"""Explorers: widgets that live with a kernel and without one. They draw; the models are those of the package."""

from regattn.widgets.average import AverageExplorer
from regattn.widgets.descent import DescentExplorer
from regattn.widgets.head import HeadExplorer
from regattn.widgets.kernel import KernelExplorer
from regattn.widgets.projection import ProjectionExplorer
from regattn.widgets.sampling import SamplingExplorer
from regattn.widgets.spectral import SpectralExplorer

__all__ = [
    "AverageExplorer",
    "DescentExplorer",
    "HeadExplorer",
    "KernelExplorer",
    "ProjectionExplorer",
    "SamplingExplorer",
    "SpectralExplorer",
]
