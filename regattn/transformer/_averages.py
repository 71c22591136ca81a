"""A codebook that follows its latent vectors: every code the moving average of those it has lately stood for."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from regattn._validation import check_real

__all__ = ["MovingAverages", "check_decay", "moving_averages"]


class MovingAverages(NamedTuple):
    """Codes, shape (K, d), and how many latent vectors each has lately stood for, shape (K,)."""

    codes: Tensor
    mass: Tensor


def check_decay(decay: float) -> float:
    """Return the decay as a float in [0, 1), or raise a ValueError that names it."""
    if check_real(decay, "decay", least=0.0) >= 1:
        raise ValueError(f"decay must be < 1, got {decay}")
    return float(decay)


def moving_averages(codes: Tensor, mass: Tensor, z: Tensor, chosen: Tensor, *, decay: float) -> MovingAverages:
    r"""Return codes moved towards the latent vectors of one step that they stand for.

    .. math:: N_k \leftarrow \gamma N_k + (1 - \gamma)\, n_k, \qquad
              m_k \leftarrow \gamma m_k + (1 - \gamma) \sum_{z \to k} z, \qquad e_k = m_k / N_k

    Source: Appendix A.1 of van den Oord et al. (2017). The sum m is not kept: it is N e. So a code that stands for none
    of the vectors stays where it is, whatever becomes of its mass.

    Parameters
    ----------
    codes : Tensor of shape (K, d)
        e, left as they are.
    mass : Tensor of shape (K,)
        N ≥ 0; ones to begin with.
    z : Tensor of shape (n, d)
        The latent vectors of the step.
    chosen : Tensor of int, shape (n,)
        The number of the code that stands for each.
    decay : float
        γ, from 0 to below 1.

    Returns
    -------
    MovingAverages
        The new codes and masses.

    Raises
    ------
    ValueError
        If the decay is out of its range, or there is not one mass for each code.

    Examples
    --------
    >>> codes, z = torch.tensor([[0.0], [9.0]]), torch.tensor([[2.0], [4.0]])
    >>> moving_averages(codes, torch.ones(2), z, torch.tensor([0, 0]), decay=0.5).codes.ravel()
    tensor([2., 9.])
    """
    decay = check_decay(decay)
    if mass.shape != codes.shape[:1]:
        raise ValueError(f"mass must have shape ({len(codes)},), got {tuple(mass.shape)}")
    n = torch.bincount(chosen, minlength=len(codes)).to(codes.dtype)
    sums = torch.zeros_like(codes).index_add(0, chosen, z)
    kept = decay * mass
    new = kept + (1 - decay) * n
    moved = (kept[:, None] * codes + (1 - decay) * sums) / new[:, None]
    return MovingAverages(torch.where((n > 0)[:, None], moved, codes), new)
