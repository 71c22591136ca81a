"""Checks shared by the public entrances of the package: each raises a ValueError that names the offending value."""

from __future__ import annotations

import math
import sys
from contextlib import AbstractContextManager, nullcontext
from numbers import Integral, Real
from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_torch_array

SMALL = 1e-10  # a sum of squares in single precision loses terms below the square of some 1e-19


def check_array(x: Any, name: str) -> Any:
    """Return ``x`` as a floating-point NumPy array or torch tensor, or raise if it is empty or not finite."""
    x = as_floating(x, name)
    check_finite(x, name)
    return x


def as_floating(x: Any, name: str) -> Any:
    """Return ``x`` as a floating-point NumPy array or torch tensor, or raise if it is empty."""
    torch = sys.modules.get("torch")  # array_api_compat.is_torch_array, but called for every token of every layer
    if torch is not None and isinstance(x, torch.Tensor):
        if x.is_meta or x.layout is not torch.strided:
            raise ValueError(f"{name} must be a dense tensor that holds numbers, got {x.layout} on {x.device}")
        kind = "f" if x.is_floating_point() else "c" if x.is_complex() else "i"
        size, double = x.numel(), torch.float64
    else:
        if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):  # plain arrays would show what the mask hides
            raise ValueError(f"{name} must have no masked entries, got {np.ma.count_masked(x)}")
        if is_abstract(x):  # the compiler has no dtype's kind
            return np.asarray(x, dtype=np.float64)
        x = np.asarray(x)
        kind, size, double = x.dtype.kind, x.size, np.float64
    if kind not in "fiub":
        raise ValueError(f"{name} must hold real numbers, got dtype {x.dtype}")
    if size == 0:
        raise ValueError(f"{name} is empty: its shape is {tuple(x.shape)}")
    return x if kind == "f" else array_namespace(x).astype(x, double)


def is_abstract(x: Any) -> bool:
    """Return whether ``x`` stands for many tensors or for none yet: under ``torch.func`` and in ``torch.compile``.

    Shapes are checked there as everywhere; what depends on numbers is not.
    """
    torch = sys.modules.get("torch")
    return torch is not None and (torch.compiler.is_compiling() or (isinstance(x, torch.Tensor) and is_mapped(x)))


def is_mapped(x: Any) -> bool:
    """Return whether a torch tensor is inside a transformation of ``torch.func``, such as ``vmap``."""
    torch = sys.modules["torch"]  # the compiler, which cannot follow the question, answers it first
    return not torch.compiler.is_compiling() and torch._C._functorch.is_functorch_wrapped_tensor(x)


def all_finite(x: Any) -> bool:
    """Return whether no entry of ``x`` is NaN or infinite; True where nobody can look."""
    if is_abstract(x):
        return True
    x = x.detach() if is_torch_array(x) else x
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(x.sum())  # one pass, no temporary: a finite sum has finite terms
    if math.isfinite(total):
        return True
    xp = array_namespace(x)
    return bool(xp.all(xp.isfinite(x)))  # perhaps only the sum overflowed


def check_finite(x: Any, name: str) -> None:
    """Raise if an entry of ``x`` is NaN or infinite, naming the first one and where it stands."""
    if all_finite(x):
        return
    x = x.detach() if is_torch_array(x) else x
    xp = array_namespace(x)
    bad = ~xp.isfinite(x)
    where = tuple(int(axis[0]) for axis in xp.nonzero(bad)) if x.ndim else ()
    raise ValueError(f"{name} must be finite, got {float(x[where])} at index {where}")


def overflow_allowed(x: Any) -> AbstractContextManager:
    """Return a context in which NumPy says nothing of an overflow; torch never does."""
    return nullcontext() if is_torch_array(x) or is_abstract(x) else np.errstate(all="ignore")


def largest(x: Any, name: str) -> float:
    """Return the largest absolute value in ``x``; raise as :func:`check_finite` does."""
    if is_abstract(x):
        return 0.0
    low, high = x.detach().aminmax() if is_torch_array(x) else (x.min(), x.max())  # no temporary; NaN if an entry is
    found = max(-float(low), float(high))
    if not found < math.inf:
        check_finite(x, name)
    return found


def size(x: Any, name: str) -> float:
    """Return the root of the sum of squares of ``x``; more if the squares are too small, infinity if too large.

    Raises as :func:`check_finite` does. Zero where nobody can look.
    """
    if is_abstract(x):
        return 0.0
    if isinstance(x, np.ndarray):
        with np.errstate(over="ignore", invalid="ignore"):
            found = float(np.linalg.norm(x))
    else:
        x, norm = x.detach() if x.requires_grad else x, sys.modules["torch"].linalg.vector_norm
        # The parts of a projection are not contiguous, and vector_norm would take four times as long; but squares of
        # half-precision numbers overflow and vanish too soon.
        found = float(norm(x)) if x.is_contiguous() or x.element_size() < 4 else math.sqrt(x.square().sum())
    if found < SMALL:
        return largest(x, name) * math.sqrt(math.prod(x.shape))
    if math.isfinite(found):
        return found
    check_finite(x, name)
    return math.inf


def check_matrix(x: Any, name: str) -> np.ndarray:
    """Return ``x`` as a finite, non-empty, two-dimensional float64 NumPy array."""
    x = check_numpy(x, name)
    if x.ndim != 2:
        raise ValueError(f"{name} must have two dimensions (rows, columns), got shape {x.shape}")
    return x


def check_vector(x: Any, name: str, shape: str = "(n,)") -> np.ndarray:
    """Return ``x`` as a finite, non-empty, one-dimensional float64 NumPy array; ``shape`` is what to ask for."""
    x = check_numpy(x, name)
    if x.ndim != 1:
        raise ValueError(f"{name} must have shape {shape}, got shape {x.shape}")
    return x


def check_numpy(x: Any, name: str) -> np.ndarray:
    """Return ``x`` as a finite, non-empty float64 NumPy array whose squares can be added up."""
    if is_torch_array(x) and x.requires_grad:
        raise ValueError(f"{name} requires grad, but no gradient passes here; give {name}.detach()")
    x = as_floating(x, name)
    x = np.asarray(x.double().cpu() if is_torch_array(x) else x, dtype=np.float64)
    if largest(x, name) > 1e150:
        with np.errstate(over="ignore"):
            squares = float(np.sum(x * x))
        if not math.isfinite(squares):
            raise ValueError(f"{name} is too large to be squared, got {x.flat[np.abs(x).argmax()]:g}; change its units")
    return x


def column_sizes(X: np.ndarray) -> np.ndarray:
    """Return the largest absolute value in each column, without a temporary as large as X."""
    return np.maximum(X.max(axis=0), -X.min(axis=0))


def check_sizes(sizes: np.ndarray, name: str) -> None:
    """Raise if a column of ``name`` that is not all zero is so large or small that its square is no good number."""
    odd = (sizes > 1e100) | ((sizes > 0) & (sizes < 1e-100))
    if odd.any():
        column = int(np.argmax(odd))
        raise ValueError(
            f"columns of {name} must be between 1e-100 and 1e100 in size, got {sizes[column]:g} in column {column}; "
            "change its units"
        )


def check_targets(y: Any, n: int, name: str = "y") -> np.ndarray:
    """Return targets of shape (n,) or (n, k) as a finite float64 array."""
    y = check_numpy(y, name)
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
    value = _number(value, name)
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
    value = _number(value, name)
    if isinstance(value, bool) or not isinstance(value, Real) or not abs(value) <= sys.float_info.max:
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    if value < least or (strictly and value == least):
        raise ValueError(f"{name} must be {'>' if strictly else '≥'} {least:g}, got {value}")
    if value > most:
        raise ValueError(f"{name} must be ≤ {most:g}, got {value}")
    return float(value)


def _number(value: Any, name: str) -> Any:
    """Return the number that an array or a tensor without axes holds; anything else as it is."""
    if isinstance(value, int | float) or getattr(value, "ndim", None) != 0:
        return value
    if isinstance(value, np.ndarray | np.generic):
        return value.item() if value.dtype.kind in "iufb" else value
    if not is_torch_array(value) or value.is_meta or is_abstract(value):
        return value
    if value.requires_grad:
        raise ValueError(f"{name} requires grad, but no gradient passes here; give {name}.detach()")
    return value.item()
