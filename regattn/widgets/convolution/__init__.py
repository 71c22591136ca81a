"""The ConvolutionExplorer: a kernel moved over a small image in the reader's browser, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from regattn._validation import check_array
from regattn.regression.convolution import convolution_matrix
from regattn.widgets._kit import Count, Explorer, Slider, Tick, check_labels

__all__ = ["ConvolutionExplorer"]

SIZE = 3
LEAST, MOST = 6, 28  # rows and columns of an image
RINGS = 2  # of padding, at most
EDGES = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0, -1.0, -1.0, -1.0)
KERNELS = {
    "lower edges": EDGES,
    "right edges": (1.0, 0.0, -1.0, 1.0, 0.0, -1.0, 1.0, 0.0, -1.0),
    "blur": (1 / 9,) * 9,
    "identity": (0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0),
    "corner": (0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0),
}
"""The kernels of the buttons, row by row."""


class _Cell(Slider):
    """One number of the kernel, typed into its square."""

    kind = "cell"

    def __init__(self, row: int, column: int) -> None:
        default = EDGES[SIZE * (row - 1) + column - 1]
        super().__init__(f"Kernel, row {row}, column {column}", -9.0, 9.0, default=default, step=0.5)


def _named(kernel: Sequence[float]) -> dict[str, float]:
    return {f"kernel_{k // SIZE + 1}{k % SIZE + 1}": float(value) for k, value in enumerate(kernel)}


class ConvolutionExplorer(Explorer, panels=["image", "map", "activated", "pooled"]):
    r"""Show a kernel of 3 × 3 on an image: the window, the feature map, what bias and ReLU leave of it, and pooling.

    .. math:: \phi_{i,j} = \sum_{m=0}^{2}\sum_{n=0}^{2} x_{i+m,\,j+n}\, f_{m,n}

    As it stands it is a cross-correlation, as in every library of networks; turned by 180° it is the convolution of
    mathematics. Implements :eq:`feature-map`.

    Parameters
    ----------
    images : array of shape (k, height, width)
        From 6 × 6 to 28 × 28.
    titles : sequence of k str, optional
        Names of the images.
    presets : mapping of str to mapping, optional
        Buttons: a name, and the controls that it sets; by default five kernels.

    Raises
    ------
    ValueError
        If the images have another shape or an entry that is not finite, or a setting is out of range.

    Examples
    --------
    >>> explorer = ConvolutionExplorer(np.arange(36.0).reshape(1, 6, 6))
    >>> explorer.result()["feature_map"][0]
    [-36.0, -36.0, -36.0, -36.0]
    """

    image = Count("Image", most=lambda self: len(self.images) - 1, bound="the last image", names="titles", menu=True)
    stride = Count("Stride", least=1, most=lambda self: 3, bound="the longest step")
    padding = Count("Padding", most=lambda self: RINGS, bound="the most rings")
    bias = Slider("Bias", -9.0, 9.0, default=0.0, shown=(-2.0, 2.0), step=0.1)
    kernel_11, kernel_12, kernel_13 = _Cell(1, 1), _Cell(1, 2), _Cell(1, 3)
    kernel_21, kernel_22, kernel_23 = _Cell(2, 1), _Cell(2, 2), _Cell(2, 3)
    kernel_31, kernel_32, kernel_33 = _Cell(3, 1), _Cell(3, 2), _Cell(3, 3)
    turned = Tick("Turn the kernel by 180° (the convolution of mathematics)", default=False)
    place = Count("Place of the window", most=lambda self: self.places - 1, bound="the last place", play=6, runs=False)

    def __init__(
        self,
        images: ArrayLike,
        *,
        titles: Sequence[str] | None = None,
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        **kit: Any,
    ) -> None:
        self.images = np.asarray(check_array(images, "images"), dtype=float)
        shape = self.images.shape
        if self.images.ndim != 3 or not all(LEAST <= size <= MOST for size in shape[1:]):
            raise ValueError(f"images must have shape (k, height, width), each from {LEAST} to {MOST}, got {shape}")
        if np.abs(self.images).max() > 1e6:
            raise ValueError(f"shades of images must be at most 1e6, got {np.abs(self.images).max():g}")
        self.places = int(np.prod([size + 2 * RINGS - SIZE + 1 for size in shape[1:]]))
        names = [f"image {k + 1}" for k in range(len(self.images))] if titles is None else titles
        data = {"images": self.images, "titles": check_labels(names, len(self.images), "titles", rows="images")}
        alt = "A kernel of 3 by 3 numbers on a small image: the image, the feature map, after ReLU, after pooling."
        if presets is None:
            presets = {name: _named(kernel) for name, kernel in KERNELS.items()}
        super().__init__(**{"data": data, "alt": alt, "presets": presets} | kit)

    def kernel(self) -> np.ndarray:
        """Return the kernel in use, of shape (3, 3), turned if that is ticked."""
        found = np.array([getattr(self, name) for name in _named(EDGES)]).reshape(SIZE, SIZE)
        return found[::-1, ::-1] if self.turned else found

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            ``feature_map``, ``activated`` and ``pooled``, lists of rows; ``here``, the sum at the window.
        """
        image = self.images[self.image]
        matrix = convolution_matrix(self.kernel(), image.shape, stride=self.stride, padding=self.padding)
        height, width = ((size + 2 * self.padding - SIZE) // self.stride + 1 for size in image.shape)
        phi = (matrix @ image.ravel()).reshape(height, width)
        activated = np.maximum(phi + self.bias, 0)
        squares = activated[: height // 2 * 2, : width // 2 * 2].reshape(height // 2, 2, width // 2, 2)
        return {
            "feature_map": phi.tolist(),
            "activated": activated.tolist(),
            "pooled": squares.max(axis=(1, 3)).tolist(),
            "here": float(phi.flat[min(self.place, phi.size - 1)]),
        }
