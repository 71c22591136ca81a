"""The DepthExplorer goes from pooled to local, equals the package over a grid, and names what it refuses."""

from itertools import product

import numpy as np
import pytest

from regattn.series import panel_weights
from regattn.widgets import DepthExplorer
from tests.explorers.depth import SHORT, example, expected, panel
from tests.widgets.harness import SET, assert_same, opened

X, Y, FIRMS, YEARS = panel(SHORT, 1945)


def test_it_begins_at_the_pooled_line_and_goes_to_the_local_ones():
    ends = {}
    for end, spread in (("pooled_error", 0.0), ("local_error", np.inf)):
        missed = []
        for year in (1953, 1954):
            rows, new = (year > YEARS) & (year - 5 <= YEARS), year == YEARS
            weights = panel_weights(X[rows], FIRMS[rows], X[new], FIRMS[new], spread=spread)
            missed.extend(weights @ Y[rows] - Y[new])
        ends[end] = np.sqrt(np.mean(np.square(missed)))
    found = DepthExplorer(X, Y, FIRMS, YEARS, known=5, since=1953, deepest=2**14, layers=15).result()
    assert {end: found[end] for end in ends} == pytest.approx(ends)
    assert found["errors"][0] == pytest.approx(ends["pooled_error"])
    assert found["distances"][0] == pytest.approx(1)
    assert (np.diff(found["distances"]) < 0).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"units": FIRMS[1:]}, r"units has shape \(39,\), need one for each of 40 rows"),
        ({"dates": YEARS + 0.5}, "dates must be whole numbers, got dtype float64"),
        ({"known": 2}, "unit 'General Motors' has 2 rows for 3 coefficients"),
        ({"since": 1955}, "no date is left to predict from 4 before it"),
        ({"layers": 14}, "layers must be ≤ 13"),
        ({"step": 1.5}, "step must be ≤ 1"),
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
        for mask, residual, step, layers in product((True, False), (True, False), (0.02, 1.0), (0, 6)):
            values = {"mask": mask, "residual": residual, "step": step, "layers": layers, "time": 1}
            assert_same(page.evaluate(SET, [values, 0]), expected({**explorer.state(), **values}))
