"""One way in and out for tables: every public function of regression, given numbers in every form they come in."""

import subprocess
import sys
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
import pyarrow
import pytest
from hypothesis import given, settings, strategies as st
from scipy import sparse
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge

from regattn import attend, attention_weights, observation_weights
from regattn._tables import matched, named, read_table, read_targets
from regattn.data import load_seven_words
from regattn.regression import (
    AttentionRegressor,
    Factor,
    LinearLayers,
    curvatures,
    design_flow,
    embedding_after,
    embedding_gradient,
    embedding_limit,
    embedding_loss,
    forest_codes,
    gradient,
    gradient_descent,
    identified_directions,
    kernel_ridge_codes,
    largest_stable_step,
    least_squares_codes,
    make_network,
    map_error,
    mean_squared_error,
    proximity_weights,
    reliability,
    scale_and_alignment,
    spectrum,
    target_error,
    weights_on_context,
)
from regattn.series import autoregression, corrected_t_test, diebold_mariano, lag_matrix
from regattn.words import (
    Vocabulary,
    context_weights,
    count_cooccurrences,
    nearest_words,
    normalise_rows,
    ppmi,
    predict_next,
    project,
    vocabulary_scores,
    word_vectors,
)

N, M = 13, 5
DATES = pd.period_range("1993-01", periods=N, freq="M")
RNG = np.random.default_rng(13)
X = pd.DataFrame(RNG.normal(size=(N, 3)).round(2), DATES, ["size", "price", "rate"])
X_NEW = pd.DataFrame(RNG.normal(size=(M, 3)).round(2), list("vwxyz"), X.columns)
Y = pd.Series((X.to_numpy() @ [1.0, -2.0, 0.5] > 0).astype(float), DATES)
FOREST = RandomForestRegressor(5, random_state=0).fit(X, Y)
RIDGE = Ridge().fit(X, Y)
LAYERS = LinearLayers(2, 3, rng=0)


def forest_weights(X, y, X_new):
    return attention_weights(*forest_codes(FOREST, X, X_new), kernel="identity")


CALLS = {
    "spectrum": lambda X, y, new: spectrum(X).weights(),
    "weights": lambda X, y, new: spectrum(X).weights(new, ridge=[0.1, 1.0]),
    "codes": lambda X, y, new: spectrum(X).codes(new, ridge=0.1),
    "predict": lambda X, y, new: spectrum(X).predict(new, y, ridge=0.1),
    "predictor": lambda X, y, new: spectrum(X).predictor(new, y)(ridge=[0.1, 1.0]),
    "other rows": lambda X, y, new: spectrum(X).predictor(None, y).at(new)(ridge=[0.1, 1.0]),
    "coefficients": lambda X, y, new: spectrum(X).coefficients(y, ridge=[0.1, 1.0]).coef,
    "leave-one-out": lambda X, y, new: spectrum(X).loo_residuals(y, ridge=0.1),
    "leverage": lambda X, y, new: spectrum(X).leverage(),
    "omega": lambda X, y, new: spectrum(X, centre=False).omega(ridge=[0.1, 1.0]),
    "proximity_weights": lambda X, y, new: proximity_weights(X, new),
    "observation_weights": lambda X, y, new: observation_weights(RIDGE, X, new, y_train=y),
    "Factor": lambda X, y, new: Factor.accumulate([(X, y)]).coefficients(ridge=0.1).coef,
    "Factor.weights": lambda X, y, new: Factor.accumulate([(X, y)]).weights(new, X),
    "Factor.loo_residuals": lambda X, y, new: Factor.accumulate([(X, y)]).loo_residuals(X, y),
    "Factor.leverage": lambda X, y, new: Factor.accumulate([(X, y)]).leverage(X),
    "forest_codes": forest_weights,
    "least_squares_codes": lambda X, y, new: np.vstack(least_squares_codes(X, new)),
    "kernel_ridge_codes": lambda X, y, new: kernel_ridge_codes(X, new, covariance=np.inner, ridge=1.0).queries,
    "estimator": lambda X, y, new: AttentionRegressor(kernel="identity").fit(X, y).predict(X),
    "attention_weights": lambda X, y, new: AttentionRegressor(tol=0.1, random_state=0).fit(X, y).attention_weights(X),
    "mean_squared_error": lambda X, y, new: mean_squared_error(X, y, [1.0, 2.0, 3.0]),
    "gradient": lambda X, y, new: gradient(X, y, [1.0, 2.0, 3.0]),
    "curvatures": lambda X, y, new: curvatures(X),
    "largest_stable_step": lambda X, y, new: largest_stable_step(X),
    "gradient_descent": lambda X, y, new: gradient_descent(X, y, learning_rate=0.01, steps=3).parameters,
    "embedding_loss": lambda X, y, new: embedding_loss(X, y, np.eye(3)),
    "embedding_gradient": lambda X, y, new: embedding_gradient(X, y, np.eye(3)),
    "embedding_limit": lambda X, y, new: embedding_limit(X, y),
    "embedding_after": lambda X, y, new: embedding_after(X, y, steps=3),
    "identified_directions": lambda X, y, new: identified_directions(X, y).shares,
    "map_error": lambda X, y, new: map_error(X, np.eye(3)),
    "target_error": lambda X, y, new: target_error(X, np.eye(3), y),
    "scale_and_alignment": lambda X, y, new: np.asarray(scale_and_alignment(new, X)),
    "network": lambda X, y, new: make_network((3, 2)).probabilities(X),
    "network's loss": lambda X, y, new: make_network((3, 2)).loss(X, y),
    "weights_on_context": lambda X, y, new: weights_on_context(LAYERS, X, new),
    "attend": lambda X, y, new: attend(new, X, y),
    "attention": lambda X, y, new: attention_weights(new, X, kernel="gaussian"),
    "design_flow": lambda X, y, new: design_flow(X, noise=1.0, target="own", steps=5, learning_rate=1e-4),
}

EQUAL = {
    "frame": (X, Y, X_NEW),
    "frame of new rows in another order": (X, Y, X_NEW[["rate", "size", "price"]]),
    "targets in another order": (X, Y[::-1], X_NEW),
    "nullable": (X.astype("Float64"), Y.astype("Int64"), X_NEW.astype("Float64")),
    "objects": (X.astype(object), Y.astype(object), X_NEW.astype(object)),
    "one nullable column": (X.astype({"price": "Float64"}), Y.astype(bool), X_NEW),
    "array of objects": (X.to_numpy(object), Y.to_numpy(object), X_NEW.to_numpy(object)),
    "another library": tuple(pyarrow.Table.from_pandas(t, preserve_index=False) for t in (X, X_NEW)),
}


@pytest.mark.parametrize("form", EQUAL)
@pytest.mark.parametrize("name", CALLS)
def test_the_form_of_numbers_changes_no_number(name, form):
    table, *y, new = EQUAL[form]
    found = CALLS[name](table, y[0] if y else Y.to_numpy(), new)
    expected = CALLS[name](X.to_numpy(), Y.to_numpy(), X_NEW.to_numpy())
    # sums of the columns of a frame, which lie side by side in memory, are rounded otherwise
    np.testing.assert_allclose(np.ravel(found), np.ravel(expected), rtol=1e-9, atol=1e-12)


def with_price(values):
    return X.assign(price=pd.Series(values, DATES))


REFUSED = {
    "text": (with_price(["1", "n/a", *"34567890123"]), r"column price, row 1993-02: 'n/a' is not a number$"),
    "a comma": (with_price(["1,5", *"234567890123"]), r"column price, row 1993-01: '1,5' is .*; decimal comma\?"),
    "missing": (X.mask(X.eq(X.loc["1993-04", "price"])), r"column price, row 1993-04: nan is not finite"),
    "missing, nullable": (with_price(pd.array([None, *range(12)], "Int64")), r"column price, row 1993-01: nan is not"),
    "a number that signals": (with_price([Decimal("sNaN")] * N), r"column price, row 1993-01: .* signaling NaN"),
    "infinite": (with_price([np.inf] * N), r"column price, row 1993-01: inf is not finite"),
    "complex": (with_price([1j] * N), r"column price: complex128 is not a real number"),
    "dates": (with_price(DATES.to_timestamp()), r"column price: datetime64.* is not a real number"),
    "categories": (X.astype({"price": "category"}), r"column price: categories are not numbers"),
    "empty": (X.iloc[:0], r"is empty: its shape is \(0, 3\)|there is no chunk|has no rows|0 sample|has 0 rows"),
    "sparse": (sparse.csr_array(X.to_numpy()), r"sparse.*toarray\(\)|must have shape|chunk 0"),
}


@pytest.mark.parametrize("form", REFUSED)
@pytest.mark.parametrize("name", CALLS)
def test_what_holds_no_numbers_is_refused_by_column_row_and_value(name, form):
    table, message = REFUSED[form]
    if form == "sparse" and name in ("estimator", "attention_weights"):
        pytest.skip("scikit-learn's own words, and its own type of error")
    y = Y.iloc[:0] if form == "empty" else Y
    with pytest.raises(ValueError, match=message):
        CALLS[name](table, y, X_NEW)


def outcome(name, *tables):
    try:
        return np.ravel(CALLS[name](*tables))
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("name", CALLS)
def test_one_row_of_a_frame_is_one_row_of_an_array(name):
    frames = X.iloc[:1], Y.iloc[:1], X_NEW.iloc[:1]
    found, expected = outcome(name, *frames), outcome(name, *(table.to_numpy() for table in frames))
    if isinstance(expected, str):
        assert found == expected
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(N)), st.permutations(range(M)), st.permutations(range(3)), st.permutations(range(3)))
def test_any_order_of_rows_and_columns_gives_the_same_answer_by_label(rows, new_rows, columns, new_columns):
    x, new = X.iloc[rows, columns], X_NEW.iloc[new_rows, new_columns]
    s, t = spectrum(X), spectrum(x)
    close = partial(pd.testing.assert_frame_equal, rtol=1e-9, atol=1e-12, check_freq=False)
    close(t.weights(new, ridge=0.1).loc[X_NEW.index, DATES], s.weights(X_NEW, ridge=0.1))
    close(t.predict(new, Y).to_frame().loc[X_NEW.index], s.predict(X_NEW, Y).to_frame())
    close(t.coefficients(Y).coef.to_frame().loc[X.columns], s.coefficients(Y).coef.to_frame())
    close(attention_weights(new, x).loc[X_NEW.index, DATES], attention_weights(X_NEW, X))
    close(attend(new, x, Y).to_frame().loc[X_NEW.index], attend(X_NEW, X, Y).to_frame())


def test_attention_of_frames_carries_their_names():
    weights = attention_weights(X_NEW, X[["rate", "size", "price"]])
    assert weights.index.equals(X_NEW.index)
    assert weights.columns.equals(DATES)
    both = attend(X_NEW, X, pd.DataFrame({"a": Y, "b": -Y})[::-1])
    np.testing.assert_allclose(both["a"], attend(X_NEW.to_numpy(), X.to_numpy(), Y.to_numpy()))
    assert both.columns.tolist() == ["a", "b"]
    assert type(attend(X_NEW.to_numpy(), X.to_numpy(), Y)) is np.ndarray
    with pytest.raises(ValueError, match="the columns of keys are not those of queries: size is missing"):
        attend(X_NEW, X.rename(columns={"size": "area"}), Y)


@pytest.mark.parametrize("call", [diebold_mariano, partial(corrected_t_test, test_share=0.1)])
def test_errors_are_paired_by_their_dates(call):
    other = pd.Series(np.arange(N) % 5 * 0.7, DATES)
    assert call(Y, other[::-1]) == call(Y.to_numpy(), other.to_numpy())
    with pytest.raises(ValueError, match=r"are not those of (errors|losses): 1993-01 is missing"):
        call(Y, other.set_axis(DATES + 1))


def test_a_series_is_a_table_of_one_column():
    rate = X["rate"]
    pd.testing.assert_frame_equal(lag_matrix(rate, max_lag=2), lag_matrix(X[["rate"]], max_lag=2))
    model, table = autoregression(rate, max_lag=2), autoregression(X[["rate"]], max_lag=2)
    pd.testing.assert_frame_equal(model.continuation(rate, steps=3), table.continuation(X[["rate"]], steps=3))
    pd.testing.assert_frame_equal(model.average(rate), table.average(X[["rate"]]))


def test_lags_are_numbers_and_one_may_be_missing():
    exact = X.map(lambda entry: Decimal(str(entry)))
    pd.testing.assert_frame_equal(lag_matrix(exact, max_lag=1), lag_matrix(X, max_lag=1))
    assert len(lag_matrix(X.assign(size=X["size"].where(X.index != DATES[5])), max_lag=1)) == N - 3
    with pytest.raises(ValueError, match="column price: categories are not numbers"):
        lag_matrix(X.astype({"price": "category"}), max_lag=1)


def test_vectors_of_words_are_found_by_their_words():
    vectors = pd.DataFrame([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], ["one", "fire", "flame"])
    assert nearest_words(vectors, Vocabulary(["flame", "one", "fire"]), "fire", n=1) == ["flame"]
    with pytest.raises(ValueError, match="rows of vectors are not the words of the vocabulary: ash is missing"):
        nearest_words(vectors, Vocabulary(["flame", "one", "ash"]), "one", n=1)


@pytest.mark.parametrize("name", ["predict", "coefficients", "leave-one-out", "Factor", "estimator", "gradient"])
def test_targets_of_other_rows_are_refused(name):
    other = Y.set_axis(DATES + 1)
    with pytest.raises(ValueError, match=r"rows of y are not those of X: 1993-01 is missing, 1994-02 is not among"):
        CALLS[name](X, other, X_NEW)


@pytest.mark.parametrize("name", ["weights", "predict", "proximity_weights", "Factor.weights", "forest_codes"])
def test_new_rows_with_other_columns_are_refused_by_name(name):
    with pytest.raises(
        ValueError, match=r"price is missing, cost is not among them; \[size, cost, rate\] and \[size, pr"
    ):
        CALLS[name](X, Y, X_NEW.rename(columns={"price": "cost"}))


def test_answers_carry_the_names():
    s = spectrum(X)
    assert s.coefficients(Y).coef.index.equals(X.columns)
    weights = s.weights(X_NEW)
    assert weights.index.equals(X_NEW.index)
    assert weights.columns.equals(DATES)
    assert s.loo_residuals(Y).index.equals(DATES)
    path = s.predict(X_NEW, pd.DataFrame({"a": Y, "b": -Y}), ridge=[1.0, 2.0])
    np.testing.assert_allclose(path.loc[2.0], s.predict(X_NEW.to_numpy(), np.c_[Y, -Y], ridge=2.0))
    assert path.columns.tolist() == ["a", "b"]
    assert gradient(X, Y, np.ones(3)).index.equals(X.columns)
    fitted = AttentionRegressor(kernel="identity").fit(X, Y)
    assert fitted.attention_weights(X_NEW).columns.equals(DATES)


def test_of_an_array_arrays_come_out():
    s = spectrum(X.to_numpy())
    for found in (s.weights(X_NEW), s.predict(X_NEW, Y), s.coefficients(pd.DataFrame({"a": Y})).coef):
        assert type(found) is np.ndarray


def test_an_array_of_new_rows_is_taken_by_place():
    s = spectrum(X)
    np.testing.assert_array_equal(s.predict(X_NEW.to_numpy(), Y.to_numpy()), s.predict(X_NEW, Y))


def test_chunks_with_columns_in_another_order_are_one_table():
    f, y = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [1.0, 0, 1, 0]}), [1.0, 2, 4, 3]
    coef = Factor.accumulate([(f[:2], y[:2]), (f[2:][["b", "a"]], y[2:])]).coefficients().coef
    np.testing.assert_allclose(coef, [1, 1])
    with pytest.raises(ValueError, match="chunk 1: the columns of X are not those of the first chunk: b is missing"):
        Factor.accumulate([(f[:2], y[:2]), (f[2:].rename(columns={"b": "c"}), y[2:])])


def test_an_intercept_is_the_default_and_gives_each_target_one_nth():
    np.testing.assert_allclose(proximity_weights(X, X_NEW, ridge=1e12), np.full((M, N), 1 / N), atol=1e-9)
    ones = proximity_weights(X.assign(one=1.0), X_NEW.assign(one=1.0), centre=False)
    np.testing.assert_allclose(proximity_weights(X, X_NEW), ones, rtol=1e-9)


@pytest.mark.parametrize(
    ("forest", "message"),
    [
        (RandomForestRegressor(), "forest must be fitted"),
        (GradientBoostingRegressor().fit(X, Y), "must be a RandomForestRegressor or .*, got GradientBoostingRegressor"),
        (RandomForestRegressor(3, criterion="absolute_error").fit(X, Y), "absolute_error' gives medians"),
        (RandomForestRegressor(3, bootstrap=False).fit(X, Y, sample_weight=1.0 + np.arange(N)), "sample weights"),
    ],
)
def test_a_forest_whose_leaves_are_not_means_is_refused(forest, message):
    with pytest.raises(ValueError, match=message):
        forest_codes(forest, X, X_NEW)


@pytest.mark.parametrize(
    ("constraints", "moved"), [([1, 1], False), ([1, -1], False), ([-1, 0], True), ([0, -1], True)]
)
@pytest.mark.parametrize("bootstrap", [True, False])
def test_a_forest_is_refused_just_when_constraints_moved_a_leaf(constraints, moved, bootstrap):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 2))
    y = np.sin(2 * rows[:, 0]) + rows[:, 1] ** 2 + 0.3 * rng.normal(size=80)
    forest = RandomForestRegressor(20, random_state=0, bootstrap=bootstrap, monotonic_cst=constraints).fit(rows, y)
    if moved:
        with pytest.raises(ValueError, match="leaves of forest must hold means, but those of tree 0 do not: monotonic"):
            forest_codes(forest, rows, rows)
    else:
        fitted = attend(*forest_codes(forest, rows, rows), y, kernel="identity")
        np.testing.assert_allclose(fitted, forest.predict(rows))


def test_codes_of_a_forest_are_sparse():
    codes = forest_codes(FOREST, X, X_NEW)
    assert codes.queries.nnz == M * 5
    dense = attend(*(part.toarray() for part in codes), Y.to_numpy(), kernel="identity")
    np.testing.assert_allclose(attend(*codes, Y.to_numpy(), kernel="identity"), dense, rtol=1e-14)
    np.testing.assert_allclose(dense, FOREST.predict(X_NEW))
    with pytest.raises(ValueError, match="sparse codes go with the identity kernel and no mask, got 'softmax'"):
        attention_weights(*codes)


def test_a_probability_just_above_one_is_named():
    with pytest.raises(ValueError, match=r"between 0 and 1, got 1\.0000001"):
        reliability([0.5, 1.0000001], [0, 1], bins=1)
    with pytest.raises(ValueError, match="rows of outcomes are not those of probabilities"):
        reliability(pd.Series([0.5, 0.6], [1, 2]), pd.Series([0.5, 0.6], [1, 3]), bins=1)


def test_a_model_is_not_a_table():
    with pytest.raises(ValueError, match="X must be an array or a table of numbers, got RandomForestRegressor"):
        proximity_weights(FOREST, X)


LABELS = st.lists(st.text("abcd", min_size=1, max_size=2) | st.integers(0, 5), unique_by=str, min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(LABELS, st.randoms(use_true_random=False))
def test_any_order_of_the_same_labels_is_undone(labels, random):
    wanted = pd.Index(labels, dtype=object)
    found = pd.Index(random.sample(labels, len(labels)), dtype=object)
    order = matched(found, wanted, "ours", "theirs")
    assert list(found if order is None else found[order]) == labels


@settings(max_examples=60, deadline=None)
@given(LABELS, LABELS)
def test_other_labels_are_refused_unless_one_side_only_counts(labels, others):
    found, wanted = pd.Index(others, dtype=object), pd.Index(labels, dtype=object)
    if set(labels) == set(others):
        return
    with pytest.raises(ValueError, match=r"ours are not theirs: .*is (missing|not among them)"):
        matched(found, wanted, "ours", "theirs")


def test_rows_that_nobody_named_are_taken_by_place():
    np.testing.assert_array_equal(read_targets(pd.Series(range(N)), N, index=DATES).values, range(N))
    with pytest.raises(ValueError, match="rows of y are not those of X"):
        read_targets(pd.Series([1.0, 2.0]), 2, index=pd.Index([3, 7]))


def test_labels_that_stand_there_twice_are_matched_only_in_their_order():
    twice = pd.DataFrame(np.eye(2), columns=["a", "a"])
    assert read_table(twice, "X_new", columns=twice.columns).columns.tolist() == ["a", "a"]
    with pytest.raises(ValueError, match="a stands there twice"):
        read_table(twice, "X_new", columns=pd.Index(["a", "b"]))


def test_penalties_are_a_level_of_the_rows():
    table = named(np.arange(12.0).reshape(2, 3, 2), None, pd.Index(["a", "b"]), ridge=[0.5, 2.0])
    assert table.loc[2.0, "b"].tolist() == [7.0, 9.0, 11.0]


def test_arrays_need_no_pandas():
    code = (
        "import numpy, sys, regattn._tables as t; t.read_table(numpy.eye(2), 'X'); assert 'pandas' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


SEVEN = load_seven_words()


def test_a_table_of_words_keeps_its_words():
    p = predict_next(SEVEN / 20, ["river", "bank"])
    np.testing.assert_array_equal(p, predict_next(SEVEN.to_numpy() / 20, [0, 1]))
    assert p.index.equals(SEVEN.columns)
    assert ppmi(SEVEN).loc["bank", "loan"] == ppmi(SEVEN.to_numpy())[1, 2]
    assert word_vectors(SEVEN, rank=2).index.equals(SEVEN.index)
    assert normalise_rows(SEVEN).loc["bank"].sum() == pytest.approx(1)


@pytest.mark.parametrize("call", [project, context_weights, vocabulary_scores])
def test_what_a_sentence_makes_of_a_table_carries_its_words(call):
    found = call(SEVEN, ("river", "bank", "river", "flooded"))
    assert found.index.tolist() == ["river", "bank", "river", "flooded"]
    assert found.columns.tolist() == (list(SEVEN) if call is vocabulary_scores else found.index.tolist())
    by_place = call(SEVEN.to_numpy(), [0, 1, 0, 4])
    assert type(by_place) is np.ndarray
    np.testing.assert_array_equal(found, by_place)
    pd.testing.assert_frame_equal(call(SEVEN.reset_index(drop=True), ["river", "bank", "river", "flooded"]), found)


def test_counts_come_out_under_their_words_when_asked():
    text, words = [["dog", "bites", "man"]], Vocabulary(["man", "dog", "bites"])
    table = count_cooccurrences(text, words, window=1, directed=True, as_frame=True)
    assert table.loc["dog", "bites"] == table.loc["bites", "man"] == table.to_numpy().sum() / 2 == 1
    np.testing.assert_array_equal(table, count_cooccurrences(text, words, window=1, directed=True).toarray())
    assert predict_next(table, ["dog", "bites"]).idxmax() == "man"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: project(SEVEN, [["bank"]]), r"unknown word \['bank'\] at position 0"),
        (
            lambda: project(SEVEN.astype(object).replace(4, "four"), ["bank"]),
            "column river, row bank: 'four' is not a number",
        ),
        (
            lambda: count_cooccurrences([["a", None, "b"]], Vocabulary(["a", "b"], unknown="gap"), window=1),
            "got None in it",
        ),
        (lambda: ppmi(SEVEN.astype(object).where(SEVEN != 4)), "column bank, row river: nan is not finite"),
    ],
)
def test_what_is_no_word_and_no_count_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_vocabulary_made_from_documents_can_count_them():
    documents = [["a", "b", "a", "c"], ["b", "a"]]
    words = Vocabulary.from_documents(documents, min_count=2)
    assert words.unknown == "gap"
    assert count_cooccurrences(documents, words, window=1).toarray().tolist() == [[0, 3], [3, 0]]
    assert Vocabulary.from_documents(documents).unknown == "error"
    assert Vocabulary.from_documents(documents, min_count=2, unknown="error").unknown == "error"
