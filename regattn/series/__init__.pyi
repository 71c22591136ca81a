from ._own import (
    SeriesModel as SeriesModel,
)
from .comparing import (
    clark_west as clark_west,
    fixed_b_test as fixed_b_test,
)
from .evaluation import (
    corrected_t_test as corrected_t_test,
    diebold_mariano as diebold_mariano,
    expanding_window_forecasts as expanding_window_forecasts,
)
from .expanding import (
    expanding_least_squares as expanding_least_squares,
)
from .filters import (
    filter_weights as filter_weights,
    local_trend as local_trend,
    shared_variances as shared_variances,
)
from .forecaster import (
    Forecaster as Forecaster,
    ForecasterDesign as ForecasterDesign,
    forecaster_to_torch as forecaster_to_torch,
)
from .forecasting import (
    PooledLinear as PooledLinear,
    forecast_quantiles as forecast_quantiles,
    load_forecaster as load_forecaster,
    train_forecaster as train_forecaster,
)
from .hearing import (
    hear as hear,
    quantiles_heard as quantiles_heard,
)
from .in_numpy import (
    forecast_pass as forecast_pass,
)
from .lags import (
    lag_matrix as lag_matrix,
)
from .leaks import (
    future_leak as future_leak,
    lagged_forecaster as lagged_forecaster,
)
from .orders import (
    lag_scores as lag_scores,
)
from .panels import (
    mixed_spread as mixed_spread,
    panel_weights as panel_weights,
)
from .race import (
    load_race as load_race,
    race_models as race_models,
    race_table as race_table,
)
from .time_attention import (
    autoregression as autoregression,
)
from .windows import (
    drift_forecasts as drift_forecasts,
    forecast_windows as forecast_windows,
    lag_visibility as lag_visibility,
    normalise as normalise,
    quantile_losses as quantile_losses,
    seasonal_scale as seasonal_scale,
)
