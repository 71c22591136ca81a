"""The CodebookExplorer's numbers by the package, from what the page carries and where its controls stand."""

import string

import numpy as np
from sklearn.svm import SVC

from regattn.widgets import CodebookExplorer
from regattn.widgets._kit.page import plain


def example(**options) -> CodebookExplorer:
    """Return made-up images of 6 × 5 pixels in a plane, three codebooks, and a decoder that learned nothing."""
    rng = np.random.default_rng(4)
    latents, images = rng.normal(size=(31, 2)) * [3.0, 1.0], rng.uniform(size=(31, 6, 5))
    decoder = [rng.normal(size=(7, 2)), rng.normal(size=7), rng.normal(size=(30, 7)) / 9, rng.normal(size=30) / 9 + 0.5]
    codebooks = [rng.normal(size=(count, 2)) * [3.0, 1.0] for count in (2, 5, 16)]
    images = np.round(16 * images) / 16  # few shades: they travel as letters
    labels = [str(k % 3) for k in range(31)]
    reader = SVC(C=10, gamma=0.3).fit(images.reshape(31, -1), labels)
    judge = [reader.support_vectors_, reader.dual_coef_, reader.intercept_, reader.n_support_, 0.3]
    given = {"book": 1, "assignment": "soft", "temperature": 0.5} | options
    return CodebookExplorer(latents, images, decoder, codebooks, labels, **{"judge": judge} | given)


def unpacked(rows) -> np.ndarray:
    """Return rows as numbers, which may have travelled as letters."""
    if isinstance(rows, list):
        return np.array(rows)
    letters = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
    return np.array([[rows["shades"][letters.index(letter)] for letter in row] for row in rows["rows"]])


def expected(traits: dict) -> dict:
    """Rebuild the plane, the codebooks and the decoder, and let the package answer."""
    data = traits["data"]
    knobs = {name: traits[name] for name in CodebookExplorer.controls}
    images = unpacked(plain(data["images"])).reshape(len(data["labels"]), -1, data["width"])
    parts = (data[name] for name in ("decoder", "codebooks", "labels"))
    judge = data["judge"] and [unpacked(plain(data["judge"][0])), *data["judge"][1:]]
    return CodebookExplorer(data["latents"], images, *parts, judge, **knobs).result()
