"""A convolution as a matrix: a linear map whose weights are shared between places."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from regattn._tables import read_table
from regattn._validation import check_count

__all__ = ["convolution_matrix"]


def convolution_matrix(kernel: ArrayLike, shape: tuple[int, int], *, stride: int = 1, padding: int = 0) -> np.ndarray:
    r"""Return the matrix that maps an image, read row by row, to its feature map under a kernel.

    .. math:: \phi_{i,j} = \sum_{m=0}^{k_h-1}\sum_{n=0}^{k_w-1} x_{i+m,\,j+n}\, f_{m,n}

    Each row of the matrix holds the kernel once, at another place, and zeros elsewhere: a linear layer with shared
    weights. Implements :eq:`feature-map`; source: BP's display, with its sums ended one term earlier.

    Parameters
    ----------
    kernel : array of shape (k_h, k_w)
        The filter f.
    shape : pair of int
        Height and width of the image.
    stride : int, default 1
        How far the window moves.
    padding : int, default 0
        Rings of zeros round the image.

    Returns
    -------
    ndarray of shape (rows × columns of the feature map, height × width)
        Entries are those of the kernel, and zeros.

    Raises
    ------
    ValueError
        If a number is out of range or the kernel does not fit into the padded image.

    Examples
    --------
    >>> convolution_matrix([[1, 2]], (1, 4))
    array([[1., 2., 0., 0.],
           [0., 1., 2., 0.],
           [0., 0., 1., 2.]])
    """
    f = read_table(kernel, "kernel").values
    height, width = (check_count(size, "a size of shape") for size in shape)
    stride, padding = check_count(stride, "stride"), check_count(padding, "padding", least=0)
    around = np.full((height + 2 * padding, width + 2 * padding), -1)
    around[padding : padding + height, padding : padding + width] = np.arange(height * width).reshape(height, width)
    if any(k > size for k, size in zip(f.shape, around.shape, strict=True)):
        raise ValueError(f"the kernel of shape {f.shape} does not fit into an image of shape {around.shape}")
    windows = np.lib.stride_tricks.sliding_window_view(around, f.shape)[::stride, ::stride].reshape(-1, f.size)
    matrix = np.zeros((len(windows), height * width + 1))  # the last column takes what falls on the padding
    np.put_along_axis(matrix, windows, np.broadcast_to(f.ravel(), windows.shape), axis=1)
    return matrix[:, :-1]
