"""Faults in, refusals or right numbers out: least squares, descent, codes, comparisons, positions, lags, estimator."""

import warnings

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import assume, given, strategies as st
from sklearn.dummy import DummyRegressor
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

from regattn.regression import (
    AttentionRegressor,
    NetworkClassifier,
    batches,
    convolution_matrix,
    curvatures,
    embedding_after,
    embedding_descent,
    embedding_gradient,
    embedding_limit,
    embedding_loss,
    gradient,
    gradient_descent,
    identified_directions,
    kernel_ridge_codes,
    largest_embedding_step,
    largest_stable_step,
    least_squares_codes,
    make_network,
    map_error,
    mean_squared_error,
    network_descent,
    numerical_gradient,
    proximity_weights,
    reliability,
    scale_and_alignment,
    spectrum,
    stochastic_gradient_descent,
    target_error,
)
from regattn.regression.classification import Network
from regattn.series import corrected_t_test, diebold_mariano, expanding_window_forecasts, lag_matrix
from regattn.transformer import alibi_columns, alibi_slopes, frequencies, rotate, sinusoidal_positions
from tests.bad_inputs.inputs import ODD, REFUSED, many, matrices, outcome

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main

X, Y = np.random.default_rng(3).normal(size=(7, 2)), np.arange(7.0)


def _all_of(s, ridge=0.0):
    y = np.arange(len(s.scores), dtype=float)
    methods = [s.filter, s.embedding, s.omega, s.codes, s.weights, s.leverage, s.effective_dof]
    return [m(ridge=ridge) for m in methods] + [s.predict(None, y, ridge=ridge), *s.coefficients(y, ridge=ridge)]


def _rows(x):
    return np.arange(float(np.shape(x)[0] if np.ndim(x) else 1))


def _columns(x):
    return np.ones(np.shape(x)[1] if np.ndim(x) > 1 else 1)


def linear(a, b):
    return a @ b.T


ENTRANCES = {
    "spectrum": lambda x: _all_of(spectrum(x, centre=False)),
    "spectrum, centred": lambda x: _all_of(spectrum(x, centre=True), 0.5),
    "tolerance": lambda x: spectrum(X, tolerance=x, centre=False),
    "proximity_weights": lambda x: proximity_weights(x, x, centre=False),
    "proximity_weights, new rows": lambda x: proximity_weights(np.eye(3), x, centre=False),
    "scale_and_alignment": lambda x: scale_and_alignment(x, x),
    "ridge": lambda x: spectrum(X, centre=False).weights(ridge=x),
    "rank": lambda x: spectrum(X, centre=False).weights(rank=x),
    "targets": lambda x: spectrum(X[:3], centre=False).predict(X, x),
    "coefficients": lambda x: spectrum(X[:3], centre=True).coefficients(x),
    "loo_residuals": lambda x: spectrum(X[:5], centre=False).loo_residuals(x),
    "mean_squared_error": lambda x: mean_squared_error(x, _rows(x), _columns(x)),
    "gradient": lambda x: gradient(x, _rows(x), _columns(x)),
    "numerical_gradient": lambda x: numerical_gradient(lambda t: float(t @ t), x),
    "curvatures": curvatures,
    "largest_stable_step": largest_stable_step,
    "gradient_descent": lambda x: gradient_descent(x, _rows(x), learning_rate=0.1, steps=4),
    "gradient_descent, y": lambda x: gradient_descent(np.ones((3, 1)), x, learning_rate=0.1, steps=4),
    "gradient_descent, start": lambda x: gradient_descent(X, Y, start=x, learning_rate=0.1, steps=4),
    "gradient_descent, step size": lambda x: gradient_descent(X, Y, learning_rate=x, steps=4),
    "gradient_descent, sign": lambda x: gradient_descent(X, Y, learning_rate=0.1, steps=4, sign=x),
    "gradient_descent, steps": lambda x: gradient_descent(
        X, Y, learning_rate=0.1, steps=0 if isinstance(x, int) else x
    ),
    "embedding_loss": lambda x: embedding_loss(x, _rows(x), np.eye(np.shape(x)[1] if np.ndim(x) > 1 else 1)),
    "embedding_loss, Y": lambda x: embedding_loss(np.eye(3), x, np.eye(3)),
    "embedding_gradient, Ω": lambda x: embedding_gradient(X, Y, x),
    "embedding_limit": lambda x: embedding_limit(x, _rows(x)),
    "embedding_limit, Y": lambda x: embedding_limit(np.eye(3), x),
    "embedding_limit, start": lambda x: embedding_limit(X, Y, start=x),
    "embedding_descent": lambda x: embedding_descent(x, _rows(x), learning_rate=0.1, steps=4),
    "embedding_descent, Y": lambda x: embedding_descent(np.eye(3), x, learning_rate=0.1, steps=4),
    "embedding_descent, start": lambda x: embedding_descent(X, Y, learning_rate=0.1, steps=4, start=x),
    "embedding_descent, factors": lambda x: embedding_descent(X, Y, learning_rate=0.1, steps=4, start=(x, x)),
    "embedding_descent, step size": lambda x: embedding_descent(X, Y, learning_rate=x, steps=4),
    "embedding_descent, decay": lambda x: embedding_descent(X, Y, learning_rate=0.1, steps=4, weight_decay=x),
    "largest_embedding_step": lambda x: largest_embedding_step(x, _rows(x)),
    "identified_directions": lambda x: identified_directions(x, _rows(x)),
    "map_error": lambda x: map_error(X, x),
    "target_error": lambda x: target_error(X, x, Y),
    "target_error, target": lambda x: target_error(np.eye(3), np.eye(3), x),
    "embedding_after": lambda x: embedding_after(x, _rows(x), steps=4),
    "embedding_after, Y": lambda x: embedding_after(np.eye(3), x, steps=4),
    "embedding_after, step size": lambda x: embedding_after(X, Y, steps=4, learning_rate=x),
    "batches": lambda x: stochastic_gradient_descent(X, Y, x, learning_rate=0.1),
    "batch sizes": lambda x: list(batches(7, batch_size=x, steps=2, rng=np.random.default_rng(0))),
    "Network": lambda x: Network(((x, np.zeros(1)),)).logits(np.ones((1, 3))),
    "Network, bias": lambda x: Network(((np.ones((1, 3)), x),)).logits(np.ones((1, 3))),
    "Network, rows": lambda x: make_network((3,), rng=np.random.default_rng(0)).probabilities(x),
    "Network, classes": lambda x: make_network((3,), rng=np.random.default_rng(0)).loss(np.ones((3, 3)), x),
    "make_network": lambda x: make_network((3, x), rng=np.random.default_rng(0)).parameters,
    "network_descent": lambda x: network_descent(
        make_network((3, 2), rng=np.random.default_rng(0)), x, _rows(x) > 0, learning_rate=0.1, steps=4
    ),
    "network_descent, step size": lambda x: network_descent(
        make_network((3,), rng=np.random.default_rng(0)), np.eye(3), [0, 1, 1], learning_rate=x, steps=4
    ),
    "network_descent, decay": lambda x: network_descent(
        make_network((3,), rng=np.random.default_rng(0)),
        np.eye(3),
        [0, 1, 1],
        learning_rate=1.0,
        steps=4,
        weight_decay=x,
    ),
    "reliability": lambda x: reliability(x, [0, 1, 1], bins=2),
    "reliability, outcomes": lambda x: reliability([0.1, 0.5, 0.7], x, bins=2),
    "reliability, level": lambda x: reliability([0.1, 0.5, 0.7], [0, 1, 1], bins=2, level=x),
    "convolution_matrix": lambda x: convolution_matrix(x, (9, 9)),
    "least_squares_codes": lambda x: least_squares_codes(x, x, ridge=0.1),
    "kernel_ridge_codes": lambda x: kernel_ridge_codes(x, x, covariance=linear, ridge=0.1),
    "covariance": lambda x: kernel_ridge_codes(X[:3], X, covariance=lambda a, b: x, ridge=0.1),
    "expanding_window_forecasts": lambda x: expanding_window_forecasts(DummyRegressor(), x, _rows(x), start=2),
    "diebold_mariano": lambda x: diebold_mariano(x, np.ones(3)),
    "corrected_t_test": lambda x: corrected_t_test(np.arange(3.0), x, test_share=0.2),
    "sinusoidal_positions": lambda x: sinusoidal_positions(x, 4),
    "frequencies": frequencies,
    "base": lambda x: frequencies(80, base=x),
    "rotate": lambda x: rotate(x, range(3)),
    "rotate, positions": lambda x: rotate(np.ones((3, 2)), x),
    "alibi_slopes": lambda x: alibi_slopes(0 if isinstance(x, int) else x),
    "alibi_columns": lambda x: alibi_columns(x, [0, 1], x),
    "lag_matrix": lambda x: lag_matrix(x, max_lag=2),
    "max_lag": lambda x: lag_matrix(pd.DataFrame(X), max_lag=x),
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_odd_inputs_are_refused_or_answered(entrance):
    for odd in ODD.values():
        outcome(ENTRANCES[entrance], odd())


@pytest.mark.parametrize("kernel", ["softmax", "relu", "exponential", "gaussian", "identity"])
def test_the_estimator_refuses_odd_inputs_or_fits_them(kernel):
    def fitted(X, y):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ConvergenceWarning)  # documented
            return AttentionRegressor(kernel=kernel, max_iter=3, random_state=0).fit(X, y)

    def predicted(x):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X has feature names")  # scikit-learn's own
            return model.predict(x)

    model = fitted(X, Y)
    for name, odd in ODD.items():
        outcome(predicted, odd())
        outcome(lambda x: fitted(X[:3], x).predict(X), odd())
        if "sparse" not in name:  # scikit-learn's own counting of rows refuses these
            outcome(lambda x: fitted(x, np.random.default_rng(0).normal(size=len(x))).predict(x), odd())


@many(500)
@given(st.data())
def test_hat_matrices_of_any_design_are_refused_or_projections(data):
    design = data.draw(matrices())
    found = outcome(lambda x: (lambda s: (s.rank, s.weights(), *_all_of(s)))(spectrum(x, centre=False)), design)
    if found is REFUSED:
        sizes = np.abs(design.astype(float)).max(axis=0)
        assert (
            not np.isfinite(sizes).all()
            or not sizes.any()
            or ((sizes > 1e100) | ((sizes > 0) & (sizes < 1e-100))).any()
        )
        return
    rank, hat = found[:2]
    assert 1 <= rank <= min(design.shape)
    np.testing.assert_allclose(hat, hat.T, atol=1e-12)
    np.testing.assert_allclose(hat @ hat, hat, atol=1e-10)
    np.testing.assert_allclose(np.trace(hat), rank, atol=1e-10)
    units = np.abs(design.astype(float)).max(axis=0)
    scaled = design / np.where(units > 0, units, 1.0)
    left, s, _ = np.linalg.svd(scaled, full_matrices=False)  # the hat matrix knows no units
    if rank == (s > 1e-6 * s[0]).sum() == (s > 0).sum():
        np.testing.assert_allclose(hat, left[:, s > 0] @ left[:, s > 0].T, atol=1e-8)


@many(300)
@given(st.data())
def test_predictions_do_not_depend_on_the_units_of_the_inputs(data):
    n, p = data.draw(st.integers(3, 6)), data.draw(st.integers(1, 2))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    design, new, y = rng.normal(size=(n, p)), rng.normal(size=(2, p)), rng.normal(size=n)
    unit, ridge = 2.0 ** data.draw(st.integers(-300, 300)), data.draw(st.sampled_from([0.0, 0.7]))
    assume(np.linalg.cond(design - design.mean(axis=0)) < 1e3)
    for centre in (False, True):
        expected = spectrum(design, centre=centre).predict(new, y, ridge=ridge)
        found = outcome(
            lambda X, new, centre=centre: spectrum(X, centre=centre).predict(new, y, ridge=ridge * unit**2),
            design * unit,
            new * unit,
        )
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@many(400)
@given(st.data())
def test_descent_on_any_problem_keeps_finite_numbers_and_says_where_it_diverged(data):
    design = data.draw(matrices(exponents=data.draw(st.sampled_from([1, 150]))))
    y = data.draw(matrices(rows=len(design), columns=1))[:, 0]
    rate = 10.0 ** data.draw(st.integers(-320, 308))
    path = outcome(lambda X, y: gradient_descent(X, y, learning_rate=rate, steps=6), design, y)
    if path is REFUSED:
        return
    assert len(path.losses) == len(path.parameters) == len(path.learning_rates) + 1
    assert path.diverged_at == (None if len(path.losses) == 7 else len(path.losses))


@many(300)
@given(st.data())
def test_comparisons_of_errors_do_not_depend_on_units(data):
    errors = np.random.default_rng(data.draw(st.integers(0, 2**32))).normal(size=(2, data.draw(st.integers(4, 9))))
    unit = 2.0 ** data.draw(st.integers(-1000, 500))
    for test, power in (
        (lambda a, b: diebold_mariano(a, b, max_lag=0), 2),
        (lambda a, b: corrected_t_test(a, b, test_share=0.3), 1),
    ):
        expected, found = test(*errors), outcome(test, *(errors * unit))
        np.testing.assert_allclose([found.statistic, found.p_value], [expected.statistic, expected.p_value])
        assert found.difference == pytest.approx(expected.difference * unit**power, abs=0.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: spectrum(X * 1e-200, centre=False),
            "between 1e-100 and 1e100 in size, got .*e-20. in column 0; change its units",
        ),
        (lambda: spectrum([[1e200]], centre=False), "X is too large to be squared, got 1e\\+200"),
        (lambda: proximity_weights([[1.0]], [[1.0]], ridge=10**400, centre=False), "ridge must be a finite number"),
        (lambda: spectrum(X, centre=False).filter(ridge=1j), r"ridge must be a real number or several, got 1j"),
        (lambda: spectrum(torch.ones(2, 1).requires_grad_(), centre=False), r"X requires grad, .* give X.detach\(\)"),
        (lambda: corrected_t_test([0.3, 0.7, 0.5], [0.2, 0.6, 0.4], test_share=0.5), "does not vary between splits"),
        (lambda: diebold_mariano([0.1, -0.1, 0.1], [0.3, 0.3, -0.3]), "does not vary, beyond rounding, from -0.08"),
        (lambda: lag_matrix(pd.DataFrame({"a": [1, 2], "a, 1 back": [3, 4]}), max_lag=1), "got 'a, 1 back' twice"),
        (
            lambda: lag_matrix([1.0, 2.0], max_lag=1),
            "must be a DataFrame, one column each, or a Series, got list: its index of dates",
        ),
        (lambda: numerical_gradient(lambda t: np.nan, [1.0]), "differences of the function must be finite, got nan"),
        (lambda: stochastic_gradient_descent(X, Y, [slice(9, 12)], learning_rate=0.1), "batch 0 must be a vector"),
        (lambda: kernel_ridge_codes(X, X, covariance=lambda a, b: 1.0, ridge=1.0), "must have two dimensions"),
        (
            lambda: kernel_ridge_codes(X, X, covariance=lambda a, b: np.ones((len(a), 1)), ridge=1.0),
            r"must have shape \(rows of a, rows of b\), got \(7, 1\), \(7, 1\)",
        ),
        (lambda: frequencies(80, base=5e-324), "frequencies with base 4.94066e-324 must be finite, got inf"),
    ],
)
def test_refusals_name_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_network_classifier_refuses_odd_inputs_or_fits_them():
    model = NetworkClassifier(torch.nn.Sequential(torch.nn.Linear(2, 2)), epochs=1)

    def answers(x):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X has feature names")  # scikit-learn's own
            return fitted.predict_proba(x), fitted.codes(x), fitted.predict(x)

    def refitted(y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataConversionWarning)  # scikit-learn's own: a column of classes
            return model.fit(X, y).predict_proba(X)

    for odd in ODD.values():
        fitted = model.fit(X, Y > 2)
        outcome(answers, odd())
        outcome(refitted, odd())


@pytest.mark.parametrize("kernel", ["softmax", "identity"])
def test_the_estimator_refuses_whole_numbers_beyond_every_float(kernel):
    model = AttentionRegressor(kernel=kernel, max_iter=3, penalty=1.0)
    for inputs in ([[[1], [10**400]], [1, 2]], [[[1], [2]], [1, -(10**400)]], [[[1], [10**400]], [[1], [10**400]]]):
        with pytest.raises(ValueError, match="X and y must hold numbers that a float can hold: int too large"):
            model.fit(*inputs)
    with pytest.raises(ValueError, match="X and y must hold numbers that a float can hold: int too large"):
        model.set_params(kernel="identity").fit(X, Y).predict([[10**400, 1]])


def test_one_row_and_one_column_are_enough():
    assert proximity_weights([[2.0]], [[3.0]], centre=False) == pytest.approx(1.5)
    assert spectrum([[2.0, 0.0]], centre=False).predict([[1.0, 5.0]], [4.0]) == pytest.approx(2.0)  # minimum norm
