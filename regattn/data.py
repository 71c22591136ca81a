"""Every data set the book uses, by name; all come with the libraries, nothing is downloaded."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

__all__ = ["Diabetes", "load_diabetes", "load_lee_corpus", "load_macro", "load_seven_words"]


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


def load_seven_words() -> pd.DataFrame:
    """Return the co-occurrence table of seven words around "bank", from Sec. 2.5 of [MH]_.

    The table is the paper's main one (its copies inside the two examples have misprints). No corpus lies behind it.

    Returns
    -------
    DataFrame of shape (7, 7), int64
        Symmetric counts with a zero diagonal; the words are its index and its columns.

    Examples
    --------
    >>> S = load_seven_words()
    >>> bool((S == S.T).all(axis=None)), int(S.loc["bank", "loan"])
    (True, 6)
    """
    words = ["river", "bank", "loan", "money", "flooded", "shore", "rely"]
    counts = [
        [0, 4, 0, 0, 5, 6, 0],
        [4, 0, 6, 5, 3, 5, 4],
        [0, 6, 0, 7, 0, 0, 2],
        [0, 5, 7, 0, 0, 0, 3],
        [5, 3, 0, 0, 0, 4, 0],
        [6, 5, 0, 0, 4, 0, 0],
        [0, 4, 2, 3, 0, 0, 0],
    ]
    return pd.DataFrame(np.array(counts, dtype=np.int64), index=words, columns=words)


def load_lee_corpus() -> list[str]:
    """Return the Lee corpus, 300 news stories of the Australian Broadcasting Corporation, as they come with gensim.

    Returns
    -------
    list of 300 str
        One story each, as printed; about 60,000 words in all. Some stories report the same event twice.

    Raises
    ------
    ModuleNotFoundError
        If gensim, which carries the file, is not installed.

    Examples
    --------
    >>> stories = load_lee_corpus()
    >>> len(stories), stories[0][:41]
    (300, 'Hundreds of people have been forced to va')
    """
    spec = find_spec("gensim")  # only the file is wanted: importing gensim takes seconds
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the Lee corpus comes with gensim, which is not installed", name="gensim")
    path = Path(spec.origin).parent / "test" / "test_data" / "lee_background.cor"
    return path.read_text(encoding="utf-8").splitlines()
