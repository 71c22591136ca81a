"""An ellipse of rows becomes a circle of codes: the numbers behind the picture."""

import numpy as np
import pytest

from regattn.figures import plot_codes
from regattn.regression import spectrum

ROWS = np.random.default_rng(0).normal(size=(31, 2)) @ [[3.0, 1.0], [0.0, 0.5]] + [7.0, -2.0]
QUERY = np.array([[12.0, -1.0]])


@pytest.fixture
def panels():
    return plot_codes(spectrum(ROWS, centre=True), ROWS, QUERY, names=("a", "b"), labels={"third": 2, "last": 30})


def test_codes_stand_above_and_their_rows_below(panels):
    s = spectrum(ROWS, centre=True)
    np.testing.assert_allclose(panels[1].collections[0].get_offsets(), ROWS - ROWS.mean(axis=0))
    np.testing.assert_allclose(panels[0].collections[0].get_offsets(), s.codes())
    assert (panels[1].get_xlabel(), panels[1].get_ylabel()) == ("a", "b")


def test_the_ellipse_holds_the_rows_that_the_circle_holds(panels):
    circle, ellipse = (panel.lines[0].get_xydata() for panel in panels)
    np.testing.assert_allclose(np.linalg.norm(circle, axis=1), 2 / np.sqrt(31))
    s = spectrum(ROWS, centre=True)
    np.testing.assert_allclose(s.codes(ellipse + ROWS.mean(axis=0)), circle, atol=1e-12)


def test_the_arrow_leads_to_the_query(panels):
    tips = [panel.lines[1].get_xydata()[0] for panel in panels]
    np.testing.assert_allclose(tips[1], QUERY[0] - ROWS.mean(axis=0))
    np.testing.assert_allclose(tips[0], spectrum(ROWS, centre=True).codes(QUERY)[0])


def test_dashes_fall_at_right_angles_on_the_query_and_measure_the_weight(panels):
    s = spectrum(ROWS, centre=True)
    query, correction = s.codes(QUERY)[0], s.weights(QUERY)[0] - 1 / 31
    dashes = [line.get_xydata() for line in panels[0].lines if line.get_linestyle() == "--"]
    for (code, foot), i in zip(dashes, (2, 30), strict=True):
        np.testing.assert_allclose((code - foot) @ query, 0, atol=1e-12)
        np.testing.assert_allclose(foot @ query, correction[i])
    names = [{text.get_text() for text in panel.texts} - {""} for panel in panels]
    assert names == [{"third", "last"}] * 2


def test_a_dot_grows_with_the_size_of_its_weight(panels):
    weights = np.abs(spectrum(ROWS, centre=True).weights(QUERY)[0])
    for panel in panels:
        sizes = panel.collections[0].get_sizes()
        np.testing.assert_allclose((sizes - 4) / 90, weights / weights.max())


@pytest.mark.parametrize(("columns", "centre", "said"), [(3, True, "rank 3"), (2, False, "centre None")])
def test_more_than_a_plane_is_refused(columns, centre, said):
    X = np.random.default_rng(1).normal(size=(11, columns))
    with pytest.raises(ValueError, match=said):
        plot_codes(spectrum(X, centre=centre), X, X[:1], names=("a", "b"), labels={})
