"""The guard of normalised ReLU and ELU weights falls back at the same place in the package and on the page."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from regattn import others_mask
from regattn.regression._heads import CANCELLED, guarded_kernel
from regattn.widgets import KernelExplorer
from tests.browser import open_offline

SHARES = [0.2, 0.05, 0.011, 0.0101, 0.0099, 0.009, 0.001, 0.0, -0.3]  # of Σ g in Σ |g|, around a hundredth
BELOW = [share < 0.01 for share in SHARES]
FRAME = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A guard</title></head>'
    "<body><main>{}</main></body></html>"
)
FITTED = """(query) => {
  const {model} = document.querySelector("figure.regattn");
  model.set("query", query);
  model.save_changes();
  const {weights, fitted} = model.result();
  return {weights, fitted};
}"""


def scores_with(share: float) -> list[float]:
    """Return scores of three keys whose ELU similarities sum to ``share`` of the sum of their absolute values."""
    below = [-0.4, -1.3]
    negative = -np.expm1(below).sum()
    return [negative * (1 + share) / (1 - share), *below]


def elu_by_hand(scores: np.ndarray) -> np.ndarray:
    return np.where(scores > 0, scores, np.expm1(np.minimum(scores, 0.0)))


@pytest.mark.parametrize("convert", [np.asarray, torch.tensor])
def test_weights_are_uniform_exactly_where_the_normaliser_is_below_a_hundredth_of_the_absolute_sum(convert):
    assert CANCELLED == 0.01
    scores = np.array([scores_with(share) for share in SHARES])
    g = elu_by_hand(scores)
    np.testing.assert_allclose(g.sum(axis=1) / np.abs(g).sum(axis=1), SHARES, atol=1e-14)
    weights = np.asarray(guarded_kernel("elu").weights(convert(scores)))
    expected = np.where(np.array(BELOW)[:, None], 1 / 3, g / np.where(BELOW, 1.0, g.sum(axis=1))[:, None])
    np.testing.assert_allclose(weights, expected, rtol=1e-9)


def test_a_key_that_may_not_be_seen_counts_neither_in_the_sum_nor_in_the_uniform_weights():
    scores = np.array([[*scores_with(share), 50.0] for share in SHARES])
    mask = np.array([True, True, True, False])
    weights = guarded_kernel("elu").weights(scores, mask)
    visible = guarded_kernel("elu").weights(scores[:, :3])
    np.testing.assert_allclose(weights, np.column_stack([visible, np.zeros(len(SHARES))]), rtol=1e-12)


def explorer_with(share: float) -> KernelExplorer:
    """Return an explorer whose first row scores the three others by :func:`scores_with`, and itself by 1."""
    codes = np.column_stack([[1.0, *scores_with(share)], [0.0, 0.3, -0.2, 0.5]])
    return KernelExplorer(
        np.arange(4.0), [3.0, 1.0, -2.0, 7.0], codes=lambda x: codes, kernel="elu", include_self=False, query=0
    )


@pytest.mark.parametrize(("share", "uniform"), list(zip(SHARES, BELOW, strict=True)))
def test_the_page_falls_back_on_uniform_weights_where_the_package_does(share, uniform, browser, tmp_path):
    explorer = explorer_with(share)
    codes, y = np.array(explorer.data["codes"]), np.array(explorer.data["y"])
    path = tmp_path / "guard.html"
    path.write_text(FRAME.format(explorer.to_html()), encoding="utf-8")
    wanted = guarded_kernel("elu").weights(codes @ codes.T, others_mask(4))
    assert np.allclose(wanted[0], [0, 1 / 3, 1 / 3, 1 / 3]) == uniform
    with open_offline(browser, path) as page:
        page.wait_for_function("document.querySelector('figure.regattn')?.model")
        for query in range(4):
            found = page.evaluate(FITTED, query)
            np.testing.assert_allclose(found["weights"], wanted[query], rtol=1e-9, atol=1e-12)
        assert page.errors == []
    np.testing.assert_allclose(found["fitted"], wanted @ y, rtol=1e-9)
