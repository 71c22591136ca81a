# %% [markdown]
# **One word and forty.** A text has an entropy of 1.349 nats per word. At every word a model gives one part in
# `{"parts": "400 to 900"}` of its probability to words that cannot stand there; otherwise it is perfect. Return four
# things. The excess that this costs, in nats per word. The share of texts of forty words, drawn from the model, in
# which at least one word cannot stand where it stands. The number of words, which need not be whole, that must be
# drawn for an even chance of one. And a letter: another model has a mean loss of 1.30 nats per word on a very long
# text. What follows?
#
# - A: it knows the grammar better than the first one;
# - B: it has seen this text before, or the loss was not measured as it should be;
# - C: the text has fewer than four words to choose from at each place;
# - D: it needs more training to reach 1.349.


# %% tags=["answer"]
def from_word_to_text():
    """Return an excess, a share of texts, a number of words and a letter."""
    ### BEGIN SOLUTION
    from regattn.grammar import Grammar

    lawful = 1 - 1 / {"parts": "400 to 900"}
    letter = "B" if Grammar().entropy().per_word > 1.30 else "A"
    return -np.log(lawful), 1 - lawful**40, np.log(0.5) / np.log(lawful), letter
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a letter"
*numbers, letter = from_word_to_text()
assert len(numbers) == 3
assert letter in "ABCD"


# %% tags=["test", "hidden"] points=1 why="the excess"
import numpy as np

assert np.isclose(from_word_to_text()[0], 1 / {"parts": "400 to 900"}, rtol=0.01), (
    "expected an excess of about the share that is given away"
)


# %% tags=["test", "hidden"] points=1 why="the share of texts"
import numpy as np

assert np.isclose(from_word_to_text()[1], 1 - (1 - 1 / {"parts": "400 to 900"}) ** 40, rtol=0.005), (
    "expected one less the chance that forty words in a row are lawful"
)


# %% tags=["test", "hidden"] points=1 why="the words for an even chance"
import numpy as np

words = from_word_to_text()[2]
assert np.isclose((1 - 1 / {"parts": "400 to 900"}) ** words, 0.5, atol=0.005), (
    "expected so many words that all of them are lawful in one half of the texts"
)


# %% tags=["test", "hidden"] points=1 why="what a loss below the floor proves"
from regattn.grammar import Grammar

assert Grammar().entropy().per_word > 1.30, "expected the floor of the chapter to lie above: tell your teacher"
assert from_word_to_text()[3] == "B", "expected that nobody has a loss below the floor on a long text that is new"


# %% tags=["checks"]
def agrees(text, table):
    from regattn.grammar import Grammar

    assert round(Grammar().entropy().per_word, 3) == 1.349
    assert "1.349" in text


# %% tags=["wrong", "misconception"] marks=1 why="takes a small excess for faultless texts and a low loss for skill"
def from_word_to_text():
    share = 1 / {"parts": "400 to 900"}
    return share, share, 1 / share, "A"


# %% tags=["wrong"] marks=3 why="thinks that a half of so many parts makes an even chance"
def from_word_to_text():
    share = 1 / {"parts": "400 to 900"}
    return share, 1 - (1 - share) ** 40, 1 / (2 * share), "B"


# %% tags=["wrong"] marks=2 why="adds the chances of forty words and waits for a whole word"
def from_word_to_text():
    share = 1 / {"parts": "400 to 900"}
    return share, 40 * share, 1 / share, "B"


# %% tags=["wrong"] marks=2 why="adds the floor to the excess, and blames the text"
def from_word_to_text():
    share = 1 / {"parts": "400 to 900"}
    return 1.349 + share, 1 - (1 - share) ** 40, np.log(0.5) / np.log(1 - share), "C"
