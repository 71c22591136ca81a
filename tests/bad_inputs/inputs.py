"""Bad and odd inputs, and what every entrance owes them: a refusal in words or a finite result, inputs untouched."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
import traitlets
from hypothesis import HealthCheck, settings, strategies as st
from scipy import sparse

REFUSED = object()
"""What :func:`outcome` returns for a refusal."""


def many(examples: int) -> settings:
    """Return settings for a property: the same examples on every machine, nothing written to disk."""
    return settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def outcome(call: Callable[..., Any], *inputs: Any) -> Any:
    """Return the result, every number of it finite, or REFUSED; anything else fails the test."""
    before = [_snapshot(x) for x in inputs]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = call(*inputs)
    except (ValueError, TypeError, traitlets.TraitError):
        result = REFUSED
    except RuntimeError:  # torch itself will not hand such a tensor to NumPy
        if not any(isinstance(x, torch.Tensor) and (x.requires_grad or x.is_meta or x.is_sparse) for x in inputs):
            raise
        result = REFUSED
    for x, copy in zip(inputs, before, strict=True):
        assert _snapshot(x) == copy, "an input was changed in place"
    assert_finite(result)
    return result


def assert_finite(result: Any) -> None:
    """Assert that every number in a result, however nested, is finite."""
    if isinstance(result, torch.Tensor):
        assert torch.isfinite(result).all()
    elif isinstance(result, np.ndarray | np.generic | float):
        assert np.asarray(result).dtype.kind not in "fc" or np.isfinite(result).all()
    else:
        for part in _parts(result):
            assert_finite(part)


def _parts(result: Any) -> list[Any]:
    if sparse.issparse(result):
        return [result.data]
    if isinstance(result, pd.DataFrame):
        return [result.select_dtypes("number").to_numpy(dtype=float)]
    if is_dataclass(result) and not isinstance(result, type):
        return [getattr(result, each.name) for each in fields(result)]
    if isinstance(result, Mapping):
        return list(result.values())
    return list(result) if isinstance(result, list | tuple) else []


def _snapshot(x: Any) -> Any:
    if isinstance(x, torch.Tensor):
        if x.is_meta or x.layout != torch.strided:
            return None
        return x.detach().clone().view(torch.uint8).numpy().tobytes() if x.ndim and x.is_contiguous() else repr(x)
    if isinstance(x, np.ndarray) and x.dtype != object:
        return x.tobytes()
    return repr(x)


A = np.random.default_rng(7).normal(size=(5, 3))


def _read_only() -> np.ndarray:
    array = A.copy()
    array.setflags(write=False)
    return array


ODD = {
    "text": lambda: np.array([["a", "b"]]),
    "numbers as text": lambda: np.array([["1", "2"], ["3", "4"]]),
    "objects": lambda: np.array([[1.0, "b"], [None, 2]], dtype=object),
    "ragged": lambda: [[1.0], [1.0, 2.0]],
    "none": lambda: None,
    "dictionary": lambda: {"a": 1},
    "function": lambda: len,
    "empty list": lambda: [],
    "complex": lambda: np.ones((3, 2), complex),
    "dates": lambda: np.array([["2020-01-01"]], dtype="M8[D]"),
    "sparse": lambda: sparse.csr_array(A),
    "masked": lambda: np.ma.masked_array(A, A > 1),
    "frame of words": lambda: pd.DataFrame({"a": ["x", "y"], "b": [1, 2]}),
    "frame with gaps": lambda: pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
    "frame": lambda: pd.DataFrame(A, columns=list("abc")),
    "number": lambda: 3.0,
    "whole number beyond floats": lambda: 10**400,
    "vector": lambda: np.ones(3),
    "cube": lambda: np.ones((2, 3, 2)),
    "no rows": lambda: np.ones((0, 3)),
    "no columns": lambda: np.ones((3, 0)),
    "one number": lambda: np.array([[2.0]]),
    "one row": lambda: np.array([[2.0, 3.0, 1.0]]),
    "one column": lambda: np.array([[2.0], [3.0], [1.0]]),
    "nan": lambda: np.array([[np.nan, 1.0], [1.0, 2.0]]),
    "infinite": lambda: np.array([[np.inf, 1.0], [-np.inf, 1.0]]),
    "booleans": lambda: np.eye(3, dtype=bool),
    "int8": lambda: np.arange(6, dtype=np.int8).reshape(3, 2),
    "float16": lambda: A.astype(np.float16),
    "largest float16": lambda: np.full((3, 2), 65504, np.float16),
    "float32": lambda: A.astype(np.float32),
    "largest float32": lambda: np.full((3, 2), np.finfo(np.float32).max, np.float32),
    "long double": lambda: A.astype(np.longdouble),
    "1e150": lambda: A * 1e150,
    "1e300": lambda: A * 1e300,
    "largest": lambda: np.full((3, 2), np.finfo(float).max),
    "1e-150": lambda: A * 1e-150,
    "1e-300": lambda: A * 1e-300,
    "subnormal": lambda: np.full((3, 2), 5e-324) * [[1], [2], [5]],
    "mixed units": lambda: A * np.array([1e150, 1.0, 1e-150]),
    "near duplicates": lambda: np.column_stack([A[:, 0], A[:, 0] * (1 + 1e-15), A[:, 0]]),
    "zeros": lambda: np.zeros((4, 2)),
    "constant": lambda: np.full((4, 2), 3.7),
    "read only": _read_only,
    "column major": lambda: np.asfortranarray(A),
    "strided": lambda: np.repeat(A, 2, axis=0)[::2, ::-1],
    "tensor": lambda: torch.from_numpy(A.copy()),
    "transposed tensor": lambda: torch.from_numpy(A.T.copy()).T,
    "tensor with gradient": lambda: torch.from_numpy(A.copy()).requires_grad_(),
    "bfloat16": lambda: torch.from_numpy(A).to(torch.bfloat16),
    "half tensor": lambda: torch.from_numpy(A).to(torch.float16),
    "integer tensor": lambda: torch.ones(3, 2, dtype=torch.int64),
    "complex tensor": lambda: torch.ones(3, 2, dtype=torch.complex64),
    "sparse tensor": lambda: torch.from_numpy(A).to_sparse(),
    "tensor without numbers": lambda: torch.ones(3, 2, device="meta"),
    "large tensor": lambda: torch.full((3, 2), 3e38),
}
"""Named makers of odd inputs; a fresh one each time."""


@st.composite
def matrices(draw: st.DrawFn, *, rows: Any = None, columns: Any = None, exponents: int = 150) -> np.ndarray:
    """Draw a matrix: any scale up to 10^±exponents, some columns near copies, some constant, any dtype and layout."""
    n = draw(st.integers(1, 6)) if rows is None else rows
    p = draw(st.integers(1, 4)) if columns is None else columns
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    x = rng.normal(size=(n, p)) * 10.0 ** draw(st.integers(-exponents, exponents))
    kind = draw(st.sampled_from(["plain", "near copy", "constant", "zero column", "integers", "ties", "own units"]))
    if kind == "near copy":
        x[:, -1] = x[:, 0] * (1 + 10.0 ** draw(st.integers(-16, -1)))
    elif kind == "constant":
        x[:, -1] = x[0, 0]
    elif kind == "zero column":
        x[:, -1] = 0.0
    elif kind == "integers":
        x = rng.integers(-3, 4, size=(n, p))
    elif kind == "ties":
        x = np.repeat(x[:1], n, axis=0)
    elif kind == "own units":
        x *= 10.0 ** rng.integers(-8, 9, size=p)
    dtype = draw(st.sampled_from([np.float64, np.float64, np.float64, np.float32, np.float16]))
    with np.errstate(over="ignore", under="ignore"):
        x = x.astype(dtype)  # what overflows becomes infinite, and must be refused
    layout = draw(st.sampled_from(["C", "F", "strided", "read only"]))
    if layout == "strided":
        return np.repeat(x, 2, axis=0)[::2]
    x = np.asarray(x, order="F" if layout == "F" else "C")
    x.setflags(write=layout != "read only")
    return x
