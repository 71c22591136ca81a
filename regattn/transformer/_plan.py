"""How a training is to go."""

from __future__ import annotations

import math
from dataclasses import dataclass

from regattn._validation import check_count, check_real

PRECISIONS = ("full", "bfloat16")


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """How long and how fast.

    Parameters
    ----------
    steps : int
        Updates of the weights.
    peak : float, default 1e-3
        Largest learning rate.
    warmup : int, default 0
        Steps over which the rate rises from zero to the peak; it then falls along a cosine.
    final : float, default 0.1
        Rate at the last step, as a share of the peak.
    weight_decay : float, default 0.1
        Of matrices; vectors (intercepts, norms) have none.
    clip : float, default 1
        Largest norm of the gradient.
    evaluate_every : int, default 100
        Steps between evaluations; the last step is always evaluated.
    patience : int, optional
        Stop after this many evaluations in a row without a new best.
    save_every : int, default 500
        Steps between saves, when there is a checkpoint.
    progress : bool, default False
        Whether to show a progress bar.
    precision : {"full", "bfloat16"}, default "full"
        Whether products are taken in the dtype of the weights, or in half of it; the weights and their updates stay.
    """

    steps: int
    peak: float = 1e-3
    warmup: int = 0
    final: float = 0.1
    weight_decay: float = 0.1
    clip: float = 1.0
    evaluate_every: int = 100
    patience: int | None = None
    save_every: int = 500
    progress: bool = False
    precision: str = "full"

    def __post_init__(self) -> None:
        for name in ("steps", "evaluate_every", "save_every"):
            check_count(getattr(self, name), name)
        check_count(self.warmup, "warmup", least=0, most=self.steps, bound="the number of steps")
        if self.patience is not None:
            check_count(self.patience, "patience")
        for name in ("peak", "clip"):
            check_real(getattr(self, name), name, least=0.0, strictly=True)
        check_real(self.final, "final", least=0.0, most=1.0)
        check_real(self.weight_decay, "weight_decay", least=0.0)
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, got {self.precision!r}")


def learning_rate(plan: TrainingPlan, step: int) -> float:
    r"""Return the learning rate of a step, counted from 0.

    .. math:: \eta_s = \eta \cdot \frac{s+1}{w} \;(s < w), \qquad
              \eta_s = \eta\Bigl[f + (1-f)\tfrac12\bigl(1+\cos\pi\tfrac{s-w}{S-1-w}\bigr)\Bigr] \;(s \ge w)

    Raises
    ------
    ValueError
        If ``step`` is not a whole number from 0 to the number of steps.

    Examples
    --------
    >>> plan = TrainingPlan(steps=11, peak=1.0, warmup=2, final=0.0)
    >>> [round(learning_rate(plan, s), 3) for s in (0, 1, 2, 6, 10)]
    [0.5, 1.0, 1.0, 0.5, 0.0]
    """
    check_count(step, "step", least=0, most=plan.steps, bound="the number of steps")
    if step < plan.warmup:
        return plan.peak * (step + 1) / plan.warmup
    done = (step - plan.warmup) / max(1, plan.steps - 1 - plan.warmup)
    return plan.peak * (plan.final + (1 - plan.final) * 0.5 * (1 + math.cos(math.pi * done)))
