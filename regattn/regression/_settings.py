"""What the settings of an AttentionRegressor may be."""

from __future__ import annotations

from typing import Any

from regattn._validation import check_count, check_real
from regattn.regression._heads import LEARNED
from regattn.regression._local import LINEAR


def check_settings(model: Any, p: int) -> None:
    """Raise unless the settings of an estimator can be fitted to p columns."""
    if model.kernel not in ("identity", *LEARNED):
        raise ValueError(f"kernel must be one of identity, {', '.join(LEARNED)}, got {model.kernel!r}")
    if model.combine not in ("average", "learn"):
        raise ValueError(f'combine must be "average" or "learn", got {model.combine!r}')
    widths = [check_count(width, "every width in encoder") for width in model.encoder]
    check_count(model.n_heads, "n_heads")
    if model.rank is not None:
        check_count(model.rank, "rank", most=widths[-1] if widths else p, bound="the features compared")
    check_count(model.n_iter_no_change, "n_iter_no_change")
    check_count(model.max_iter, "max_iter")
    if model.batch_size is not None:
        check_count(model.batch_size, "batch_size")
    _check_line(model)
    check_real(model.penalty, "penalty", least=0.0)
    check_real(model.tol, "tol", least=0.0, strictly=True)
    check_real(model.validation_fraction, "validation_fraction", least=0.0, most=0.9)
    if model.kernel == "identity" and model.n_heads > 1:
        raise ValueError(f"n_heads must be 1 for the identity kernel (its heads collapse), got {model.n_heads}")
    if model.kernel == "identity" and widths:
        raise ValueError(f"the identity kernel has a closed form and takes no encoder, got {model.encoder!r}")


def _check_line(model: Any) -> None:
    if model.local not in ("constant", "linear"):
        raise ValueError(f'local must be "constant" or "linear", got {model.local!r}')
    if model.ridge is not None:
        check_real(model.ridge, "ridge", least=0.0, strictly=True)
    if model.local == "linear" and model.kernel not in LINEAR:
        known = ", ".join(LINEAR)
        raise ValueError(
            f'local="linear" needs a kernel whose weights are ≥ 0 and sum to one, {known}, got {model.kernel!r}'
        )
    if model.local == "constant" and model.ridge is not None:
        raise ValueError(f'ridge is the penalty of local="linear", got {model.ridge} with local="constant"')
