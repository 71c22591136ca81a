"""The EmbeddingExplorer: Ω trained in the reader's browser, beside the inverse that it should become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from regattn._rng import Rng, seed_from
from regattn._text import check_text
from regattn._validation import check_count, check_matrix, check_targets
from regattn.regression.embedding import (
    EmbeddingPath,
    embedding_descent,
    embedding_limit,
    largest_embedding_step,
)
from regattn.regression.identification import identified_directions, map_error
from regattn.regression.least_squares import spectrum
from regattn.regression.trajectory import GROWTH_LIMIT
from regattn.widgets._kit import Choice, Count, Explorer, Seed, Slider, check_labels

__all__ = ["EmbeddingExplorer"]

SMALL_START = 0.05  # size of the numbers that the factors begin with, in units of the root of Ω's size
DRAWS = 5  # that a page carries: noise, an order of the targets, and starts


class EmbeddingExplorer(Explorer, panels=["error", "directions", "omega", "inverse", "loss"]):
    r"""Train Ω on M targets by gradient descent, and show what it has learned of :math:`(X^\top X)^{-1}`.

    .. math:: \Omega \leftarrow \Omega - \eta \nabla\mathcal{L}(\Omega), \qquad
              \mathcal{L}(\Omega) = \tfrac1M \lVert Y - X \Omega X^\top Y \rVert_F^2

    The browser takes every step itself. Bars show which part of each principal direction of X the targets fix; a dot
    climbs to the top of its bar as descent from zero learns it. Implements :eq:`embedding-descent` and
    :eq:`factor-descent`; source: eqs. (20) and (21) of [GC]_.

    Parameters
    ----------
    X : array of shape (n, p)
        Inputs with independent columns, in comparable units.
    Y : array of shape (n, M)
        The targets that can be taught, in comparable units.
    new : array of shape (n,)
        A target that is never taught.
    names, targets : sequences of str, optional
        The columns of X and of Y.
    new_name : str
        The new target.
    steps : int, default 500
        Number of steps that can be taken.
    rng : int or Generator, default 0
        Seed of the draws: each has its noise targets, its mixed order and its starts.

    Raises
    ------
    ValueError
        If shapes disagree, the columns of X are not independent, an entry is not finite, or a control is out of range.

    Examples
    --------
    >>> X = np.array([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> explorer = EmbeddingExplorer(X, [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [0.0, 1.0, 2.0], step=500)
    >>> found = explorer.result()
    >>> found["rank"], round(found["map_errors"][-1], 3)  # one target: half the map
    (1, 0.707)
    >>> explorer.count = 2
    >>> np.round(explorer.result()["omega"], 3).tolist()
    [[0.25, 0.0], [0.0, 1.0]]
    """

    teacher = Choice(
        "Targets",
        {"listed": "real, as listed", "mixed": "real, in mixed order", "noise": "pure noise"},
        help="Where the targets come from: as given, as given but shuffled, or white noise.",
    )
    count = Count(
        "Number of targets M",
        least=1,
        most=lambda self: self.Y.shape[1],
        bound="the number of targets",
        first=True,
    )
    start = Choice(
        "Start",
        {"zero": "Ω = 0", "random": "Ω at random", "factors": "W_Q, W_K small, at random"},
        help="Where descent begins, and what it moves: Ω, or the factors of Ω.",
    )
    learning_rate = Slider(
        "Learning rate, × limit",
        1e-6,
        default=0.9,
        shown=(0.02, 2.0),
        log=True,
        help="The step size as a multiple of the largest stable one for Ω, or of a safe one for factors. Beyond it "
        "descent on factors may neither settle nor run away; where it then stands is a matter of rounding.",
    )
    seed = Seed(
        "Draw again",
        most=DRAWS,
        help="Which of five draws of the noise, the mixed order and the starts.",
        used=[{"teacher": ["mixed", "noise"]}, {"start": ["random", "factors"]}],
    )
    step = Count("Step", most=lambda self: self.steps, bound="the number of steps", of=True, play=60)

    def __init__(  # noqa: PLR0913
        self,
        X: ArrayLike,
        Y: ArrayLike,
        new: ArrayLike,
        *,
        names: Sequence[str] | None = None,
        targets: Sequence[str] | None = None,
        new_name: str = "the new target",
        steps: int = 500,
        rng: Rng = 0,
        **kit: Any,
    ) -> None:
        self.X = check_matrix(X, "X")
        n, p = self.X.shape
        self.factors = spectrum(self.X, centre=False)
        if self.factors.rank < p:
            raise ValueError(f"the {p} columns of X must be independent, got rank {self.factors.rank}")
        self.Y, self.new = check_matrix(check_targets(Y, n, "Y"), "Y"), check_targets(new, n, "new")
        if self.new.ndim != 1 or not (self.X.T @ self.new).any():
            raise ValueError(f"new must be one target that is not orthogonal to X, got shape {self.new.shape}")
        self.steps, count = check_count(steps, "steps"), self.Y.shape[1]
        targets = check_labels(targets, count, "targets", rows="targets")
        self.inverse, rng = self.factors.omega(), seed_from(rng)
        self.drawn = [self._drawn(np.random.default_rng((rng, k) if k else rng)) for k in range(DRAWS)]
        root = self.factors.directions * self.factors.singular_values
        coef = self.factors.coefficients(self.new).coef
        if not 0 < np.linalg.norm(coef @ root) < np.inf:
            raise ValueError(f"the fit of new must have a size, got {np.linalg.norm(coef @ root):g}")
        data = {
            "root": root,
            "inverse": self.inverse,
            "listed": self._lessons(self.Y),
            "draws": [
                {
                    "mixed": self._lessons(drawn["mixed"]),
                    "noise": self._lessons(drawn["noise"]),
                    "order": drawn["order"],
                    "starts": drawn["starts"],
                    "limits": {
                        name: [self._largest_factor_step(pool[:, : k + 1], drawn["starts"]) for k in range(count)]
                        for name, pool in (("listed", self.Y), ("mixed", drawn["mixed"]), ("noise", drawn["noise"]))
                    },
                }
                for drawn in self.drawn
            ],
            "new": {"z": self.X.T @ self.new, "coef": coef},
            "names": check_labels(names, p, "names", rows="columns"),
            "targets": targets,
            "new_name": check_text(new_name, "new_name"),
            "steps": self.steps,
            "growth_limit": GROWTH_LIMIT,
        }
        alt = (
            f"Ω for {p} columns, trained on up to {count} targets, beside the inverse of X'X; the loss and the error "
            "on a new target at every step; which part of each principal direction the targets fix."
        )
        super().__init__(**{"data": data, "alt": alt} | kit)

    def _drawn(self, rng: np.random.Generator) -> dict[str, Any]:
        """Return a draw: noise in place of the targets, an order to mix them in, and where descent may begin."""
        (n, count), p = self.Y.shape, len(self.inverse)
        size = np.linalg.norm(self.inverse) / p
        noise, order = rng.normal(size=self.Y.shape) / np.sqrt(n), rng.permutation(count)
        starts = {"random": size / 2 * rng.normal(size=(p, p))}
        factors = SMALL_START * np.sqrt(size) * rng.normal(size=(2, p, p))
        starts |= dict(zip(("W_Q", "W_K"), factors, strict=True))
        return {"mixed": self.Y[:, order], "noise": noise, "order": order, "starts": starts}

    def _lessons(self, pool: np.ndarray) -> dict[str, Any]:
        """Return what the browser needs of a pool of targets, for its first target, its first two, and so on."""
        coef = self.factors.coefficients(pool).coef
        parts = [pool[:, :count] for count in range(1, pool.shape[1] + 1)]
        shown = [identified_directions(self.X, part) for part in parts]
        return {
            "Z": self.X.T @ pool,
            "rest": np.sum((pool - self.X @ coef) ** 2, axis=0),  # what least squares leaves of each target
            "size": np.sum(pool**2, axis=0),
            "limits": [largest_embedding_step(self.X, part) for part in parts],
            "shares": [found.shares for found in shown],
            "ranks": [found.rank for found in shown],
        }

    def _largest_factor_step(self, targets: np.ndarray, starts: dict[str, np.ndarray]) -> float:
        """Return a learning rate up to which descent on W_Q and W_K is stable where it will end.

        A change of the factors moves the fits by X (δ_Q W_K' + W_Q δ_K') Z; the bound on the curvature is the sum of
        the squared norms of the two maps, at the balanced factors of least norm with what the start leaves beside
        them. Half of what it allows: on the way factors lose their balance, and curvature grows.
        """
        Z = self.X.T @ targets
        P, sizes, Qt = np.linalg.svd(embedding_limit(self.X, targets))
        pairs = [(P * np.sqrt(sizes), Qt.T * np.sqrt(sizes)), (starts["W_Q"], starts["W_K"])]
        asked = sum(np.linalg.norm(W_K.T @ Z, 2) ** 2 for _, W_K in pairs) * np.linalg.norm(self.X, 2) ** 2
        answered = sum(np.linalg.norm(self.X @ W_Q, 2) ** 2 for W_Q, _ in pairs) * np.linalg.norm(Z, 2) ** 2
        return targets.shape[1] / (2 * (asked + answered))

    def _targets(self) -> np.ndarray:
        """Return the targets that are taught, of the draw that is shown."""
        pool = self.Y if self.teacher == "listed" else self.drawn[self.seed - 1][self.teacher]
        return pool[:, : self.count]

    def path(self, step: int | None = None) -> EmbeddingPath:
        """Return the descent as far as it is shown, or to another step, walked by the package; at least one step."""
        targets, drawn = self._targets(), self.drawn[self.seed - 1]["starts"]
        by_factors = self.start == "factors"
        limit = self._largest_factor_step(targets, drawn) if by_factors else largest_embedding_step(self.X, targets)
        starts = {"zero": None, "random": drawn["random"], "factors": (drawn["W_Q"], drawn["W_K"])}
        return embedding_descent(
            self.X,
            targets,
            learning_rate=self.learning_rate * limit,
            steps=max(1, self.step if step is None else step),
            start=starts[self.start],
        )

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            ``omega`` at the step shown; ``losses``, ``errors`` (on the new target, relative) and ``map_errors`` of
            every step up to it; ``learned``, the diagonal of the map in the principal directions; ``shares`` and
            ``rank``, what the targets fix; ``diverged_at`` (a step or None).
        """
        return self._found(self.step)

    def _found(self, step: int) -> dict[str, Any]:
        walk = self.path(step)
        ran = walk.diverged_at is not None and walk.diverged_at <= step
        omegas = walk.omegas[: step + 1]
        root = self.factors.directions * self.factors.singular_values
        z, coef = self.X.T @ self.new, self.factors.coefficients(self.new).coef
        miss = np.linalg.norm((omegas @ z - coef) @ root, axis=1) / np.linalg.norm(coef @ root)
        shown = identified_directions(self.X, self._targets())
        return {
            "omega": omegas[-1].tolist(),
            "losses": walk.losses[: step + 1].tolist(),
            "errors": miss.tolist(),
            "map_errors": [map_error(self.X, omega) for omega in omegas],
            "learned": np.diag(root.T @ omegas[-1] @ root).tolist(),
            "shares": shown.shares.tolist(),
            "rank": shown.rank,
            "diverged_at": walk.diverged_at if ran else None,
        }
