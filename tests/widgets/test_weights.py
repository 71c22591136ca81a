"""The WeightsExplorer: it says what the report says; reports that do not belong together are refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from regattn.attribution import forecast_report
from regattn.widgets import WeightsExplorer
from tests.explorers.weights import example
from tests.widgets.harness import opened

ROWS = pd.DataFrame([[0.5, 0.5, 0.0], [0.75, 0.5, -0.25]], index=["a", "b"], columns=["x", "y", "z"])
OUTCOMES = pd.Series([2.0, 4.0, 6.0], index=["x", "y", "z"])
REPORT = forecast_report(ROWS, OUTCOMES)


def test_contributions_add_up_to_the_prediction_and_the_loudest_come_first():
    found = example().result()
    assert np.isclose(found["running"][0], found["baseline"])
    assert np.isclose(found["running"][-1], found["prediction"])
    sizes = np.abs(found["contributions"])[found["order"]]
    assert (np.diff(sizes) <= 0).all()
    assert len(set(found["order"])) == len(sizes)
    assert np.isclose(found["up"] + found["down"] + found["baseline"], found["prediction"])


def test_two_models_that_agree_have_all_their_weight_in_common_and_opposites_have_none():
    opposite = forecast_report(-ROWS, OUTCOMES)
    explorer = WeightsExplorer({"a": REPORT, "b": REPORT, "c": opposite}, query="b")
    assert np.isclose(explorer.result()["common"], 1.0)
    explorer.beside = "c"
    assert np.isclose(explorer.result()["common"], 0.0)


def test_one_model_without_predictors_hides_what_would_be_empty():
    explorer = WeightsExplorer(REPORT, hide=["sum"])
    assert set(explorer.hidden) == {"sum", "model", "beside", "second", "across", "up", "plane"}
    assert explorer.data["labels"] == ["x", "y", "z"]
    assert explorer.data["asked"] == ["a", "b"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (({},), "at least one"),
        (({"a": 3},), "got int for 'a'"),
        (({"a": REPORT, "b": forecast_report(ROWS, OUTCOMES + 1)},), "'a' and 'b' are of other"),
        (({"a": REPORT, "b": forecast_report(ROWS.iloc[:1], OUTCOMES)},), "'a' and 'b' are of other"),
        ((REPORT, np.ones((3, 2))), "X_new|X alone"),
        ((REPORT, np.ones((2, 2)), np.ones((2, 2))), "X must have 3 rows and X_new 2"),
        ((REPORT, pd.DataFrame(np.ones((3, 2)), columns=["p", "p"]), np.ones((2, 2))), "two columns called 'p'"),
        ((forecast_report(np.ones((601, 500)) / 500, np.ones(500)),), "report on fewer predictions"),
    ],
)
def test_what_does_not_belong_together_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        WeightsExplorer(*given)


def test_a_label_asks_and_an_unknown_one_is_named():
    assert WeightsExplorer(REPORT, query="b").query == 1
    with pytest.raises(ValueError, match="'c'"):
        WeightsExplorer(REPORT, query="c")


def test_groups_name_every_training_row_or_are_refused():
    assert WeightsExplorer(REPORT, groups=["p", "p", 7]).data["groups"] == ["p", "p", "7"]
    with pytest.raises(ValueError, match="groups must name 3 training rows, got 2"):
        WeightsExplorer(REPORT, groups=["p", "q"])


@pytest.mark.browser
def test_each_group_has_one_name_and_a_line_of_its_own_and_the_axis_holds_the_prediction(browser, tmp_path):
    far = forecast_report(pd.DataFrame([[9.0, -8.0, 0.0, 0.0]]), [4.0, 2.0, 3.0, 5.0])  # 20, outcomes end at 5
    explorer = WeightsExplorer(far, groups=["north", "north", "south", "south"])
    with opened(browser, tmp_path, explorer) as page:
        rows = page.locator("[data-panel=rows] svg")
        assert rows.locator(".ra-line.ra-neutral").get_attribute("d").count("M") == 2
        texts = rows.locator(".ra-grid text:visible").all_text_contents()
        assert texts.count("north") == texts.count("south") == 1
        assert "20" in texts


def firms(**options) -> WeightsExplorer:
    """Return logs of two years of eleven groups, each of whose predictions hears its own rows most."""
    names = [f"firm {chr(97 + k)}" for k in range(11)]
    groups = np.repeat(names, 2)
    own = (groups == np.array(names)[:, None]) * 0.45 + 0.1 / 22
    rows = [f"{name}, {year}" for name, year in zip(groups, [1, 2] * 11, strict=True)]
    report = forecast_report(pd.DataFrame(own, index=names, columns=rows), np.log(np.arange(1.0, 23.0)) * 3)
    return WeightsExplorer(report, units="dollars", groups=groups, logs=True, y_new=np.full(11, np.log(5e3)), **options)


@pytest.mark.browser
def test_on_a_phone_the_group_that_asks_has_its_name_and_numbers_are_not_logs(browser, tmp_path):
    with opened(browser, tmp_path, firms(), width=390) as page:
        for place in range(11):
            page.evaluate(
                "(k) => {const m = document.querySelector('figure.regattn').model; m.set('query', k);}", place
            )
            texts = page.locator("[data-panel=rows] .ra-grid text:visible").all_text_contents()
            assert f"firm {chr(97 + place)}" in texts
        assert {"1", "100", "10,000"} <= set(texts)
        said = page.locator("[data-output=message]").text_content().translate(dict.fromkeys(map(ord, "\u2068\u2069")))
        prediction = np.exp(firms(query=10).result()["prediction"])
        assert f"{float(f'{prediction:.3g}'):,.0f} dollars for firm k; 5,000 came." in said
        assert page.locator("[data-output=own]").text_content() == "0.909"
        assert page.locator("[data-output=loudest]").text_content() == "0.455"


@pytest.mark.browser
def test_on_a_phone_those_that_a_button_lets_ask_have_names_too(browser, tmp_path):
    explorer = firms(presets={"next": {"query": 2}}, asks="Firm that asks")
    with opened(browser, tmp_path, explorer, width=390) as page:
        texts = page.locator("[data-panel=rows] .ra-grid text:visible").all_text_contents()
        assert {"firm a", "firm c"} <= set(texts)
        assert "firm b" not in texts
        assert "Firm that asks" in page.locator(".ra-first").inner_text()
    with pytest.raises(ValueError, match=r"asks must be a string, got 5"):
        firms(asks=5)


@pytest.mark.browser
@pytest.mark.parametrize(("weights", "said"), [
    ([2.0, -3.0, 2.0], "row 2 has the largest weight in size, −3.00."),
    ([0.2, 0.6, 0.2], "row 2 is heard most, with weight 0.600."),
])  # fmt: skip
def test_a_weight_below_zero_is_not_said_to_be_heard_most(browser, tmp_path, weights, said):
    report = forecast_report(pd.DataFrame([weights], columns=["row 1", "row 2", "row 3"]), [1.0, 2.0, 3.0])
    with opened(browser, tmp_path, WeightsExplorer(report, groups=["p", "p", "q"])) as page:
        words = page.locator("[data-output=message]").text_content().translate(dict.fromkeys(map(ord, "\u2068\u2069")))
        assert words.endswith(said)


def test_what_came_is_drawn_behind_a_group_and_has_a_value_for_each_prediction():
    with pytest.raises(ValueError, match="y_new without groups"):
        WeightsExplorer(REPORT, y_new=[1.0, 2.0])
    with pytest.raises(ValueError, match="y_new must have 2 values, one for each prediction, got 1"):
        WeightsExplorer(REPORT, groups=["p", "p", "q"], y_new=[1.0])
