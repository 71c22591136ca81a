"""Checks shared by the public entrances of the package: each raises a ValueError that names the offending value."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_torch_array


def check_array(x: Any, name: str) -> Any:
    """Return ``x`` as a floating-point NumPy array or torch tensor, or raise if it is empty or not finite."""
    if not is_torch_array(x):
        x = np.asarray(x)
        if x.dtype.kind not in "fiub":
            raise ValueError(f"{name} must hold real numbers, got dtype {x.dtype}")
    xp = array_namespace(x)
    if xp.isdtype(x.dtype, "complex floating"):
        raise ValueError(f"{name} must hold real numbers, got dtype {x.dtype}")
    if not xp.isdtype(x.dtype, "real floating"):
        x = xp.astype(x, xp.float64)
    if math.prod(x.shape) == 0:
        raise ValueError(f"{name} is empty: its shape is {tuple(x.shape)}")
    check_finite(x, name)
    return x


def check_finite(x: Any, name: str) -> None:
    """Raise if an entry of ``x`` is NaN or infinite, naming the first one and where it stands."""
    xp = array_namespace(x)
    x = x.detach() if is_torch_array(x) else x
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(xp.sum(x))  # one pass, no temporary: a finite sum has finite terms
    if math.isfinite(total):
        return
    bad = ~xp.isfinite(x)
    if not bool(xp.any(bad)):
        return  # the terms are finite and only their sum overflowed
    where = tuple(int(axis[0]) for axis in xp.nonzero(bad)) if x.ndim else ()
    raise ValueError(f"{name} must be finite, got {float(x[where])} at index {where}")


def check_matrix(x: Any, name: str) -> np.ndarray:
    """Return ``x`` as a finite, non-empty, two-dimensional float64 NumPy array."""
    x = np.asarray(check_array(np.asarray(x), name), dtype=np.float64)
    if x.ndim != 2:
        raise ValueError(f"{name} must have two dimensions (rows, columns), got shape {x.shape}")
    return x


def check_targets(y: Any, n: int, name: str = "y") -> np.ndarray:
    """Return targets of shape (n,) or (n, k) as a finite float64 array."""
    y = np.asarray(check_array(np.asarray(y), name), dtype=np.float64)
    if y.ndim not in (1, 2):
        raise ValueError(f"{name} must have shape (n,) or (n, k), got shape {y.shape}")
    if y.shape[0] != n:
        raise ValueError(f"{name} has {y.shape[0]} entries but there are {n} training rows")
    return y


def check_same_width(a: Any, b: Any, name_a: str, name_b: str) -> None:
    """Raise unless ``a`` and ``b`` have the same number of columns."""
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(f"{name_a} has {a.shape[-1]} columns but {name_b} has {b.shape[-1]}")


def check_count(value: Any, name: str, *, least: int = 1, most: int | None = None, bound: str = "") -> int:
    """Return ``value`` as an int between ``least`` and ``most``; ``bound`` says in words what ``most`` is."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ValueError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be ≥ {least}, got {value}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be ≤ {most}{f' ({bound})' if bound else ''}, got {value}")
    return int(value)


def check_real(
    value: Any, name: str, *, least: float = -math.inf, most: float = math.inf, strictly: bool = False
) -> float:
    """Return ``value`` as a finite float in [least, most], or in (least, most] when ``strictly``."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    if value < least or (strictly and value == least):
        raise ValueError(f"{name} must be {'>' if strictly else '≥'} {least:g}, got {value}")
    if value > most:
        raise ValueError(f"{name} must be ≤ {most:g}, got {value}")
    return float(value)
