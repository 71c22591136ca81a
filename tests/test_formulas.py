"""Formulas: MathML made while the book is built says what MathJax says, and neither is in the way of the Tab key."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from copy import copy
from importlib.util import find_spec
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tests.browser import open_offline
from tests.built import ROOT, article, label, toc_pages

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from tex_to_mathml import mathml

every_page = pytest.mark.parametrize("page", toc_pages(), ids=label)
BLANK = """<!doctype html><script>
window.MathJax = {
  loader: {load: ["core", "input/tex-base", "[tex]/ams", "[tex]/boldsymbol"]},
  tex: {packages: {"[+]": ["ams", "boldsymbol"]}},
  startup: {typeset: false},
};
</script><script src="FOLDER/startup.js"></script>"""
TO_MATHML = """(formulas) => MathJax.startup.promise.then(
  () => formulas.map(([tex, display]) => MathJax.tex2mml(tex, {display}))
)"""
SCRIPTS = {
    **{"msub": "below", "munder": "below", "msup": "above", "mover": "above", "msubsup": "both", "munderover": "both"},
    **{"mfrac": "fraction", "msqrt": "root", "mroot": "root", "mtr": "line", "mtd": "cell"},
}
ALIKE = str.maketrans({"⋯": "…", "‾": "¯", "―": "¯", "∥": "‖", "ˉ": "¯", "˜": "~", "ˆ": "^", "|": "∣"})
BAR = '<mo stretchy="false" lspace="0" rspace="0">‖</mo>'
THIN = '<mspace class="thin"></mspace>'
UNSEEN = re.compile(r"[\s\u2061-\u2064\u00a0\u2009]")


def said(math) -> str:
    """Return the characters of a formula in order, without the differences of fonts and of look-alikes."""
    math = copy(math)
    for tag in math.find_all("annotation"):
        tag.decompose()
    return UNSEEN.sub("", unicodedata.normalize("NFKC", math.get_text().translate(ALIKE)).translate(ALIKE))


def built_of(math) -> Counter:
    """Return how many indices, fractions, roots and lines a formula has."""
    return Counter(SCRIPTS[tag.name] for tag in math.find_all(list(SCRIPTS)))


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"x_1^2", "<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>"),
        (r"\frac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"3.14x", "<mn>3.14</mn><mi>x</mi>"),
        (r"x^12", "<msup><mi>x</mi><mn>1</mn></msup><mn>2</mn>"),
        (r"\mathbf X", "<mi>𝐗</mi>"),
        (r"\mathcal L", "<mi>ℒ</mi>"),
        (r"\Omega", '<mi mathvariant="normal">Ω</mi>'),
        (r"a < b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
        (r"\log x", '<mi>log</mi><mo>\u2061</mo><mspace class="thin"></mspace><mi>x</mi>'),
        (r"\log(x)", '<mi>log</mi><mo>\u2061</mo><mo stretchy="false">(</mo><mi>x</mi><mo stretchy="false">)</mo>'),
        (r"\underset{n}{X}", "<mrow><munder><mrow><mi>X</mi></mrow><mi>n</mi></munder></mrow>"),
        (r"\lVert x\rVert", BAR + "<mi>x</mi>" + BAR),
        (r"\log_2 x", "<msub><mrow><mi>log</mi><mo>\u2061</mo></mrow><mn>2</mn></msub>" + THIN + "<mi>x</mi>"),
        (r"\lambda_{\max}", "<msub><mi>λ</mi><mi>max</mi></msub>"),
        (r"x_{\min}^{\max}", "<msubsup><mi>x</mi><mi>min</mi><mi>max</mi></msubsup>"),
        (r"\frac1\max", "<mfrac><mn>1</mn><mi>max</mi></mfrac>"),
    ],
)
def test_formula_is_the_mathml_that_its_tex_means(tex, expected):
    shown = mathml(tex).removeprefix("<math><semantics><mrow>").partition("</mrow><annotation")[0]
    assert shown == expected


def test_a_relation_after_an_ampersand_keeps_its_space():
    cells = BeautifulSoup(mathml(r"\begin{aligned} a &= b \end{aligned}"), "html.parser").find_all("mtd")
    assert [cell["style"].partition(";")[0] for cell in cells] == ["text-align: right", "text-align: left"]
    assert [part.name for part in cells[1].mrow.children] == ["mi", "mo", "mi"]
    assert cells[1].mi.get_text() == ""


def test_formula_carries_its_tex():
    assert BeautifulSoup(mathml(r"a < \frac12"), "html.parser").annotation.get_text() == r"a < \frac12"


@pytest.mark.parametrize(
    ("tex", "message"),
    [
        (r"\nosuch x", r"Undefined control sequence: \\nosuch .* in the formula '.*nosuch x'"),
        (r"\begin{tikz}x\end{tikz}", "No such environment: tikz"),
        (r"{x", "Expected '}'"),
        (r"x_1_2", "Double subscript"),
    ],
)
def test_formula_that_is_not_understood_is_named(tex, message):
    with pytest.raises(ValueError, match=message):
        mathml(tex)


@pytest.mark.book
@every_page
def test_every_formula_of_a_page_is_mathml(built_book, page):
    formulas = article(built_book / f"{page}.html").select(".math")
    assert [formula for formula in formulas if len(formula.find_all("math", recursive=False)) != 1] == []


@pytest.mark.book
@pytest.mark.browser
def test_mathml_says_what_mathjax_makes_of_the_tex(browser, built_book, tmp_path):
    formulas = {}
    for page in toc_pages():
        for math in article(built_book / f"{page}.html").find_all("math"):
            formulas[math.annotation.get_text(), math.get("display") == "block"] = math
    assert len(formulas) > 300
    folder = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"
    blank = tmp_path / "blank.html"
    blank.write_text(BLANK.replace("FOLDER", folder.as_uri()), encoding="utf-8")
    with open_offline(browser, blank) as opened:
        opened.wait_for_load_state("load")
        made = opened.evaluate(TO_MATHML, [list(pair) for pair in formulas])
    for (tex, _), our, text in zip(formulas, formulas.values(), made, strict=True):
        their = BeautifulSoup(text, "html.parser").math
        assert (tex, said(our), built_of(our)) == (tex, said(their), built_of(their))
