"""Every data set the book uses, by name; all come with the libraries, nothing is downloaded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

__all__ = ["Diabetes", "load_diabetes", "load_macro"]


class Diabetes(NamedTuple):
    """Inputs and target of the diabetes study."""

    X: pd.DataFrame
    y: pd.Series


def load_macro() -> pd.DataFrame:
    """Return US quarterly macroeconomic data, 1959Q1 to 2009Q3, as they come with statsmodels.

    Returns
    -------
    DataFrame of 203 rows, indexed by quarter (a ``PeriodIndex`` named "quarter")
        - ``gdp``: real gross domestic product, billions of chained 2005 dollars, annual rate
        - ``consumption``: real personal consumption, billions of chained 2005 dollars, annual rate
        - ``investment``: real gross private domestic investment, billions of chained 2005 dollars, annual rate
        - ``inflation``: growth of the consumer price index over the quarter, per cent a year
        - ``unemployment``: unemployment rate, per cent of the labour force
        - ``bill_rate``: three-month treasury bill rate, per cent a year
        - ``gdp_growth``: growth of real GDP over the quarter, per cent a year (400 × the change of its logarithm);
          missing in the first quarter

    Examples
    --------
    >>> macro = load_macro()
    >>> macro.shape, str(macro.index[0]), str(macro.index[-1])
    ((203, 7), '1959Q1', '2009Q3')
    >>> float(macro.loc["2008Q4", "inflation"])
    -8.79
    """
    from statsmodels.datasets import macrodata

    raw = macrodata.load_pandas().data
    quarters = pd.PeriodIndex.from_fields(year=raw["year"].astype(int), quarter=raw["quarter"].astype(int), freq="Q")
    names = {
        "realgdp": "gdp",
        "realcons": "consumption",
        "realinv": "investment",
        "infl": "inflation",
        "unemp": "unemployment",
        "tbilrate": "bill_rate",
    }
    macro = raw[list(names)].rename(columns=names).set_axis(quarters.rename("quarter"))
    return macro.assign(gdp_growth=400 * np.log(macro["gdp"]).diff())


def load_diabetes() -> Diabetes:
    """Return the diabetes study of 442 patients, as it comes with scikit-learn, in its original units.

    Returns
    -------
    Diabetes
        ``X``, DataFrame of shape (442, 10): age (years), sex (coded 1, 2), bmi (kg/m²), bp (mean arterial pressure,
        mm Hg) and six blood serum measurements s1 to s6; ``y``, Series of length 442: disease progression one year
        later (a score from 25 to 346).

    Examples
    --------
    >>> X, y = load_diabetes()
    >>> X.shape, float(y.min()), float(y.max())
    ((442, 10), 25.0, 346.0)
    """
    from sklearn import datasets

    bunch = datasets.load_diabetes(as_frame=True, scaled=False)
    return Diabetes(bunch.data, bunch.target.rename("progression"))
