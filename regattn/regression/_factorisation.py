"""A matrix taken apart: QR by reflections, then the singular values of the small triangular factor."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, lapack, svd, svdvals
from threadpoolctl import ThreadpoolController

from regattn._validation import column_sizes

BLOCK = 32  # reflections applied together, as LAPACK's own QR does
PANEL = 8  # the same where the rows of a block stand below a triangle, which is narrow most of the time
IN_CACHE = 2**15  # numbers in such a block
ALIKE = 10.0  # ratio of column sizes below which an ordinary SVD costs at most one digit
WORTH_THREADS = 5e7  # multiplications below which a second thread may gain a few ms, and loses more on a busy machine
ALONE = 1e5  # multiplications of a product for which no BLAS starts a thread, so that nobody need tell it

_LIBRARIES = ThreadpoolController()
_SCIPY_ONLY = _LIBRARIES.select(
    filepath=[x["filepath"] for x in _LIBRARIES.info() if re.search(r"[/\\]scipy(\.libs)?[/\\]", x["filepath"])]
)


def _threads(multiplications: float) -> AbstractContextManager:
    """Return a context in which SciPy's BLAS, if NumPy has another, uses threads only where they gain something.

    The threads of a BLAS go on waiting, at full speed, for a tenth of a second after its work is done, and slow down
    what NumPy does next with its own. And a product in two threads waits for the slower: where other work keeps a core
    busy, that is until the system gives the second thread its turn, milliseconds later.
    """
    return _SCIPY_ONLY.limit(limits=1) if multiplications < WORTH_THREADS else nullcontext()


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return a @ b of two matrices, by the BLAS that SciPy's factorisations use.

    NumPy's own product uses a BLAS of its own: changing from one to the other in the middle of a fit, while the threads
    of the first still wait, can cost more than the fit.
    """
    multiplications = a.size * b.shape[1]
    (a, turned_a), (b, turned_b) = ((x.T, 0) if x.flags.c_contiguous else (x, 1) for x in (a, b))
    with nullcontext() if multiplications < ALONE else _threads(multiplications):
        return blas.dgemm(1.0, b, a, trans_a=turned_b, trans_b=turned_a).T  # the product of the transposes, row-major


class Orthonormal:
    """A matrix with orthonormal columns, (n, r): a small one, (k, r), turned into n dimensions by reflections.

    Its product with the targets is all that most questions ask for, and costs a fraction of writing it out.
    """

    def __init__(self, small: np.ndarray, reflections: tuple[np.ndarray, np.ndarray] | None = None) -> None:
        self._small, self._reflections = small, reflections

    def __len__(self) -> int:
        return len(self._small if self._reflections is None else self._reflections[0])

    def array(self) -> np.ndarray:
        """Return the matrix written out, shape (n, r)."""
        if self._reflections is None:
            return self._small
        padded = np.zeros((len(self), self._small.shape[1]), order="F")
        padded[: len(self._small)] = self._small
        with _threads(padded.size * len(self._small)):
            return lapack.dgemqrt(*self._reflections, padded, overwrite_c=1)[0]

    def project(self, y: np.ndarray) -> np.ndarray:
        """Return its transpose times y, shape (r,) or (r, t) for y of shape (n,) or (n, t)."""
        if self._reflections is None:
            return self._small.T @ y
        columns = np.array(y.reshape(len(y), -1), order="F")
        with _threads(columns.size * len(self._small)):
            turned = lapack.dgemqrt(*self._reflections, columns, trans="T", overwrite_c=1)[0]
        return product(self._small.T, turned[: len(self._small)]).reshape(-1, *y.shape[1:])


class Factors(NamedTuple):
    """Singular value decomposition of rank r: left (n, r), values (r,), right (p, r)."""

    left: Orthonormal
    values: np.ndarray
    right: np.ndarray


def factor(X: np.ndarray, sizes: np.ndarray, tolerance: float) -> Factors:
    """Return the singular value decomposition of a column-major X that is not all zero, and may be overwritten.

    ``sizes`` are the largest absolute values of its columns. Directions below ``tolerance`` are left out, the largest
    being 1 after every column of X is scaled to unit norm.
    """
    with _threads(X.size * min(X.shape)):
        if len(X) >= X.shape[1]:
            reflections, R, U, s, V = _tall(X, sizes)
            r = rank_of(R, s, tolerance)
            return Factors(Orthonormal(U[:, :r], reflections), s[:r], V[:, :r])
        turned = np.array(X.T, order="F")
        reflections, _, V, s, U = _tall(turned, column_sizes(turned))
        r = rank_of(X, s, tolerance)
        return Factors(Orthonormal(U[:, :r]), s[:r], Orthonormal(V[:, :r], reflections).array())


def _tall(
    X: np.ndarray, sizes: np.ndarray
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return reflections Q and R, U, s, V with X = Q R, R = U diag(s) V'; X is tall, column-major and overwritten.

    Where columns differ much in size, small singular values keep their digits only if the largest columns go first and
    one-sided Jacobi rotations follow, which together take a few times as long.
    """
    p = X.shape[1]
    if sizes.max() <= ALIKE * sizes.min():
        below, triangles, _ = lapack.dgeqrt(min(BLOCK, p), X, overwrite_a=1)
        R = np.triu(below[:p])
        U, s, Vt = svd(R, check_finite=False)
        return (below, triangles), R, U, s, Vt.T
    below, order, scales, _, _ = lapack.dgeqp3(X, lwork=2 * p + (p + 1) * BLOCK, overwrite_a=1)
    R = np.empty((p, p), order="F")
    R[:, order - 1] = np.triu(below[:p])
    s, U, V, work, _, failed = lapack.dgejsv(R, joba=1, jobu=0, jobv=0, jobr=0, jobt=0, jobp=0)
    if failed:
        U, s, Vt = svd(R, check_finite=False)
        return (below, scales[None]), R, U, s, Vt.T
    return (below, scales[None]), R, U, s * (work[0] / work[1]), V


def rank_of(X: np.ndarray, s: np.ndarray, tolerance: float) -> int:
    """Return the number of directions of X, whose singular values are s, that stand above rounding."""
    norms = np.linalg.norm(X, axis=0)
    norms = norms[present := norms > 0]
    if s[-1] * norms.min() > tolerance * s[0] * norms.max():
        return len(s)  # scaling moves the ratio of two singular values by no more than the ratio of the norms
    s = svdvals(X[:, present] / norms, check_finite=False)
    return int((s > tolerance * s[0]).sum())


def triangle_of(parts: tuple[np.ndarray, ...], offset: np.ndarray) -> np.ndarray:
    """Return R, square, of a column of ones beside the parts side by side, (n, k) in all, less their offset (k,).

    Rows go through the cache in blocks, so that neither Q nor a copy of the parts is ever held.
    """
    size = 1 + len(offset)
    R, step = np.zeros((size, size), order="F"), max(size, IN_CACHE // size)
    with _threads(step * size**2):
        for start in range(0, len(parts[0]), step):
            rows = [part[start : start + step] for part in parts]
            block, column = np.empty((len(rows[0]), size), order="F"), 1
            block[:, 0] = 1.0
            for part in rows:
                after = column + part.shape[1]
                np.subtract(part, offset[column - 1 : after - 1], out=block[:, column:after])
                column = after
            R = lapack.dtpqrt(0, min(PANEL, size), R, block, overwrite_a=1, overwrite_b=1)[0]
    return R


def fold_triangle(R: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the R of two triangles, one above the other; both are column-major and overwritten."""
    size = len(R)
    with _threads(size**3):
        return lapack.dtpqrt(size, min(PANEL, size), R, other, overwrite_a=1, overwrite_b=1)[0]
