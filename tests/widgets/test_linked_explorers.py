"""A ModelExplorer feeds a SamplingExplorer of its page: offered, followed, linked, downloaded; and what is refused."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
import torch

from regattn.grammar import Grammar
from regattn.transformer import next_token_distribution
from regattn.widgets import ModelExplorer, SamplingExplorer
from tests.explorers import model as models, sampling as samplings
from tests.node import in_node
from tests.widgets.harness import MOVE, SET, assert_same, live, opened

WORDS = Grammar().vocabulary
LOGITS = np.random.default_rng(17).normal(size=(2, len(WORDS)))
FIGURES = "[...document.querySelectorAll('figure.regattn')]"
OPTIONS = "[...document.querySelector('[data-control=context]').options].map((one) => one.textContent)"
CHOSEN = "document.querySelector('[data-control=context]').selectedOptions[0].textContent"


def sampler(**options) -> SamplingExplorer:
    """Return made-up scores of the grammar's words after two beginnings."""
    return SamplingExplorer(LOGITS, contexts=["the dogs", "model"], words=WORDS, **options)


def result(page, nth: int = 0) -> dict:
    return page.evaluate(f"{FIGURES}[{nth}].model.result()")


def state(page, nth: int = 0) -> dict:
    names = [
        *(SamplingExplorer.controls if nth == 0 else ModelExplorer.controls),
        *(["data", "fed"] if nth == 0 else []),
    ]
    return page.evaluate(f"(names) => Object.fromEntries(names.map((n) => [n, {FIGURES}[{nth}].model.get(n)]))", names)


def choose_last(page) -> None:
    """Take the last of the beginnings by the keyboard."""
    page.locator("[data-control=context]").focus()
    page.keyboard.press("End")


def menu(page, item: str, nth: int = 0) -> None:
    page.locator(".ra-menu summary").nth(nth).click()
    page.locator(f"[data-menu='{item}']").nth(nth).click()


@pytest.mark.browser
def test_the_sentence_of_the_model_is_offered_followed_and_left_again(browser, tmp_path):
    with opened(browser, tmp_path, sampler(), models.example(sentence="anna called tom", place=2)) as page:
        assert page.evaluate(OPTIONS) == ["the dogs", "model", "anna called"]
        before = result(page)
        assert before["read"] == "the dogs"
        choose_last(page)
        fed, model = result(page), result(page, 1)
        assert fed["read"] == "anna called"
        np.testing.assert_allclose(fed["probabilities"], model["model"], rtol=0, atol=1e-12)
        assert fed["entropy"] == pytest.approx(model["entropy_model"], abs=1e-12)
        # what is typed and silenced there, and which place is asked, arrives here
        page.locator("[data-control=sentence]").fill("the bank was")
        for part in ("1-2", "2-ff"):
            page.locator(f"[data-control=silence-{part}]").focus()
            page.keyboard.press("Space")
        fed, model = result(page), result(page, 1)
        assert fed["read"] == "the bank was (silent: layer 1 head 2, layer 2 feed-forward)" == page.evaluate(CHOSEN)
        np.testing.assert_allclose(fed["probabilities"], model["model"], rtol=0, atol=1e-12)
        # its own controls still cut, as the package does
        page.evaluate(SET, [{"temperature": 0.6, "top_k": 7, "top_p": 0.8}, 0])
        assert_same(result(page), samplings.expected(state(page)))
        logits = torch.log(torch.tensor(model["model"], dtype=torch.float64))
        cut = next_token_distribution(logits, temperature=0.6, top_k=7, top_p=0.8)
        np.testing.assert_allclose(result(page)["probabilities"], cut, rtol=0, atol=1e-9)
        bars = page.locator("figure[data-widget=SamplingExplorer] table.ra-shares th").all_inner_texts()
        assert bars[0] == WORDS[int(cut.argmax())]
        # at its start the sentence has no words; a beginning of the list leaves the model, and so does Reset
        page.evaluate(SET, [{"place": 0, "silenced": []}, 1])
        assert page.evaluate(CHOSEN) == "(the start)"
        page.locator("[data-control=context]").select_option("model")
        assert (result(page)["read"], state(page)["follows"]) == ("model", "")
        choose_last(page)
        assert state(page)["follows"] == "model"
        menu(page, "Reset")
        assert result(page) == before
        assert page.evaluate(CHOSEN) == "the dogs"


@pytest.mark.browser
def test_a_copied_link_brings_the_sentence_of_the_model_along(browser, tmp_path):
    pair = (sampler(), models.example(), models.example(sentence="the dogs"))
    with opened(browser, tmp_path, *pair) as page:
        assert page.evaluate(OPTIONS)[2:] == [models.WORDS, "the dogs"]  # one of each ModelExplorer
        page.evaluate(SET, [{"sentence": "the bank was", "silenced": ["2.1"]}, 2])
        page.evaluate(SET, [{"sentence": "near the stream", "temperature": 0.5}, 1])
        choose_last(page)
        page.evaluate(SET, [{"temperature": 0.7, "seed": 5}, 0])
        shown, there = result(page), state(page, 2)
        assert state(page)["follows"] == "model-2"
        page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        menu(page, "Copy link")
        address = page.locator(".ra-link").first.input_value()
        hash = address[address.index("#") :]
        assert len(address) < 600  # words and settings, no scores
        with page.expect_download() as waiting:
            page.locator("[data-menu='Download numbers']").first.click()
        header, *rows = csv.reader(io.StringIO(waiting.value.path().read_text(encoding="utf-8-sig"), newline=""))
        columns = {name: [row[k] for row in rows if row[k]] for k, name in enumerate(header)}
        assert columns["read"] == ["the bank was (silent: layer 2 head 1)"] == [shown["read"]]
        assert columns["follows"] == ["model-2"]
        assert [float(cell) for cell in columns["probabilities"]] == shown["probabilities"]
        menu(page, "Reset")
        page.evaluate(SET, [{"sentence": "the", "silenced": []}, 2])
        page.evaluate("(hash) => { location.hash = hash; }", hash)
        page.wait_for_timeout(50)
        assert (result(page), state(page, 2)) == (shown, there)
    with opened(browser, tmp_path, *pair, hash=hash) as page:
        assert (result(page), state(page, 2)) == (shown, there)
        assert page.evaluate(f"{FIGURES}[1].model.get('sentence')") == models.WORDS  # the other one is as it was
        assert page.evaluate(f"Math.abs({FIGURES}[0].getBoundingClientRect().top)") < 200  # and the screen is here


@pytest.mark.browser
@pytest.mark.parametrize("first", [True, False], ids=["sampler first", "model first"])
def test_the_model_is_found_in_either_order_of_the_page(browser, tmp_path, first):
    pair = [sampler(), models.example(sentence="the bank")]
    with opened(browser, tmp_path, *(pair if first else pair[::-1])) as page:
        assert page.evaluate(OPTIONS)[-1] == "the bank"
        choose_last(page)
        assert result(page, 0 if first else 1)["read"] == "the bank"


BAD = """() => {
  const words = document.querySelector("figure.regattn").model.get("data").words;
  const logits = words.map((_, k) => k);
  const by = {called: "model"};
  const said = {words, logits, read: "the"};
  const details = [null, 7, {}, {by}, {by, said: 3}, {by: {called: "<b>"}, said}, {by: {called: "sampling"}, said}];
  for (const [name, value] of [["words", words.slice(1)], ["words", null], ["logits", logits.slice(1)],
    ["logits", null], ["logits", words], ["logits", [...logits.slice(1), NaN]],
    ["logits", [...logits.slice(1), Infinity]], ["read", null], ["read", 3]])
    details.push({by, said: {...said, [name]: value}});
  for (const detail of details) document.dispatchEvent(new CustomEvent("regattn-said", {detail}));
  return details.length;
}"""


@pytest.mark.browser
def test_without_a_model_of_these_words_nothing_is_offered_whatever_is_said_or_linked(browser, tmp_path):
    with opened(browser, tmp_path, sampler(), hash="#regattn-sampling=%7B%22follows%22%3A%22model%22%7D") as page:
        assert page.evaluate(OPTIONS) == ["the dogs", "model"]
        assert (result(page)["read"], page.evaluate(CHOSEN)) == ("the dogs", "the dogs")
        assert page.evaluate(BAD) == 16
        assert page.evaluate(OPTIONS) == ["the dogs", "model"]
        assert result(page)["read"] == "the dogs"
        for bad in ("modal", "model-", "model-1x", ["model"], 7):
            hash = "#regattn-sampling=" + json.dumps({"follows": bad})
            page.evaluate("(hash) => { location.hash = encodeURI(hash); }", hash)
            page.wait_for_timeout(20)
            assert state(page)["follows"] == "model", bad  # as it was
    with opened(browser, tmp_path, samplings.example(), models.example()) as page:  # 29 words of its own
        assert page.evaluate(OPTIONS) == ["one", "two", "three"]


APPENDED = """async (html) => {
  document.body.append(document.createRange().createContextualFragment(html));
  const figure = document.querySelector("figure[data-widget=ModelExplorer]");
  while (!figure.model) await new Promise((done) => setTimeout(done, 20));
}"""


@pytest.mark.browser
def test_in_a_notebook_the_kernel_is_told_what_was_fed(browser, tmp_path):
    """The page's own ModelExplorer, and a SamplingExplorer with a kernel beside it."""
    html = models.example(sentence="the bank").to_html()
    with live(browser, tmp_path, sampler()) as page:
        page.evaluate(APPENDED, html)
        page.evaluate(MOVE, ["context", 1])
        assert page.evaluate("live.log.saved") == 1
        told = page.evaluate("[live.model.get('follows'), live.model.get('fed')]")
        kernel = sampler()
        kernel.follows, kernel.fed = told  # what the kernel then holds
        assert_same(result(page), kernel.result())
        assert kernel.result()["read"] == "the bank"
        page.evaluate(SET, [{"sentence": "the bank was"}, 1])
        assert page.evaluate("live.log.saved") == 2
        assert page.evaluate("live.model.get('fed').read") == "the bank was"
        page.evaluate("live.done()")
        page.evaluate(SET, [{"sentence": "the"}, 0])  # now the only one
        assert page.evaluate("live.log.saved") == 2


def test_what_is_fed_in_python_is_read_when_it_is_followed():
    made = sampler()
    made.fed = {"read": "the bank was", "logits": LOGITS[1]}
    assert made.result()["read"] == "the dogs"
    made.follows = "model"
    found = made.result()
    assert found["read"] == "the bank was"
    np.testing.assert_array_equal(found["probabilities"], sampler(context="model").result()["probabilities"])
    made.follows = ""
    assert made.result()["read"] == "the dogs"
    assert sampler(follows="model-2").result()["read"] == "the dogs"  # nothing was fed yet


@pytest.mark.parametrize(("name", "value", "message"), [
    ("follows", "sampling", 'follows must be "", "model", "model-2" or the like, got \'sampling\''),
    ("follows", "model-", "got 'model-'"),
    ("follows", None, "got None"),
    ("fed", 7, "fed must have read and logits, got 7"),
    ("fed", {"read": "the"}, "fed must have read and logits"),
    ("fed", {"read": 7, "logits": LOGITS[0]}, "read of fed must be a string, got 7"),
    ("fed", {"read": "the", "logits": [1.0]}, "fed has 1 logits but there are 105 words"),
    ("fed", {"read": "the", "logits": [np.nan] * 105}, "logits of fed must be finite, got nan"),
])  # fmt: skip
def test_what_cannot_be_fed_is_refused_with_its_value(name, value, message):
    made = sampler()
    before = getattr(made, name)
    with pytest.raises(ValueError, match=message):
        setattr(made, name, value)
    assert getattr(made, name) == before


def test_an_empty_state_in_an_address_is_the_one_at_the_start(tmp_path):
    hashes = ["#regattn-model=%7B%7D", "#regattn-model=%7B%22x%22%3A1%7D", "#x"]
    code = "say(given.map((hash) => readHash(hash, 'regattn-model', [])));"
    assert in_node(tmp_path, "_kit/link.js", code, hashes) == [{}, None, None]
