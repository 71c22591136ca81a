"""Chapter 2 draws one start of each network for every block of digits; here are five, and what it says stands."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from scipy.stats import ttest_1samp
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from torch import nn

from regattn.regression import NetworkClassifier
from regattn.series import corrected_t_test

pytestmark = pytest.mark.weekly

SEEDS = range(10, 15)  # the chapter has 0 to 6
COMPARED = 5  # the chapter's comparisons, for which it corrects


@pytest.fixture(scope="module")
def misread() -> dict[str, np.ndarray]:
    """Return the share of each of the 14 forms that is misread, of shape (5, 14) for the networks, one row a seed."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    digits = load_digits()
    pixels, labels = digits.data / 16, digits.target
    begins = [found.start() for found in re.finditer("0?1234567890123456", "".join(map(str, labels)))]
    form = np.searchsorted(begins, np.arange(len(labels)), side="right") - 1
    blocks = PredefinedSplit(form // 2)
    window = [nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()]
    networks = {
        "MLP": nn.Sequential(nn.Linear(64, 36), nn.ReLU(), nn.Linear(36, 10)),
        "CNN": nn.Sequential(nn.Unflatten(1, (1, 8, 8)), *window, nn.Linear(256, 10)),
    }
    rules = {name: [NetworkClassifier(net, random_state=s) for s in SEEDS] for name, net in networks.items()}
    rules["linear"] = [LogisticRegression(max_iter=5000, tol=1e-6)]
    found = {}
    for name, draws in rules.items():
        wrong = [cross_val_predict(rule, pixels, labels, cv=blocks) != labels for rule in draws]
        found[name] = np.array([[each[form == f].mean() for f in range(14)] for each in wrong])
    torch.set_num_threads(threads)
    return found


def test_with_every_draw_the_cnn_reads_better_than_the_mlp_and_the_mlp_no_better_than_a_line(misread):
    means = {name: shares.mean(axis=1) for name, shares in misread.items()}
    assert (means["CNN"] < means["MLP"] - 0.01).all()
    assert (means["CNN"] < means["linear"] - 0.01).all()
    assert (np.abs(means["MLP"] - means["linear"]) < 0.012).all()


@pytest.mark.parametrize(("rival", "ends"), [("MLP", (1.7, 2.8)), ("linear", (1.8, 3.1))])
def test_the_chapter_says_by_how_many_points_the_cnn_is_ahead_with_the_five_draws(misread, rival, ends):
    ahead = 100 * (misread[rival].mean(axis=1) - misread["CNN"].mean(axis=1))
    # rounding (0.05), and one image in 1,797 (0.06) that another machine may read otherwise
    assert np.abs(np.array([ahead.min(), ahead.max()]) - ends).max() < 0.12


@pytest.mark.parametrize("rival", ["MLP", "linear"])
def test_on_average_over_draws_it_is_proven_by_form_and_not_by_block(misread, rival):
    cnn, other = (misread[name].mean(axis=0) for name in ("CNN", rival))
    assert COMPARED * ttest_1samp(cnn - other, 0).pvalue < 0.05
    by_block = [shares.reshape(7, 2).mean(axis=1) for shares in (cnn, other)]
    assert COMPARED * corrected_t_test(*by_block, test_share=1 / 7).p_value > 0.05


def test_a_single_draw_does_not_always_prove_the_cnn_better_than_the_mlp(misread):
    chances = ttest_1samp(misread["CNN"] - misread["MLP"], 0, axis=1).pvalue
    assert (chances < 0.05).all()
    assert 0.05 < COMPARED * chances.max() < 0.1


def test_a_draw_moves_a_block_by_less_than_the_hands_do(misread):
    for name in ("MLP", "CNN"):
        by_block = misread[name].reshape(5, 7, 2).mean(axis=2)
        assert by_block.std(axis=0, ddof=1).mean() < by_block.mean(axis=0).std(ddof=1)
