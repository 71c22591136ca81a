"""The PositionExplorer: what schemes make of the distance of two places, and which distances training has shown."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from regattn.transformer.position import alibi_columns, alibi_slopes, frequencies, rotate, sinusoidal_positions
from regattn.widgets._kit import Choice, Count, Explorer, Seed, Slider
from regattn.widgets._kit.page_rng import mulberry32

__all__ = ["PositionExplorer"]

PLACES, FARTHEST, HEADS = 64, 128, 8
CLOCKS = {"scheme": ["sinusoidal", "rotary"]}


class _Even(Count):
    """An even whole number."""

    def validate(self, obj: Any, value: Any) -> int:
        """Return ``value`` as an int or raise a ValueError that names it."""
        value = super().validate(obj, value)
        if value % 2:
            raise ValueError(f"{self.name} must be even, got {value}")
        return value


class PositionExplorer(Explorer, panels=["curve", "table", "clocks"]):
    r"""Show the scores of 64 places with each other, for sines and cosines, rotary positions and ALiBi.

    .. math:: s_{pt} = \langle P_p, P_t\rangle, \quad \langle R_p q, R_t k\rangle / \sqrt D, \quad -m_h\,(p - t)

    A query and a key of the rotary scheme are drawn, D numbers each. Implements :eq:`sinusoidal-position`,
    :eq:`rotary-score` and :eq:`alibi-score`; source: eqs. (6) and (7) of [RK]_ and Section 8 of [BR]_.

    Raises
    ------
    ValueError
        If a control is out of its range, or the dimension is odd.

    Examples
    --------
    >>> explorer = PositionExplorer(dimension=64, lag=5)
    >>> round(explorer.result()["score"], 3), explorer.result()["unfinished"]
    (23.504, 26)
    >>> explorer.exponent = 1.0  # as printed
    >>> round(explorer.result()["spread"], 3)
    5.918
    """

    hides_unused = True  # each scheme has controls of its own
    scheme = Choice(
        "Scheme",
        {
            "sinusoidal": "sinusoidal",
            "alibi": "ALiBi",
            "rotary": "rotary",
        },
        help="Sinusoidal adds the clocks of a place, ALiBi charges for distance, rotary turns query and key.",
        first=True,
    )
    dimension = _Even(
        "Dimension D",
        least=2,
        most=lambda self: 512,
        default=64,
        bound="512",
        stops=lambda self: [2, 4, 8, 16, 32, 64, 128, 256, 512],
        used=CLOCKS,
        help="Coordinates; two of them make a clock.",
    )
    base = Slider(
        "Base b",
        2,
        1e8,
        default=1e4,
        shown=(10, 1e6),
        log=True,
        used=CLOCKS,
        help="Clock i goes round once in 2π times the power 2i/D of it.",
    )
    exponent = Slider(
        "Cosine's exponent: 2i +",
        0,
        1,
        default=0.0,
        step=0.05,
        used={"scheme": ["sinusoidal"]},
        notes={0: "the sine's", 1: "as printed"},
        help="0 is that of the sine, 1 the one in print.",
    )
    draw = Seed("Another query and key", used={"scheme": ["rotary"]})
    head = Count(
        "Head of 8",
        least=1,
        most=lambda self: HEADS,
        default=3,
        bound="8",
        used={"scheme": ["alibi"]},
        help="The slope is 2 to the power of minus this.",
    )
    place = Count("Place that answers", most=lambda self: PLACES - 1, bound="63", help="The curve is about its scores.")
    lag = Count(
        "Lag", most=lambda self: PLACES - 1, default=5, bound="63", help="Pairs of places so far apart.", first=True
    )
    length = Count("Length of training", least=2, most=lambda self: FARTHEST, default=32, bound="128")

    def __init__(self, **kit: Any) -> None:
        alt = (
            "The scores of 64 places with each other under a position scheme, those of one place against distance, and "
            "how many places each clock takes to go round, with the length of training marked."
        )
        data = {"places": PLACES, "farthest": FARTHEST}
        super().__init__(**{"data": data, "alt": alt} | kit)

    def _scores(self, asks: np.ndarray, answers: np.ndarray) -> np.ndarray:
        """Return the scores of places p that ask with places t that answer, shape (p, t)."""
        D, base = self.dimension, self.base
        if self.scheme == "alibi":
            queries, keys = alibi_columns(alibi_slopes(HEADS)[[self.head - 1]], asks, answers)
            return queries[0] @ keys[0].T
        if self.scheme == "rotary":
            q, k = 2 * np.array(list(islice(mulberry32(self.draw), 2 * D))).reshape(2, 1, D) - 1
            turned = (rotate(np.repeat(x, len(p), axis=0), p, base=base) for x, p in ((q, asks), (k, answers)))
            return next(turned) @ next(turned).T / np.sqrt(D)
        P, Q = (sinusoidal_positions(p, D, base=base) for p in (asks, answers))
        slower = frequencies(D, base=base) * base ** (-self.exponent / D)
        for table, p in ((P, asks), (Q, answers)):
            table[:, 1::2] = np.cos(p[:, None] * slower)
        return P @ Q.T

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            ``curve``, the scores of the place with those 0 to 127 later; the ``score`` of the curve at the lag; along
            the lag, over all pairs, the ``least`` and the ``most`` score, and their ``spread``; the places that each
            clock takes to go round, ``around``, and how many are ``unfinished`` within the length of training.
        """
        places = np.arange(PLACES)
        stripe = np.diagonal(self._scores(places, places), -self.lag)
        curve = self._scores(self.place + np.arange(FARTHEST), np.array([self.place]))[:, 0]
        around = [] if self.scheme == "alibi" else 2 * np.pi / frequencies(self.dimension, base=self.base)
        return {
            "curve": curve.tolist(),
            "score": float(curve[self.lag]),
            "least": float(stripe.min()),
            "most": float(stripe.max()),
            "spread": float(np.ptp(stripe)) if np.ptp(stripe) > 1e-9 else 0.0,
            "around": [float(wave) for wave in around],
            "unfinished": int(np.sum(np.asarray(around) > self.length)),
        }
