"""A report adds up: baseline, for and against are the prediction, in every form that weights come in."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings, strategies as st
from scipy.sparse import csr_array
from sklearn import ensemble, linear_model
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from regattn import observation_weights
from regattn.attribution import _additive, forecast_report
from regattn.attribution._document import drawing
from regattn.widgets import WeightsExplorer
from tests.attribution.models import REGRESSORS
from tests.attribution.test_weights import FRAME, NEW, NEW_FRAME, OUTCOMES, X, Y

RIDGE = linear_model.Ridge().fit(X, Y)
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


@pytest.mark.parametrize("family", ["ridge", "forest", "neighbours", "boosting"])
def test_rows_may_share_a_label(family):
    """Two sales on one day: weights of a sparse model are then columns that only their places tell apart."""
    days = pd.Index([f"day {row // 3}" for row in range(len(X))])
    table, outcomes = FRAME.set_axis(days), OUTCOMES.set_axis(days)
    model = REGRESSORS[family](0).fit(table, outcomes)
    weights = observation_weights(model, table, NEW_FRAME, y_train=outcomes)
    report = forecast_report(weights, outcomes)
    np.testing.assert_allclose(report.to_frame()["prediction"], model.predict(NEW_FRAME))
    assert len(WeightsExplorer(report).reports) == 1


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


def reported(model, X=FRAME, new=NEW_FRAME):
    model.fit(X, OUTCOMES)
    return forecast_report(observation_weights(model, X, new), OUTCOMES, X_train=X, X_new=new, model=model)


@pytest.mark.parametrize("family", ["least squares", "ridge", "lasso", "partial least squares", "principal components"])
def test_predictors_add_up_to_the_prediction_of_a_linear_model(family):
    model = REGRESSORS[family](0)
    found = reported(model).by_predictor()
    np.testing.assert_allclose(found.sum(axis=1), model.predict(NEW_FRAME))
    np.testing.assert_allclose(found["at the means"], Y.mean())
    assert (list(found.columns[1:]), list(found.index)) == (list(FRAME.columns), list(NEW_FRAME.index))
    if family == "ridge":
        np.testing.assert_allclose(found[FRAME.columns], (NEW - X.mean(axis=0)) * model.coef_)


def test_predictors_that_act_alone_add_up_though_they_are_not_linear():
    stumps = ensemble.GradientBoostingRegressor(n_estimators=20, max_depth=1)
    found = reported(stumps).by_predictor()
    np.testing.assert_allclose(found.sum(axis=1), stumps.predict(NEW_FRAME))
    with pytest.raises(ValueError, match="RandomForestRegressor is no sum of what its predictors do one by one"):
        reported(ensemble.RandomForestRegressor(5, random_state=0)).by_predictor()


def test_a_column_of_text_is_a_predictor_that_starts_at_its_most_frequent_kind():
    table = FRAME.assign(kind=np.where(X[:, 0] > 0.5, "up", "down"))
    new = NEW_FRAME.assign(kind=["up", "down"] * 20)
    steps = make_column_transformer((OneHotEncoder(), ["kind"]), (StandardScaler(), ["x1", "x2"]))
    report = reported(make_pipeline(steps, linear_model.Ridge()), table, new)
    found = report.by_predictor()
    assert (found["kind"] == 0).tolist() == (new["kind"] == table["kind"].mode()[0]).tolist()
    assert not found["x5"].any()
    np.testing.assert_allclose(found.sum(axis=1), report.to_frame()["prediction"])


def test_a_plot_has_a_bar_for_each_row_at_its_date_and_for_the_loudest_names():
    report = reported(linear_model.Ridge())
    ax = report.plot(prediction=3)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], report.contributions()[3])
    assert ax.get_ylabel() == "contribution to new 3"
    by_name = forecast_report(pd.DataFrame(SMALL, columns=list("abcd")), [1.0, 2.0, 3.0, 6.0])
    ax = by_name.plot(prediction=1, top=2)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [-2.0, -0.5])


@pytest.mark.parametrize("freq", ["Y", "Q", "M", "W", "D", "h"])
def test_a_plot_stands_at_dates_of_any_frequency(freq):
    dates = pd.period_range("2001-03-05", periods=4, freq=freq)
    ax = forecast_report(pd.DataFrame(SMALL, columns=dates), pd.Series([1.0, 2.0, 3.0, 6.0], dates)).plot()
    left = np.array([bar.get_x() + bar.get_width() / 2 for bar in ax.patches])
    wide = np.array([bar.get_width() for bar in ax.patches])
    assert (np.diff(left) > wide[1:] * 0.99).all()


def test_a_saved_report_is_one_document_with_every_number_and_no_live_text(tmp_path):
    names = ["<img src=x onerror=alert(1)>", "a & b", "\x00\x1b", "d"]
    weights = pd.DataFrame(SMALL, index=['"><script>', "q", "r"], columns=names)
    report = forecast_report(weights, pd.Series([1.0, 2.0, 3.0, 6.0], names))
    path = report.save(tmp_path / "f.html", title="A <b> title", notes=["<i>note</i>"])
    text = path.read_text(encoding="utf-8")
    tree = BeautifulSoup(text, "html.parser")
    assert not tree.find_all(["script", "img", "b", "i", "link"])
    assert not {"\x00", "\x1b"} & set(text)
    assert tree.title.text == tree.h1.text == "A <b> title"
    first = tree.find("table")
    shown = [[cell.text for cell in row.find_all("td")] for row in first.tbody.find_all("tr")]
    assert [float(row[0]) for row in shown] == report.to_frame()["prediction"].tolist()
    assert [section.h2.text for section in tree.find_all("section")] == ['"><script>', "q", "r"]
    assert "a &amp; b" in text
    (against,) = tree.find_all("section")[1].svg.find_all("path")
    assert (against["class"], against["d"].count("M")) == (["against"], 2)  # two rows for less, none for more
    bars = [tuple(map(float, bar)) for bar in re.findall(r"M([\d.]+) [\d.]+h([\d.]+)", against["d"])]
    assert bars[0][0] + bars[0][1] < bars[1][0]  # they do not touch
    assert [each.name for each in tree.find_all(["h1", "h2", "h3"])][:3] == ["h1", "h2", "h2"]


@given(contributions=st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=300))
@settings(max_examples=40, deadline=None)
def test_a_drawing_has_bars_in_proportion_on_both_sides_of_the_middle(contributions):
    tree = BeautifulSoup(drawing(np.array(contributions), pd.RangeIndex(len(contributions)), "q"), "html.parser")
    wide, middle = float(tree.line["x2"]), float(tree.line["y1"])
    above, below = (float(text["y"]) for text in tree.find_all("text")[2:])
    assert (tree.line["y2"], middle) == (tree.line["y1"], (above - 12 + below) / 2)  # 12: the size of the letters
    found = {}
    for path in tree.find_all("path"):
        for bar in re.findall(r"M([-\d.]+) ([-\d.]+)h([-\d.]+)v([-\d.]+)", path["d"]):
            left, base, width, rise = map(float, bar)
            row = int((left + width / 2) / wide * len(contributions))
            assert (path["class"], base) == (["for" if contributions[row] > 0 else "against"], middle)
            assert 0 <= base + rise <= below
            found[row] = -rise
    heights = np.array(contributions) / (np.abs(contributions).max() or 1.0) * (middle - 8)
    np.testing.assert_allclose([found.get(row, 0.0) for row in range(len(heights))], heights, atol=0.1)


def test_a_prediction_taken_apart_is_said_in_five_digits_and_its_parts_in_four(tmp_path):
    rng = np.random.default_rng(8)
    weights, outcomes = rng.dirichlet(np.ones(9), size=5) - 0.02, rng.normal(100, 30, size=9)
    report = forecast_report(weights, outcomes)
    tree = BeautifulSoup(report.save(tmp_path / "f.html").read_text(encoding="utf-8"), "html.parser")
    for section, row in zip(tree.find_all("section"), report.to_frame().itertuples(), strict=True):
        prediction, baseline, more, less = re.findall(r"[\d.]+", section.p.text)[:4]
        assert section.p.text == (
            f"{prediction} = {baseline} from the mean, + {more} from rows for more, − {less} from rows for less."
        )
        told = (row.prediction, row.baseline, row[3], -row[4])
        assert (prediction, baseline) == tuple(f"{value:.5g}" for value in told[:2])
        assert (more, less) == tuple(f"{value:.4g}" for value in told[2:])


def test_a_report_of_many_predictions_takes_the_first_apart(tmp_path):
    report = forecast_report(np.tile([[0.5, 0.5]], (40, 1)), [1.0, 2.0])
    text = report.save(tmp_path / "f.html").read_text(encoding="utf-8")
    assert (text.count("<section>"), "The first 12 of 40 predictions" in text) == (12, True)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: forecast_report(SMALL, np.ones(4)).by_predictor(), "by_predictor needs the model"),
        (lambda: forecast_report(SMALL, np.ones(4), model=RIDGE), "model needs X_train and X_new"),
        (
            lambda: forecast_report(np.zeros((40, 130)), Y, X_train=X, X_new=NEW, model=RIDGE),
            r"the weights are not those of the Ridge given: in row \d+ they add up to 0 but it predicts",
        ),
        (lambda: forecast_report(SMALL, np.ones(4)).plot(prediction=3), r"prediction must be ≤ 2 \(the last one\)"),
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


def test_a_report_has_no_place_where_there_is_no_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder"):
        forecast_report(SMALL, np.ones(4)).save(tmp_path / "no" / "f.html")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        forecast_report(SMALL, np.ones(4)).save(tmp_path)


def test_of_very_many_predictors_none_is_moved_alone(monkeypatch):
    monkeypatch.setattr(_additive, "MOST", X.shape[1] - 1)
    with pytest.raises(ValueError, match=rf"more than {X.shape[1] - 1} predictors are not moved one by one, got"):
        reported(REGRESSORS["ridge"](0)).by_predictor()
