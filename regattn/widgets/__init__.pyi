from .average import AverageExplorer as AverageExplorer
from .descent import DescentExplorer as DescentExplorer
from .head import HeadExplorer as HeadExplorer
from .kernel import KernelExplorer as KernelExplorer
from .lag import LagExplorer as LagExplorer
from .projection import ProjectionExplorer as ProjectionExplorer
from .sampling import SamplingExplorer as SamplingExplorer
from .spectral import SpectralExplorer as SpectralExplorer
