"""Every printed number says what it is measured in, or why it is a bare number."""

from __future__ import annotations

import pytest

from tests.widgets.harness import EXPLORERS, opened, oracle

TILES = """() => [...document.querySelectorAll(".ra-numbers > div")].map((tile) => [
  tile.querySelector("[data-output]").dataset.output, tile.textContent.replaceAll(/[\\u2068\\u2069]/g, "")])"""

# Without a unit: a count of what its label names; a share, weight, cosine or ratio; what is made of numbers without one
COUNT, SHARE, PLAIN = "count", "share", "plain"
UNITS: dict[str, dict[str, str]] = {
    "average": {"prediction": "change", "most": SHARE, "below": COUNT},
    "block": {},
    "codebook": {"bits": "bits", "live": COUNT},  # the error stands with its unit under the drawing
    "context": {"risk": PLAIN, "ols": PLAIN, "ridge": PLAIN, "bayes": PLAIN, "layer": PLAIN}
    | {"gap": "%", "agreement": SHARE},
    "convolution": {"here": PLAIN, "size": COUNT, "pooled": COUNT},
    "depth": {"error": PLAIN, "distance": SHARE, "apart": SHARE, "pooled": PLAIN, "local": PLAIN, "partial": PLAIN},
    "descent": {"loss": "squared", "least_loss": PLAIN, "largest_stable_step": PLAIN},
    "direction": {"differ": COUNT, "largest": SHARE, "shifted": SHARE, "total": PLAIN, "lost": SHARE},
    "embedding": {"loss": PLAIN, "least_loss": PLAIN, "map_error": "%", "error": "%", "rank": COUNT},
    "filter": {"prediction": "m³", "observed": "m³", "own": SHARE, "total": SHARE, "age": "dates", "negative": SHARE},
    "forecast": {"mase": "MASE", "mase-before": "MASE", "mase-rival": "MASE", "mase-naive": "MASE"}
    | {"covered": COUNT, "mass": SHARE, "chance": SHARE, "change": SHARE},
    "induction": {f"{key}{end}": SHARE for key in ("score", "previous", "right") for end in ("", "-trained")},
    "kernel": {"prediction": "(kg)", "observed": "(kg)", "own": SHARE, "total": SHARE, "error": PLAIN, "gap": PLAIN}
    | {"below": COUNT},
    "lag": {"prediction": "% a year", "observed": "% a year", "error": "% a year"}
    | {"total": SHARE, "own": SHARE, "rising": SHARE, "stretch": SHARE, "rank": COUNT},
    "mask": {"prediction": "% a year", "observed": "% a year", "moved": "% a year", "left": SHARE, "ahead": SHARE},
    "model": dict.fromkeys(["entropy", "entropy-model", "excess", "cost", "mean"], "nats"),
    "neighbour": {"nearest": "nearest word", "cosine": SHARE, "alike": COUNT, "stay": COUNT},
    "network": {"loss": "nats", "loss_held_out": "nats", "count": COUNT},
    "position": {"unseen": COUNT, "away": COUNT, "loss": "nats", "before": "nats", "round": COUNT},
    "projection": {},
    "spectral": dict.fromkeys(["prediction", "observed", "train_error", "loo_error", "test_error"], "% a year")
    | {"dof": COUNT},
    "table": dict.fromkeys(["prediction", "observed", "loo", "error"], "in units of the target")
    | {"knob": PLAIN, "dof": COUNT, "effective": COUNT},
    "token": {"count": COUNT, "length": "bytes per token", "bits": "bits", "rate": "bits per byte", "lost": COUNT},
    "training": {"loss": "nats per word", "above": "nats per word", "count": COUNT},
    "weights": dict.fromkeys(["prediction", "baseline", "up", "down"], "points")
    | {"short": SHARE, "leverage": SHARE, "effective": COUNT, "common": SHARE},
    "writer": {"forced": COUNT, "longest": "words"},
}


@pytest.mark.browser
@pytest.mark.parametrize("name", EXPLORERS)
def test_every_printed_number_says_what_it_is_measured_in(browser, tmp_path, name):
    with opened(browser, tmp_path, oracle(name).example()) as page:
        tiles = dict(page.evaluate(TILES))
    assert tiles.keys() == UNITS[name].keys()
    units = {key: unit for key, unit in UNITS[name].items() if unit not in (COUNT, SHARE, PLAIN)}
    assert [tiles[key] for key, unit in units.items() if unit not in tiles[key]] == []
