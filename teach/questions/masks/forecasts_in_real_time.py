# %% [markdown]
# **In pseudo real time.** Row $t$ of `X` holds what was known before date $t$, and `y[t]` came on that date. Return the
# least-squares forecasts, with an intercept, of the dates from `start` on, each from a fit to the rows before it alone:
# `len(y) - start` numbers. `X` has no column of ones.


# %% tags=["answer"]
def forecasts(X, y, start):
    """Return the forecast of each date from a fit to the dates before it."""
    ### BEGIN SOLUTION
    from regattn.series import expanding_least_squares

    return expanding_least_squares(X, y, start=start).forecasts
    ### END SOLUTION


# %% tags=["test"] points=1 why="four dates on a line, of which the last leaves it"
import numpy as np

X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 5.0, 9.0])
assert np.allclose(forecasts(X, y, 2), [5, 7])

# %% tags=["test", "hidden"] points=2 why="random data, from several starts"
import numpy as np

from regattn.from_scratch import honest_weights

rng = np.random.default_rng(90)
for T, p, start in [(13, 1, 5), (23, 3, 7), (37, 4, 29)]:
    X, y = rng.normal(size=(T, p)), rng.normal(size=T)
    wanted = honest_weights(np.column_stack([np.ones(T), X]), start) @ y
    assert np.allclose(forecasts(X, y, start), wanted), (
        f"expected the forecasts from date {start} of {T} on, each from a fit to the rows before it"
    )

# %% tags=["test", "hidden"] points=1 why="forecasts that stay where they are when later outcomes are changed"
import numpy as np

rng = np.random.default_rng(91)
X, y = rng.normal(size=(31, 2)), rng.normal(size=31)
other = y + 50 * (np.arange(31) >= 20)
given, again = forecasts(X, y, 10), forecasts(X, other, 10)
assert np.allclose(given[:11], again[:11]), (
    "expected forecasts up to date 20 that do not know what came on it or later"
)  # the outcome of date 20 is not known when it is forecast
assert not np.allclose(given[11:], again[11:]), "expected later forecasts to know what came from date 20 on"


# %% tags=["wrong", "misconception"] marks=0 why="fits to the whole sample once"
def forecasts(X, y, start):
    from regattn.regression import proximity_weights

    A = np.column_stack([np.ones(len(X)), X])
    return proximity_weights(A, A[start:], centre=False) @ y


# %% tags=["wrong"] marks=0 why="has the date itself among the rows of the fit"
def forecasts(X, y, start):
    from regattn.regression import proximity_weights

    A = np.column_stack([np.ones(len(X)), X])
    return np.ravel(
        [proximity_weights(A[: t + 1], A[t : t + 1], centre=False) @ y[: t + 1] for t in range(start, len(y))]
    )


# %% tags=["wrong"] marks=1 why="fits to the rows before the start and never again"
def forecasts(X, y, start):
    from regattn.regression import proximity_weights

    A = np.column_stack([np.ones(len(X)), X])
    return proximity_weights(A[:start], A[start:], centre=False) @ y[:start]
