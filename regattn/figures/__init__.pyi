from ._style import (
    COLOURS as COLOURS,
    use_style as use_style,
)
from .arcs import plot_arcs as plot_arcs
from .attention import (
    plot_fits as plot_fits,
    plot_query_weights as plot_query_weights,
)
from .blackboard import blackboard as blackboard
from .classification import (
    plot_images as plot_images,
    plot_regions as plot_regions,
    plot_reliability as plot_reliability,
)
from .codes import plot_codes as plot_codes
from .cooccurrence import (
    plot_contexts as plot_contexts,
    plot_neighbours as plot_neighbours,
    plot_themes as plot_themes,
)
from .curves import plot_curves as plot_curves
from .descent import (
    plot_clouds as plot_clouds,
    plot_line as plot_line,
    plot_losses as plot_losses,
    plot_paths as plot_paths,
)
from .dots import plot_dots as plot_dots
from .heat_maps import plot_heat_maps as plot_heat_maps
from .induction import plot_induction as plot_induction
from .language_model import (
    plot_exchange as plot_exchange,
    plot_probabilities as plot_probabilities,
    plot_routes as plot_routes,
    plot_words as plot_words,
)
from .least_squares import (
    plot_directions as plot_directions,
    plot_forecast as plot_forecast,
    plot_weights as plot_weights,
)
from .race import plot_race as plot_race
from .sketches import (
    plot_quantiser as plot_quantiser,
    plot_reading as plot_reading,
)
from .steps import plot_steps as plot_steps
from .transformer import (
    plot_blueprint as plot_blueprint,
    plot_clocks as plot_clocks,
    plot_encoder_decoder as plot_encoder_decoder,
    plot_parts as plot_parts,
)
from .windows import plot_windows as plot_windows
