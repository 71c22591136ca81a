# %% [markdown]
# **The cheapest cut.** `costs` says what each known piece costs, in bits. A word can be cut into known pieces in many
# ways. Return what its cheapest cut costs, or infinity where no cut consists of known pieces. Words may have a hundred
# letters, so do not try all cuts: the cheapest cut of a word ends with a piece, and what stands before it is cut as
# cheaply as can be, too.


# %% tags=["answer"]
def cheapest(word, costs):
    """Return the cost of the cheapest cut of a word into known pieces."""
    ### BEGIN SOLUTION
    from regattn.from_scratch import best_cut

    try:
        return sum(costs[piece] for piece in best_cut(word, costs))
    except ValueError:  # there is none
        return np.inf
    ### END SOLUTION


# %% tags=["test"] points=1 why="a word of three letters"
assert cheapest("low", {"l": 3.0, "o": 3.0, "w": 3.0, "lo": 4.0}) == 7

# %% tags=["test", "hidden"] points=2 why="random words and costs, where the longest piece is not always the best"
import numpy as np

from regattn.from_scratch import best_cut

rng = np.random.default_rng(140)
for n in (5, 11, 17, 29):
    word = "".join(rng.choice(list("abc"), size=n))
    pieces = {word[i:j] for i in range(n) for j in range(i + 1, min(i + 5, n + 1))}
    costs = {piece: float(rng.exponential(3.0)) + len(piece) for piece in sorted(pieces)}
    assert np.isclose(cheapest(word, costs), sum(costs[piece] for piece in best_cut(word, costs))), (
        f"expected the cost of the cheapest cut of a word of {n} letters, whose longest piece is not always best"
    )

# %% tags=["test", "hidden"] points=1 why="a word without any cut"
import numpy as np

assert cheapest("lower", {"low": 2.0, "e": 3.0, "lowe": 4.0}) == np.inf, (
    "expected infinity for a word that no known pieces make up"
)

# %% tags=["test", "hidden"] points=1 why="a word of two hundred letters"
import numpy as np

from regattn.from_scratch import best_cut

costs = {"a": 2.0, "aa": 3.0, "aaa": 5.5, "ab": 1.0, "b": 4.0}
word = "aaab" * 50
assert np.isclose(cheapest(word, costs), sum(costs[piece] for piece in best_cut(word, costs))), (
    "expected the cost for a word of 200 letters"
)


# %% tags=["wrong", "misconception"] marks=1 why="takes the longest known piece at every step"
def cheapest(word, costs):
    total = 0.0
    while word:
        piece = max((word[:k] for k in range(1, len(word) + 1) if word[:k] in costs), key=len)
        total, word = total + costs[piece], word[len(piece) :]
    return total


# %% tags=["wrong"] marks=4 why="raises an error where there is no cut"
def cheapest(word, costs):
    from regattn.from_scratch import best_cut

    return sum(costs[piece] for piece in best_cut(word, costs))


# %% tags=["wrong"] marks=2 why="cuts into as few pieces as it can"
def cheapest(word, costs):
    from regattn.from_scratch import best_cut

    return sum(costs[piece] for piece in best_cut(word, dict.fromkeys(costs, 1.0)))
