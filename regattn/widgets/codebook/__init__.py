"""The CodebookExplorer: a point of a latent plane, the codes around it, and what a decoder draws from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from regattn._validation import check_array, check_matrix
from regattn.attention import attention_weights
from regattn.widgets._kit import Choice, Count, Explorer, Slider, check_labels

__all__ = ["CodebookExplorer"]

MOST_IMAGES, MOST_CODES, SHOWN = 400, 64, 8
ROUNDS = 10  # of k-means that are shown; one place more is the codebook as it was given
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
FAR = 1e6  # no number that is handed over may be larger


class CodebookExplorer(Explorer, panels=["drawn", "plane", "trace", "members"]):
    r"""Show a latent plane: a point that is dragged, the code or codes that stand for it, and what the decoder draws.

    .. math:: \hat z = \sum_k \omega_k e_k, \qquad
              \omega = \text{softmax}\Bigl(-\frac{\lVert z - e_k\rVert^2}{2T}\Bigr), \qquad
              \hat x = W_2\, \max(0, W_1 \hat z + b_1) + b_2

    How a list of codes is learned can be watched: the codes begin on the first K images, and in every round of k-means
    each moves to the mean of the images nearest to it. The last place of that slider is the codebook as it was given.

    With hard assignment the nearest code has weight one, which is the limit T → 0; with none :math:`\hat z = z`.
    Implements :eq:`soft-codes` and :eq:`nearest-code`. Sent is the image that lies nearest to the
    point. Beside what arrives stands how far the two are apart, the same for all images that are sent in this way, and
    for one mean image: squared errors per pixel. A judge may say what it reads, and how many of all images it reads
    right as they arrive.

    Parameters
    ----------
    latents : array of shape (n, 2)
        Where the encoder puts the images; at most 400.
    images : array of shape (n, height, width)
        The images, each side from 2 to 28.
    decoder : sequence of 4 arrays
        W₁ of shape (h, 2), b₁ of shape (h,), W₂ of shape (height · width, h), b₂ of shape (height · width,).
    codebooks : sequence of arrays of shape (K, 2)
        Codes to choose from, 2 to 64 in each.
    labels : sequence of n str, optional
        What the images are; written at their places.
    judge : sequence of 5 arrays, optional
        A support vector machine with Gaussian kernel that reads pixels, as a fitted ``SVC`` of scikit-learn holds it:
        ``support_vectors_``, ``dual_coef_``, ``intercept_``, ``n_support_``, and the number γ of its kernel. Its
        classes are the different labels in their order, three at least.

    Raises
    ------
    ValueError
        If shapes disagree, there are too many images or codes, an entry is not finite or beyond a million, or a setting
        is out of range.

    Examples
    --------
    >>> latents, images = np.array([[0.0, 0.0], [3.0, 3.0]]), np.zeros((2, 2, 2))
    >>> decoder = [np.ones((1, 2)), np.zeros(1), np.ones((4, 1)), np.zeros(4)]
    >>> explorer = CodebookExplorer(latents, images, decoder, [latents], across=1.0, upwards=1.0)
    >>> explorer.result()["code"], explorer.result()["drawn"]
    (1, [0.0, 0.0, 0.0, 0.0])
    """

    across = Slider(
        "Point, across",
        lambda self: self.low[0],
        lambda self: self.high[0],
        default=lambda self: self.middle[0],
        help="The first latent number.",
    )
    upwards = Slider(
        "Point, upwards",
        lambda self: self.low[1],
        lambda self: self.high[1],
        default=lambda self: self.middle[1],
        help="The second latent number.",
    )
    book = Count(
        "Codebook",
        most=lambda self: len(self.codebooks) - 1,
        bound="the last codebook",
        names="sizes",
        help="How many codes there are to choose from.",
    )
    assignment = Choice(
        "Sent as",
        {"hard": "the nearest code", "soft": "an average of codes", "none": "the point itself"},
        help="What the decoder is told.",
    )
    temperature = Slider(
        "Temperature T",
        1e-4,
        1e6,
        default=1.0,
        shown=(0.001, 1000.0),
        log=True,
        used={"assignment": ["soft"]},
        help="How far the average reaches.",
        first=True,
    )
    rounds = Count(
        "K-means",
        default=lambda self: ROUNDS + 1,
        most=lambda self: ROUNDS + 1,
        bound="the codebook as given",
        names="rounds",
        play=1.5,
        help="Codes begin on images; in each round a code moves to the mean of the images nearest to it.",
    )

    def __init__(
        self,
        latents: ArrayLike,
        images: ArrayLike,
        decoder: Sequence[Any],
        codebooks: Sequence[Any],
        labels: Sequence[str] | None = None,
        judge: Sequence[Any] | None = None,
        **kit: Any,
    ) -> None:
        self.latents = _plane(latents, "latents")
        n = len(self.latents)
        self.images = _near(np.asarray(check_array(images, "images"), dtype=float), "images")
        shape = self.images.shape
        if len(shape) != 3 or shape[0] != n or n > MOST_IMAGES or not all(2 <= size <= 28 for size in shape[1:]):
            wanted = f"({n}, height, width) with sides from 2 to 28 and at most {MOST_IMAGES} images"
            raise ValueError(f"images must have shape {wanted}, got {shape}")
        self.decoder = _check_decoder(decoder, shape[1] * shape[2])
        self.codebooks = [_plane(codes, "a codebook") for codes in codebooks]
        for codes in self.codebooks:
            if not 2 <= len(codes) <= MOST_CODES:
                raise ValueError(f"a codebook must have 2 to {MOST_CODES} codes, got {len(codes)}")
        if not self.codebooks:
            raise ValueError("codebooks must hold at least one codebook, got none")
        self.labels = check_labels(labels or ["·"] * n, n, "labels", rows="images")
        self.classes = sorted(set(self.labels))
        self.judge = None if judge is None else _check_judge(judge, shape[1] * shape[2], len(self.classes))
        known = np.concatenate([self.latents, *self.codebooks])
        self.low, self.high = known.min(axis=0), known.max(axis=0)
        room = 0.06 * np.where(self.high > self.low, self.high - self.low, 1.0)
        self.low, self.high = self.low - room, self.high + room
        self.middle = self.latents.mean(axis=0)
        pixels = self.images.reshape(n, -1)
        data = {"latents": self.latents, "decoder": self.decoder, "codebooks": self.codebooks}
        data |= {"images": _packed(pixels), "width": shape[2], "labels": self.labels, "classes": self.classes}
        data |= {"judge": None if self.judge is None else [_packed(self.judge[0]), *self.judge[1:]], "shown": SHOWN}
        data |= {"low": self.low, "high": self.high}
        data["rounds"] = [*(f"round {k}" for k in range(ROUNDS + 1)), "learned"]
        data["sizes"] = [f"{len(codes)} codes" for codes in self.codebooks]
        alt = (
            f"A plane in which {n} images have their places, and codes that stand for them. A point in it can be "
            "dragged: the decoder draws an image from the code nearest to it, or from an average of codes."
        )
        hide = [*kit.pop("hide", ()), *(["trace"] if self.judge is None else [])]  # it shows what a judge reads
        super().__init__(**{"data": data, "alt": alt, "hide": hide} | kit)

    def _codes(self) -> np.ndarray:
        """Return the codebook as given, or where its codes stand after some rounds of k-means on the images."""
        codes = self.codebooks[self.book]
        if self.rounds > ROUNDS:
            return codes
        codes = self.latents[np.arange(len(codes)) % len(self.latents)]
        for _ in range(self.rounds):
            own = attention_weights(self.latents, codes, kernel="nearest").argmax(axis=1)
            codes = np.array([self.latents[own == k].mean(axis=0) if k in own else e for k, e in enumerate(codes)])
        return codes

    def _sent(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what the decoder is told for each row of z, and the weights of the codes."""
        codes = self._codes()
        kernel, scale = ("gaussian", 1 / self.temperature) if self.assignment == "soft" else ("nearest", 1.0)
        weights = attention_weights(z, codes, kernel=kernel, scale=scale)
        return (z if self.assignment == "none" else weights @ codes), weights

    def _drawn(self, z: np.ndarray) -> np.ndarray:
        W_1, b_1, W_2, b_2 = self.decoder
        return np.maximum(0, z @ W_1.T + b_1) @ W_2.T + b_2

    def _read(self, pictures: np.ndarray) -> list[str]:
        """Return what the judge reads in each row: the class that wins most duels, the first of equals."""
        support, coefficients, intercepts, counts, gamma = self.judge
        squares = [(rows**2).sum(axis=1) for rows in (pictures, support)]
        kernel = np.exp(-gamma * (squares[0][:, None] + squares[1] - 2 * pictures @ support.T))
        ends = np.concatenate([[0], np.cumsum(counts)]).astype(int)
        votes = np.zeros((len(pictures), len(counts)))
        duels = [(i, j) for i in range(len(counts)) for j in range(i + 1, len(counts))]
        for (i, j), intercept in zip(duels, intercepts, strict=True):
            first, second = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
            score = kernel[:, first] @ coefficients[j - 1, first] + kernel[:, second] @ coefficients[i, second]
            won = score + intercept > 0
            votes[:, i] += won
            votes[:, j] += ~won
        return [self.classes[k] for k in votes.argmax(axis=1)]

    def result(self) -> dict[str, Any]:
        """Return the numbers now shown, computed by the package rather than by the browser.

        Returns
        -------
        dict
            ``weights`` of the codes (none where the point itself is sent), ``told``, the two numbers that the decoder
            gets, and ``drawn``, the pixels it makes of them, row by row; ``spread``, the mean squared distance of the
            images in the plane to their nearest codes, which no round of k-means raises; ``code``, the nearest to the
            point, counted from 1, and how many images are its ``members``; the ``error`` of all images, and how many
            codes are ``live``, nearest to some image; which image is ``sent``, counted from 1, how far ``apart`` it and
            what is drawn are, and the error of one mean image for all, ``plain``. With a judge, what it ``reads`` in
            what is drawn, and how many of all images it reads ``right``; without one both are None.
        """
        codes, pixels = self._codes(), self.images.reshape(len(self.images), -1)
        point = np.array([[self.across, self.upwards]])
        told, weights = self._sent(point)
        nearest = attention_weights(np.concatenate([point, self.latents]), codes, kernel="nearest").argmax(axis=1)
        sent = int(attention_weights(point, self.latents, kernel="nearest").argmax())
        drawn = self._drawn(told)[0]
        spread = float(np.mean(np.sum((self.latents - codes[nearest[1:]]) ** 2, axis=1)))
        arrived = self._drawn(self._sent(self.latents)[0])
        reads, right = None, None
        if self.judge is not None:
            reads, *each = self._read(np.concatenate([[drawn], arrived]))
            right = sum(found == label for found, label in zip(each, self.labels, strict=True))
        return {
            "weights": [] if self.assignment == "none" else weights[0].tolist(),
            "told": told[0].tolist(),
            "drawn": drawn.tolist(),
            "spread": spread,
            "code": int(nearest[0]) + 1,
            "members": int((nearest[1:] == nearest[0]).sum()),
            "error": float(np.mean((arrived - pixels) ** 2)),
            "live": len(np.unique(nearest[1:])),
            "sent": sent + 1,
            "apart": float(np.mean((drawn - pixels[sent]) ** 2)),
            "plain": float(np.mean((pixels - pixels.mean(axis=0)) ** 2)),
            "reads": reads,
            "right": right,
        }


def _packed(rows: np.ndarray) -> Any:
    """Return rows of few different numbers as those numbers and a letter for each entry, which weighs a fifth."""
    shades = np.unique(rows)
    if len(shades) > len(LETTERS):
        return rows
    places = np.searchsorted(shades, rows)
    return {"shades": shades, "rows": ["".join(LETTERS[k] for k in row) for row in places]}


def _near(x: np.ndarray, name: str) -> np.ndarray:
    """Return ``x`` or raise if a number in it is too large for a picture."""
    most = np.abs(x).max(initial=0.0)
    if most > FAR:
        raise ValueError(f"numbers of {name} must be at most {FAR:g}, got {most:g}")
    return x


def _plane(x: Any, name: str) -> np.ndarray:
    x = _near(check_matrix(x, name), name)
    if x.shape[1] != 2:
        raise ValueError(f"{name} must have 2 columns, got {x.shape[1]}")
    return x


def _check_decoder(decoder: Sequence[Any], pixels: int) -> list[np.ndarray]:
    if len(decoder) != 4:
        raise ValueError(f"decoder must hold two maps and their intercepts, 4 arrays, got {len(decoder)}")
    parts = [_near(np.asarray(check_array(part, "decoder"), dtype=float), "decoder") for part in decoder]
    hidden = len(parts[0])
    wanted = [(hidden, 2), (hidden,), (pixels, hidden), (pixels,)]
    if [part.shape for part in parts] != wanted:
        raise ValueError(f"decoder must have shapes {wanted}, got {[part.shape for part in parts]}")
    return parts


def _check_judge(judge: Sequence[Any], pixels: int, classes: int) -> list[np.ndarray]:
    if len(judge) != 5:
        raise ValueError(f"judge must hold 5 arrays, got {len(judge)}")
    if classes < 3:
        raise ValueError(f"a judge needs at least 3 different labels, got {classes}")
    parts = [_near(np.asarray(check_array(part, "judge"), dtype=float), "judge") for part in judge]
    m = len(parts[0]) if parts[0].ndim else 0
    wanted = [(m, pixels), (classes - 1, m), (classes * (classes - 1) // 2,), (classes,), ()]
    if [part.shape for part in parts] != wanted or parts[3].sum() != m:
        raise ValueError(f"judge must have shapes {wanted}, got {[part.shape for part in parts]}")
    return parts
