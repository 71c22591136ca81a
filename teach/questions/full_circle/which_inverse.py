# %% [markdown]
# **Which inverse?** One column; coefficients are standard normal from task to task, and the noise has the variance
# `{"noise": "2 to 9"}`. One layer answers $x\,\Omega\,z$ with $z = X^\top y$. Return four numbers, to three decimals
# or better, and a set: the Ω that is best when the rows are the same in all tasks, $X^\top X = 4$, and the target is
# the noisy outcome at those rows themselves; the same when the target is the outcome without its noise; the Ω that is
# best for new rows of variance 1, eight in each task; about how many steps descent needs without noise, if it needed
# 10,000 and the condition number of $X^\top X$ is doubled, at a step that stays the same; and the set of the letters
# of all statements that hold:
#
# {statements}


# %% [markdown] tags=["statements"]
# - Holds: layers that beat least squares on tasks like those of their training know the prior and the noise of these.
#   Because: there they do nearly as well as a ridge set for the noise of the training.
# - Fails: four layers trained with $\sigma = 1$ beat least squares also where $\sigma$ is a third of that.
#   Because: half of what they lose is shrinking for a noise that is gone: .40 against .14.
# - Holds: where rows are new in every task, one layer cannot follow each context to its own inverse.
#   Because: it has one Ω for all contexts, which can store a property of the population and no more.
# - Fails: the chapter shows that large language models regress when they read examples.
#   Because: its networks have fifty numbers and linear tasks; what large models do it leaves open.
# - Holds: told to repeat the outcomes that it reads, always at the same rows, one layer finds $(X^\top X)^{-1}$.
#   Because: the step is zero there in every single task, as residuals of least squares are orthogonal to the columns.
# - Fails: with noisy outcomes to repeat, always at the same rows, Ω keeps jittering about its end unless the step is
#   made smaller.
#   Because: the step of every single task is zero at the inverse, whatever the noise.
# - Holds: two softmax heads with factors of opposite sign come near the best linear layer, where one head is far
#   worse.
#   Because: what both say of all rows alike cancels, and weights below zero become possible.
# - Fails: four trained layers have come to run the iteration of Newton and Schulz.
#   Because: layers can be wired to run it, but those that were trained move the rows, which it never does.
# - Fails: when every row is multiplied by two, four trained layers forecast as before, as least squares does.
#   Because: they diverge, like a descent whose step was right for rows half as long.


# %% tags=["answer"]
def which_inverse():
    """Return three maps, a number of steps and a set of letters."""
    ### BEGIN SOLUTION
    from regattn.regression import population_embedding

    noise = {"noise": "2 to 9"}
    across = population_embedding(np.ones((1, 1)), n=8, noise=np.sqrt(noise))[0, 0]
    return 1 / 4, 1 / (4 + noise), across, 10_000 * 2**3, {letters}
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


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
which_inverse()[4]


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
