"""What latent codes are measured against: other ways to send a row in so many bits, and chapter 21's experiments."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from regattn._rng import Rng, random_state_from
from regattn._validation import check_count, check_matrix, check_same_width

__all__ = ["quantised_pca", "residual_kmeans"]

STARTS = 4  # k-means keeps the best of so many


def quantised_pca(X: np.ndarray, X_new: np.ndarray, *, bits: int, rng: Rng = 0) -> np.ndarray:
    r"""Return rows as they come back from principal components that were sent in so many bits.

    Bits go one by one to the component whose variance is largest, and divide it by four (halving the error of a number
    takes one bit). A component with b bits is rounded to the nearest of :math:`2^b` centres found by k-means.

    Parameters
    ----------
    X, X_new : ndarray of shape (n, p) and (m, p)
        The rows that components and centres are found on, and those that are sent.
    bits : int
        Bits for a row, at least 1.
    rng : int or Generator, default 0
        The seed of k-means, or a generator that one is drawn from.

    Returns
    -------
    ndarray of shape (m, p)

    Raises
    ------
    ValueError
        If the widths differ, an entry is not finite, or a component is to get more centres than it has values.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 3)) * [4.0, 1.0, 0.1]
    >>> errors = [np.mean((quantised_pca(X, X, bits=b) - X) ** 2) for b in (1, 4, 8)]
    >>> errors == sorted(errors, reverse=True)
    True
    """
    (X, X_new), seed = _check_rows(X, X_new), random_state_from(rng)
    pca = PCA().fit(X)
    left, given = pca.explained_variance_.copy(), np.zeros(len(pca.explained_variance_), dtype=int)
    for _ in range(check_count(bits, "bits")):
        k = int(left.argmax())
        given[k] += 1
        left[k] /= 4
    known, scores = pca.transform(X), pca.transform(X_new)
    sent = np.zeros_like(scores)
    for k in np.flatnonzero(given):
        if 2 ** given[k] > len(np.unique(known[:, k])):
            raise ValueError(f"{bits} bits give component {k} {2 ** given[k]} centres, more than it has values")
        found = KMeans(2 ** given[k], n_init=STARTS, random_state=seed).fit(known[:, [k]])
        sent[:, k] = found.cluster_centers_[found.predict(scores[:, [k]]), 0]
    return pca.inverse_transform(sent)


def residual_kmeans(X: np.ndarray, X_new: np.ndarray, *, n_codes: int, n_parts: int = 1, rng: Rng = 0) -> np.ndarray:
    r"""Return rows as they come back from k-means on the rows, then on what it left, and so on.

    .. math:: \hat x = \sum_{m=1}^{M} e^{(m)}_{k_m}, \qquad
              k_m = \text{argmin}_k \Bigl\lVert x - \sum_{l<m} e^{(l)}_{k_l} - e^{(m)}_k \Bigr\rVert

    With one part it is k-means. It takes :math:`M \log_2 K` bits, and M codebooks of K rows.

    Parameters
    ----------
    X, X_new : ndarray of shape (n, p) and (m, p)
        The rows that centres are found on, and those that are sent.
    n_codes, n_parts : int
        K and M.
    rng : int or Generator, default 0
        The seed of k-means, or a generator that one is drawn from.

    Returns
    -------
    ndarray of shape (m, p)

    Raises
    ------
    ValueError
        If the widths differ, an entry is not finite, or there are fewer training rows than codes.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> errors = [np.mean((residual_kmeans(X, X, n_codes=8, n_parts=m) - X) ** 2) for m in (1, 2, 3)]
    >>> errors == sorted(errors, reverse=True)
    True
    """
    (X, X_new), seed = _check_rows(X, X_new), random_state_from(rng)
    check_count(n_codes, "n_codes", most=len(X), bound="the number of training rows")
    sent = np.zeros_like(X_new)
    for _ in range(check_count(n_parts, "n_parts")):
        found = KMeans(n_codes, n_init=STARTS, random_state=seed).fit(X)
        part = found.cluster_centers_[found.predict(X_new)]
        X, X_new, sent = X - found.cluster_centers_[found.labels_], X_new - part, sent + part
    return sent


def _check_rows(X: np.ndarray, X_new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    X, X_new = check_matrix(X, "X"), check_matrix(X_new, "X_new")
    check_same_width(X, X_new, "X", "X_new")
    return X, X_new
