"""How many digits survive: coefficients and weights of least squares on two data sets that ruin careless arithmetic.

Nothing is timed. Each contender meets every data set in several orders of its rows: the problem stays the same, its
rounding errors do not, and the quartiles of the digits show how much of a result is luck.
"""

import warnings

import mpmath
import numpy as np
import scipy
import statsmodels.api as sm
from measure import goal, write
from sklearn.linear_model import LinearRegression
from statsmodels.tools.sm_exceptions import SingularMatrixWarning

from regattn.regression import spectrum

ORDERS = 51
MOST = 15.0  # what double precision, and NIST's certificates, can show
WORKING = 100  # decimal digits of the exact solutions

# y and x of Filip, by A. Filippelli, and the certified coefficients of both data sets, are from the Statistical
# Reference Datasets of the National Institute of Standards and Technology (public domain): linear regression, higher
# level of difficulty.
FILIP = """
0.8116 -6.860120914, 0.9072 -4.324130045, 0.9052 -4.358625055, 0.9039 -4.358426747, 0.8053 -6.955852379,
0.8377 -6.661145254, 0.8667 -6.355462942, 0.8809 -6.118102026, 0.7975 -7.115148017, 0.8162 -6.815308569,
0.8515 -6.519993057, 0.8766 -6.204119983, 0.8885 -5.853871964, 0.8859 -6.109523091, 0.8959 -5.79832982,
0.8913 -5.482672118, 0.8959 -5.171791386, 0.8971 -4.851705903, 0.9021 -4.517126416, 0.909 -4.143573228,
0.9139 -3.709075441, 0.9199 -3.499489089, 0.8692 -6.300769497, 0.8872 -5.953504836, 0.89 -5.642065153,
0.891 -5.031376979, 0.8977 -4.680685696, 0.9035 -4.329846955, 0.9078 -3.928486195, 0.7675 -8.56735134,
0.7705 -8.363211311, 0.7713 -8.107682739, 0.7736 -7.823908741, 0.7775 -7.522878745, 0.7841 -7.218819279,
0.7971 -6.920818754, 0.8329 -6.628932138, 0.8641 -6.323946875, 0.8804 -5.991399828, 0.7668 -8.781464495,
0.7633 -8.663140179, 0.7678 -8.473531488, 0.7697 -8.247337057, 0.77 -7.971428747, 0.7749 -7.676129393,
0.7796 -7.352812702, 0.7897 -7.072065318, 0.8131 -6.774174009, 0.8498 -6.478861916, 0.8741 -6.159517513,
0.8061 -6.835647144, 0.846 -6.53165267, 0.8751 -6.224098421, 0.8856 -5.910094889, 0.8919 -5.598599459,
0.8934 -5.290645224, 0.894 -4.974284616, 0.8957 -4.64454848, 0.9047 -4.290560426, 0.9129 -3.885055584,
0.9209 -3.408378962, 0.9219 -3.13200249, 0.7739 -8.726767166, 0.7681 -8.66695597, 0.7665 -8.511026475,
0.7703 -8.165388579, 0.7702 -7.886056648, 0.7761 -7.588043762, 0.7809 -7.283412422, 0.7961 -6.995678626,
0.8253 -6.691862621, 0.8602 -6.392544977, 0.8809 -6.067374056, 0.8301 -6.684029655, 0.8664 -6.378719832,
0.8834 -6.065855188, 0.8898 -5.752272167, 0.8964 -5.132414673, 0.8963 -4.811352704, 0.9074 -4.098269308,
0.9119 -3.66174277, 0.9228 -3.2644011
"""
FILIP_CERTIFIED = """
-1467.48961422980 -2772.17959193342 -2316.37108160893 -1127.97394098372 -354.478233703349 -75.1242017393757
-10.8753180355343 -1.06221498588947 -0.0670191154593408 -0.00246781078275479 -0.0000402962525080404
"""
LONGLEY_CERTIFIED = """
-3482258.63459582 15.0618722713733 -0.0358191792925910 -2.02022980381683 -1.03322686717359 -0.0511041056535807
1829.15146461355
"""


NOTE = (
    f"Counted against {WORKING}-digit arithmetic on the columns as double precision holds them; that solution agrees "
    "with the certified coefficients to {:.1f} digits."
)


def certificate(text):
    return np.array(text.split(), dtype=float)


def longley():
    data = sm.datasets.longley.load_pandas()
    return data.exog.to_numpy(), data.endog.to_numpy()


def filip():
    y, x = np.array(FILIP.replace(",", " ").split(), dtype=float).reshape(-1, 2).T
    return np.vander(x, 11, increasing=True)[:, 1:], y


def exact(X, y):
    """Return intercept and slopes, and the hat matrix, of the numbers as they stand in X and y."""
    with mpmath.workdps(WORKING):
        A, b = mpmath.matrix(with_ones(X).tolist()), mpmath.matrix(y.tolist())
        inverse = mpmath.inverse(A.T * A)
        return np.array((inverse * (A.T * b)).tolist(), float).ravel(), np.array((A * inverse * A.T).tolist(), float)


def with_ones(X):
    return np.column_stack([np.ones(len(X)), X])


def digits_of_each(found, truth):
    """Return the log relative error of the worst coefficient, between 0 and 15."""
    return log_relative_error(np.max(np.abs(found - truth) / np.abs(truth)))


def digits_of_all(found, truth):
    """Return the log error of the worst weight relative to the largest one: many weights are next to nothing."""
    return log_relative_error(np.max(np.abs(found - truth)) / np.max(np.abs(truth)))


def log_relative_error(error):
    return float(np.clip(-np.log10(max(error, 10.0**-MOST)), 0.0, MOST))


# --- the contenders: each takes the columns without ones, and one target or the identity ------------------------------


def ours(X, y):
    """Return intercept and slopes; the weights need no targets."""
    fit = spectrum(X, centre=True).coefficients(y, ridge=0.0)
    return np.concatenate([[fit.intercept], fit.coef])


def scikit_learn(X, y):
    model = LinearRegression().fit(X, y)
    return np.concatenate([[model.intercept_], model.coef_])


def statsmodels(method):
    def fit(X, y):
        model = sm.OLS(y, with_ones(X))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SingularMatrixWarning)  # it is right about doubles, wrong about the data
            return model.fit(method=method)

    return (
        lambda X, y: fit(X, y).params,
        lambda X: np.column_stack([fit(X, target).fittedvalues for target in np.eye(len(X))]),
    )


def by_columns(lstsq):
    """Return coefficients and weights by a function that solves least squares for many targets."""
    return lambda X, y: lstsq(with_ones(X), y)[0], lambda X: with_ones(X) @ lstsq(with_ones(X), np.eye(len(X)))[0]


OURS = "regattn"
CONTENDERS = {
    OURS: (ours, lambda X: spectrum(X, centre=True).weights()),
    "numpy lstsq": by_columns(np.linalg.lstsq),
    "SciPy lstsq": by_columns(scipy.linalg.lstsq),
    "SciPy lstsq, gelsy": by_columns(lambda A, y: scipy.linalg.lstsq(A, y, lapack_driver="gelsy")),
    "statsmodels OLS, pinv": statsmodels("pinv"),
    "statsmodels OLS, qr": statsmodels("qr"),
    "scikit-learn LinearRegression": (scikit_learn, lambda X: LinearRegression().fit(X, np.eye(len(X))).predict(X)),
}


# --- the cases --------------------------------------------------------------------------------------------------------


def row(name, digits):
    low, middle, high = np.percentile(digits, [25, 50, 75])
    found = {"digits": float(middle), "digits_low": float(low), "digits_high": float(high)}
    return {"contender": name, "ours": name == OURS} | found | {"runs": len(digits)}


def count(X, y, coefficients, weights, orders):
    """Return rows for the coefficients and rows for the weights, with the digits of the median order of the rows."""
    rng = np.random.default_rng(0)
    sequences = [np.arange(len(X))] + [rng.permutation(len(X)) for _ in range(orders - 1)]
    tables = [], []
    for name, (coefficients_by, weights_by) in CONTENDERS.items():
        of_coefficients = [digits_of_each(coefficients_by(X[order], y[order]), coefficients) for order in sequences]
        of_weights = [digits_of_all(weights_by(X[order]), weights[np.ix_(order, order)]) for order in sequences]
        tables[0].append(row(name, of_coefficients))
        tables[1].append(row(name, of_weights))
    return tables


def measure(*, orders=ORDERS):
    cases = []
    for name, (X, y), certified, least in (
        ("Longley", longley(), LONGLEY_CERTIFIED, 13.0),
        ("Filip, a polynomial of degree 10", filip(), FILIP_CERTIFIED, 7.4),
    ):
        solution, hat = exact(X, y)
        left = digits_of_each(solution, certificate(certified))
        of_coefficients, of_weights = count(X, y, solution, hat, orders)
        digits = next(row["digits"] for row in of_coefficients if row["ours"])
        aim = goal(f"≥ {least:g} digits of every coefficient", digits, least=least)
        cases += [
            {"case": f"{name}: coefficients", "rows": of_coefficients, "goals": [aim], "note": NOTE.format(left)},
            {"case": f"{name}: weights", "rows": of_weights, "goals": []},
        ]
    return cases


def main():
    write("digits", "Digits of least squares that survive", measure(), "scikit-learn", "statsmodels", "mpmath")


if __name__ == "__main__":
    main()
