"""How often the bands of a forecaster hold what they promise: twenty series, many dates, before and after calibration.

``python -m tools.coverage`` writes ``regattn/recorded_runs/coverage.csv``; it goes on where it was interrupted.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from regattn.data import load_employment
from regattn.series import ForecasterDesign, PooledLinear

FOUND = Path(__file__).parents[1] / "regattn" / "recorded_runs" / "coverage.csv"
OFFSETS = (1, 2, 5)  # of each seven series; 0 and 3 were looked at when the share kept out was chosen
CUTS = range(186, 346, 24)
LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)


def coverage(offset: int, cut: int) -> list[dict[str, object]]:
    """Return the share of twelve months of twenty series that each band holds, with and without calibration."""
    table = np.log(load_employment()).iloc[:, offset : 140 + offset : 7]
    past, came = table.iloc[:cut], table.iloc[cut : cut + 12]
    model = PooledLinear(ForecasterDesign(context=36, horizon=12, levels=LEVELS)).fit(past)
    ours, model.widening = model.forecast(past), None
    rows = []
    for calibrated, ahead in ((True, ours), (False, model.forecast(past))):
        held = {
            band: float(((ahead.at(low) <= came) & (came <= ahead.at(high))).mean(axis=None))
            for band, low, high in (("80", 0.1, 0.9), ("40", 0.3, 0.7))
        }
        width = float((ahead.at(0.9) - ahead.at(0.1)).mean(axis=None))
        rows.append({"offset": offset, "from": str(table.index[cut]), "calibrated": calibrated, **held, "width": width})
    return rows


def main() -> None:
    """Find what is not found yet."""
    found = pd.read_csv(FOUND) if FOUND.exists() else pd.DataFrame(columns=["offset", "from"])
    months = load_employment().index
    done = set(zip(found["offset"], found["from"], strict=True))
    for offset in OFFSETS:
        for cut in CUTS:
            if (offset, str(months[cut])) in done:
                continue
            found = (
                pd.concat([found, pd.DataFrame(coverage(offset, cut))])
                if len(found)
                else pd.DataFrame(coverage(offset, cut))
            )
            found.round(4).to_csv(FOUND, index=False)


if __name__ == "__main__":
    main()
