"""Type aliases shared by the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, Union

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from pandas import DataFrame, Period, Timestamp
    from scipy.sparse import sparray
    from torch import Tensor

Array: TypeAlias = Union[np.ndarray, "Tensor"]
"""A NumPy array or a torch tensor."""

MaskLike: TypeAlias = Union[str, "ArrayLike", "Tensor", None]
"""A boolean array in which True means may attend, "causal", or None."""

Label: TypeAlias = Union[str, int, "Period", "Timestamp"]
"""What names a row of an index: a date, or the text that names one; where a place may be given, its number."""

Table: TypeAlias = Union["DataFrame", "ArrayLike", "sparray"]
"""A table of numbers: a DataFrame whose labels are words, an array, or a sparse array."""
