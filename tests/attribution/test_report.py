"""A report adds up: baseline, for and against are the prediction, in every form that weights come in."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from regattn import observation_weights
from regattn.attribution import forecast_report
from tests.attribution.models import REGRESSORS
from tests.attribution.test_weights import FRAME, NEW, NEW_FRAME, OUTCOMES, X, Y

SMALL = [[0.5, 0.5, 0.0, 0.0], [1.0, 0.5, -0.5, 0.0], [0.0, 0.0, 0.0, 0.0]]


@pytest.mark.parametrize("family", ["ridge", "forest", "boosting", "kernel ridge"])
def test_baseline_for_and_against_add_up_to_the_prediction(family):
    model = REGRESSORS[family](0).fit(FRAME, OUTCOMES)
    weights = observation_weights(model, FRAME, NEW_FRAME)
    found = forecast_report(weights, OUTCOMES[::-1]).to_frame()
    np.testing.assert_allclose(found["prediction"], model.predict(NEW_FRAME))
    np.testing.assert_allclose(found[["baseline", "for", "against"]].sum(axis=1), found["prediction"])
    assert found.index.equals(NEW_FRAME.index)
    plain = forecast_report(observation_weights(REGRESSORS[family](0).fit(X, Y), X, NEW), Y).to_frame()
    np.testing.assert_allclose(found, plain, atol=1e-9)


def test_the_summaries_by_hand():
    for weights in (SMALL, np.array(SMALL), csr_array(SMALL)):
        found = forecast_report(weights, [1.0, 2.0, 3.0, 6.0], share=0.25).to_frame()
        assert found["concentration"].tolist() == [0.5, 0.5, 0.0]
        assert found["short position"].tolist() == [0.0, -0.5, 0.0]
        assert found["leverage"].tolist() == [1.0, 1.0, 0.0]
        assert found["turnover"].tolist()[1:] == [1.0, 2.0]
        np.testing.assert_allclose(found["effective rows"], [2.0, 1 / 1.5, 0.0])


def test_the_loudest_rows_come_first_under_their_labels():
    weights = pd.DataFrame(SMALL, columns=list("abcd"))
    report = forecast_report(weights, pd.Series([6.0, 3.0, 2.0, 1.0], list("dcba")))
    assert report.top(2, prediction=1).index.tolist() == ["a", "b"]
    assert report.top(1, prediction=1)["contribution"].tolist() == [-2.0]
    whole = report.top(4, prediction=1)
    assert whole["contribution"].sum() + report.outcomes.mean() == pytest.approx(report.to_frame()["prediction"][1])


def test_distance_is_that_of_mahalanobis_by_the_inverse_and_one_at_the_farthest_row():
    X, new = np.random.default_rng(0).normal(size=(2, 30, 3)) * [1.0, 10.0, 1e4]
    found = forecast_report(np.full((30, 30), 1 / 30), np.ones(30), X_train=X, X_new=new).to_frame()["distance"]
    inverse = np.linalg.inv(np.cov(X.T))
    far = [np.sqrt(np.einsum("ij,jk,ik->i", each, inverse, each)) for each in (X - X.mean(0), new - X.mean(0))]
    np.testing.assert_allclose(found, far[1] / far[0].max())
    own = forecast_report(np.eye(30), np.ones(30), X_train=X, X_new=X).to_frame()["distance"]
    assert own.max() == pytest.approx(1.0)


def test_distance_follows_labels_and_a_constant_column_says_nothing():
    X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "one": 1.0}, list("abcd"))
    weights = pd.DataFrame(SMALL, index=list("pqr"), columns=list("abcd"))
    new = pd.DataFrame({"one": 1.0, "x": [1.5, 6.0, 3.0]}, list("pqr"))
    outcomes = pd.Series(1.0, list("abcd"))
    for order in (list("pqr"), list("rpq")):
        found = forecast_report(weights, outcomes, X_train=X, X_new=new.loc[order]).to_frame()["distance"]
        np.testing.assert_allclose(found, [0.0, 3.0, 1.0], atol=1e-12)


def test_a_case_that_differs_where_no_training_row_does_is_infinitely_far_out():
    X, new = np.c_[np.arange(4.0), np.ones(4)], [[1.5, 2.0], [1.5, 1.0]]
    weights = np.full((2, 4), 0.25)
    found = forecast_report(weights, np.ones(4), X_train=X, X_new=new).to_frame()["distance"]
    assert found.tolist() == [np.inf, 0.0]


def test_a_notebook_shows_the_table_and_the_loudest_rows_of_the_first_prediction():
    weights = pd.DataFrame(SMALL, index=["<b>", "q", "r"], columns=list("abcd"))
    shown = forecast_report(weights, pd.Series([1.0, 2.0, 3.0, 6.0], list("abcd")))._repr_html_()
    assert "effective rows" in shown
    assert "Loudest in &lt;b&gt;" in shown
    assert "<b>" not in shown
    assert "NaN" not in shown


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: forecast_report(SMALL, [1.0]), "y_train has 1 entries but there are 4"),
        (lambda: forecast_report(SMALL, np.ones(4), X_new=np.ones((3, 1))), "got X_new alone"),
        (
            lambda: forecast_report(SMALL, np.ones(4), X_train=np.ones((3, 1)), X_new=np.ones((3, 1))),
            "X_train must have 4 rows and X_new 3",
        ),
        (lambda: forecast_report(SMALL, np.ones((4, 2))), r"y_train must have shape \(n,\), one target"),
        (lambda: forecast_report(SMALL, np.ones(4), share=0.0), "share must be > 0, got 0"),
        (lambda: forecast_report(SMALL[0], np.ones(4)), "weights must have two dimensions"),
        (lambda: forecast_report([[np.nan]], [1.0]), "weights must be finite, got nan"),
        (lambda: forecast_report(SMALL, np.ones(4)).top(5), r"k must be ≤ 4 \(the training rows\), got 5"),
        (lambda: forecast_report(SMALL, np.ones(4)).top(1, prediction=3), r"prediction must be ≤ 2 \(the last one\)"),
        (
            lambda: forecast_report(pd.DataFrame(SMALL, columns=list("abcd")), pd.Series(1.0, list("abce"))),
            "the rows of y_train are not those of weights' columns: d is missing",
        ),
    ],
)
def test_refusals_name_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()
