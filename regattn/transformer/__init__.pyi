from .block import (
    Block as Block,
    BlockDesign as BlockDesign,
    FeedForward as FeedForward,
    block_from_torch as block_from_torch,
)
from .checkpoints import (
    load_model as load_model,
    load_shipped as load_shipped,
    save_model as save_model,
)
from .coding import (
    quantised_pca as quantised_pca,
    residual_kmeans as residual_kmeans,
)
from .generation import (
    generate as generate,
    next_token_distribution as next_token_distribution,
)
from .inference import (
    Decoder as Decoder,
)
from .language_model import (
    Architecture as Architecture,
    LanguageModel as LanguageModel,
    count_parameters as count_parameters,
    next_token_loss as next_token_loss,
)
from .latent import (
    Autoencoder as Autoencoder,
    CodeAutoencoder as CodeAutoencoder,
    LatentPlan as LatentPlan,
    gradient_norms as gradient_norms,
    settle_autoencoder as settle_autoencoder,
    train_autoencoder as train_autoencoder,
)
from .lengths import (
    length_scores as length_scores,
    length_task as length_task,
    train_at_one_length as train_at_one_length,
)
from .multihead import (
    MultiHeadAttention as MultiHeadAttention,
)
from .position import (
    alibi_columns as alibi_columns,
    alibi_slopes as alibi_slopes,
    frequencies as frequencies,
    rotate as rotate,
    sinusoidal_positions as sinusoidal_positions,
)
from .text_model import (
    TextModel as TextModel,
)
from .training import (
    TrainingPlan as TrainingPlan,
    text_batches as text_batches,
    train as train,
)
