"""The PositionExplorer: which angles a rotary model saw in training, which a longer text shows, and what it costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from regattn.recorded_runs import load_runs
from regattn.transformer.position import frequencies
from regattn.widgets._kit import Choice, Count, Explorer

__all__ = ["PositionExplorer"]

PLACES, TRAINED, GROUP = 128, 32, 4  # of a text, of a window in training, of a mean of losses
WIDTH = 16  # columns of a head
BASES = {"fast": 5.0}
HANDS = {
    "trained": "as trained",
    "base": "base rescaled",
    "all": "all slowed alike",
    "slow": "slow ones slowed",
    "fast": "trained with base 5",
}
SLOWED = {"hands": ["base", "all", "slow"]}


class PositionExplorer(Explorer, panels=["hands", "loss"]):
    r"""Show the eight clocks of a rotary head at every place of a text that is four times as long as in training.

    .. math:: \theta_i = b^{-2i/d}, \qquad \text{hand } i \text{ at distance } n - 1: \ (n - 1)\,\theta_i / s_i

    A hand is at a new angle where it stands a step of training or more from every angle that the distances of a window
    showed, the largest of which is 31. Beside it stands the loss that was measured there: models of
    ``regattn.recorded_runs``, trained on 32 characters of news and asked at 128, with their hands as trained or slowed
    by :math:`s_i`, without another step of training.

    Raises
    ------
    ValueError
        If a control is out of its range.

    Examples
    --------
    >>> explorer = PositionExplorer(place=128)
    >>> explorer.result()["unseen"], round(explorer.result()["loss"], 2)
    (96, 3.4)
    >>> explorer.hands = "slow"
    >>> explorer.result()["unseen"], round(explorer.result()["loss"], 2)
    (0, 2.42)
    """

    hides_unused = True
    hands = Choice("Hands", HANDS, help="Slowed after training, without another step of it.", first=True)
    place = Count(
        "Place",
        least=1,
        most=lambda self: PLACES,
        default=TRAINED,
        bound="128",
        notes={TRAINED: "trained", PLACES: "last"},
        play=16,
        runs=False,
        help="A token there meets all before it, the farthest one place less away.",
        first=True,
    )
    stretch = Choice(
        "Slowed",
        {"2": "2 times", "4": "4 times", "8": "8 times"},
        default="4",
        used=SLOWED,
        help="The slowest hand under a rescaled base; each slowed one otherwise.",
    )

    def __init__(self, **kit: Any) -> None:
        alt = (
            "Eight clocks of a rotary head at one place of a text: the angles that training showed, and the hand at "
            "the farthest token. Below, for places 1 to 128, where each hand stands at an angle never seen, and the "
            "loss that was measured there."
        )
        runs, card = load_runs("lengths", "news")
        rotary = runs[runs["positions"] == "rotary"]
        losses = {
            "trained": {"": _mean(rotary["by_place"])},
            "fast": {"": _mean(runs.loc[runs["positions"] == "rotary, base 5", "by_place"])},
        }
        slowed = [row for rows in rotary["slowed"] for row in rows]
        for hands in SLOWED["hands"]:
            losses[hands] = {
                stretch: _mean(r["by_place"] for r in slowed if (r["hands"], str(r["stretch"])) == (hands, stretch))
                for stretch in ("2", "4", "8")
            }
        data = {"places": PLACES, "trained": TRAINED, "group": GROUP, "losses": losses, "letters": card["tables"]["1"]}
        data["sorts"] = {hands: _sorted(name) for hands, name in (("trained", "rotary"), ("fast", "rotary, base 5"))}
        data["speeds"] = {
            base: frequencies(WIDTH, **more).tolist() for base, more in (("", {}), ("fast", {"base": BASES["fast"]}))
        }
        super().__init__(**{"data": data, "alt": alt} | kit)

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            For each hand, ``angles`` at the farthest token, the ``arcs`` that training showed, in radians, ``around``,
            the places it takes to go round, and ``away``, whether its angle was never seen; ``unseen``, how many of the
            tokens so far turn some hand to such an angle; the ``loss`` measured at the place, and ``curve``, the means
            over each four places.
        """
        kept = frequencies(WIDTH, base=BASES.get(self.hands, 10_000.0))
        speeds = kept / self._slowness(kept)
        arcs = np.minimum(2 * np.pi, (TRAINED - 1) * kept)
        away = _away(np.arange(self.place), speeds, kept)
        curve = self.data["losses"][self.hands][self.stretch if self.hands in SLOWED["hands"] else ""]
        return {
            "angles": ((self.place - 1) * speeds).tolist(),
            "arcs": arcs.tolist(),
            "around": (2 * np.pi / speeds).tolist(),
            "away": away[-1].tolist(),
            "unseen": int(away.any(axis=1).sum()),
            "loss": curve[(self.place - 1) // GROUP],
            "curve": curve,
        }

    def _slowness(self, speeds: np.ndarray) -> np.ndarray:
        """Return by how much each hand turns more slowly than in training."""
        times = float(self.stretch) if self.hands in SLOWED["hands"] else 1.0
        if self.hands == "base":
            return times ** (np.arange(len(speeds)) / (len(speeds) - 1))
        return np.where((self.hands == "all") | (TRAINED * speeds < 2 * np.pi), times, 1.0)


def _away(distances: np.ndarray, speeds: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Return whether each hand, at each distance, is a step of training or more from every angle of training."""
    turned = (distances[:, None] * speeds) % (2 * np.pi)
    return (turned >= TRAINED * steps * (1 - 1e-9)) & (turned <= 2 * np.pi - steps)


def _sorted(positions: str) -> float:
    """Return the share that models trained to sort get right at the length of training, a mean over the seeds."""
    runs, _ = load_runs("lengths", "sorting")
    rows = [row for rows in runs.loc[runs["positions"] == positions, "scores"] for row in rows]
    return float(np.mean([row["right"] for row in rows if row["multiple"] == 1]))


def _mean(curves: Any) -> list[float]:
    """Return the mean of curves, one for each seed."""
    return np.mean(list(curves), axis=0).tolist()
