from .scores import (
    Links as Links,
    agreement as agreement,
    as_tokens as as_tokens,
    excess_nats as excess_nats,
    find_links as find_links,
    head_scores as head_scores,
)
from .sentences import (
    Entropy as Entropy,
    Grammar as Grammar,
    Sentence as Sentence,
)
