from . import descent as descent
from .alignment import (
    scale_and_alignment as scale_and_alignment,
)
from .calibration import (
    reliability as reliability,
)
from .classification import (
    make_network as make_network,
    network_descent as network_descent,
)
from .convolution import (
    convolution_matrix as convolution_matrix,
)
from .descent import (
    batches as batches,
    curvatures as curvatures,
    gradient as gradient,
    gradient_descent as gradient_descent,
    largest_stable_step as largest_stable_step,
    mean_squared_error as mean_squared_error,
    numerical_gradient as numerical_gradient,
    stochastic_gradient_descent as stochastic_gradient_descent,
)
from .designs import (
    make_design as make_design,
)
from .embedding import (
    embedding_after as embedding_after,
    embedding_descent as embedding_descent,
    embedding_gradient as embedding_gradient,
    embedding_limit as embedding_limit,
    embedding_loss as embedding_loss,
    largest_embedding_step as largest_embedding_step,
)
from .estimator import (
    AttentionRegressor as AttentionRegressor,
)
from .identification import (
    identified_directions as identified_directions,
    map_error as map_error,
    target_error as target_error,
)
from .in_context import (
    Tasks as Tasks,
    best_embedding as best_embedding,
    design_descent as design_descent,
    design_flow as design_flow,
    make_tasks as make_tasks,
    population_embedding as population_embedding,
    relative_distance as relative_distance,
)
from .in_context_layers import (
    LinearLayers as LinearLayers,
    SoftmaxHeads as SoftmaxHeads,
    newton_schulz as newton_schulz,
    train_in_context as train_in_context,
    tuned_descent as tuned_descent,
    weights_on_context as weights_on_context,
)
from .least_squares import (
    proximity_weights as proximity_weights,
    spectrum as spectrum,
)
from .network_classifier import (
    NetworkClassifier as NetworkClassifier,
)
from .similarity import (
    forest_codes as forest_codes,
    kernel_ridge_codes as kernel_ridge_codes,
    least_squares_codes as least_squares_codes,
)
from .streaming import (
    Factor as Factor,
)
