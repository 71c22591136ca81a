r"""Latent codes: auto-encoders with a bottleneck of numbers, or of a few codes from a codebook.

Letters: n rows, p inputs, M parts that a row is cut into, K codes in the codebook, d numbers in a code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from regattn._rng import Rng, seed_from, torch_generator
from regattn._validation import check_count, check_real
from regattn.transformer._averages import check_decay, moving_averages
from regattn.transformer._checks import check_choice

__all__ = [
    "Autoencoder",
    "CodeAutoencoder",
    "LatentPlan",
    "LatentTerms",
    "gradient_norms",
    "settle_autoencoder",
    "train_autoencoder",
]

STARTS = ("data", "normal", "scaled")


class LatentTerms(NamedTuple):
    r"""The three terms of the loss, each a scalar: a mean over rows.

    .. math:: \lVert x - \hat x\rVert^2, \qquad \lVert \text{sg}(z) - e\rVert^2, \qquad \lVert z - \text{sg}(e)\rVert^2

    Implements :eq:`code-loss`; source: eq. (5) of [RK]_, with a minus before its first term. An auto-encoder without a
    codebook has zeros in place of the last two.
    """

    reconstruction: Tensor
    codebook: Tensor
    commitment: Tensor


@dataclass(frozen=True, kw_only=True)
class LatentPlan:
    """How an auto-encoder is to be trained: by Adam, its rate falling to zero along a cosine.

    Parameters
    ----------
    epochs : int, default 150
        How often every row is seen.
    batch_size : int, default 100
        Rows in a step.
    peak : float, default 2e-3
        The rate at the start.
    reconstruction, codebook, commitment : float, default 1
        The weights of the three terms; the last is β.
    start : {"data", "normal", "scaled"}, default "data"
        Where the codebook begins: at latent vectors of the rows, at random normal numbers, or at these times the mean
        standard deviation of a latent number.
    restarts : bool, default False
        Whether a code that stands for no row is put on a latent vector of one, after every epoch but the last.
    decay : float, optional
        γ, from 0 to below 1: the codes are then moving averages of the latent vectors they stand for, moved after
        every step by :meth:`CodeAutoencoder.follow`, and the term of the codebook trains nothing.
    straight_through : bool, default True
        Whether the slope at a code is handed to the latent vector it stands for.
    stop_gradients : bool, default True
        Whether the last two terms move only the codes and only the latent vectors.
    """

    epochs: int = 150
    batch_size: int = 100
    peak: float = 2e-3
    reconstruction: float = 1.0
    codebook: float = 1.0
    commitment: float = 1.0
    start: str = "data"
    restarts: bool = False
    decay: float | None = None
    straight_through: bool = True
    stop_gradients: bool = True

    def __post_init__(self) -> None:
        check_count(self.epochs, "epochs")
        check_count(self.batch_size, "batch_size")
        check_real(self.peak, "peak", least=0.0, strictly=True)
        for name in ("reconstruction", "codebook", "commitment"):
            check_real(getattr(self, name), name, least=0.0)
        check_choice(self.start, "start", STARTS)
        if self.decay is not None:
            check_decay(self.decay)
            if not (self.straight_through and self.stop_gradients):
                raise ValueError(f"codes that are averages, decay {self.decay}, need the copy and the stop-gradients")


class Autoencoder(nn.Module):
    r"""An encoder to a few numbers and a decoder back, each linear or with one hidden layer of ReLUs.

    .. math:: z = f(x) \in \mathbb{R}^d, \qquad \hat x = g(z)

    Implements :eq:`bottleneck`; source: Sec. 2 of [RK]_.

    Parameters
    ----------
    n_inputs : int
        p, the numbers in a row.
    width : int
        d, those in its latent vector.
    hidden : int, optional
        Units in the hidden layers; without, both maps are linear (with an intercept).
    rng : int or Generator, default 0
        Seed or source of chance for the starting weights; torch's global generator is left as it was.

    Raises
    ------
    ValueError
        If a size is not a whole number ≥ 1.

    Examples
    --------
    >>> Autoencoder(7, 2, hidden=5)(torch.zeros(3, 7)).shape
    torch.Size([3, 7])
    """

    def __init__(self, n_inputs: int, width: int, *, hidden: int | None = None, rng: Rng = 0) -> None:
        super().__init__()
        self.n_inputs, self.width = check_count(n_inputs, "n_inputs"), check_count(width, "width")
        hidden = hidden if hidden is None else check_count(hidden, "hidden")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed_from(rng))
            self.encoder = _map(n_inputs, hidden, width)
            self.decoder = _map(width, hidden, n_inputs)

    def forward(self, x: Tensor) -> Tensor:
        """Return what the decoder makes of the latent vectors of the rows, shape (n, p)."""
        return self.decoder(self.encoder(self._rows(x)))

    def terms(self, x: Tensor) -> LatentTerms:
        """Return the terms of the loss on the rows; all but the reconstruction are zero."""
        none = x.new_zeros(())
        return LatentTerms(_square(x - self(x)), none, none)

    def _rows(self, x: Tensor) -> Tensor:
        if x.ndim != 2 or x.shape[1] != self.n_inputs:
            raise ValueError(f"x must have shape (n, {self.n_inputs}), got {tuple(x.shape)}")
        return x


class CodeAutoencoder(Autoencoder):
    r"""An auto-encoder whose decoder is told nothing but M numbers of codes.

    .. math:: q(z = e_k \mid x) = [\,k = \text{argmin}_j \lVert f(x) - e_j\rVert\,]

    The quantiser gives what :func:`regattn.attend` gives with the kernel "nearest": latent vectors ask, and codes are
    keys and values. Implements :eq:`nearest-code`; source: eq. (4) of [RK]_. A row is cut into M latent vectors, which
    share one codebook, so that it takes :math:`M \log_2 K` bits.

    Parameters
    ----------
    n_inputs : int
        p, the numbers in a row.
    n_codes : int, default 32
        K, the codes in the codebook.
    n_parts : int, default 1
        M, the codes that a row is sent in.
    width : int, default 8
        d, the numbers in a code.
    hidden : int, optional
        Units in the hidden layers of encoder and decoder; 128 by default.
    rng : int or Generator, default 0
        Seed or source of chance for the starting weights and codes.

    Raises
    ------
    ValueError
        If a size is not a whole number ≥ 1.

    Examples
    --------
    >>> model = CodeAutoencoder(7, n_codes=4, n_parts=3, width=2)
    >>> model.bits, model.codes(torch.zeros(5, 7)).shape
    (6.0, torch.Size([5, 3]))
    """

    def __init__(
        self,
        n_inputs: int,
        *,
        n_codes: int = 32,
        n_parts: int = 1,
        width: int = 8,
        hidden: int | None = 128,
        rng: Rng = 0,
    ) -> None:
        check_count(width, "width")
        seed = seed_from(rng)
        super().__init__(n_inputs, check_count(n_parts, "n_parts") * width, hidden=hidden, rng=seed)
        self.n_codes, self.n_parts, self.width = check_count(n_codes, "n_codes"), n_parts, width
        chance = torch.Generator().manual_seed(seed + 1)
        self.codebook = nn.Parameter(torch.randn((n_codes, width), generator=chance))

    @property
    def bits(self) -> float:
        """Return M log₂ K, what sending a row takes."""
        return self.n_parts * math.log2(self.n_codes)

    def latents(self, x: Tensor) -> Tensor:
        """Return the latent vectors of the rows, shape (n, M, d), before they are replaced by codes."""
        return self.encoder(self._rows(x)).unflatten(1, (self.n_parts, self.width))

    def codes(self, x: Tensor) -> Tensor:
        """Return the numbers of the codes that the rows are sent as, int64 of shape (n, M)."""
        with torch.no_grad():
            return self._nearest(self.latents(x))

    def _nearest(self, z: Tensor) -> Tensor:
        """Return where the weights of the kernel "nearest" are one, without making their table of zeros."""
        return torch.cdist(z.detach().flatten(0, 1), self.codebook.detach()).argmin(dim=1).unflatten(0, z.shape[:2])

    def decode(self, codes: Tensor) -> Tensor:
        """Return what the decoder draws from numbers of codes of shape (n, M), shape (n, p).

        Raises
        ------
        ValueError
            If the shape is another, or a number is not that of a code.
        """
        if codes.ndim != 2 or codes.shape[1] != self.n_parts:
            raise ValueError(f"codes must have shape (n, {self.n_parts}), got {tuple(codes.shape)}")
        wrong = codes[(codes < 0) | (codes >= self.n_codes)]
        if len(wrong):
            raise ValueError(f"codes must be from 0 to {self.n_codes - 1}, got {int(wrong[0])}")
        return self.decoder(self.codebook[codes].flatten(1))

    def forward(self, x: Tensor) -> Tensor:
        """Return what the decoder draws from the codes of the rows, shape (n, p)."""
        return self.decode(self.codes(x))

    def terms(self, x: Tensor, *, straight_through: bool = True, stop_gradients: bool = True) -> LatentTerms:
        """Return the three terms of the loss on the rows.

        Parameters
        ----------
        x : Tensor of shape (n, p)
            The rows.
        straight_through, stop_gradients : bool, default True
            As in :class:`LatentPlan`. Neither changes a value, only what is trained by it.
        """
        z = self.latents(x)
        code = self.codebook[self._nearest(z)]
        entering = z + (code - z).detach() if straight_through else code
        drawn = self.decoder(entering.flatten(1))
        if stop_gradients:
            penalties = _square(z.detach() - code), _square(z - code.detach())
        else:
            penalties = _square(z - code), _square(z - code)
        return LatentTerms(_square(x - drawn), *penalties)

    @torch.no_grad()
    def start_from(self, x: Tensor, *, rng: Rng = 0) -> None:
        """Put every code on the latent vector of a part of a row, drawn without repetition.

        Raises
        ------
        ValueError
            If the rows have fewer parts than there are codes.
        """
        z = self.latents(x).flatten(0, 1)
        if len(z) < self.n_codes:
            raise ValueError(f"{len(x)} rows have {len(z)} parts, too few for {self.n_codes} codes")
        self.codebook.copy_(z[torch.randperm(len(z), generator=torch_generator(rng))[: self.n_codes]])

    @torch.no_grad()
    def restart_from(self, x: Tensor, *, rng: Rng = 0) -> int:
        """Put every code that stands for no part of the rows on the latent vector of one; return how many did."""
        dead = torch.ones(self.n_codes, dtype=torch.bool)
        dead[self.codes(x).unique()] = False
        z, many = self.latents(x).flatten(0, 1), int(dead.sum())
        self.codebook[dead] = z[torch.randint(len(z), (many,), generator=torch_generator(rng))]
        return many


def train_autoencoder(model: Autoencoder, x: Tensor, plan: LatentPlan, *, rng: Rng = 0) -> list[LatentTerms]:
    """Train the model in place and return the mean of each term over the steps of each epoch.

    Parameters
    ----------
    model : Autoencoder
        With or without a codebook; changed in place.
    x : Tensor of shape (n, p)
        The training rows.
    plan : LatentPlan
        How long, how fast, and what counts.
    rng : int or Generator, default 0
        Seed or source of chance for the start of the codebook and the order of the rows.

    Returns
    -------
    list of LatentTerms
        One of floats for each epoch.

    Raises
    ------
    ValueError
        If the rows are not as wide as the model, too few for its codebook, or the loss is not finite.

    Examples
    --------
    >>> x = torch.randn(64, 7, generator=torch.Generator().manual_seed(0))
    >>> model = CodeAutoencoder(7, n_codes=8, n_parts=2, width=2)
    >>> history = train_autoencoder(model, x, LatentPlan(epochs=30, batch_size=16))
    >>> history[-1].reconstruction < history[0].reconstruction
    True
    """
    chance = torch_generator(rng)
    options = {}
    if isinstance(model, CodeAutoencoder):
        options = {"straight_through": plan.straight_through, "stop_gradients": plan.stop_gradients}
        _begin_codebook(model, x, plan.start, chance)
    averaged = plan.decay is not None and isinstance(model, CodeAutoencoder)
    mass = torch.ones(model.n_codes, dtype=x.dtype) if averaged else None
    weights = plan.reconstruction, 0.0 if averaged else plan.codebook, plan.commitment
    optimiser = torch.optim.Adam(model.parameters(), lr=plan.peak, fused=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, plan.epochs)
    history = []
    for _ in range(plan.epochs):
        found = []
        for rows in torch.randperm(len(x), generator=chance).split(plan.batch_size):
            terms = model.terms(x[rows], **options)
            loss = sum(w * term for w, term in zip(weights, terms, strict=True) if w)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            if averaged:
                mass = _follow(model, x[rows], mass, plan.decay)
            found.append([term.detach() for term in terms])
        schedule.step()
        if plan.restarts and isinstance(model, CodeAutoencoder) and len(history) + 1 < plan.epochs:
            model.restart_from(x, rng=chance)
        means = torch.tensor(found).mean(dim=0).tolist()
        if not math.isfinite(sum(means)):
            raise ValueError(f"the terms of the loss must be finite, got {means} in epoch {len(history) + 1}")
        history.append(LatentTerms(*means))
    return history


@torch.no_grad()
def _begin_codebook(model: CodeAutoencoder, x: Tensor, start: str, chance: torch.Generator) -> None:
    if start == "data":
        model.start_from(x, rng=chance)
    elif start == "scaled":
        model.codebook.mul_(model.latents(x).std(dim=0).mean())


@torch.no_grad()
def _follow(model: CodeAutoencoder, x: Tensor, mass: Tensor, decay: float) -> Tensor:
    """Move the codes towards the latent vectors of a step that they stand for; return their new masses."""
    moved = moving_averages(model.codebook, mass, model.latents(x).flatten(0, 1), model.codes(x).flatten(), decay=decay)
    model.codebook.copy_(moved.codes)
    return moved.mass


def settle_autoencoder(model: Autoencoder, x: Tensor, *, steps: int = 500) -> float:
    """Train an auto-encoder without a codebook by L-BFGS until it hardly moves, and return its loss.

    Parameters
    ----------
    model : Autoencoder
        Changed in place.
    x : Tensor of shape (n, p)
        The training rows, all in every step.
    steps : int, default 500
        Steps at most.

    Raises
    ------
    ValueError
        If the model has a codebook, whose choices have no slope, or the rows are not as wide as the model.

    Examples
    --------
    >>> x = torch.randn(64, 3, generator=torch.Generator().manual_seed(0))
    >>> settle_autoencoder(Autoencoder(3, 3), x) < 1e-6  # as wide as the rows: no bottleneck
    True
    """
    if isinstance(model, CodeAutoencoder):
        raise ValueError("a model with a codebook cannot settle: its choices have no slope")
    check_count(steps, "steps")
    optimiser = torch.optim.LBFGS(model.parameters(), max_iter=steps, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimiser.zero_grad()
        value = model.terms(x).reconstruction
        value.backward()
        return value

    optimiser.step(loss)
    return float(loss().detach())


def gradient_norms(model: CodeAutoencoder, term: Tensor) -> dict[str, float]:
    """Return how long the gradient of a term is in encoder, codebook and decoder: zero where it trains nothing.

    Parameters
    ----------
    model : CodeAutoencoder
        Left as it is.
    term : Tensor
        One of its :class:`LatentTerms`, or what was made of them.

    Examples
    --------
    >>> model = CodeAutoencoder(7, n_codes=4, n_parts=3, width=2)
    >>> x = torch.randn(5, 7, generator=torch.Generator().manual_seed(0))
    >>> [part for part, norm in gradient_norms(model, model.terms(x).codebook).items() if norm]
    ['codebook']
    """
    parts = {
        "encoder": [*model.encoder.parameters()],
        "codebook": [model.codebook],
        "decoder": [*model.decoder.parameters()],
    }
    options = {"retain_graph": True, "materialize_grads": True, "allow_unused": True}
    slopes = {name: torch.autograd.grad(term, numbers, **options) for name, numbers in parts.items()}
    return {name: torch.cat([slope.ravel() for slope in found]).norm().item() for name, found in slopes.items()}


def _map(n_in: int, hidden: int | None, n_out: int) -> nn.Module:
    if hidden is None:
        return nn.Linear(n_in, n_out)
    return nn.Sequential(nn.Linear(n_in, hidden), nn.ReLU(), nn.Linear(hidden, n_out))


def _square(difference: Tensor) -> Tensor:
    """Return the mean over rows of the sum of squares."""
    return difference.flatten(1).square().sum(dim=1).mean()
