"""The ModelExplorer: a model in the page against the package, typed in, silenced, drawn from; what it refuses."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
import torch

from regattn.grammar import Grammar, ablate_head, next_words, patched_logits
from regattn.grammar._states import states
from regattn.transformer import Architecture, Decoder, LanguageModel, TextModel, load_shipped, next_token_distribution
from regattn.transformer._halves import in_digits, in_halves, packed
from regattn.widgets import ModelExplorer
from regattn.widgets._kit.page_rng import drawn_place
from regattn.widgets._kit.sampling_controls import CUTS
from regattn.words import train_tokenizer
from tests.explorers.model import WORDS, example, expected, of_text, text_example, untrained
from tests.node import in_node
from tests.widgets.harness import FIGURE, SET, STATE, assert_same, barriers, opened, sweep

GRAMMAR = Grammar()
READ = """const model = openModel(given.model);
say(given.texts.map((text) => readText(model, text).map((row) => Array.from(row.logits))));"""
TRUTH = "say(given.texts.map((text) => truths(given.states, text, 105).map((p) => p && Array.from(p))));"


def test_the_page_and_numpy_agree_on_the_logits_of_the_shipped_model(tmp_path):
    shipped, _ = load_shipped()
    texts = GRAMMAR.sample_tokens(np.random.default_rng(31), texts=200, length=9)
    found = np.array(
        in_node(tmp_path, "_numbers/transformer.js", READ, {"model": packed(shipped), "texts": texts.tolist()})
    )
    expected = [Decoder(in_halves(shipped), 9).read(text) for text in texts]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert len(packed(shipped)["numbers"]) < 1e6
    assert len(ModelExplorer(shipped, GRAMMAR).to_html()) < 1.2e6  # what a page weighs more with it


def test_every_number_of_sixteen_bits_travels_without_loss(tmp_path):
    every = np.arange(2**16, dtype=np.uint16).view(np.float16)
    numbers = every[np.isfinite(every)].astype(float)[:-1]  # an odd number of them
    text = in_digits(numbers)
    assert len(text) == 5 * (len(numbers) + 1) / 2
    assert not set(text) & set('&<>\\"')
    assert in_node(tmp_path, "_numbers/transformer.js", "say(Array.from(halves(given)));", text) == [*numbers, 0]


def test_a_text_read_on_is_the_text_read_whole(tmp_path):
    code = """const model = openModel(given);
    const begun = readText(model, [0, 5, 9, 70]);
    const logits = (rows) => Array.from(rows.at(-1).logits);
    say([readText(model, [0, 5, 9, 71, 2]), readText(model, [0, 5, 9, 71, 2], new Set(), begun)].map(logits));"""
    whole, on = in_node(tmp_path, "_numbers/transformer.js", code, packed(untrained()))
    assert whole == on


def test_the_table_of_states_is_the_grammar_on_two_thousand_beginnings(tmp_path):
    texts = GRAMMAR.sample_tokens(np.random.default_rng(32), texts=100, length=20)
    found = in_node(tmp_path, "model/numbers.js", TRUTH, {"states": states(GRAMMAR), "texts": texts.tolist()})
    np.testing.assert_allclose(np.array(found), GRAMMAR.conditionals(texts), rtol=0, atol=1e-12)
    impossible = [[0, *GRAMMAR.encode(["anna", "called", "clara", ".", "the"])]]
    found = in_node(tmp_path, "model/numbers.js", TRUTH, {"states": states(GRAMMAR), "texts": impossible})
    assert [p is None for p in found[0]] == [False, False, False, True, False, False]


def test_what_is_silent_costs_what_the_package_says():
    shipped, _ = load_shipped()
    text = "anna called tom because he missed"
    explorer = ModelExplorer(shipped, GRAMMAR, sentence=text, silenced=["2.1"])
    q = next_words(ablate_head(shipped, layer=2, head=1), GRAMMAR, [text]).loc[text]
    np.testing.assert_allclose(explorer.result()["model"], q, atol=2e-3)  # weights of 16 bits
    assert explorer.result()["cost"] > 2
    explorer.silenced = []
    assert explorer.result()["cost"] == 0


def test_what_is_exchanged_is_what_activation_patching_says():
    shipped, _ = load_shipped()
    many, one = (f"the {noun} that the farmer sees" for noun in ("dogs", "dog"))
    explorer = ModelExplorer(shipped, GRAMMAR, sentence=many, donor=one, silenced=["3.1"])
    read, told = (torch.tensor([[0, *GRAMMAR.encode(text.split())]]) for text in (many, one))
    wanted = patched_logits(explorer.model, read, told, heads=[(3, 1)]).softmax(-1)[0]
    found = np.array(explorer.result()["model"])
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    truth = np.array(list(GRAMMAR.next_word(one.split()).values()))
    assert found[truth > 0].sum() > 0.98
    assert explorer.result()["goes_over"] == pytest.approx(found[truth > 0].sum())
    explorer.donor = many.replace("farmer", "dog")  # nothing is true there alone
    assert explorer.result()["goes_over"] == 0
    explorer.donor = ""  # then it is silent
    assert explorer.result()["goes_over"] is None
    q = next_words(ablate_head(shipped, layer=3, head=1), GRAMMAR, [many]).loc[many]
    np.testing.assert_allclose(explorer.result()["model"], q, atol=2e-3)
    assert np.abs(q - found).max() > 0.01


@pytest.mark.browser
@pytest.mark.parametrize(
    "donor", ["anna called tom because he", "emma", "the bank was closed . the dogs run . anna called"]
)
def test_the_page_exchanges_as_the_package_does(browser, tmp_path, donor):
    explorer = example(donor=donor, place=4, silenced=["1.2", "2.1", "2.ff"])
    with opened(browser, tmp_path, explorer) as page:
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), explorer.result())
        assert page.locator("[data-control=silence-1-2] span").inner_text().startswith("← ")
        read = page.locator(".ra-looks").last.locator(".ra-look > span").all_inner_texts()
        assert [word.replace("full stop", ".") for word in read[1:]] == donor.split()
        page.evaluate(SET, [{"donor": "zebra"}, 0])  # no word that is known: as if there were none
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        assert page.locator("[data-control=silence-1-2] span").inner_text() == "silent"


@pytest.mark.browser
def test_the_page_says_what_was_there_before_and_what_parts_cost_one_by_one(browser, tmp_path):
    shipped, _ = load_shipped()
    text, other = (f"anna called {name} because she missed" for name in ("tom", "peter"))
    explorer = ModelExplorer(shipped, GRAMMAR, sentence=text, silenced=["2.2", "2.3"])
    costs = []
    for part in ("2.2", "2.3"):
        explorer.silenced = [part]
        costs.append(explorer.result()["cost"])
    explorer.silenced = ["2.2", "2.3"]
    with opened(browser, tmp_path, explorer) as page:
        said = page.locator("[data-output=message]").inner_text().replace("\u2068", "").replace("\u2069", "")
        assert said.startswith("tom falls from 0.998 to 0.")
        assert ": 2.2, 2.3 silent." in said
        assert "One by one they cost {:.3f} and {:.3f} nats, together".format(*costs) in said
        assert page.locator(".ra-was:visible").count() == 1  # tom had nearly all
    exchanged = ModelExplorer(shipped, GRAMMAR, sentence=text, donor=other, silenced=["2.1", "2.4"])
    with opened(browser, tmp_path, exchanged) as page:
        row = page.locator("[data-panel=next] tbody tr").last.locator("th, td").all_inner_texts()
        assert [row[0], *row[2:4]] == ["all words right only there, together", "0", "1"]
        assert f"{exchanged.result()['goes_over']:.3f}" in row
        said = page.locator("[data-output=message]").inner_text().replace("\u2068", "").replace("\u2069", "")
        assert said.startswith(
            "tom falls from 0.998 to 0.090, “peter” rises from < 0.001 to 0.880: 2.1, 2.4 exchanged."
        )
        assert said.endswith(" 2.3 still brings tom: press it.")
        tinted = "(side) => [...document.querySelectorAll(`.ra-part.ra-from-${side} strong`)].map((e) => e.textContent)"
        assert page.evaluate(tinted, "there") == ["2.1", "2.4"]
        assert "2.3" in page.evaluate(tinted, "here")
        page.locator("[data-control=silence-2-3]").click()
        assert "still" not in page.locator("[data-output=message]").inner_text()
        page.locator("[data-control=silence-2-3]").click()
        for part in ("2-1", "2-4"):
            page.locator(f"[data-control=silence-{part}]").click()
        assert "Nothing is exchanged yet" in page.locator("[data-output=message]").inner_text()
        assert page.locator(".ra-was:visible").count() == 0


@pytest.mark.browser
def test_a_reader_types_silences_draws_and_takes_a_link_home(browser, tmp_path):
    with opened(browser, tmp_path, example(sentence="")) as page:
        box = page.locator("[data-control=sentence]")
        box.focus()
        page.keyboard.type("The dogs that xyzzy the farmer")
        said = page.locator("[data-output=message]").inner_text()
        assert "xyzzy\u2069 is none of the 105 words" in said
        box.fill("the dogs th")
        assert page.locator("datalist option").first.get_attribute("value") == "the dogs the"
        box.fill("Anna called Clara, because")
        said = page.locator("[data-output=message]").inner_text()
        assert "the grammar never writes \u2068clara\u2069 after \u2068anna called\u2069" in said
        assert page.locator("[data-output=excess]").inner_text() == "–"
        box.fill("anna called tom")
        for part in ("1.2", "2.ff"):
            page.locator(f"[data-control=silence-{part.replace('.', '-')}]").focus()
            page.keyboard.press("Space")
        assert page.evaluate(f"{FIGURE}.model.get('silenced')") == ["1.2", "2.ff"]
        word = page.evaluate(f"{FIGURE}.model.result().next_word")
        page.locator("[data-control=seed]").focus()
        page.keyboard.press("Enter")
        assert page.evaluate(f"{FIGURE}.model.get('sentence')") == f"anna called tom {word}"
        names = json.dumps(list(ModelExplorer.controls))
        now = page.evaluate(f"{names}.map((n) => {FIGURE}.model.get(n))")
        page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        page.locator(".ra-menu summary").click()
        page.locator("[data-menu='Copy link']").click()
        address = page.locator(".ra-link").input_value()
    with opened(browser, tmp_path, example(sentence=""), hash=address[address.index("#") :]) as page:
        assert page.evaluate(f"{names}.map((n) => {FIGURE}.model.get(n))") == now


@pytest.mark.browser
def test_a_head_pointed_at_shades_the_words_by_its_weights_and_a_word_pressed_is_asked(browser, tmp_path):
    explorer = example(head="1.1")
    with opened(browser, tmp_path, explorer) as page:

        def shown():
            chips = page.locator("[data-panel=parts] .ra-look:visible")
            return chips.locator("span").all_inner_texts(), chips.locator("small").all_inner_texts()

        def row(head, place):
            explorer.head = head
            return ["" if w < 0.005 else f"{w:.2f}"[1:] for w in explorer.result()["weights"][place][: place + 1]]

        assert shown() == (["start", *WORDS.split()], row("1.1", 6))
        page.locator("[data-control=silence-2-3]").hover()
        assert shown()[1] == row("2.3", 6)
        assert "Head 2.3" in page.locator("[data-panel=map] .ra-title").inner_text()
        page.locator("[data-control=silence-1-2]").focus()  # the keyboard points as well
        assert shown()[1] == row("1.2", 6)
        page.keyboard.press("Space")
        assert "1.2 (layer 1, head 2) is silent" in page.locator(".ra-looks-said").first.inner_text()
        assert page.evaluate(f"[{FIGURE}.model.get('head'), {FIGURE}.model.get('silenced')]") == ["1.2", ["1.2"]]
        page.locator("[data-panel=parts] .ra-look", has_text="called").click()
        assert page.evaluate(f"{FIGURE}.model.get('place')") == 2
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        assert page.locator(".ra-look.ra-after").count() == 4


HOSTILE = {  # what is typed, and whether something in it is no word of the grammar
    "<img src=x onerror=window.ran=1> the dogs": True,
    "the </script><script>window.ran=1</script>": True,
    "__proto__ constructor toString": True,
    "the hasOwnProperty": True,
    "\u202ethe dogs\u202c \u05e9\u05dc\u05d5\u05dd 🦊": True,
    "the\u00a0dogs\t that  the": False,
    ". . , , . the": False,
    "THE DOGS İ": True,
    "$& $1 the": True,
    ",".join(["the"] * 90): False,
    "the" * 130: True,
    "\u0000 the": True,
}


@pytest.mark.browser
def test_whatever_is_typed_is_read_as_words_or_named(browser, tmp_path):
    with opened(browser, tmp_path, example(sentence="the dogs")) as page:
        box = page.locator("[data-control=sentence]")
        for typed, named in HOSTILE.items():
            box.fill(typed)
            assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)), typed)
            assert ("is none of the 105 words" in page.locator("[data-output=message]").inner_text()) == named, typed
            page.locator("[data-control=seed]").click()  # and it can be gone on from
            assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)), typed)
        box.fill("x" * 500)
        assert len(page.evaluate(f"{FIGURE}.model.get('sentence')")) <= 400
        assert page.evaluate("window.ran ?? null") is None


@pytest.mark.browser
def test_truth_and_model_stand_side_by_side_and_masked_cells_look_masked(browser, tmp_path):
    with opened(browser, tmp_path, example(sentence="the dogs that the", silenced=["2.1"])) as page:
        found = page.evaluate(f"{FIGURE}.model.result()")
        heads = page.locator("[data-panel=next] thead th").all_inner_texts()
        assert heads == ["word", "", "true", "model", "drawn"]
        first = page.locator("[data-panel=next] tbody tr").first
        word, *shares = [first.locator("th").inner_text(), *first.locator("td").all_inner_texts()[1:]]
        place = GRAMMAR.vocabulary.index(word)
        assert shares == [
            f"{found[name][place]:.3f}" if found[name][place] else "0" for name in ("truth", "model", "drawn_from")
        ]
        printed = {
            name: page.locator(f"[data-output={name}]").inner_text() for name in ("entropy", "entropy-model", "cost")
        }
        wanted = zip(
            printed.values(), (found[name] for name in ("entropy_truth", "entropy_model", "cost")), strict=True
        )
        assert all(
            float(text.replace("−", "-")) == pytest.approx(number, rel=0.01, abs=5e-4) for text, number in wanted
        )
        drawn = page.locator("[data-panel=next] :is(th, td):last-child")
        assert drawn.count() == 11  # a head, nine words, all others
        for knobs in ({}, {"temperature": 0.5}, {"temperature": 1.0}, {"top_k": 2}):
            page.evaluate(SET, [knobs, 0])
            moved = knobs not in ({}, {"temperature": 1.0})
            assert {cell.is_visible() for cell in drawn.all()} == {moved}, knobs
        cells = page.locator("[data-panel=map] tbody td")
        assert cells.count() == 25
        assert page.locator("[data-panel=map] td.ra-masked").count() == 10
        striped = page.locator("[data-panel=map] td.ra-masked").first.evaluate(
            "(cell) => getComputedStyle(cell).backgroundImage"
        )
        assert "gradient" in striped
        assert page.locator("[data-panel=lens] tbody tr").count() == 3  # at first, and after each of two blocks


@pytest.mark.browser
def test_a_draw_goes_on_from_the_word_that_was_chosen_and_stops_where_there_is_no_room(browser, tmp_path):
    with opened(browser, tmp_path, example(sentence="the dogs sleep . the cats", place=2)) as page:
        word = page.evaluate(f"{FIGURE}.model.result().next_word")
        page.locator("[data-control=seed]").click()
        assert page.evaluate(f"{FIGURE}.model.get('sentence')") == f"the dogs {word}"
        page.evaluate(SET, [{"sentence": "the " * 30, "place": 24}, 0])
        assert "first 24 words" in page.locator("[data-output=message]").inner_text()
        page.locator("[data-control=seed]").click()
        assert page.evaluate(f"{FIGURE}.model.get('seed')") == 2


@pytest.mark.parametrize(("options", "message"), [
    ({"sentence": "a" * 401}, "at most 400 characters, got 401"),
    ({"sentence": 7}, "sentence must be a string, got 7"),
    ({"silenced": ["3.1"]}, "got '3.1'"),
    ({"silenced": "1.1"}, "silenced must be a list of parts, got '1.1'"),
    ({"head": "1.ff"}, "head must be one of the 6 heads, got '1.ff'"),
    ({"place": -1}, "place must be ≥ 0, got -1"),
    ({"temperature": -0.1}, "temperature must be ≥ 0, got -0.1"),
    ({"temperature": 3.5}, "temperature must be ≤ 3, got 3.5"),
    ({"top_k": 106}, "top_k must be ≤ 105 .*got 106"),
    ({"top_k": 0}, "top_k must be ≥ 1, got 0"),
    ({"top_p": 0.0}, "top_p must be ≥ 0.05, got 0.0"),
])  # fmt: skip
def test_bad_settings_are_refused_with_their_value(options, message):
    with pytest.raises(ValueError, match=message):
        example(**options)


@pytest.mark.parametrize(("design", "message"), [
    ({"positions": "learned"}, "positions 'rotary', got 'learned'"),
    ({"order": "post"}, "order 'pre', got 'post'"),
    ({"vocabulary": 11}, "the model knows 11 tokens, the grammar 105 words"),
])  # fmt: skip
def test_models_of_another_design_are_refused(design, message):
    sizes = {"vocabulary": 105, "layers": 1, "context": 8, "width": 8, "n_heads": 2, "positions": "rotary"}
    with pytest.raises(ValueError, match=message):
        ModelExplorer(LanguageModel(Architecture(**sizes | design)), GRAMMAR)
    with pytest.raises(ValueError, match="grammar must be a Grammar, got str"):
        ModelExplorer(untrained(), "grammar")


# ---- any text, without a grammar ------------------------------------------------------------------------------------

ANY = ["", "The bank", "the ▁ farmer \n\n  said", "é ☺ <unk> שלום", "floods " * 30, "<img src=x onerror=window.ran=1>"]


def test_a_prediction_of_a_text_is_that_of_its_model_and_what_is_silent_moves_it():
    made, found = of_text("bytes"), text_example().result()
    tokens = [made.start, *made.tokenizer.encode("The bank lends").ids]
    assert found["read"] == [made.tokenizer.id_to_token(token) for token in tokens]
    assert found["cost"] == 0
    assert found["surprisal"] == found["surprisal_whole"]
    nats = made.bits_per_byte("The bank lends") * np.log(2) * len("The bank lends") / (len(tokens) - 1)
    assert found["surprisal"] == pytest.approx(nats, rel=1e-3)  # weights of 16 bits
    silent = text_example(silenced=["1.1", "2.ff"]).result()
    p, q = np.array(found["model"]), np.array(silent["model"])
    assert silent["cost"] == pytest.approx(float(p @ np.log(p / q)))
    assert silent["cost"] > 0
    assert silent["surprisal_whole"] == found["surprisal"] != silent["surprisal"]
    assert text_example(sentence="").result()["surprisal"] is None


@pytest.mark.browser
def test_every_number_of_a_model_of_a_text_is_the_packages_and_no_truth_is_shown(browser, tmp_path):
    with opened(browser, tmp_path, text_example(silenced=["2.1"]), width=390) as page:
        assert sweep(page, expected) == []
        heads = page.locator("[data-panel=next] thead th").all_inner_texts()
        assert heads == ["word", "", "model", "drawn"]
        assert page.locator("[data-panel=next] .ra-truth").count() == 0
        assert "tru" not in page.locator("figure.regattn").inner_text().lower()
        assert page.locator("[data-output=excess], [data-output=entropy]").count() == 0
        assert page.locator("[data-output=cost]").count() == 1
        assert barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["bytes", "characters", "unigram"])
def test_any_text_is_cut_and_read_as_the_package_does_and_gone_on_from(browser, tmp_path, kind):
    with opened(browser, tmp_path, text_example(kind)) as page:
        box = page.locator("[data-control=sentence]")
        for typed in ANY:
            page.evaluate(SET, [{"sentence": typed, "place": 24}, 0])
            assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)), typed)
        assert page.evaluate("window.ran ?? null") is None
        page.evaluate(SET, [{"sentence": "The bank lends", "place": 24}, 0])
        before = page.evaluate(f"{FIGURE}.model.result()")
        page.locator("[data-control=seed]").click()
        tokenizer = of_text(kind).tokenizer
        ids = [tokenizer.token_to_id(token) for token in (*before["read"][1:], before["next_word"])]
        assert box.input_value() == tokenizer.decode(ids)
        page.evaluate(SET, [{"sentence": "floods " * 30}, 0])
        assert "first 24 tokens" in page.locator("[data-output=message]").inner_text()


def test_a_model_without_grammar_needs_a_tokeniser_that_a_page_can_be_given():
    with pytest.raises(ValueError, match="model must be a TextModel where there is no grammar, got LanguageModel"):
        ModelExplorer(untrained())
    with pytest.raises(ValueError, match="model must be a LanguageModel, got TextModel"):
        ModelExplorer(of_text("bytes"), GRAMMAR)
    learned = LanguageModel(Architecture(vocabulary=256, layers=1, context=8, width=8, n_heads=2, positions="learned"))
    with pytest.raises(ValueError, match="positions 'rotary', got 'learned'"):
        ModelExplorer(TextModel(train_tokenizer([], vocabulary=256), learned))


@pytest.mark.browser
def test_what_the_grammar_never_writes_and_what_costs_nothing_read_0(browser, tmp_path):
    explorer = ModelExplorer(
        load_shipped()[0], GRAMMAR, sentence="the dogs that the farmer sees", silenced=["1.1"], hide=["map", "lens"]
    )
    assert -1e-5 < explorer.result()["cost"] < 0
    with opened(browser, tmp_path, explorer) as page:
        assert page.locator("[data-output=cost]").inner_text() == "< 0.001"
        others = page.locator("[data-panel=next] tbody tr").last
        assert others.locator("td").nth(1).inner_text() == "0"
        explorer.silenced = ["2.1"]
        page.evaluate(SET, [{"silenced": ["2.1"]}, 0])
        assert page.locator("[data-output=cost]").inner_text() == "< 0.001"


# ---- what is drawn, and written --------------------------------------------------------------------------------------

DRAWN = """say(given.map(({ logits, temperature, top_k, top_p, luck }) => {
  const p = drawnFrom(logits, temperature, top_k, top_p);
  return { p: Array.from(p), entropy: entropyOf(p), places: luck.map((uniform) => drawOne(p, uniform)) };
}));"""


def test_the_page_sharpens_cuts_and_draws_as_the_package_does_for_every_kind_of_setting(tmp_path):
    rng = np.random.default_rng(9)
    given = []
    for temperature, top_p in itertools.product([0.0, 0.05, 0.5, 1.0, 1.7, 3.0], [0.05, 0.3, 0.95, 1.0]):
        for top_k in (1, int(rng.integers(2, 29)), 29):
            settings = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
            logits = rng.normal(scale=2.0, size=29)
            given.append(settings | {"logits": logits.tolist(), "luck": [0.0, *rng.random(20), 1 - 2**-32]})
    for one, found in zip(given, in_node(tmp_path, "_numbers/sampling.js", DRAWN, given), strict=True):
        cuts = {name: one[name] for name in CUTS}
        p = next_token_distribution(torch.tensor(one["logits"], dtype=torch.float64), **cuts).numpy()
        np.testing.assert_allclose(found["p"], p, rtol=0, atol=1e-12)
        assert np.array_equal(np.array(found["p"]) > 0, p > 0)
        assert found["entropy"] == pytest.approx(-sum(q * np.log(q) for q in p if q), abs=1e-12)
        assert found["places"] == [drawn_place(p, uniform) for uniform in one["luck"]]


WRITES = {"sentence": "anna", "written": 8, "temperature": 1.6, "seed": 3}


def test_what_is_written_is_drawn_by_the_luck_from_the_likeliest_down():
    found = example(**WRITES).result()
    assert len(found["written"]) == len(found["luck"]) == 8
    p = np.array(example(sentence="anna", temperature=1.6).result()["drawn_from"])
    order = np.argsort(-p, kind="stable")
    first = order[np.searchsorted(np.cumsum(p[order]), found["luck"][0], side="right")]
    assert (found["written"][0], found["drawn_with"][0]) == (GRAMMAR.vocabulary[first], pytest.approx(p[first]))
    assert 0.0 in found["true_shares"]  # chance as it is, this model leaves the grammar
    assert set(example(**WRITES | {"top_k": 4}).result()["possible"]) == {4}
    assert "written" not in example().result()


@pytest.mark.browser
def test_the_page_writes_what_the_package_writes_and_a_word_or_a_piece_of_the_strip_goes_back(browser, tmp_path):
    with opened(browser, tmp_path, example(**WRITES)) as page:
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), example(**WRITES).result())
        for settings in ({"top_p": 0.5}, {"silenced": ["1.2"]}, {"written": 0}, {"sentence": WORDS * 3, "written": 16}):
            page.evaluate(SET, [settings, 0])
            wanted = example(**{name: page.evaluate(STATE)[name] for name in ModelExplorer.controls} | {"head": "1.1"})
            assert_same(page.evaluate(f"{FIGURE}.model.result()"), wanted.result())
        page.evaluate(SET, [WRITES | {"top_p": 1.0, "silenced": []}, 0])
        page.locator(".ra-drawn").nth(2).click()
        assert page.evaluate(f"{FIGURE}.model.get('written')") == 3
        before = [word.inner_text() for word in page.locator(".ra-drawn:visible > span").all()]
        piece = page.locator(".ra-pick span").first
        chosen = piece.get_attribute("title").partition(":")[0]
        piece.click()
        assert page.evaluate(f"{FIGURE}.model.get('sentence')") == " ".join(["anna", *before[:2], chosen])
        page.locator("[data-control=seed]").click()
        assert page.evaluate(f"{FIGURE}.model.get('seed')") == 4
        assert barriers(page) == []


@pytest.mark.browser
def test_what_a_head_costs_alone_stays_under_it_and_what_did_not_go_over_is_not_told(browser, tmp_path):
    text = "anna called tom because she missed"
    with opened(browser, tmp_path, example(sentence=text)) as page:
        head = page.locator("[data-control=silence-1-1]")
        head.click()
        cost = page.evaluate(f"{FIGURE}.model.result().cost")
        head.click()
        assert abs(cost) > 0.005
        assert f"costs {'−' if cost < 0 else ''}{f'{abs(cost):.2f}'.lstrip('0')}" in head.inner_text()
        page.locator("[data-control=sentence]").fill("the dogs")
        assert "costs" not in head.inner_text()
    shipped, _ = load_shipped()
    dogs = {"sentence": "the dogs that the farmer sees", "donor": "the dog that the farmer sees"}
    explorer = ModelExplorer(shipped, GRAMMAR, silenced=["1.2"], **dogs)
    assert 0 < explorer.result()["goes_over"] < 0.001
    with opened(browser, tmp_path, explorer) as page:
        message = page.locator("[data-output=message]")
        assert "Nothing has gone over" in message.inner_text()
        page.locator("[data-control=donor]").fill("the zebra")
        assert "zebra\u2069 is none of the words" in message.inner_text()
        page.locator("[data-control=donor]").fill("")
        assert "Type a second sentence" in message.inner_text()
