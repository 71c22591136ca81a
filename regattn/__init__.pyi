__version__: str

from . import (
    attribution as attribution,
    data as data,
    exercises as exercises,
    figures as figures,
    from_scratch as from_scratch,
    grammar as grammar,
    recorded_runs as recorded_runs,
    regression as regression,
    series as series,
    transformer as transformer,
    widgets as widgets,
    words as words,
)
from .attention import (
    attend as attend,
    attention_weights as attention_weights,
)
from .attribution import (
    observation_weights as observation_weights,
)
from .kernels import (
    KERNELS as KERNELS,
    Kernel as Kernel,
    elu as elu,
    nearest as nearest,
)
from .masks import (
    causal_mask as causal_mask,
    others_mask as others_mask,
)
from .regression import (
    AttentionRegressor as AttentionRegressor,
    proximity_weights as proximity_weights,
    spectrum as spectrum,
)
