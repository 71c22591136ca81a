"""The DepthExplorer goes from pooled to local, equals the package over a grid, and names what it refuses."""

from itertools import product

import numpy as np
import pytest

from regattn import from_scratch
from regattn.series import panel_weights
from regattn.widgets import DepthExplorer
from tests.explorers.depth import SHORT, example, expected, panel
from tests.widgets.harness import SET, assert_same, opened

X, Y, FIRMS, YEARS = panel(SHORT, 1945)
SCALES = {"identity": 1.0, "softmax": 3**-0.5}  # three columns


def test_it_begins_at_the_pooled_line_and_goes_to_the_local_ones():
    ends = {}
    for end, spread in (("pooled_error", 0.0), ("local_error", np.inf), ("partial_error", 1.0)):
        missed = []
        for year in (1953, 1954):
            rows, new = (year > YEARS) & (year - 5 <= YEARS), year == YEARS
            weights = panel_weights(X[rows], FIRMS[rows], X[new], FIRMS[new], spread=spread)
            missed.extend(weights @ Y[rows] - Y[new])
        ends[end] = np.sqrt(np.mean(np.square(missed)))
    found = DepthExplorer(X, Y, FIRMS, YEARS, known=5, since=1953, deepest=2**14, layers=27).result()
    assert {end: found[end] for end in ends} == pytest.approx(ends)
    assert found["errors"][0] == pytest.approx(ends["pooled_error"])
    assert found["distances"][0] == pytest.approx(1)
    assert (np.diff(found["distances"]) < 0).all()


def test_units_whose_texts_are_alike_are_not_pooled():
    X, y, dates = np.ones((8, 1)), [1.0, 3.0] * 4, [1, 1, 2, 2, 3, 3, 4, 4]
    explorer = DepthExplorer(X, y, [1, "1"] * 4, dates, known=2, layers=1)
    assert explorer.data["names"] == ["1", "'1'"]
    assert explorer.result()["predictions"] == pytest.approx([1, 3])


@pytest.mark.parametrize("kernel", ["identity", "softmax"])
@pytest.mark.parametrize("residual", [True, False])
def test_rows_go_through_the_layers_of_the_blackboard(kernel, residual):
    rows, shares = X[(YEARS >= 1948) & (YEARS < 1953)], []
    for depth in range(9):
        if depth in (0, 1, 2, 4, 5, 8):
            shares.append(np.std(rows, axis=0) @ np.std(rows, axis=0) * len(rows) / (rows * rows).sum())
        step = 0.9 / np.linalg.norm(rows, 2) ** 2 if kernel == "identity" else 0.9
        heard = step * from_scratch.attend(rows, rows, rows, kernel=getattr(from_scratch, kernel), scale=SCALES[kernel])
        rows = rows + heard if residual else heard
    found = example(kernel=kernel, residual=residual, mask=False).result()["apart"]
    np.testing.assert_allclose(found, np.sqrt(shares), rtol=1e-9, atol=1e-12)


def test_softmax_layers_without_a_residual_connection_make_all_rows_alike_unless_units_keep_apart():
    ends = {
        (mask, residual): example(kernel="softmax", mask=mask, residual=residual, layers=9).result()["apart"][-1]
        for mask, residual in product((True, False), (True, False))
    }
    assert ends[False, False] < 1e-9
    assert min(ends[True, False], ends[True, True], ends[False, True]) > 0.3
    assert example(mask=False, residual=False, layers=9).result()["apart"][-1] > 0.3  # inner products do not average


def test_one_layer_of_softmax_within_units_adds_the_softmax_average_of_what_the_pooled_line_leaves():
    walked = example(kernel="softmax", step=1.0, layers=1, time=1).result()["predictions"]
    rows, new = (YEARS < 1954) & (YEARS >= 1949), YEARS == 1954
    beta = np.linalg.lstsq(X[rows], Y[rows])[0]
    mask = FIRMS[new][:, None] == FIRMS[rows]
    heard = from_scratch.attend(X[new], X[rows], Y[rows] - X[rows] @ beta, scale=SCALES["softmax"], mask=mask)
    np.testing.assert_allclose(walked, X[new] @ beta + heard, rtol=1e-10)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"units": FIRMS[1:]}, r"units has shape \(39,\), need one for each of 40 rows"),
        ({"dates": YEARS + 0.5}, "dates must be whole numbers, got dtype float64"),
        ({"known": 2}, "unit 'General Motors' has 2 rows for 3 coefficients"),
        ({"since": 1955}, "no date is left to predict from 4 before it"),
        ({"layers": 24}, "layers must be ≤ 23"),
        ({"step": 1.5}, "step must be ≤ 1"),
        ({"kernel": "relu"}, "kernel must be one of identity, softmax, got 'relu'"),
        ({"target": 3}, "target must be a string, got 3"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(change, message):
    given = {"X": X, "y": Y, "units": FIRMS, "dates": YEARS} | change
    with pytest.raises(ValueError, match=message):
        DepthExplorer(**given)


@pytest.mark.browser
def test_numbers_equal_the_packages_over_a_grid(browser, tmp_path):
    explorer = example()
    with opened(browser, tmp_path, explorer) as page:
        kernels, yes = ("identity", "softmax"), (True, False)
        for kernel, mask, residual, step, layers in product(kernels, yes, yes, (0.02, 1.0), (0, 10)):
            values = {"kernel": kernel, "mask": mask, "residual": residual, "step": step, "layers": layers, "time": 1}
            assert_same(page.evaluate(SET, [values, 0]), expected({**explorer.state(), **values}))


OUTPUTS = "() => [...document.querySelectorAll('.ra-numbers [data-output]')].map((one) => one.dataset.output)"


@pytest.mark.browser
@pytest.mark.parametrize(
    ("hidden", "printed", "said"),
    [
        (["error", "units"], ["apart"], "After 8 layers what tells the rows apart is 0."),
        (["apart"], ["distance", "error", "pooled", "local", "partial"], "After 8 layers the typical error is 0."),
    ],
)
def test_what_a_page_hides_is_neither_printed_nor_said(browser, tmp_path, hidden, printed, said):
    explorer = example(hide=hidden)
    with opened(browser, tmp_path, explorer) as page:
        assert page.evaluate(OUTPUTS) == printed
        assert page.inner_text(".ra-readout").startswith(said)


@pytest.mark.browser
def test_the_button_beside_the_layers_says_that_it_goes_to_the_next_count(browser, tmp_path):
    with opened(browser, tmp_path, example(layers=5)) as page:  # of 0, 1, 2, 4, 5, 8, 10
        page.get_by_role("button", name="Next count").click()
        assert page.inner_text(".ra-live").startswith("After 10 layers")
