from .heads import (
    Links as Links,
    find_links as find_links,
    head_scores as head_scores,
    patched_logits as patched_logits,
    silenced as silenced,
    silencing_costs as silencing_costs,
)
from .scores import (
    as_tokens as as_tokens,
    excess_nats as excess_nats,
    lawful_lengths as lawful_lengths,
    name_mass as name_mass,
    next_words as next_words,
    verb_mass as verb_mass,
)
from .sentences import (
    Grammar as Grammar,
)
