from .alignment import (
    make_aligned_text as make_aligned_text,
    score_alignment as score_alignment,
    share_right as share_right,
    translation_table as translation_table,
)
from .cooccurrence import (
    context_weights as context_weights,
    normalise_rows as normalise_rows,
    predict_next as predict_next,
    project as project,
    selector as selector,
    vocabulary_scores as vocabulary_scores,
)
from .counting import (
    count_cooccurrences as count_cooccurrences,
    ppmi as ppmi,
)
from .direction import (
    one_map_errors as one_map_errors,
    order_defect as order_defect,
    position_terms as position_terms,
    query_key_maps as query_key_maps,
    sentence_scores as sentence_scores,
    share_ahead as share_ahead,
    stretches as stretches,
    term_defects as term_defects,
)
from .equivariance import (
    equivariant_maps as equivariant_maps,
)
from .glove import (
    glove_vectors as glove_vectors,
)
from .judging import (
    held_out_pairs as held_out_pairs,
)
from .ngrams import (
    count_ngrams as count_ngrams,
    ngram_bits as ngram_bits,
    unseen_share as unseen_share,
    write_like as write_like,
)
from .results import (
    load_word_results as load_word_results,
)
from .shards import (
    ShardedCorpus as ShardedCorpus,
)
from .tokens import (
    train_tokenizer as train_tokenizer,
)
from .totals import (
    PartialCounts as PartialCounts,
)
from .vectors import (
    most_similar as most_similar,
    nearest_words as nearest_words,
    share_of_kind as share_of_kind,
    word_vectors as word_vectors,
)
from .vocabulary import (
    Vocabulary as Vocabulary,
    split_words as split_words,
)
