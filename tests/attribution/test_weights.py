"""The weights of every family are held to what it predicts; in and out of tables, sparse, and held out."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, issparse
from sklearn import ensemble, linear_model, neighbors, tree
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from regattn import AttentionRegressor, observation_weights
from regattn.regression import Factor, spectrum
from regattn.series import autoregression
from tests.attribution.models import (
    CLASSIFIERS,
    COVARIANCE,
    DATA,
    EXACT,
    LOOSE,
    REGRESSORS,
    RIDGE,
    SINGLE,
    SUM_TO_ONE,
    data,
)
from tests.bad_inputs.inputs import ODD, outcome

X, Y, NEW = data("diabetes")
FRAME = pd.DataFrame(X, pd.period_range("1960-01", periods=len(X), freq="M"), [f"x{k}" for k in range(X.shape[1])])
OUTCOMES = pd.Series(Y, FRAME.index)
NEW_FRAME = pd.DataFrame(NEW, [f"new {j}" for j in range(len(NEW))], FRAME.columns)


def dense(weights):
    return weights.toarray() if issparse(weights) else np.asarray(weights)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("family", REGRESSORS)
def test_weights_times_outcomes_are_what_the_model_predicts(family, name, seed):
    X, y, new = data(name)
    model = REGRESSORS[family](seed).fit(X, y)
    weights = dense(observation_weights(model, X, new, y_train=y))
    expected = model.predict(new)
    miss = np.abs(weights @ y - expected) / (np.abs(weights) @ np.abs(y))
    assert miss.max() < (SINGLE if family in LOOSE else EXACT)
    if family in SUM_TO_ONE:
        np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-8)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("family", CLASSIFIERS)
def test_weights_average_classes_into_their_probabilities(family, name, seed):
    X, y, new = data(name)
    labels = np.array(["low", "middle", "high"])[np.searchsorted(np.quantile(y, [0.3, 0.7]), y)]
    model = CLASSIFIERS[family](seed).fit(X, labels)
    weights = dense(observation_weights(model, X, new, y_train=labels))
    np.testing.assert_allclose(weights @ (labels[:, None] == model.classes_), model.predict_proba(new), atol=1e-12)
    assert weights.min() >= 0


WEIGHTED = [
    "least squares", "ridge", "Bayesian ridge", "lasso", "tree", "forest", "extra trees", "boosting",
    "boosting by halves", "histogram boosting", "kernel ridge",
]  # fmt: skip


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("family", WEIGHTED)
def test_sample_weights_are_told_and_count(family, name):
    X, y, new = data(name)
    counts = np.random.default_rng(1).uniform(0.2, 3.0, len(X))
    model = REGRESSORS[family](0).fit(X, y, sample_weight=counts)
    weights = dense(observation_weights(model, X, new, y_train=y, sample_weight=counts))
    np.testing.assert_allclose(weights @ y, model.predict(new), rtol=1e-6, atol=1e-6)
    if family != "forest":  # its draws may follow the weights, and say so themselves
        with pytest.raises(ValueError, match=r"miss its predictions|hold other rows"):
            observation_weights(model, X, new, y_train=y)


def test_sample_weights_reach_the_last_step_of_a_pipeline():
    counts = pd.Series(np.linspace(1, 2, len(X)), FRAME.index)
    model = make_pipeline(StandardScaler(), linear_model.Ridge()).fit(FRAME, Y, ridge__sample_weight=counts)
    found = observation_weights(model, FRAME, NEW_FRAME, y_train=OUTCOMES[::-1], sample_weight=counts[::-1])
    np.testing.assert_allclose(found @ OUTCOMES, model.predict(NEW_FRAME))


@pytest.mark.parametrize("family", ["ridge", "forest", "neighbours", "principal components", "boosting", "votes"])
def test_tables_come_back_under_their_labels(family):
    model = REGRESSORS[family](0).fit(FRAME, OUTCOMES)
    found = observation_weights(model, FRAME, NEW_FRAME[FRAME.columns[::-1]], y_train=OUTCOMES[::-1])
    assert found.index.equals(NEW_FRAME.index)
    assert found.columns.equals(FRAME.index)
    np.testing.assert_allclose(found.to_numpy() @ Y, model.predict(NEW_FRAME))
    plain = observation_weights(REGRESSORS[family](0).fit(X, Y), X, NEW, y_train=Y, sparse=False)
    assert type(plain) is np.ndarray
    np.testing.assert_allclose(found, plain, atol=1e-12)
    assert observation_weights(model, X, NEW_FRAME).index.equals(NEW_FRAME.index)


def test_results_are_sparse_where_the_model_is_or_as_asked():
    ridge, forest = (REGRESSORS[family](0).fit(X, Y) for family in ("ridge", "forest"))
    assert isinstance(observation_weights(forest, X, NEW), csr_array)
    assert isinstance(observation_weights(forest, X, NEW, sparse=False), np.ndarray)
    assert isinstance(observation_weights(ridge, X, NEW), np.ndarray)
    assert isinstance(observation_weights(ridge, X, NEW, sparse=True), csr_array)
    table = observation_weights(REGRESSORS["forest"](0).fit(FRAME, Y), FRAME, NEW_FRAME)
    assert all(isinstance(kind, pd.SparseDtype) for kind in table.dtypes)


def refitted_without(model, i, counts=None):
    rest = np.arange(len(X)) != i
    told = {} if counts is None else {"sample_weight": counts[rest]}
    return clone(model).fit(X[rest], Y[rest], **told).predict(X[[i]])


@pytest.mark.parametrize(
    "family", ["least squares", "through the origin", "ridge", "kernel ridge", "Gaussian process", "neighbours",
               "neighbours by distance", "attention regression"]
)  # fmt: skip
def test_without_new_rows_each_row_is_predicted_by_a_model_fitted_to_the_others(family):
    model = REGRESSORS[family](0).fit(X, Y)
    weights = dense(observation_weights(model, X, y_train=Y))
    assert not np.diag(weights).any()
    expected = np.ravel([refitted_without(model, i) for i in range(0, len(X), 9)])
    np.testing.assert_allclose((weights @ Y)[::9], expected, rtol=1e-7)


def test_a_weighted_row_is_left_out_with_its_weight():
    counts, model = np.linspace(1, 3, len(X)), linear_model.Ridge(3.0)
    weights = observation_weights(model.fit(X, Y, counts), X, y_train=Y, sample_weight=counts)
    np.testing.assert_allclose((weights @ Y)[:5], np.ravel([refitted_without(model, i, counts) for i in range(5)]))


def test_a_forest_without_new_rows_is_out_of_bag():
    model = ensemble.RandomForestRegressor(80, oob_score=True, random_state=0).fit(FRAME, Y)
    weights = observation_weights(model, FRAME, y_train=Y)
    np.testing.assert_allclose(weights.to_numpy() @ Y, model.oob_prediction_)
    assert weights.index.equals(weights.columns)
    bags = ensemble.BaggingRegressor(n_estimators=60, oob_score=True, random_state=0).fit(X, Y)
    np.testing.assert_allclose(dense(observation_weights(bags, X, y_train=Y)) @ Y, bags.oob_prediction_)
    labels = Y > 140
    classifier = ensemble.RandomForestClassifier(80, oob_score=True, random_state=0).fit(X, labels)
    found = dense(observation_weights(classifier, X, y_train=labels))
    np.testing.assert_allclose(found @ (labels[:, None] == classifier.classes_), classifier.oob_decision_function_)


def test_a_learned_attention_regression_leaves_each_row_out_as_it_learned():
    pytest.importorskip("torch", reason="heads that learn need torch")
    model = AttentionRegressor(max_iter=5, random_state=0, tol=1.0).fit(X, Y)
    assert not np.diag(observation_weights(model, X)).any()
    np.testing.assert_allclose(observation_weights(model, X, NEW) @ Y, model.predict(NEW))


def test_several_targets_share_their_weights():
    both = np.column_stack([Y, Y**2])
    for model in (linear_model.Ridge(), ensemble.RandomForestRegressor(10), neighbors.KNeighborsRegressor(3)):
        found = observation_weights(model.fit(X, both), X, NEW, y_train=both)
        np.testing.assert_allclose(found @ both, model.predict(NEW))


def test_columns_of_text_go_through_a_pipeline_as_they_are():
    table = FRAME.assign(kind=np.where(X[:, 0] > 0, "up", "down"))
    new = NEW_FRAME.assign(kind="up")
    columns = make_column_transformer((OneHotEncoder(), ["kind"]), (StandardScaler(), ["x1", "x2"]))
    model = make_pipeline(columns, linear_model.Ridge()).fit(table, OUTCOMES)
    found = observation_weights(model, table, new[new.columns[::-1]], y_train=OUTCOMES)
    np.testing.assert_allclose(found @ OUTCOMES, model.predict(new))


def _holds_its_rows(forest, rows):
    """Return whether the trees count in their leaves what falls into them; with missing numbers not before 1.7."""
    drawn = [np.bincount(each, minlength=len(rows)) for each in forest.estimators_samples_]
    trees = [each.tree_ for each in forest.estimators_]
    counted = [
        np.bincount(t.apply(np.float32(rows)), d, minlength=t.node_count) for t, d in zip(trees, drawn, strict=True)
    ]
    ends = [t.children_left < 0 for t in trees]
    return all((c[e] == t.weighted_n_node_samples[e]).all() for c, t, e in zip(counted, trees, ends, strict=True))


def test_missing_numbers_go_where_a_model_takes_them():
    holes = np.where(np.random.default_rng(2).random(X.shape) < 0.1, np.nan, X)
    for family in ("forest", "histogram boosting", "tree"):
        model = REGRESSORS[family](0).fit(holes, Y)
        if family == "forest" and not _holds_its_rows(model, holes):
            with pytest.raises(ValueError, match="hold other rows than X_train"):
                observation_weights(model, holes, NEW, y_train=Y)
            continue
        found = dense(observation_weights(model, holes, NEW, y_train=Y))
        np.testing.assert_allclose(found @ Y, model.predict(NEW), rtol=1e-6)
        named = REGRESSORS[family](0).fit(FRAME.where(~np.isnan(holes)), Y)
        observation_weights(named, FRAME.where(~np.isnan(holes)), NEW_FRAME, y_train=Y)
    with pytest.raises(ValueError, match="X_train must be finite, got nan at index"):
        observation_weights(REGRESSORS["ridge"](0).fit(X, Y), holes, NEW)


def test_histograms_of_categories_have_their_own_leaves():
    kinds = pd.Categorical(np.array(list("abcd"))[np.digitize(X[:, 2], [-1, 0, 1])])
    table = pd.DataFrame({"x": X[:, 0], "kind": kinds.codes})
    model = ensemble.HistGradientBoostingRegressor(
        max_iter=20, categorical_features=[1], early_stopping=False, min_samples_leaf=5
    ).fit(table, Y)
    found = observation_weights(model, table, table.iloc[::3], y_train=Y)
    np.testing.assert_allclose(found.to_numpy() @ Y, model.predict(table.iloc[::3]), rtol=1e-6)


def test_linear_results_of_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    design, new = FRAME.assign(one=1.0), NEW_FRAME.assign(one=1.0)
    apart = np.abs(np.subtract.outer(np.arange(len(X)), np.arange(len(X))))
    for results in (
        api.OLS(OUTCOMES, design).fit(),
        api.WLS(OUTCOMES, design, weights=np.linspace(1, 2, len(X))).fit(),
        api.GLS(OUTCOMES, design, sigma=0.6**apart).fit(),
    ):
        found = observation_weights(results, design, new)
        np.testing.assert_allclose(found @ OUTCOMES, results.predict(new))
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        with pytest.raises(ValueError, match=r"X_train is not what \w+ was fitted to: row 3 differs"):
            observation_weights(
                results, design.where(lambda table: (table.index != table.index[3])[:, None].repeat(11, 1), 0.0), new
            )
    np.testing.assert_allclose(
        observation_weights(api.OLS(Y, api.add_constant(X)).fit(), api.add_constant(X)),
        observation_weights(linear_model.LinearRegression().fit(X, Y), X),
        atol=1e-10,
    )


WIDE = np.random.default_rng(6).normal(size=(20, 50))


@pytest.mark.parametrize(
    ("model", "X"),
    [
        (linear_model.LinearRegression(), WIDE),
        (linear_model.Ridge(1e-6), WIDE),
        (linear_model.LinearRegression(), np.c_[WIDE[:, :4], WIDE[:, 0]]),
        (linear_model.LinearRegression(), np.c_[WIDE[:, :4], WIDE[:, 0] + 1e-7 * WIDE[:, 5]]),
        (linear_model.LinearRegression(), 1237.5 + np.c_[np.arange(20.0), np.arange(20.0) ** 2 % 7, np.arange(20) - 1]),
        (linear_model.Ridge(0.0), WIDE[:, :4]),
        (linear_model.Lasso(100.0), WIDE),
        (linear_model.Lasso(0.1, fit_intercept=False, tol=1e-12), WIDE[:, :4]),
        (linear_model.Ridge(), 1e6 * WIDE),
        (tree.DecisionTreeRegressor(), np.ones((20, 1))),
        (ensemble.RandomForestRegressor(4, criterion="poisson"), WIDE),
        (ensemble.RandomForestRegressor(4, ccp_alpha=0.1), WIDE),
    ],
)
@pytest.mark.parametrize("outcomes", [Y[:20], np.full(20, 3.0)])
def test_wide_flat_and_collinear_rows_keep_the_promise(model, X, outcomes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # before 1.8 a lasso of flat outcomes says that it did not converge
        fitted = clone(model).fit(X, outcomes)
    found = dense(observation_weights(fitted, X, X[:3] + 0.1, y_train=outcomes))
    np.testing.assert_allclose(found @ outcomes, fitted.predict(X[:3] + 0.1), rtol=1e-7)


def test_a_solver_that_stopped_early_is_told():
    model = linear_model.Ridge(solver="sag", tol=0.1, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match=r"miss its predictions .* did its solver converge\?"):
        observation_weights(model, X, NEW, y_train=Y)


def test_an_autoregression_gives_the_weights_that_it_has():
    series = pd.DataFrame({"x": np.sin(np.arange(40.0)), "z": np.cos(np.arange(40.0) ** 2)})
    model = autoregression(series, max_lag=3)
    np.testing.assert_allclose(observation_weights(model, model.past, model.past), model.weights(), atol=1e-12)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", DATA)
def test_a_factorised_design_is_least_squares(name, seed):
    X, y, new = data(name)
    rows = np.random.default_rng(seed).permutation(len(X))
    X, y = X[rows], y[rows]
    expected = observation_weights(linear_model.LinearRegression().fit(X, y), X, new)
    folded = Factor.accumulate([(X[:50], y[:50]), (X[50:], y[50:])])
    for model in (spectrum(X), spectrum(X - X.mean(axis=0) + 1.0), folded):
        shift = 0 if model is folded or np.allclose(model.centre, X.mean(axis=0)) else X.mean(axis=0) - 1
        found = observation_weights(model, X - shift, new - shift, y_train=y)
        np.testing.assert_allclose(found, expected, atol=1e-10)
    np.testing.assert_allclose(
        observation_weights(folded, X), observation_weights(spectrum(X), X, y_train=y), atol=1e-9
    )


def test_a_factorised_table_is_asked_by_its_names():
    for model in (spectrum(FRAME), Factor.accumulate([(FRAME, OUTCOMES)])):
        found = observation_weights(model, FRAME, NEW_FRAME[FRAME.columns[::-1]], y_train=OUTCOMES)
        expected = linear_model.LinearRegression().fit(X, Y).predict(NEW)
        np.testing.assert_allclose(found @ OUTCOMES, expected)
    with pytest.raises(ValueError, match="X_train is not what Spectrum was fitted to: row 0 differs"):
        observation_weights(spectrum(X), X + 1.0, NEW)
    with pytest.raises(ValueError, match="it folded 130 rows, and X_train has 129 or others"):
        observation_weights(Factor.accumulate([(X, Y)]), X[1:], NEW)


REFUSALS = {
    "another class": (linear_model.HuberRegressor(), "HuberRegressor has no weights on observations that this package"),
    "medians": (
        ensemble.RandomForestRegressor(3, criterion="absolute_error"),
        r"RandomForestRegressor has no such weights: criterion='absolute_error' puts medians into leaves",
    ),
    "a tree of medians": (tree.DecisionTreeRegressor(criterion="absolute_error"), "puts medians into leaves"),
    "monotonic": (tree.DecisionTreeRegressor(monotonic_cst=[1] + [0] * 9), "monotonic_cst moves leaves"),
    "a loss": (ensemble.GradientBoostingRegressor(loss="huber"), "loss='huber' puts other things than means"),
    "a loss of histograms": (ensemble.HistGradientBoostingRegressor(loss="absolute_error"), "loss='absolute_error'"),
    "early stopping": (ensemble.HistGradientBoostingRegressor(early_stopping=True), "early stopping holds rows out"),
    "stopping": (ensemble.GradientBoostingRegressor(n_iter_no_change=2), "n_iter_no_change holds rows out"),
    "lost draws": (
        ensemble.GradientBoostingRegressor(subsample=0.5, n_estimators=3),
        "subsample=0.5 keeps no record of its draws, and random_state=None cannot draw them again",
    ),
    "signs": (linear_model.LinearRegression(positive=True), "positive=True keeps coefficients at zero"),
    "signs of a lasso": (linear_model.Lasso(0.1, positive=True), "positive=True keeps coefficients at zero"),
    "held-out rows": (
        AttentionRegressor(max_iter=2, tol=1.0, validation_fraction=0.3),
        "validation_fraction=0.3 held rows out",
    ),
    "logarithms": (
        TransformedTargetRegressor(RIDGE, func=np.log, inverse_func=np.exp),
        "FunctionTransformer bends the outcomes",
    ),
    "shifts": (
        TransformedTargetRegressor(KernelRidge(), transformer=MinMaxScaler()),
        "MinMaxScaler shifts the outcomes by .* and the weights of KernelRidge do not sum to one",
    ),
    "passed through": (
        ensemble.StackingRegressor([("ridge", RIDGE)], passthrough=True, cv=2),
        "passthrough=True lets it read the predictors",
    ),
    "a bent last layer": (
        ensemble.StackingRegressor([("ridge", RIDGE)], final_estimator=neighbors.KNeighborsRegressor(), cv=2),
        "its final estimator, KNeighborsRegressor, is not linear",
    ),
    "folds": (
        ensemble.StackingRegressor([("ridge", RIDGE)], cv=2),
        "its intercept is made of predictions across folds, which need the outcomes; give y_train",
    ),
    "several targets": (linear_model.MultiTaskLasso(0.1), "its penalty binds the coefficients of all targets"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_model_that_is_no_such_average_is_refused_with_the_reason(name):
    model, message = REFUSALS[name]
    if name == "held-out rows":
        pytest.importorskip("torch", reason="heads that learn need torch")
    y = np.column_stack([Y, Y]) if name == "several targets" else Y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(model).fit(X, y)
    with pytest.raises(ValueError, match=message):
        observation_weights(model, X, NEW)


def test_draws_that_are_not_those_of_the_fit_are_refused():
    model = ensemble.GradientBoostingRegressor(n_estimators=5, subsample=0.5, random_state=np.int64(3)).fit(X, Y)
    observation_weights(model, X, NEW, y_train=Y)
    with pytest.raises(ValueError, match=r"drawn again from random_state=4 are not those of tree 0"):
        observation_weights(model.set_params(random_state=4), X, NEW)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (tree.DecisionTreeRegressor(max_depth=2), "needs X_new: a tree has seen all its rows"),
        (ensemble.ExtraTreesRegressor(3), "needs X_new: with bootstrap=False every tree has seen all rows"),
        (ensemble.RandomForestRegressor(1, random_state=0), r"row \d+ of X_train was drawn by every tree"),
        (ensemble.GradientBoostingRegressor(n_estimators=3), "needs X_new: it keeps no record"),
        (linear_model.Lasso(0.1), "needs X_new: its active set would be another"),
        (GaussianProcessRegressor(COVARIANCE, optimizer=None, normalize_y=True), "needs X_new: normalize_y=True"),
        (ensemble.VotingRegressor([("a", RIDGE), ("b", linear_model.Lasso())]), "needs X_new: its active set"),
    ],
)
def test_a_model_that_cannot_leave_rows_out_says_why(model, message):
    with pytest.raises(ValueError, match=message):
        observation_weights(clone(model).fit(X, Y), X)


@pytest.mark.parametrize("change", [StandardScaler(), StandardScaler(with_mean=False), MinMaxScaler()])
@pytest.mark.parametrize("penalty", [None, 0.01, 1.0, 100.0])
def test_rows_are_left_out_behind_a_change_of_outcomes_only_where_its_level_does_not_matter(penalty, change):
    ones = np.c_[X, np.ones(len(X))]  # with a penalty on it weights sum to about one, and to less the larger that is
    inner = RIDGE if penalty is None else linear_model.Ridge(penalty, fit_intercept=False)
    model = TransformedTargetRegressor(inner, transformer=change).fit(ones, Y)
    if penalty is None or not getattr(change, "with_mean", True):
        plain = observation_weights(clone(inner).fit(ones, Y), ones)
        np.testing.assert_allclose(observation_weights(model, ones), plain, atol=1e-12)
    else:
        with pytest.raises(ValueError, match=f"{type(change).__name__} was fitted to all outcomes; give X_new"):
            observation_weights(model, ones)


def test_a_row_that_is_fitted_by_itself_alone_cannot_be_left_out():
    alone = np.column_stack([X[:, :2], np.arange(len(X)) == 3])
    model = linear_model.LinearRegression().fit(alone, Y)
    with pytest.raises(ValueError, match="row 3 of X_train is fitted by itself alone"):
        observation_weights(model, alone)


RIDGE_FIT = linear_model.Ridge().fit(FRAME, Y)
FOREST_FIT = ensemble.RandomForestClassifier(5, random_state=0).fit(X, Y > 140)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: observation_weights(linear_model.Ridge(), X), r"model must be fitted, got Ridge\(\)"),
        (lambda: observation_weights(linear_model.Ridge, X), "must be a fitted model, got the class Ridge"),
        (lambda: observation_weights("ridge", X), "str has no weights on observations"),
        (lambda: observation_weights(RIDGE_FIT, FRAME, NEW_FRAME, sparse="yes"), "sparse must be .*, got 'yes'"),
        (lambda: observation_weights(RIDGE_FIT, X[:, :3], NEW), "X_train has 3 columns but Ridge was fitted to 10"),
        (lambda: observation_weights(RIDGE_FIT, X, NEW[:, :3]), "X_new has 3 columns but Ridge was fitted to 10"),
        (lambda: observation_weights(RIDGE_FIT, X[0], NEW), "X_train must have two dimensions"),
        (lambda: observation_weights(RIDGE_FIT, FRAME["x0"], NEW), "X_train must have two dimensions"),
        (
            lambda: observation_weights(RIDGE_FIT, FRAME.rename(columns={"x3": "age"}), NEW),
            "the columns of X_train are not those Ridge was fitted to: x3 is missing, age is not among them",
        ),
        (
            lambda: observation_weights(
                RIDGE_FIT, FRAME.reindex(FRAME.index.delete(4)).reindex(FRAME.index), NEW_FRAME
            ),
            "X_train, column x0, row 1960-05: nan is not finite",
        ),
        (lambda: observation_weights(RIDGE_FIT, FRAME, NEW_FRAME.astype(str)), "X_new, column x0, row new 0: .* text"),
        (lambda: observation_weights(RIDGE_FIT, FRAME, NEW_FRAME, y_train=Y[1:]), "y_train has 129 entries but"),
        (
            lambda: observation_weights(RIDGE_FIT, X, NEW, y_train=np.c_[Y, Y]),
            r"y_train has shape \(130, 2\) but Ridge",
        ),
        (
            lambda: observation_weights(RIDGE_FIT, FRAME, NEW_FRAME, y_train=OUTCOMES.set_axis(FRAME.index + 1)),
            "the rows of y_train are not those of X_train: 1960-01 is missing",
        ),
        (lambda: observation_weights(RIDGE_FIT, X, NEW, y_train=Y + 1.0 * (X[:, 0] > 0)), "miss its predictions by up"),
        (lambda: observation_weights(RIDGE_FIT, X[::-1], NEW, y_train=Y), "miss its predictions by up to .* in row"),
        (
            lambda: observation_weights(RIDGE_FIT, X, NEW, sample_weight=-Y),
            "sample_weight must be ≥ 0 and not all zero",
        ),
        (lambda: observation_weights(RIDGE_FIT, X, NEW, sample_weight=Y[:3]), "sample_weight has 3 entries but"),
        (lambda: observation_weights(FOREST_FIT, X, NEW, y_train=Y), "is not a class of the model"),
        (lambda: observation_weights(FOREST_FIT, X, NEW, y_train=Y[:3]), r"y_train must have shape \(130,\)"),
        (lambda: observation_weights(FOREST_FIT, X[:50], NEW), "was fitted to more rows than the 50 of X_train"),
        (lambda: observation_weights(FOREST_FIT, X[::-1], NEW), "hold other rows than X_train|was fitted to a total"),
        (
            lambda: observation_weights(neighbors.KNeighborsRegressor().fit(X, Y), X[:50], NEW),
            "X_train has 50 rows but KNeighborsRegressor was fitted to 130",
        ),
        (
            lambda: observation_weights(neighbors.KNeighborsRegressor().fit(X, Y), X, NEW, sample_weight=Y),
            "KNeighborsRegressor has no such weights: sample_weight was given",
        ),
    ],
)
def test_refusals_name_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("family", ["ridge", "forest", "neighbours", "histogram boosting", "principal components"])
def test_odd_inputs_are_refused_or_answered(family):
    model = REGRESSORS[family](0).fit(X[:, :2], Y)
    for odd in ODD.values():
        outcome(lambda x: observation_weights(model, x, X[:, :2]), odd())
        outcome(lambda x: observation_weights(model, X[:, :2], x), odd())
        outcome(lambda y: observation_weights(model, X[:, :2], NEW[:, :2], y_train=y), odd())
        outcome(lambda each: observation_weights(model, X[:, :2], NEW[:, :2], sample_weight=each), odd())
        outcome(lambda each: observation_weights(each, X, NEW), odd())


def test_weights_change_no_input():
    inputs = X.copy(), NEW.copy(), Y.copy()
    model = REGRESSORS["boosting"](0).fit(X, Y)
    observation_weights(model, inputs[0], inputs[1], y_train=inputs[2])
    for found, expected in zip(inputs, (X, NEW, Y), strict=True):
        np.testing.assert_array_equal(found, expected)
