from .smoother import (
    Smoother as Smoother,
    smoother as smoother,
)
from .weights import (
    observation_weights as observation_weights,
)
