from .network import (
    LastLayer as LastLayer,
    last_layer as last_layer,
)
from .report import (
    ForecastReport as ForecastReport,
    forecast_report as forecast_report,
)
from .smoother import (
    Smoother as Smoother,
    smoother as smoother,
)
from .weights import (
    observation_weights as observation_weights,
)
