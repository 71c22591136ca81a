# %% [markdown]
# **Merge, cut, compare.** A text has these words, as often as the table says. Pairs of neighbours are merged, the
# most frequent first; no pair crosses from one word to the next.
#
# | word | times |
# |---|---|
# | hug | 10 |
# | pug | 5 |
# | pun | 12 |
# | bun | 4 |
# | hugs | 5 |
#
# Two language models were then tried on the same new text. Model P has tokens of 2.9 bytes in the mean and a loss of
# 3.20 nats per token; model Q has tokens of 4.8 bytes and a loss of 5.10 nats per token. Return four things. The list
# of the first three pieces that the merging makes, in their order, such as `["hu"]`. How the word *bugs* is cut with
# these three, a list of its pieces. The bits per byte of P and of Q, as a pair of numbers. And the set of the letters
# of all statements that hold:
#
# {statements}


# %% [markdown] tags=["statements"]
# - Fails: the loss per token would be a fair comparison of P and Q, were both given in bits.
#   Because: bits in place of nats change both by one factor; a longer token still says more.
# - Holds: Q is better on this text.
#   Because: it needs 1.53 bits per byte and P 1.59.
# - Fails: a longer text of the same kind is needed before tokens of different lengths can be compared at all.
#   Because: divided by the bytes, which no tokeniser chose, they can be compared on any text that both give back.
# - Fails: *hug* and *hugs* are related for the tokeniser, as both hold a piece that it made for their meaning.
#   Because: the piece was made for its frequency, and from their numbers nobody can tell what pieces share.
# - Holds: had the text *pun* 17 times in place of 12, the first piece would be *pu*.
#   Because: *p* would then stand before *u* 22 times, *u* before *n* 21 and *u* before *g* 20 times.
# - Holds: as one-hot rows, the pieces *hug* and *ug* are as far apart as *hug* and *un*.
#   Because: any two different one-hot rows are √2 apart; a number has no spelling.
# - Fails: a tokeniser that has the characters of this text and the three pieces can cut *bags* without a loss.
#   Because: *a* is not among these characters, so it becomes unknown and is gone; only bytes lose nothing.
# - Holds: a model of single bytes with a loss of 1.10 nats per byte would be worse than Q on this text.
#   Because: Q's loss is 5.10/4.8 or 1.06 nats per byte.
# - Fails: when eight times as much of the encyclopedia was counted, most runs of three words of its other articles
#   had been seen.
#   Because: the share of runs never seen fell only from 95 to 87 per cent.


# %% tags=["answer"]
def merge_and_compare():
    """Return pieces, a cut, two numbers of bits and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import learn_merges, merge

    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    merges, parts = learn_merges(words, len(set("".join(words))) + 3), list("bugs")
    for pair in merges:
        parts = merge(parts, pair)
    bits = 3.20 / np.log(2) / 2.9, 5.10 / np.log(2) / 4.8
    return ["".join(pair) for pair in merges], parts, bits, {letters}
    ### END SOLUTION


# %% tags=["test"] points=0 why="two lists, a pair and a set"
pieces, cut, bits, letters = merge_and_compare()
assert isinstance(pieces, list)
assert isinstance(cut, list)
assert len(bits) == 2
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=2 why="three pieces, in order"
from regattn.from_scratch import learn_merges

words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
made = learn_merges(words, len(set("".join(words))) + 3)
assert merge_and_compare()[0] == ["".join(pair) for pair in made], (
    "expected the most frequent pair of neighbours each time, with pieces that were made before as neighbours"
)


# %% tags=["test", "hidden"] points=1 why="the cut of a new word"
from regattn.from_scratch import learn_merges, merge

words, parts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, list("bugs")
for pair in learn_merges(words, len(set("".join(words))) + 3):
    parts = merge(parts, pair)
assert merge_and_compare()[1] == parts, "expected the merges applied in the order in which they were made"


# %% tags=["test", "hidden"] points=1 why="bits per byte"
import numpy as np

assert np.allclose(merge_and_compare()[2], [3.20 / np.log(2) / 2.9, 5.10 / np.log(2) / 4.8], atol=0.006), (
    "expected nats over the logarithm of two, and a token's bits over its bytes"
)


# %% tags=["test", "hidden", "statements"] points=2 why="what follows and what does not"
merge_and_compare()[3]


# %% tags=["checks"]
def agrees(text, table):
    from regattn.from_scratch import learn_merges

    words = dict(table)
    assert words == {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    assert learn_merges(words | {"pun": 17}, len(set("".join(words))) + 1) == [("p", "u")]
    assert "a" not in "".join(words)
    per_byte = {"P": 3.20 / 2.9, "Q": 5.10 / 4.8, "single bytes": 1.10}  # nats
    assert min(per_byte, key=per_byte.get) == "Q"


# %% tags=["wrong", "misconception"] marks=0 why="looks for parts with a meaning, and compares losses per token"
def merge_and_compare():
    return ["hug", "pun", "s"], ["bug", "s"], (3.20, 5.10), {"A", "D"}


# %% tags=["wrong"] marks=2 why="takes the three most frequent pairs of letters"
def merge_and_compare():
    return ["ug", "pu", "un"], ["b", "ug", "s"], (1.592, 1.533), {"A"}


# %% tags=["wrong"] marks=5 why="forgets to turn nats into bits"
def merge_and_compare():
    return ["ug", "un", "hug"], ["b", "ug", "s"], (1.103, 1.063), {"B", "E"}


# %% tags=["wrong"] marks=3 why="compares per token after all"
def merge_and_compare():
    return ["ug", "un", "hug"], ["b", "ug", "s"], (3.20, 5.10), {"A", "E"}
