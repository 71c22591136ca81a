r"""Attention regression as a scikit-learn estimator: learn how to compare, then average what was seen.

.. math:: \hat y_j = \sum_i g(\tilde x_j^\top \Omega\, \tilde x_i)\, y_i, \qquad \tilde x = (1, x - \bar x)

Source: eqs. (28), (31) and (32) of [GC]_.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from regattn._extras import needed_by
from regattn._tables import named
from regattn._validation import check_numpy, check_sizes, column_sizes
from regattn.masks import others_mask
from regattn.regression._heads import Head, guarded_kernel
from regattn.regression._inputs import index_of, validated
from regattn.regression._local import Keys, head_average, head_weights
from regattn.regression._settings import check_settings
from regattn.regression.least_squares import spectrum

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["AttentionRegressor"]

ENTRIES = 2**20  # weights held at once when predicting: 8 MB for each temporary array
ALL_ROWS, BATCH = 5_000, 256  # up to so many rows every step sees all; of more it sees so many queries


class AttentionRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    r"""Regression by attention to the training rows, with a learned comparison Ω.

    With the identity kernel Ω has a closed form, and the estimator is least squares, ridge or principal-component
    regression. With any other kernel Ω is learned by minimising

    .. math:: \frac{\lVert y - g(\tilde X\Omega\tilde X^\top)\, y\rVert^2}{\lVert y - \bar y\rVert^2}
              + \lambda \lVert\Omega\rVert_F^2 .

    Implements :eq:`attention-regression`; source: eq. (28) of [GC]_, with two things it lacks: a row does not attend to
    itself while Ω is learned, and Ω is penalised, without which there need not be a minimiser.

    With ``local="linear"`` each query fits a line under its weights and is answered by that line's height: local linear
    regression, or a locally weighted line [Cleveland1979]_, of which [WangShiFox2025]_ make attention layers under the
    name test-time regression. What it predicts is still a weighted sum of outcomes, though some weights are negative.
    Ω, and with it the bandwidth, and the line's ridge ρ are learned by the error of lines that are fitted without the
    row they predict. The equation stands in *The race*, under "A line instead of an average".

    Parameters
    ----------
    kernel : {"softmax", "relu", "elu", "exponential", "gaussian", "identity"}, default "softmax"
        What turns scores into weights. ReLU and ELU act on scores raised by one (with ``fit_intercept``), and their
        weights are divided by their sum; a query for which that sum vanishes attends to all rows alike. The
        exponential is not divided by a sum and learns such a level. The Gaussian kernel compares distances in the
        learned metric Ω.
    rank : int, optional
        Rank of Ω, from 1 to the number of features compared; by default Ω is free.
    n_heads : int, default 1
        Number of attention maps.
    local : {"constant", "linear"}, default "constant"
        Whether a query is answered by the weighted average of the outcomes, or by a line fitted under its weights. A
        line needs weights that are not negative and sum to one: softmax, ReLU or the Gaussian kernel.
    ridge : float, optional
        Penalty ρ > 0 on the line's slopes, for rows in standard units and weights that sum to one. By default it is
        learned with Ω, for each head.
    combine : {"average", "learn"}, default "average"
        Whether heads are trained one by one from different starts and averaged, or trained together with a share
        each (the matrix W_O of multi-head attention, for one target). Shares need not sum to one; the rest goes to
        uniform attention.
    encoder : tuple of int, default ()
        Widths of tanh layers applied to the rows before they are compared; each head has its own.
    exclude_self : bool, default True
        Whether a training row is kept from attending to itself while Ω is learned. The closed form of the identity
        kernel does not use it.
    fit_intercept : bool, default True
        Whether rows are centred and a constant joins the comparison.
    penalty : float, default 0.1
        λ ≥ 0. For the identity kernel the ridge penalty, in squared units of X; for the others it multiplies the sum
        of squares of Ω (in units of the columns' standard deviations, so that their units do not matter), of the
        encoder's weights and of learned shares.
    validation_fraction : float, default 0
        Share of the training rows held out to stop training early; 0 for none. They do not become keys.
    n_iter_no_change : int, default 10
        Looks without a better validation error after which training stops; the best is kept. L-BFGS looks after each
        step, Adam after every ten.
    batch_size : int, optional
        Queries in a step of Adam, each of which attends to all keys; the step falls to zero over ``max_iter`` steps. By
        default up to 5,000 rows are all taken in every step, of L-BFGS, and of more rows 256. Neither keeps the n × n
        weights; a batch takes time and memory in proportion to n.
    max_iter : int, default 500
        Largest number of steps.
    tol : float, default 1e-6
        L-BFGS ends when a step lowers the loss by less than this share, or the gradient is smaller than this.
    random_state : int, RandomState or None, default None
        Draws the start and the rows held out.
    verbose : bool, default False
        Whether to show a progress bar.

    Attributes
    ----------
    omega_ : ndarray of shape (D, D), or (n_heads, D, D) with several heads
        Ω, acting on :math:`\tilde x = (1, x - \bar x)`, D = p + 1. Without intercept on x itself, D = p. With an
        encoder the hidden units stand for x; the Gaussian kernel has no constant.
    head_weights_ : ndarray of shape (n_heads,)
        The share of each head.
    ridge_ : float, or ndarray of shape (n_heads,) with several heads
        The ridge ρ of the lines; None with ``local="constant"``.
    loss_curve_ : list of float
        The loss after each step: share of variance unexplained plus penalty. The mean over heads trained one by one.
        Adam's is that of its batch, before the step.
    validation_curve_ : list of float
        Mean squared error on the rows held out, in units of the training variance; empty without them.
    n_iter_ : int
        Number of steps; 1 for the closed form.

    Raises
    ------
    ValueError
        When fitted with a parameter out of its range.

    Warns
    -----
    ConvergenceWarning
        If ``max_iter`` steps of L-BFGS were not enough.

    Examples
    --------
    >>> x = np.linspace(-2, 2, 41)[:, None]
    >>> model = AttentionRegressor(kernel="gaussian", penalty=0.001, random_state=0).fit(x, x[:, 0] ** 2)
    >>> bool(model.score(x, x[:, 0] ** 2) > 0.9)
    True
    >>> model.attention_weights(x).sum(axis=1).round(6)[:3]
    array([1., 1., 1.])

    A line extrapolates where an average cannot:

    >>> line = AttentionRegressor(kernel="gaussian", local="linear", random_state=0).fit(x, 3 * x[:, 0])
    >>> bool(abs(line.predict([[4.0]])[0] - 12) < 0.1)
    True
    """

    def __init__(  # noqa: PLR0913
        self,
        *,
        kernel: str = "softmax",
        rank: int | None = None,
        n_heads: int = 1,
        local: str = "constant",
        ridge: float | None = None,
        combine: str = "average",
        encoder: tuple[int, ...] = (),
        exclude_self: bool = True,
        fit_intercept: bool = True,
        penalty: float = 0.1,
        validation_fraction: float = 0.0,
        n_iter_no_change: int = 10,
        batch_size: int | None = None,
        max_iter: int = 500,
        tol: float = 1e-6,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
    ):
        self.kernel = kernel
        self.rank = rank
        self.n_heads = n_heads
        self.local = local
        self.ridge = ridge
        self.combine = combine
        self.encoder = encoder
        self.exclude_self = exclude_self
        self.fit_intercept = fit_intercept
        self.penalty = penalty
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: ArrayLike) -> AttentionRegressor:
        """Learn Ω and remember the training rows.

        Parameters
        ----------
        X : array of shape (n, p)
            Training rows, n ≥ 2.
        y : array of shape (n,) or (n, t)
            Targets, which share one attention map.

        Returns
        -------
        AttentionRegressor
            The estimator itself.
        """
        self._index = index_of(X)
        X, y = validated(self, X, y, multi_output=True, y_numeric=True, dtype=np.float64, ensure_min_samples=2)
        y = check_numpy(y, "y")
        check_settings(self, X.shape[1])
        self._one_target = y.ndim == 1
        if self.kernel == "identity":
            return self._fit_closed_form(X, y)  # where spectrum checks the sizes of X
        check_sizes(column_sizes(check_numpy(X, "X")), "X")
        rng = check_random_state(self.random_state)
        return self._fit_heads(X, y.reshape(len(y), -1), np.random.default_rng(rng.randint(2**31 - 1)))

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Return the predictions: the sum of the training targets under :meth:`attention_weights`.

        Rows are taken in batches, so that memory stays bounded whatever their number.

        Parameters
        ----------
        X : array of shape (m, p)
            Rows to predict at.

        Returns
        -------
        ndarray of shape (m,) or (m, t)
            In the units of the targets.
        """
        check_is_fitted(self)
        X = self._checked(X)
        if self.kernel == "identity":
            return self._fitted.at(X)(**self._closed_form)
        step = max(1, ENTRIES // len(self._y))
        batches = [self._predict_batch(X[start : start + step]) for start in range(0, len(X), step)]
        fitted = np.concatenate(batches)
        return fitted[:, 0] if self._one_target else fitted

    def attention_weights(self, X: ArrayLike = None) -> np.ndarray | DataFrame:
        """Return the weight of every training row in the prediction at every row of ``X``.

        ``predict(X)`` is ``attention_weights(X) @ y``. With ``local="linear"`` these are the weights of the lines, of
        which some are negative.

        Parameters
        ----------
        X : array of shape (m, p), optional
            Rows to predict at; by default the training rows as they were while Ω was learned, so that with
            ``exclude_self`` the diagonal is zero: ``attention_weights() @ y`` then predicts each row from the others.

        Returns
        -------
        ndarray or DataFrame of shape (m, n)
            A DataFrame where one went in. With ``validation_fraction`` above zero, n counts the rows that were not held
            out.
        """
        check_is_fitted(self)
        index = self._index if X is None else index_of(X)
        return named(self._attention_weights(None if X is None else self._checked(X)), index, self._index)

    def _attention_weights(self, X: np.ndarray | None) -> np.ndarray:
        if self.kernel == "identity":
            return self._spectrum.weights(X, **self._closed_form)
        mask = others_mask(len(self._y)) if X is None and self.exclude_self else None
        inputs = self._X if X is None else self._standardised(X)
        weights = np.full((len(inputs), len(self._y)), (1 - self.head_weights_.sum()) / len(self._y))
        kernel = guarded_kernel(self.kernel)
        for head, keys, share in zip(self._heads, self._keys, self.head_weights_, strict=True):
            weights += share * head_weights(head, inputs, keys, kernel, mask=mask)
        return weights

    def _predict_batch(self, X: np.ndarray) -> np.ndarray:
        inputs = self._standardised(X)
        fitted = np.tile((1 - self.head_weights_.sum()) * self._y.mean(axis=0), (len(X), 1))
        kernel = guarded_kernel(self.kernel)
        for head, keys, share in zip(self._heads, self._keys, self.head_weights_, strict=True):
            fitted += share * head_average(head, inputs, keys, self._y, kernel)
        return fitted

    def _fit_closed_form(self, X: np.ndarray, y: np.ndarray) -> AttentionRegressor:
        s = spectrum(X, centre=self.fit_intercept)
        self._spectrum, self._fitted, self._y = s, s.predictor(None, y), y
        self._closed_form = {"ridge": float(self.penalty), "rank": None if self.rank is None else int(self.rank)}
        inner = s.omega(**self._closed_form)
        self.omega_ = inner
        if self.fit_intercept:
            self.omega_ = np.zeros((len(inner) + 1,) * 2)
            self.omega_[0, 0], self.omega_[1:, 1:] = 1 / len(X), inner
        self.head_weights_, self.ridge_ = np.ones(1), None
        residuals = y - self._fitted(**self._closed_form)
        variation = np.sum((y - y.mean(axis=0)) ** 2)
        self.loss_curve_ = [float(np.sum(residuals**2) / (variation if variation > 0 else 1.0))]
        self.validation_curve_, self.n_iter_ = [], 1
        return self

    def _fit_heads(self, X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> AttentionRegressor:
        with needed_by("an AttentionRegressor that learns its heads"):
            from regattn.regression._head_training import HeadShape, Problem, Stopping, Trained, train

        held_out = rng.permutation(len(X))[: round(self.validation_fraction * len(X))]
        if len(X) - len(held_out) < 2:
            raise ValueError(
                f"validation_fraction leaves {len(X) - len(held_out)} of {len(X)} rows to train on, "
                f"got {self.validation_fraction}"
            )
        kept = np.setdiff1d(np.arange(len(X)), held_out)
        centre = X[kept].mean(axis=0) if self.fit_intercept else np.zeros(X.shape[1])
        spread = np.sqrt(((X[kept] - centre) ** 2).mean(axis=0))
        self._centre = centre
        self._spread = np.where(spread > 1e-12 * np.abs(X[kept]).max(axis=0), spread, 1.0)
        self._X, self._y = self._standardised(X[kept]), y[kept]
        self._index = None if self._index is None else self._index[kept]
        units = np.where(self._y.std(axis=0) > 0, self._y.std(axis=0), 1.0)
        problem = Problem(
            self._X,
            self._y / units,
            self._standardised(X[held_out]),
            y[held_out] / units,
            float(self.penalty),
            bool(self.exclude_self),
        )
        rank = None if self.rank is None else int(self.rank)
        line = (self.local, None if self.ridge is None else float(self.ridge))
        shape = HeadShape(self.kernel, X.shape[1], tuple(self.encoder), rank, bool(self.fit_intercept), *line)
        limits = (int(self.max_iter), float(self.tol), int(self.n_iter_no_change))
        stopping = Stopping(*limits, bool(self.verbose), self._rows_per_step(len(kept)))
        together = self.combine == "learn"
        runs: list[Trained] = [
            train(problem, shape, self.n_heads if together else 1, stopping, rng)
            for _ in range(1 if together else self.n_heads)
        ]
        self._keep(runs)
        return self

    def _keep(self, runs: list[Any]) -> None:
        """Store the trained heads, their maps in the units of X, and how training went."""
        self._heads: list[Head] = [head for run in runs for head in run.heads]
        self.head_weights_ = np.concatenate([run.shares / len(runs) for run in runs])
        self._keys = [Keys(head.keys(head.features(self._X)), self._X) for head in self._heads]
        ridges = [None if head.ridge is None else float(head.ridge) for head in self._heads]
        self.ridge_ = np.array(ridges) if self.local == "linear" and self.n_heads > 1 else ridges[0]
        omegas = np.stack([self._omega(head) for head in self._heads])
        self.omega_ = omegas if self.n_heads > 1 else omegas[0]
        self.loss_curve_ = _mean_curve([run.loss_curve for run in runs])
        self.validation_curve_ = _mean_curve([run.validation_curve for run in runs])
        self.n_iter_ = max(len(run.loss_curve) for run in runs)
        if not all(run.converged for run in runs):
            warnings.warn(
                f"training stopped at max_iter={self.max_iter} before the loss settled; raise max_iter or penalty",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _rows_per_step(self, n: int) -> int | None:
        """Return how many queries a step sees, None for all of them."""
        if self.batch_size is None:
            return None if n <= ALL_ROWS else BATCH
        return min(n, int(self.batch_size))

    def _omega(self, head: Head) -> np.ndarray:
        omega = head.query_map if head.key_map is None else head.query_map @ head.key_map.T
        omega = omega.copy()
        if head.level is not None:
            omega[0, 0] += head.level
        if not head.layers:
            units = np.concatenate([np.ones(int(head.constant)), self._spread])
            omega = omega / np.outer(units, units)
        return omega

    def _checked(self, X: ArrayLike) -> np.ndarray:
        """Return new rows as a finite array with the columns of the training rows."""
        return validated(self, X, reset=False, dtype=np.float64)

    def _standardised(self, X: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):  # an infinite query is refused where it is compared
            return (X - self._centre) / self._spread


def _mean_curve(curves: list[list[float]]) -> list[float]:
    """Return the mean of curves of different lengths; a shorter one stays at its last value."""
    longest = max(len(curve) for curve in curves)
    if longest == 0:
        return []
    return np.mean([curve + curve[-1:] * (longest - len(curve)) for curve in curves], axis=0).tolist()
