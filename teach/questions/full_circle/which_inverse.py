# %% [markdown]
# **Which inverse?** One column; coefficients are standard normal from task to task, and the noise has the variance
# `{"noise": "2 to 9"}`. One layer answers $x\,\Omega\,z$ with $z = X^\top y$. Return four numbers, to three decimals
# or better, and a set: the Ω that is best when the rows are the same in all tasks, $X^\top X = 4$, and the target is
# the noisy outcome at those rows themselves; the same when the target is the outcome without its noise; the Ω that is
# best for new rows of variance 1, eight in each task; about how many steps descent needs, if it needed 10,000 and the
# condition number of $X^\top X$ is doubled, at a step that stays the same; and the set of the letters of all
# statements that hold:
#
# - A: stacked layers that beat least squares know the prior and the noise they were trained with;
# - B: they would beat it with a third of that noise, too;
# - C: one layer cannot follow each context to its own inverse;
# - D: it is shown that large language models regress in this way;
# - E: told to repeat outcomes that stood before it, one layer finds the inverse of its own rows.


# %% tags=["answer"]
def which_inverse():
    """Return three maps, a number of steps and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.regression import population_embedding

    noise = {"noise": "2 to 9"}
    across = population_embedding(np.ones((1, 1)), n=8, noise=np.sqrt(noise))[0, 0]
    return 1 / 4, 1 / (4 + noise), across, 10_000 * 2**3, {"A", "C", "E"}
    ### END SOLUTION


# %% tags=["test"] points=0 why="four numbers and a set"
*numbers, letters = which_inverse()
assert len(numbers) == 4
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=2 why="the two maps of fixed rows"
import numpy as np

rng = np.random.default_rng(222)
X = np.ones((4, 1))
y = X @ rng.normal(size=(1, 400_000))
noisy = y + np.sqrt({"noise": "2 to 9"}) * rng.normal(size=y.shape)
z = noisy.sum(axis=0)
wanted = [np.sum(z * target.sum(axis=0)) / (4 * np.sum(z * z)) for target in (noisy, y)]
assert np.allclose(which_inverse()[:2], wanted, atol=0.002), (
    "expected the inverse where outcomes are repeated, and a ridge of the noise where the target is clean"
)


# %% tags=["test", "hidden"] points=1 why="the map of new rows, and the steps"
import numpy as np

from regattn.regression import population_embedding

wanted = population_embedding(np.ones((1, 1)), n=8, noise=np.sqrt({"noise": "2 to 9"}))[0, 0]
assert np.allclose(which_inverse()[2:4], [wanted, 80_000], rtol=0.01), (
    "expected the inverse of what the population has on average, and steps that go with the cube"
)


# %% tags=["test", "hidden"] points=2 why="what holds and what does not"
assert which_inverse()[4] == {"A", "C", "E"}, (
    "expected layers to know their prior, one layer to know the population, and no claim about large models"
)


# %% tags=["wrong", "misconception"] marks=0 why="takes what was trained for a solver of every task"
def which_inverse():
    return 1 / 4, 1 / 4, 1 / 8, 20_000, {"B", "D"}


# %% tags=["wrong"] marks=4 why="lets steps go with the square"
def which_inverse():
    noise = {"noise": "2 to 9"}
    return 1 / 4, 1 / (4 + noise), 1 / (10 + noise), 40_000, {"A", "C", "E"}


# %% tags=["wrong"] marks=3 why="takes the ridge for both"
def which_inverse():
    noise = {"noise": "2 to 9"}
    return 1 / (4 + noise), 1 / (4 + noise), 1 / (10 + noise), 80_000, {"A", "C", "E"}


# %% tags=["wrong"] marks=2 why="does not square the deviation of the noise"
def which_inverse():
    noise = np.sqrt({"noise": "2 to 9"})
    return 1 / 4, 1 / (4 + noise), 1 / (10 + noise), 80_000, {"A", "C", "E"}
