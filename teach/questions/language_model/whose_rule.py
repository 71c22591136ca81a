# %% [markdown]
# **Whose rule?** The model of the chapter has read sentences that name one woman and one man, and has nearly no
# excess on new ones of that kind. Here it reads five beginnings, four of which the grammar never writes. The columns
# say how much of its probability goes to names of women, to names of men, and to the two who were named. Here "name
# the one who is left" is called the *grammar's rule*, and "after *she* a man, after *he* a woman" the *gender rule*.
#
# | the model reads | women | men | the two |
# |---|---|---|---|
# | anna called tom because she missed | .000 | .999 | .998 |
# | tom called peter because she missed | .000 | .999 | .997 |
# | anna called clara because she missed | .000 | .975 | .000 |
# | anna called clara because he missed | .001 | .889 | .000 |
# | tom called peter because he missed | .992 | .000 | .000 |
#
# Return three things. In how many of the five most of the probability is on people who are not there. In how many the
# answer is what the gender rule says. And the set of the letters of all statements that hold:
#
# {statements}


# %% [markdown] tags=["statements"]
# - Holds: in training sentences with a pronoun the two rules always lead to the same name.
#   Because: each has one woman and one man, so the one left is the man after *she* and the woman after *he*.
# - Fails: more sentences with one woman and one man would have shown the model that the grammar's rule is meant.
#   Because: both rules fit all such sentences, however many the model reads.
# - Fails: the gender rule describes what the model does with every pair of names.
#   Because: after *anna called clara because he missed* it names a man.
# - Fails: an excess of nearly nothing proves that the model has the grammar's rule.
#   Because: the excess is measured on text in which both rules are right.
# - Holds: another training that ends with as small an excess could name *clara* in the third row.
#   Because: no training sentence has two women, so nothing settles what a model does with them.
# - Holds: in the third row the likeliest name stays the same when *emma* takes the place of *clara*.
#   Because: *simon* comes first, whichever two women stand there.
# - Holds: training text with two women in some of its sentences would give the two rules different losses.
#   Because: the one left would be a woman there, and the gender rule says a man after *she*.
# - Fails: the mistake in the third row is a part of the model's excess of two thousandths of a nat.
#   Because: the excess is a mean over text of the grammar, which never writes two women.
# - Fails: a larger model that reads the same text must come to the grammar's rule.
#   Because: what a text leaves open it leaves open for large models, too.


# %% tags=["answer"]
def whose_rule():
    """Return two counts and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.grammar import Grammar, next_words
    from regattn.transformer import load_shipped

    grammar, pairs = Grammar(), [("anna", "tom"), ("tom", "peter"), ("anna", "clara")]
    asked = [(*pair, "she") for pair in pairs] + [("anna", "clara", "he"), ("tom", "peter", "he")]
    said = next_words(load_shipped()[0], grammar, [f"{a} called {b} because {who} missed" for a, b, who in asked])
    absent = fits = 0
    for (_, row), (a, b, who) in zip(said.iterrows(), asked, strict=True):
        absent += row[[a, b]].sum() < 0.5
        fits += row[list(grammar.lexicon.names["he" if who == "she" else "she"])].sum() > 0.5
    return absent, fits, {letters}
    ### END SOLUTION


# %% tags=["test"] points=0 why="two numbers and a set"
*counts, letters = whose_rule()
assert len(counts) == 2
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=1 why="people who are not there"
assert whose_rule()[0] == 3, "expected to count the beginnings whose last column is nearly zero"


# %% tags=["test", "hidden"] points=1 why="the rule that fits"
assert whose_rule()[1] == 4, "expected to count where men are named after one pronoun and women after the other"


# %% tags=["test", "hidden", "statements"] points=2 why="what follows and what does not"
whose_rule()[2]


# %% tags=["checks"]
def agrees(text, table):
    import re

    import numpy as np

    from regattn.grammar import Grammar, next_words
    from regattn.transformer import load_shipped

    grammar, (model, _) = Grammar(), load_shipped()
    said = next_words(model, grammar, [row[0] for row in table])
    other = next_words(model, grammar, [table[2][0].replace("clara", "emma")])
    assert other.iloc[0].idxmax() == said.iloc[2].idxmax() == "simon"
    for (name, women, men, two), (_, row) in zip(table, said.iterrows(), strict=True):
        a, _, b, *_ = name.split()
        sums = [row[list(grammar.lexicon.names[who])].sum() for who in ("she", "he")]
        assert np.allclose([*sums, row[[a, b]].sum()], [women, men, two], atol=0.001)
    refused = 0
    for name, *_ in table:
        try:
            grammar.next_word(name.split())
        except ValueError:
            refused += 1
    (said,) = re.findall(r"five beginnings, (\w+) of which the grammar never writes", text)
    assert ["none", "one", "two", "three", "four", "five"].index(said) == refused
    assert len(table) == 5


# %% tags=["wrong", "misconception"] marks=0 why="takes a loss near the floor for knowledge of the rule"
def whose_rule():
    return 0, 5, {"A", "D"}


# %% tags=["wrong"] marks=1 why="believes in more of the same text"
def whose_rule():
    return 3, 5, {"B", "E"}


# %% tags=["wrong"] marks=3 why="takes the rule that fits best for all that the model does"
def whose_rule():
    return 3, 4, {"A", "C", "E"}


# %% tags=["wrong"] marks=3 why="counts the two names of the other rows"
def whose_rule():
    return 2, 4, {"A", "E"}
