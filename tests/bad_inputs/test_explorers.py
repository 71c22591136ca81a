"""Hostile labels and numbers in explorers: refused, or shown as text in a page that stays whole."""

import json
import re
from html.parser import HTMLParser
from inspect import getfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from regattn.grammar import Grammar
from regattn.widgets._kit.page import safe_json
from regattn.widgets.average import AverageExplorer
from regattn.widgets.block import BlockExplorer
from regattn.widgets.codebook import CodebookExplorer
from regattn.widgets.depth import DepthExplorer
from regattn.widgets.descent import DescentExplorer
from regattn.widgets.direction import DirectionExplorer
from regattn.widgets.embedding import EmbeddingExplorer
from regattn.widgets.filter import FilterExplorer
from regattn.widgets.forecast import ForecastExplorer
from regattn.widgets.kernel import KernelExplorer
from regattn.widgets.lag import LagExplorer
from regattn.widgets.mask import MaskExplorer
from regattn.widgets.model import ModelExplorer
from regattn.widgets.neighbour import NeighbourExplorer
from regattn.widgets.network import NetworkExplorer
from regattn.widgets.position import PositionExplorer
from regattn.widgets.projection import ProjectionExplorer
from regattn.widgets.spectral import SpectralExplorer
from regattn.widgets.token import TokenExplorer
from regattn.widgets.training import TrainingExplorer
from regattn.widgets.writer import WriterExplorer
from tests.bad_inputs.inputs import ODD, assert_finite, many, matrices, outcome
from tests.explorers.forecast import table as series, untrained as forecaster
from tests.explorers.model import untrained
from tests.explorers.token import trained

pytestmark = pytest.mark.weekly  # and whenever what it imports differs from main

HOSTILE = [
    "</script><script>alert(1)</script>",
    "</SCRIPT\t>",
    "<!--<script>",
    "]]>",
    "\"'`&<b onclick='x'>",
    "${alert(1)}\\ $\\frac{$",
    "\\u003c/script\\u003e",
    "x" * 5000,
    "\u202eשלום עולם",
    "مرحبا",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "\u2028\u2029\x00\x1f\x7f",
    "",
]
N = len(HOSTILE)
X = np.random.default_rng(5).normal(size=(N, 3))
Y = X[:, 0] + np.random.default_rng(6).normal(size=N)
DECODER = [np.ones((1, 2)), np.ones(1), np.ones((4, 1)), np.ones(4)]
TARGETS = np.random.default_rng(7).normal(size=(N, N))


def _as_they_are(words):
    """Labels as objects: pandas with pyarrow beside it stores texts as UTF-8, and refuses these halves before us."""
    return pd.Index(words, dtype=object)


MAKERS = {
    "spectral": lambda words: SpectralExplorer(
        X, Y, X[:2], labels=words, labels_new=words[:2], units=words[0], alt=words[0] + words[1]
    ),
    "kernel": lambda words: KernelExplorer(
        X[:, 0], Y, labels=words, x_label=words[0], y_label=words[1], alt="".join(words)
    ),
    "average": lambda words: AverageExplorer(X[:, 0], Y, labels=words, names=words[:2]),
    "descent": lambda words: DescentExplorer(X[:, :2], Y, names=words[:2]),
    "depth": lambda words: DepthExplorer(
        np.ones((2 * N, 1)),
        [*Y, *Y],
        [*words, *words],
        np.repeat([1, 2], N),
        known=1,
        deepest=4,
        alt=words[0] + words[1],
    ),
    "embedding": lambda words: EmbeddingExplorer(
        X, TARGETS, Y, names=words[:3], targets=words, new_name=words[0], alt=words[0] + words[1]
    ),
    "network": lambda words: NetworkExplorer(X[:, :2], Y > 0, names=words[:2], classes=words[1:3]),
    "projection": lambda words: ProjectionExplorer(
        pd.DataFrame(1 - np.eye(N), _as_they_are(words), _as_they_are(words)), sentence=words[:3], alt=words[0]
    ),
    "direction": lambda words: DirectionExplorer(
        pd.DataFrame(1 - np.eye(N), _as_they_are(words), _as_they_are(words)),
        sentence=words[:3],
        order=words[2::-1],
        zsp=True,
        alt=words[0],
    ),
    "block": lambda words: BlockExplorer(words[:8], alt=words[0] + words[1]),
    "codebook": lambda words: CodebookExplorer(
        X[:, :2], np.ones((N, 2, 2)), DECODER, [X[:2, :2]], words, alt=words[0] + words[1]
    ),
    "model": lambda words: ModelExplorer(
        untrained(), Grammar(), sentence=" ".join(words)[:400], alt=words[0] + words[1]
    ),
    "position": lambda words: PositionExplorer(alt=words[0] + words[1], presets={words[2]: {"place": 3}}),
    "filter": lambda words: FilterExplorer(pd.Series(X[:, 0], name=words[0]), units=words[0], alt=words[0] + words[1]),
    "forecast": lambda words: ForecastExplorer(
        forecaster(), series().set_axis(_as_they_are(words[:3]), axis=1), units=words[0], alt=words[0] + words[1]
    ),
    "lag": lambda words: LagExplorer(
        pd.DataFrame(X[:, :2], columns=_as_they_are(words[:2])), longest=2, units=words[0], alt=words[0] + words[1]
    ),
    "mask": lambda words: MaskExplorer(
        pd.DataFrame(X[:, :1], columns=_as_they_are(words[:1])), known=2, units=words[1], alt=words[0] + words[1]
    ),
    "neighbour": lambda words: NeighbourExplorer({(words[0], 2, 1): X[None]}, words=words, alt=words[0] + words[1]),
    "token": lambda words: TokenExplorer(
        dict(zip(words, trained().values(), strict=False)), words, text=" ".join(words)[:400], alt=words[0] + words[1]
    ),
}


class _Page(HTMLParser):
    """Collects every element with its attributes, and the text inside each script."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags, self.scripts = [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, text):
        if self.tags and self.tags[-1][0] == "script" and self.scripts:
            self.scripts[-1] += text


def _check_page(explorer):
    html = explorer.to_html()
    page = _Page(html)
    styles = ["style"] * (1 + (Path(getfile(type(explorer))).parent / "style.css").exists())  # the kit's and its own
    assert [tag for tag, _ in page.tags] == ["figure", "noscript", "p", *styles, "script", "script"]
    assert len(re.findall("</script", html, re.IGNORECASE)) == 2
    assert "<!--" not in page.scripts[0]  # would switch the parser's rules inside a script
    assert page.tags[0][1]["aria-label"] == explorer.alt
    raw = re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)[1]
    assert json.loads(raw) == json.loads(json.dumps(explorer.state()))
    assert raw.isascii()
    assert_finite(explorer.result())
    return json.loads(raw)


@pytest.mark.parametrize("name", MAKERS)
def test_hostile_labels_are_text_in_a_page_that_stays_whole(name):
    state = _check_page(MAKERS[name](HOSTILE))
    assert HOSTILE[0] in json.dumps(state, ensure_ascii=False)


@pytest.mark.parametrize("name", MAKERS)
@many(25)
@given(words=st.lists(st.text(max_size=8), min_size=N, max_size=N, unique=True))
def test_any_labels_are_text_in_a_page_that_stays_whole(name, words):
    _check_page(MAKERS[name](words))


@pytest.mark.parametrize("place", range(2))
@pytest.mark.parametrize("name", MAKERS)
def test_half_a_surrogate_pair_is_refused_before_it_spoils_a_page(name, place):
    words = [str(i) for i in range(N)]
    words[place] = "caf\udce9"
    with pytest.raises(ValueError, match=r"must be text that UTF-8 can write, got '.*caf\\udce9"):
        MAKERS[name](words)


def test_half_a_surrogate_pair_is_refused_later_too():
    explorer = AverageExplorer(X[:, 0], Y)
    with pytest.raises(ValueError, match=r"alt must be text that UTF-8 can write, got '\\ud800'"):
        explorer.alt = "\ud800"
    assert _check_page(explorer)


@many(300)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text()
        | st.sampled_from(HOSTILE),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
)
def test_what_goes_to_the_browser_comes_back_the_same_and_closes_no_element(value):
    text = safe_json(value)
    assert json.loads(text) == value
    assert not set("<>&") & set(text)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_numbers_that_json_does_not_know_are_refused(number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        safe_json({"x": np.array([number])})


def months_of(x):
    """Return the made-up series with other numbers in the last months."""
    logs, numbers = series(), np.ravel(x)[:9]
    logs.iloc[-len(numbers) :, 0] = numbers
    return logs


TABLE = pd.DataFrame(1 - np.eye(3), list("abc"), list("abc"))
PAST = pd.DataFrame(X[:, :2], columns=["a", "b"])
ENTRANCES = {
    "spectral": lambda x: SpectralExplorer(x, np.arange(float(np.shape(x)[0] if np.ndim(x) else 1))),
    "spectral, y": lambda x: SpectralExplorer(X[:3], x),
    "spectral, new rows": lambda x: SpectralExplorer(X, Y, x),
    "spectral, ridge": lambda x: SpectralExplorer(X, Y, ridge=x),
    "spectral, rank": lambda x: SpectralExplorer(X, Y, rank=x),
    "spectral, query": lambda x: SpectralExplorer(X, Y, query=x),
    "spectral, labels": lambda x: SpectralExplorer(X, Y, labels=x),
    "spectral, panels": lambda x: SpectralExplorer(X, Y, panels=x),
    "kernel": lambda x: KernelExplorer(x, [1.0, 2.0, 4.0]),
    "kernel, y": lambda x: KernelExplorer([1.0, 2.0, 4.0], x),
    "kernel, codes": lambda x: KernelExplorer([1.0, 2.0, 4.0], [1.0, 2.0, 4.0], codes=lambda _: x),
    "kernel, temperature": lambda x: KernelExplorer(X[:, 0], Y, temperature=x),
    "kernel, neighbours": lambda x: KernelExplorer(X[:, 0], Y, neighbours=x),
    "average": lambda x: AverageExplorer(x, [1.0, 2.0, 4.0]),
    "average, y": lambda x: AverageExplorer([1.0, 2.0, 4.0], x),
    "average, query": lambda x: AverageExplorer(X[:, 0], Y, query=x),
    "descent": lambda x: DescentExplorer(x, np.arange(3.0)),
    "descent, y": lambda x: DescentExplorer(X[:3, :2], x),
    "network": lambda x: NetworkExplorer(x, [0, 1, 1]),
    "network, y": lambda x: NetworkExplorer(X[:3, :2], x),
    "network, held out": lambda x: NetworkExplorer(X[:3, :2], [0, 1, 1], x, [0, 1, 1]),
    "network, decay": lambda x: NetworkExplorer(X[:3, :2], [0, 1, 1], weight_decay=x),
    "descent, start": lambda x: DescentExplorer(X[:, :2], Y, start=x),
    "descent, step size": lambda x: DescentExplorer(X[:, :2], Y, learning_rate=x),
    "embedding": lambda x: EmbeddingExplorer(x, np.eye(3), np.arange(3.0), step=9),
    "embedding, Y": lambda x: EmbeddingExplorer(X[:3], x, Y[:3], step=9),
    "embedding, new": lambda x: EmbeddingExplorer(X[:3], TARGETS[:3], x, step=9),
    "embedding, count": lambda x: EmbeddingExplorer(X, TARGETS[:, :3], Y, count=x),
    "embedding, step size": lambda x: EmbeddingExplorer(X, TARGETS[:, :3], Y, learning_rate=x, step=9),
    "embedding, names": lambda x: EmbeddingExplorer(X, TARGETS[:, :3], Y, names=x),
    "projection": lambda x: ProjectionExplorer(x, sentence=[]),
    "projection, numbers": lambda x: ProjectionExplorer(pd.DataFrame(np.atleast_2d(x)), sentence=["0"]),
    "projection, sentence": lambda x: ProjectionExplorer(TABLE, sentence=x),
    "direction": lambda x: DirectionExplorer(x, sentence=["a", "b"], psp=True),
    "direction, numbers": lambda x: DirectionExplorer(pd.DataFrame(np.atleast_2d(x)), sentence=["0", "0"], psp=True),
    "direction, positions": lambda x: DirectionExplorer(TABLE, x, ["a", "b"], psp=True),
    "direction, sentence": lambda x: DirectionExplorer(TABLE, sentence=x),
    "direction, order": lambda x: DirectionExplorer(TABLE, sentence=["a", "b"], order=x),
    "direction, held": lambda x: DirectionExplorer(TABLE, sentence=["a", "b"], held=x),
    "direction, rank": lambda x: DirectionExplorer(TABLE, sentence=["a", "b"], rank=x),
    "codebook": lambda x: CodebookExplorer(x, np.ones((3, 2, 2)), DECODER, [X[:2, :2]]),
    "codebook, images": lambda x: CodebookExplorer(X[:3, :2], x, DECODER, [X[:2, :2]]),
    "codebook, decoder": lambda x: CodebookExplorer(X[:3, :2], np.ones((3, 2, 2)), [x, *DECODER[1:]], [X[:2, :2]]),
    "codebook, codes": lambda x: CodebookExplorer(X[:3, :2], np.ones((3, 2, 2)), DECODER, [x]),
    "codebook, point": lambda x: CodebookExplorer(X[:, :2], np.ones((N, 2, 2)), DECODER, [X[:2, :2]], across=x),
    "block": lambda x: BlockExplorer(x),
    "block, width": lambda x: BlockExplorer(["a", "b"], width=x),
    "block, heads": lambda x: BlockExplorer(["a", "b"], n_heads=x),
    "model": lambda x: ModelExplorer(x, Grammar()),
    "model, grammar": lambda x: ModelExplorer(untrained(), x),
    "model, sentence": lambda x: ModelExplorer(untrained(), Grammar(), sentence=x),
    "model, place": lambda x: ModelExplorer(untrained(), Grammar(), place=x),
    "model, silenced": lambda x: ModelExplorer(untrained(), Grammar(), silenced=x),
    "model, temperature": lambda x: ModelExplorer(untrained(), Grammar(), temperature=x),
    "model, top_k": lambda x: ModelExplorer(untrained(), Grammar(), top_k=x),
    "model, top_p": lambda x: ModelExplorer(untrained(), Grammar(), top_p=x),
    "depth": lambda x: DepthExplorer(x, np.arange(4.0), list("abab"), [1, 1, 2, 2], known=1, deepest=2),
    "depth, y": lambda x: DepthExplorer(np.ones((4, 1)), x, list("abab"), [1, 1, 2, 2], known=1, deepest=2),
    "depth, units": lambda x: DepthExplorer(np.ones((4, 1)), np.arange(4.0), x, [1, 1, 2, 2], known=1, deepest=2),
    "depth, dates": lambda x: DepthExplorer(np.ones((4, 1)), np.arange(4.0), list("abab"), x, known=1, deepest=2),
    "position, place": lambda x: PositionExplorer(place=x),
    "position, hands": lambda x: PositionExplorer(hands=x),
    "position, stretch": lambda x: PositionExplorer(hands="all", stretch=x),
    "filter": lambda x: FilterExplorer(x),
    "filter, numbers": lambda x: FilterExplorer(pd.Series(np.ravel(x))),
    "filter, date": lambda x: FilterExplorer(PAST["a"], query=x),
    "filter, layers": lambda x: FilterExplorer(PAST["a"], layers=x),
    "filter, level": lambda x: FilterExplorer(PAST["a"], level=x),
    "forecast": lambda x: ForecastExplorer(forecaster(), x),
    "forecast, model": lambda x: ForecastExplorer(x, series()),
    "forecast, numbers": lambda x: ForecastExplorer(forecaster(), months_of(x)),
    "forecast, first": lambda x: ForecastExplorer(forecaster(), series(), first=x),
    "forecast, query": lambda x: ForecastExplorer(forecaster(), series(), query=x),
    "forecast, rival": lambda x: ForecastExplorer(forecaster(), series(), rival=x),
    "forecast, deleted": lambda x: ForecastExplorer(forecaster(), series(), deleted=x),
    "lag": lambda x: LagExplorer(x, longest=1),
    "lag, numbers": lambda x: LagExplorer(pd.DataFrame(np.atleast_2d(x)), longest=1),
    "lag, longest": lambda x: LagExplorer(PAST, longest=x),
    "lag, date": lambda x: LagExplorer(PAST, longest=1, query=x),
    "lag, lags": lambda x: LagExplorer(PAST, longest=2, max_lag=x),
    "lag, intercept": lambda x: LagExplorer(PAST, longest=1, intercept=x),
    "lag, stretch": lambda x: LagExplorer(PAST, longest=1, stretch=x),
    "lag, end of a stretch": lambda x: LagExplorer(PAST, longest=1, stretch=(PAST.index[0], x)),
    "mask": lambda x: MaskExplorer(x, known=2),
    "mask, numbers": lambda x: MaskExplorer(pd.DataFrame(np.atleast_2d(x)), known=2),
    "mask, lags": lambda x: MaskExplorer(PAST[["a"]], max_lag=x, known=5),
    "mask, known": lambda x: MaskExplorer(PAST[["a"]], known=x),
    "mask, date": lambda x: MaskExplorer(PAST[["a"]], known=2, query=x),
    "mask, kind": lambda x: MaskExplorer(PAST[["a"]], known=2, mask=x),
    "mask, kernel": lambda x: MaskExplorer(PAST[["a"]], known=2, kernel=x),
    "mask, shock": lambda x: MaskExplorer(PAST[["a"]], known=2, shock=x),
    "lag, variables": lambda x: LagExplorer(PAST, longest=1, variables=x),
    "neighbour": lambda x: NeighbourExplorer({("m", 2, 1): x}, words=["a", "b", "c"]),
    "neighbour, spaces": lambda x: NeighbourExplorer(x, words=["a", "b", "c"]),
    "neighbour, words": lambda x: NeighbourExplorer({("m", 2, 1): np.eye(3)[None]}, words=x),
    "neighbour, query": lambda x: NeighbourExplorer({("m", 2, 1): np.eye(3)[None]}, words=["a", "b", "c"], query=x),
    "neighbour, L": lambda x: NeighbourExplorer({("m", 2, 1): np.eye(3)[None]}, words=["a", "b", "c"], rank=x),
    "neighbour, window": lambda x: NeighbourExplorer({("m", 2, 1): np.eye(3)[None]}, words=["a", "b", "c"], window=x),
    "token": lambda x: TokenExplorer(x, []),
    "token, tokeniser": lambda x: TokenExplorer({"a": x}, []),
    "token, texts": lambda x: TokenExplorer(trained(), x),
    "token, text": lambda x: TokenExplorer(trained(), [], text=x),
    "token, word": lambda x: TokenExplorer(trained(), [], word=x),
    "training": lambda x: TrainingExplorer(x),
    "training, width": lambda x: TrainingExplorer(width=x),
    "training, own": lambda x: TrainingExplorer("to be or not to be " * 14, own=x),
    "writer": lambda x: WriterExplorer(x),
    "writer, own": lambda x: WriterExplorer("a b", own=x),
    "writer, order": lambda x: WriterExplorer("a b", order=x),
    "projection, unit": lambda x: ProjectionExplorer(TABLE, sentence=["a"], unit=x),
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_odd_inputs_are_refused_or_shown(entrance):
    for odd in ODD.values():
        outcome(lambda x: _check_page(ENTRANCES[entrance](x)), odd())


@many(60)
@given(st.data())
def test_data_of_any_size_are_refused_or_shown(data):
    x = data.draw(matrices(columns=2))
    y = data.draw(matrices(rows=len(x), columns=1))[:, 0]
    for make in (SpectralExplorer, DescentExplorer):
        outcome(lambda x, y, make=make: _check_page(make(x, y)), x, y)
    outcome(lambda x, y: _check_page(EmbeddingExplorer(x, np.eye(len(x)), y, step=9)), x, y)
    for make in (KernelExplorer, AverageExplorer):
        outcome(lambda x, y, make=make: _check_page(make(x, y)), x[:, 0], y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: AverageExplorer([1.0, 2.0], [[1.0], [2.0]]), r"y must have shape \(n,\), got shape \(2, 1\)"),
        (lambda: AverageExplorer([1.0, 2.0], [1.0]), "x has 2 entries but y has 1"),
        (lambda: DescentExplorer(X[:, :2], Y, start=(1.0,)), "start must be 2 numbers, got 1"),
        (lambda: KernelExplorer([1e-200, 2e-200], [1.0, 2.0]), "two or more numbers that vary"),
        (lambda: ProjectionExplorer(TABLE * 1e308, sentence=[], unit=0.1).result(), "counts must be finite, got inf"),
    ],
)
def test_refusals_name_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_an_explorer_that_refuses_a_value_keeps_the_old_one():
    explorer = KernelExplorer(X[:, 0], Y, temperature=2.0)
    for name, value in (("temperature", np.nan), ("query", N), ("kernel", "</script>"), ("include_self", "no")):
        with pytest.raises(ValueError, match=name):
            setattr(explorer, name, value)
    assert (explorer.temperature, explorer.query, explorer.kernel, explorer.include_self) == (2.0, 0, "softmax", True)
