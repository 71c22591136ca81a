# %% [markdown]
# **Looks, costs, says.** At the end of *anna called tom yesterday because she missed* the model of the chapter is
# asked for the next word. The table has for each head how much weight it has on *tom*, and what its silence costs for
# the answer *tom*, in nats. With 2.2 and 2.3 silent together the cost is 3.83.
#
# | head | on tom | cost |
# |---|---|---|
# | 1.1 | .00 | 5.19 |
# | 1.2 | .06 | .00 |
# | 1.3 | .04 | .00 |
# | 1.4 | .00 | .06 |
# | 2.1 | .96 | 1.39 |
# | 2.2 | .02 | .27 |
# | 2.3 | .97 | .02 |
# | 2.4 | .93 | .27 |
# | 3.1 | .08 | .00 |
# | 3.2 | .07 | .00 |
# | 3.3 | .71 | .00 |
# | 3.4 | .31 | .00 |
#
# Return four things. The head that looks at *tom* most, and the one that is missed most, two texts such as `"3.1"`.
# How much more the pair 2.2 and 2.3 costs than the two one by one, in nats. And the set of the letters of all
# statements that hold:
#
# {statements}


# %% [markdown] tags=["statements"]
# - Fails: 2.3 costs next to nothing, so the answer can do without it whatever other heads are silent.
#   Because: with 2.2 silent already, to silence 2.3 costs more than three nats.
# - Holds: 2.2 and 2.3 do not hear each other; the next layer hears the sum of what the two write.
#   Because: heads of one layer all read what the layers before have left.
# - Fails: 1.1 is missed because it looks at *tom*.
#   Because: 1.1 has no weight on *tom*; all of it is on *she*.
# - Fails: 3.3 has .71 of its weight on *tom*, which shows that it hands on his name.
#   Because: a weight says where a head looks, not what it takes from there.
# - Holds: what 1.1 hands on comes to light when it is given what it gathers in the same sentence with *he*.
#   Because: nothing else is changed then, and the answer goes over to women.
# - Holds: to silence a head puts a zero where the model has never met one.
#   Because: training silenced no head, so what breaks without one need not be what the head says.
# - Holds: an exchange does not show what a head says alike in both sentences.
#   Because: it is given what it has already, so nothing moves, however much the answer needs it.
# - Fails: after a new training from other random numbers one can count on layer 2 to fetch the name.
#   Because: in three smaller models the head that stands out was not in the same layer at every seed.
# - Fails: the answer is right, so the model has found out that *she* is *anna*.
#   Because: with *dogs* in the place of *anna* it is as sure of *tom*: it asks only where a man stands.


# %% tags=["answer"]
def looks_costs_says():
    """Return two heads, a number of nats and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.grammar import Grammar
    from regattn.transformer import load_shipped
    from regattn.widgets import ModelExplorer

    grammar, (model, _) = Grammar(), load_shipped()
    said = "anna called tom yesterday because she missed"
    asked, cost = ModelExplorer(model, grammar, sentence=said), {}
    for parts in [*(f"{layer}.{head}" for layer in (1, 2, 3) for head in (1, 2, 3, 4)), "2.2 2.3"]:
        asked.silenced = parts.split()
        cost[parts] = asked.result()["cost"]
    together = cost.pop("2.2 2.3") - cost["2.2"] - cost["2.3"]
    return "2.3", max(cost, key=cost.get), together, {letters}
    ### END SOLUTION


# %% tags=["test"] points=0 why="two texts, a number and a set"
looks, missed, nats, letters = looks_costs_says()
assert isinstance(looks, str)
assert isinstance(missed, str)
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=1 why="the two heads"
assert looks_costs_says()[:2] == ("2.3", "1.1"), "expected the largest number of each column, which are two heads"


# %% tags=["test", "hidden"] points=1 why="what the pair costs beyond its parts"
import numpy as np

assert np.isclose(looks_costs_says()[2], 3.83 - 0.27 - 0.02, atol=0.011), "expected the cost of both less the two costs"


# %% tags=["test", "hidden", "statements"] points=2 why="what follows and what does not"
looks_costs_says()[3]


# %% tags=["checks"]
def agrees(text, table):
    import numpy as np
    import torch

    from regattn.grammar import Grammar, next_words, patched_logits
    from regattn.transformer import load_shipped
    from regattn.widgets import ModelExplorer

    grammar, (model, _) = Grammar(), load_shipped()
    said = "anna called tom yesterday because she missed"
    looks = model.trace(torch.tensor([[0, *grammar.encode(said.split())]])).weights[:, 0, :, 7, 3].numpy().ravel()
    asked = ModelExplorer(model, grammar, sentence=said)
    for look, (head, on_tom, cost) in zip(looks, table, strict=True):
        asked.silenced = [f"{head}"]
        assert np.allclose([on_tom, cost], [look, max(0, asked.result()["cost"])], atol=0.006)
    asked.silenced = ["2.2", "2.3"]
    assert round(asked.result()["cost"], 2) == 3.83
    tokens, other = (torch.tensor([[0, *grammar.encode(each.split())]]) for each in (said, said.replace("she", "he")))
    assert model.trace(tokens).weights[0, 0, 0, 7, 6] > 0.99  # of 1.1, on "she"
    exchanged = patched_logits(model, tokens, other, heads=[(1, 1)])[0].softmax(-1)
    assert exchanged[grammar.encode(grammar.lexicon.names["she"])].sum() > 0.8
    assert next_words(model, grammar, [said.replace("anna", "dogs")]).iloc[0]["tom"] > 0.99


# %% tags=["wrong", "misconception"] marks=0 why="takes the head that looks most for the one that does the work"
def looks_costs_says():
    return "2.3", "2.1", 0.0, {"C", "D"}


# %% tags=["wrong"] marks=2 why="takes a head that is not missed for one that does nothing"
def looks_costs_says():
    return "2.3", "1.1", 3.54, {"A", "E"}


# %% tags=["wrong"] marks=3 why="adds where it should take away"
def looks_costs_says():
    return "2.3", "1.1", 4.12, {"B", "E"}


# %% tags=["wrong"] marks=1 why="reads the columns and nothing else"
def looks_costs_says():
    return "2.3", "1.1", 0.29, {"A", "C", "D"}
