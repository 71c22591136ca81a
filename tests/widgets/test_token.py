"""The TokenExplorer cuts as the library does, whatever is typed, and names what it refuses."""

import random
import unicodedata

import numpy as np
import pytest
from tokenizers import Tokenizer, models

from regattn.data import load_lee_corpus
from regattn.widgets import TokenExplorer
from regattn.words import train_tokenizer
from tests.explorers.token import TEXTS, example, expected, trained
from tests.node import in_node
from tests.ui_actions import assert_same
from tests.widgets.harness import FIGURE, SET, STATE, barriers, opened

KINDS = ("bytes", "characters", "unigram")
SPECIAL = [
    *("👩‍👩‍👧‍👦🏳️‍🌈", "שלום עולם", "مرحبا", "e\u0301é", "don't we'LL they've", "<unk>", "▁ ▁▁", "Ġ", "  two  "),
    *("\t\n \x85\xa0\u2028\ufeff", "x\x00\x1f"),
]
HOSTILE = '<img src=x onerror="document.title=1"> &amp; </script> ' + " ".join(SPECIAL)


@pytest.fixture(scope="module")
def news():
    """Return a tokeniser of each kind, trained on the first stories, and the stories."""
    stories = load_lee_corpus()[:60]
    return {kind: train_tokenizer(stories, vocabulary=1000, kind=kind) for kind in KINDS}, stories


def strings(stories: list[str], count: int) -> list[str]:
    """Return texts of words, of signs of any script that every machine knows, and of both."""
    draw = random.Random(14)
    known = [chr(k) for k in range(0x30000) if unicodedata.ucd_3_2_0.category(chr(k)) not in ("Cn", "Cs", "Co")]
    words = [*" ".join(stories).split(), *SPECIAL * 50]
    made = [*SPECIAL, ""]
    while len(made) < count:
        parts = [draw.choice(known if draw.random() < 0.4 else words) for _ in range(draw.randint(1, 8))]
        made.append(draw.choice(["", " ", "  "]).join(parts))
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_10_000_random_strings_are_cut_as_the_library_cuts_them(tmp_path, news, kind):
    tokenizers, stories = news
    texts = strings(stories, 10_000)
    explorer = TokenExplorer({kind: tokenizers[kind]}, stories)
    code = "const problem = tokenProblem(given.data); const word = 1; const cut = (text) => "
    code += f"tokenState(problem, {{ text, word, tokenizer: '{kind}' }}).own; say(given.texts.map(cut).map((own) => "
    code += "[own.pieces.map((p) => p.token), own.pieces.map((p) => p.id), own.bits, own.lost]));"
    found = in_node(tmp_path, "token/numbers.js", code, {"data": dict(explorer.data), "texts": texts})
    for text, (tokens, ids, bits, lost) in zip(texts, found, strict=True):
        encoded = tokenizers[kind].encode(text)
        assert (tokens, ids) == (encoded.tokens, encoded.ids), repr(text)
        if kind == "bytes":
            assert tokenizers[kind].decode(ids) == text
        elif not lost:
            assert tokenizers[kind].decode(ids) == text, repr(text)
        assert bits >= 0
    assert len(texts) == 10_000


@pytest.mark.parametrize("kind", KINDS)
def test_words_bits_and_histories_equal_the_packages(tmp_path, kind):
    texts = [*SPECIAL, "", " ", "the unhappiness of 12 unharmed women", "unhappy ", "unharmed  \n", "an Ġ", "a   "]
    explorer = example(tokenizer=kind)
    code = "const problem = tokenProblem(given.data); say(given.texts.flatMap((text) => [1, 2, 400].map((word) => "
    code += f"tokenState(problem, {{ text, word, tokenizer: '{kind}' }}))).map((s) => [s.word, "
    code += "s.history.map((line) => line.join(' ')), s.own.bits, s.own.perByte, s.own.lost]));"
    found = iter(in_node(tmp_path, "token/numbers.js", code, {"data": dict(explorer.data), "texts": texts}))
    for text in texts:
        for word in (1, 2, 400):
            explorer.text, explorer.word = text, word
            wanted = explorer.result()
            numbers = [wanted[key][kind] for key in ("bits", "bits_per_byte", "lost")]
            assert_same(dict(enumerate(next(found))), dict(enumerate([wanted["word"], wanted["history"], *numbers])))


@pytest.mark.parametrize("kind", KINDS)
def test_a_space_typed_after_a_word_leaves_its_history_standing(kind):
    before, after = (example(tokenizer=kind, text=text, word=400).result() for text in ("the man", "the man "))
    assert before["word"] == after["word"] != ""
    assert before["history"] == after["history"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_history_ends_with_what_the_library_makes_of_the_word(kind):
    explorer = example(tokenizer=kind, text="unhappiness", word=1)
    found = explorer.result()
    assert found["history"][-1].split() == found["tokens"][kind] == trained()[kind].encode("unhappiness").tokens


def test_bits_are_those_of_the_shares_of_tokens_with_half_a_count_added():
    explorer = example(text="the man")
    counts = np.bincount([i for text in TEXTS for i in trained()["bytes"].encode(text).ids], minlength=300) + 0.5
    wanted = -np.log2((counts / counts.sum())[trained()["bytes"].encode("the man").ids]).sum()
    assert explorer.result()["bits"]["bytes"] == pytest.approx(wanted)
    assert explorer.result()["bits_per_byte"]["bytes"] == pytest.approx(wanted / 7)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: TokenExplorer({}, TEXTS), "tokenizers must be a mapping of names to tokenisers, got {}"),
    (lambda: TokenExplorer(trained()["bytes"], TEXTS), "tokenizers must be a mapping"),
    (lambda: TokenExplorer({"a": "b"}, TEXTS), "the tokeniser 'a' is none that train_tokenizer makes"),
    (lambda: TokenExplorer({"a": Tokenizer(models.BPE())}, TEXTS), "the tokeniser 'a' is none"),
    (lambda: TokenExplorer(trained(), "the"), "texts must be a list of texts, got 'the'"),
    (lambda: TokenExplorer(trained(), [3]), "text 0 must be a string, got 3"),
    (lambda: example(text="x" * 401), "text must have at most 400 characters, got 401"),
    (lambda: example(text=3), "text must be a string, got 3"),
    (lambda: example(text="\ud800"), "UTF-8"),
    (lambda: example(tokenizer="words"), "tokenizer must be one of the 3 tokenisers, got 'words'"),
    (lambda: example(word=0), "word must be ≥ 1, got 0"),
])  # fmt: skip
def test_what_cannot_be_shown_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.browser
def test_hostile_text_stays_text_in_the_order_of_its_script_and_says_what_is_lost(browser, tmp_path):
    link = "#regattn-token=%7B%22word%22%3A0%2C%22tokenizer%22%3A%22x%22%7D"
    with opened(browser, tmp_path, example(text=HOSTILE), hash=link, width=390) as page:
        assert page.evaluate(f"['word', 'tokenizer'].map((n) => {FIGURE}.model.get(n))") == [2, "bytes"]
        assert page.title() == "An explorer"
        assert page.locator("figure.regattn img").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert barriers(page) == []
        assert "comes back from ⁨characters⁩ and ⁨unigram⁩." in page.inner_text("[data-output=message]")
        assert page.locator(".ra-lost").count() > 10
        page.locator("[data-control=text]").fill("שלום שלום")
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        edges = page.evaluate(
            "[...document.querySelectorAll('.ra-pieces')[2].children].map((e) => e.getBoundingClientRect().left)"
        )
        assert edges[0] > edges[1], "Hebrew begins at the right"
        for kind in (
            "characters",
            "unigram",
        ):  # a lost sign looks the same wherever it stands, and has no bits per byte
            page.evaluate(SET, [{"text": "man ☕", "tokenizer": kind, "word": 400}, 0])
            lost = page.locator(".ra-lost").all_inner_texts()
            assert len(lost) >= 3
            assert set(lost) == {"☕"}
            assert page.locator(".ra-history .ra-lost").count() >= 1
            assert page.locator("[data-output=rate]").inner_text() == "–"
        page.evaluate(SET, [{"text": ""}, 0])
        assert page.inner_text("[data-output=message]") == "Nothing to cut: type a text."
        assert "NaN" not in page.inner_text("figure.regattn")
