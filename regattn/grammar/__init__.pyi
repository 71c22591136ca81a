from .heads import (
    Links as Links,
    find_links as find_links,
    head_scores as head_scores,
    patched_logits as patched_logits,
    ablate_head as ablate_head,
    ablation_costs as ablation_costs,
)
from .scores import (
    as_tokens as as_tokens,
    excess_nats as excess_nats,
    lawful_lengths as lawful_lengths,
    referent_probability as referent_probability,
    next_words as next_words,
    verb_mass as verb_mass,
)
from .sentences import (
    Grammar as Grammar,
)
