"""The CodebookExplorer's numbers by the package, from what the page carries and where its controls stand."""

import numpy as np

from regattn.widgets import CodebookExplorer


def example(**options) -> CodebookExplorer:
    """Return made-up images of 6 × 5 pixels in a plane, three codebooks, and a decoder that learned nothing."""
    rng = np.random.default_rng(4)
    latents, images = rng.normal(size=(31, 2)) * [3.0, 1.0], rng.uniform(size=(31, 6, 5))
    decoder = [rng.normal(size=(7, 2)), rng.normal(size=7), rng.normal(size=(30, 7)) / 9, rng.normal(size=30) / 9 + 0.5]
    codebooks = [rng.normal(size=(count, 2)) * [3.0, 1.0] for count in (2, 5, 16)]
    labels = [str(k % 3) for k in range(31)]
    given = {"book": 1, "assignment": "soft", "temperature": 0.5} | options
    return CodebookExplorer(latents, images, decoder, codebooks, labels, **given)


def expected(traits: dict) -> dict:
    """Rebuild the plane, the codebooks and the decoder, and let the package answer."""
    data = traits["data"]
    knobs = {name: traits[name] for name in CodebookExplorer.controls}
    parts = (data[name] for name in ("latents", "images", "decoder", "codebooks", "labels"))
    return CodebookExplorer(*parts, **knobs).result()
