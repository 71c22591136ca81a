from .heads import (
    Links as Links,
    ablate_head as ablate_head,
    ablation_costs as ablation_costs,
    find_links as find_links,
    head_scores as head_scores,
    patched_logits as patched_logits,
)
from .scores import (
    as_tokens as as_tokens,
    excess_nats as excess_nats,
    lawful_lengths as lawful_lengths,
    next_words as next_words,
    referent_probability as referent_probability,
    verb_mass as verb_mass,
)
from .sentences import (
    Grammar as Grammar,
)
