# %% [markdown]
# **A forecast in four numbers.** `weights` are those of one forecast on the outcomes `y` of the training rows, twenty
# rows or a multiple of it. Return four numbers: the forecast; the effective rows, that is the number of equal
# witnesses whose average would be as noisy; the concentration, the share of all weight, signs left out, on the
# loudest twentieth of the rows; and the short position, the sum of the weights below zero.


# %% tags=["answer"]
def four_numbers(weights, y):
    """Return a forecast, its effective rows, its concentration and its short position."""
    ### BEGIN SOLUTION
    from regattn.attribution import forecast_report

    names = ["prediction", "effective rows", "concentration", "short position"]
    return tuple(forecast_report(np.asarray(weights)[None], y).to_frame()[names].iloc[0])
    ### END SOLUTION


# %% tags=["test"] points=1 why="twenty rows, of which two are heard alike"
import numpy as np

given = four_numbers(np.repeat([0.5, 0.0], [2, 18]), np.arange(20.0))
assert np.allclose(given, [0.5, 2, 0.5, 0])


# %% tags=["test", "hidden"] points=3 why="random weights of both signs"
import numpy as np

rng = np.random.default_rng(232)
for n in (20, 60, 200):
    weights, y = rng.normal(size=n) + 0.3, rng.normal(size=n)
    sizes = np.sort(np.abs(weights))[::-1]
    wanted = [weights @ y, weights.sum() ** 2 / (weights @ weights), sizes[: n // 20].sum() / sizes.sum(), 0.0]
    wanted[3] = weights[weights < 0].sum()
    assert np.allclose(four_numbers(weights, y), wanted), (
        f"expected the four numbers of {n} weights of both signs, which need not sum to one"
    )


# %% tags=["test", "hidden"] points=1 why="an average, which leans on few"
import numpy as np

weights = 0.5 ** np.arange(1, 41)
weights /= weights.sum()
given = four_numbers(weights, np.ones(40))
assert np.allclose(given, [1, 3, 0.75, 0], atol=1e-6), (
    "expected three effective rows when each has half the weight of the last"
)


# %% tags=["wrong", "misconception"] marks=1 why="counts the rows that have any weight"
def four_numbers(weights, y):
    return weights @ y, np.sum(weights != 0), np.sort(weights)[::-1][: len(y) // 20].sum(), weights[weights < 0].sum()


# %% tags=["wrong"] marks=2 why="leaves the signs in the concentration"
def four_numbers(weights, y):
    loudest = np.sort(weights)[::-1][: len(y) // 20].sum() / weights.sum()
    return weights @ y, weights.sum() ** 2 / (weights @ weights), loudest, weights[weights < 0].sum()


# %% tags=["wrong"] marks=2 why="assumes that the weights sum to one"
def four_numbers(weights, y):
    sizes = np.sort(np.abs(weights))[::-1]
    return weights @ y, 1 / (weights @ weights), sizes[: len(y) // 20].sum() / sizes.sum(), weights[weights < 0].sum()


# %% tags=["wrong"] marks=2 why="takes the size of the short position"
def four_numbers(weights, y):
    sizes = np.sort(np.abs(weights))[::-1]
    concentration = sizes[: len(y) // 20].sum() / sizes.sum()
    return weights @ y, weights.sum() ** 2 / (weights @ weights), concentration, -weights[weights < 0].sum()
