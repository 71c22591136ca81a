"""How often the bands of a forecaster hold what they promise: twenty series, many dates, with and without calibration.

``python -m tools.coverage`` writes ``regattn/recorded_runs/coverage.json``; it goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from regattn.data import load_employment
from regattn.series import ForecasterDesign, PooledLinear
from regattn.series.windows import quantile_losses
from tools.recorded_runs import FOLDER, minutes_of, read_runs, write_runs

OFFSETS = (1, 2, 5)  # of each seven series; 0 and 3 were looked at when the share kept out was chosen
CUTS = range(186, 346, 24)
LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
BANDS = {"80 %": (0.1, 0.9), "40 %": (0.3, 0.7)}


def coverage(offset: int, cut: int) -> list[dict[str, Any]]:
    """Return the share of twelve months of twenty series that each band holds, with and without calibration."""
    began = time.process_time()
    table = np.log(load_employment()).iloc[:, offset : 140 + offset : 7]
    past, came = table.iloc[:cut], table.iloc[cut : cut + 12]
    model = PooledLinear(ForecasterDesign(context=36, horizon=12, levels=LEVELS)).fit(past)
    ours, model.widening = model.forecast(past), None
    rows = []
    for calibrated, ahead in (("no", model.forecast(past)), ("yes", ours)):
        held = {
            band: round(float(((ahead.at(low) <= came) & (came <= ahead.at(high))).mean(axis=None)), 4)
            for band, (low, high) in BANDS.items()
        }
        width = round(float((ahead.at(0.9) - ahead.at(0.1)).mean(axis=None)), 5)
        said = np.stack([ahead.at(level).to_numpy() for level in LEVELS], axis=-1)
        loss = round(float(quantile_losses(said, came.to_numpy(), levels=LEVELS).mean()), 6)
        month = str(table.index[cut])
        rows.append({"offset": offset, "from": month, "calibrated": calibrated, **held, "width": width, "loss": loss})
    return [row | {"seconds": round((time.process_time() - began) / 2, 1)} for row in rows]


def main() -> None:
    """Find what is not found yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=FOLDER / "coverage.json")
    parser.add_argument("--offsets", type=int, nargs="*", default=OFFSETS)
    arguments = parser.parse_args()
    made, months = read_runs(arguments.output)["runs"], load_employment().index
    for offset in arguments.offsets:
        for cut in CUTS:
            if any((run["offset"], run["from"]) == (offset, str(months[cut])) for run in made):
                continue
            made += coverage(offset, cut)
            libraries = ["numpy", "pandas", "torch"]
            write_runs(arguments.output, made, script=__file__, libraries=libraries, minutes=minutes_of(made))


if __name__ == "__main__":
    main()
