"""One call for a dozen models: each is attention, to rounding, beside the library that everybody uses for it."""

import numpy as np
import pytest
import torch
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from statsmodels.nonparametric.kernel_regression import KernelReg
from torch.nn import functional

from regattn import attend, attention_weights, nearest
from regattn.regression import forest_codes, kernel_ridge_codes, least_squares_codes

N, P, M = 83, 5, 17


@pytest.fixture
def data():
    rng = np.random.default_rng(83)
    X, X_new = rng.normal(size=(N, P)) * 3 + 10, rng.normal(size=(M, P)) * 3 + 10
    return X, X @ rng.normal(size=P) + rng.normal(size=N), X_new


@pytest.mark.parametrize(
    ("settings", "reference"),
    [
        ({}, LinearRegression()),
        ({"ridge": 31.0}, Ridge(alpha=31.0)),
        ({"rank": 2}, make_pipeline(PCA(2), LinearRegression())),
    ],
    ids=["OLS", "ridge", "PCR"],
)
def test_least_squares_is_attention(data, settings, reference):
    X, y, X_new = data
    ours = attend(*least_squares_codes(X, X_new, **settings), y, kernel="identity")
    np.testing.assert_allclose(ours, reference.fit(X, y).predict(X_new), rtol=1e-10)


def test_nearest_neighbours_are_attention(data):
    X, y, X_new = data
    expected = KNeighborsRegressor(7).fit(X, y).predict(X_new)
    np.testing.assert_allclose(attend(X_new, X, y, kernel=nearest(7)), expected, rtol=1e-12)


def test_nadaraya_watson_is_attention(data):
    X, y, X_new = data
    reference = KernelReg(y, X, var_type="c" * P, reg_type="lc", bw=[2.5] * P, rng=np.random.default_rng(0))
    ours = attend(X_new, X, y, kernel="gaussian", scale=1 / 2.5**2)
    np.testing.assert_allclose(ours, reference.fit(X_new)[0], rtol=1e-10)


@pytest.mark.parametrize("name", ["rbf", "polynomial"])
def test_kernel_ridge_is_attention(data, name):
    X, y, X_new = data
    covariance = {"rbf": lambda a, b: rbf_kernel(a, b, gamma=0.05), "polynomial": polynomial_kernel}[name]
    ours = attend(*kernel_ridge_codes(X, X_new, covariance=covariance, ridge=0.7), y, kernel="identity")
    expected = KernelRidge(alpha=0.7, kernel=covariance_of_rows(covariance)).fit(X, y).predict(X_new)
    np.testing.assert_allclose(ours, expected, rtol=1e-6)  # the polynomial kernel has a condition number of 1e9


def covariance_of_rows(covariance):
    return lambda a, b: float(covariance(a[None], b[None])[0, 0])


def test_the_mean_of_a_gaussian_process_is_attention(data):
    X, y, X_new = data
    reference = GaussianProcessRegressor(RBF(4.0) + WhiteKernel(0.5), optimizer=None).fit(X, y)
    ours = attend(*kernel_ridge_codes(X, X_new, covariance=RBF(4.0), ridge=0.5), y, kernel="identity")
    np.testing.assert_allclose(ours, reference.predict(X_new), rtol=1e-9)


@pytest.mark.parametrize("leaf", [1, 5])
@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_a_forest_is_attention_with_weights_from_its_leaves(data, kind, bootstrap, leaf):
    X, y, X_new = data
    forest = kind(23, bootstrap=bootstrap, min_samples_leaf=leaf, max_features=2, random_state=1).fit(X, y)
    codes = forest_codes(forest, X, X_new)
    np.testing.assert_allclose(attend(*codes, y, kernel="identity"), forest.predict(X_new), rtol=1e-12)
    weights = attention_weights(*codes, kernel="identity")
    assert weights.min() >= 0
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-12)


def test_forest_weights_ignore_rows_a_tree_never_drew(data):
    X, y, X_new = data
    forest = RandomForestRegressor(1, random_state=1).fit(X, y)
    weights = attention_weights(*forest_codes(forest, X, X_new), kernel="identity")
    never = np.setdiff1d(np.arange(N), forest.estimators_samples_[0])
    assert len(never) > 10
    assert np.all(weights[:, never] == 0)


def test_one_head_of_torch_is_attention(data):
    generator = torch.Generator().manual_seed(2)
    x, z = torch.randn(1, M, 8, generator=generator), torch.randn(1, N, 8, generator=generator)
    torch.manual_seed(3)
    module = torch.nn.MultiheadAttention(8, 1, bias=True, batch_first=True)
    torch.nn.init.normal_(module.in_proj_bias)
    expected, _ = module(x, z, z)
    W_Q, W_K, W_V = module.in_proj_weight.chunk(3)
    b_Q, b_K, b_V = module.in_proj_bias.chunk(3)
    head = attend(x @ W_Q.T + b_Q, z @ W_K.T + b_K, z @ W_V.T + b_V)
    ours = head @ module.out_proj.weight.T + module.out_proj.bias
    torch.testing.assert_close(ours, expected, rtol=1e-5, atol=1e-6)  # single precision


def test_scaled_dot_product_attention_is_attention_without_torch(data):
    X, _, X_new = data
    Q, K = X_new[:, :3], X[:, 2:]
    expected = functional.scaled_dot_product_attention(*(torch.from_numpy(a)[None] for a in (Q, K, X)))[0]
    np.testing.assert_allclose(attend(Q, K, X), expected, rtol=1e-10)


@pytest.mark.parametrize("bootstrap", [True, False])
def test_a_forest_of_other_rows_is_refused(data, bootstrap):
    X, y, X_new = data
    forest = RandomForestRegressor(2, bootstrap=bootstrap, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="more rows than the 11" if bootstrap else "fitted to 83 rows but X has 11"):
        forest_codes(forest, X[:11], X_new)


@pytest.mark.parametrize(
    ("ridge", "width", "message"), [(0.0, P, "ridge must be > 0, got 0.0"), (1.0, 3, "X has 5 columns but X_new has 3")]
)
def test_kernel_ridge_refuses_what_has_no_answer(data, ridge, width, message):
    X, _, X_new = data
    with pytest.raises(ValueError, match=message):
        kernel_ridge_codes(X, X_new[:, :width], covariance=rbf_kernel, ridge=ridge)


def test_least_squares_codes_refuse_a_negative_penalty(data):
    X, _, X_new = data
    with pytest.raises(ValueError, match=r"got -1\.0"):
        least_squares_codes(X, X_new, ridge=-1.0)
