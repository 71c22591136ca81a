"""An attention weight taken apart: how far out two codes are, and how well they line up."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from regattn._tables import named, read_table
from regattn._validation import check_same_width
from regattn.attention import attend

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["ScaleAndAlignment", "scale_and_alignment"]


class ScaleAndAlignment(NamedTuple):
    """The two factors of an attention weight: product of norms, and cosine of the angle."""

    scale: np.ndarray | DataFrame
    alignment: np.ndarray | DataFrame


def scale_and_alignment(F_new: ArrayLike, F_train: ArrayLike) -> ScaleAndAlignment:
    r"""Return the two factors of every weight: how far out the two codes are, and how well they line up.

    .. math:: \omega_{ji} = \lVert F_j \rVert \lVert F_i \rVert \cos\theta_{ji}

    Implements :eq:`scale-alignment`; source: eq. (9) of [GC]_.

    Parameters
    ----------
    F_new : array of shape (m, r)
        Codes of the queries.
    F_train : array of shape (n, r)
        Codes of the training rows.

    Returns
    -------
    ScaleAndAlignment
        ``scale`` and ``alignment`` (the cosine, in [-1, 1]), each of shape (m, n); their product is the weight. A code
        of length zero has no direction: its alignment is 0.

    Raises
    ------
    ValueError
        If the numbers of columns differ or an entry is not finite.

    Examples
    --------
    >>> scale_and_alignment(np.array([[3.0, 4.0]]), np.array([[1.0, 0.0], [0.0, -2.0]]))
    ScaleAndAlignment(scale=array([[ 5., 10.]]), alignment=array([[ 0.6, -0.8]]))
    """
    F_train, index, columns = read_table(F_train, "F_train")
    F_new, new, _ = read_table(F_new, "F_new", columns=columns, of="F_train")
    new = None if index is None else new
    check_same_width(F_new, F_train, "F_new", "F_train")
    scale = np.outer(np.linalg.norm(F_new, axis=1), np.linalg.norm(F_train, axis=1))
    products = attend(F_new, F_train, np.eye(len(F_train)), kernel="identity")
    alignment = np.divide(products, scale, out=np.zeros_like(scale), where=scale > 0)
    return ScaleAndAlignment(named(scale, new, index), named(np.clip(alignment, -1.0, 1.0), new, index))
