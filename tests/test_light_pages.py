"""What light_pages takes off a page and what it says of drawings, on pages that the book does not have."""

from __future__ import annotations

import sys

import pytest
import tinycss2

from tests.browser import open_offline
from tests.built import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import light_pages


@pytest.mark.parametrize(
    ("sheet", "kept"),
    [
        (".a{top:0}.b{top:1px}", ".a{top:0}"),
        (".b,.a:not(.b),p .a>b{top:0}", ".a:not(.b),p .a>b{top:0}"),
        (':is(.a,.b),[href="x.b"]{top:0}', ':is(.a,.b),[href="x.b"]{top:0}'),
        ("@media print{.b{top:0}}@supports (top:0){.a{top:0}.b{top:0}}", "@supports (top:0){.a{top:0}}"),
        ("@font-face{src:url(a.b)}@keyframes b{0%{top:0}}", "@font-face{src:url(a.b)}@keyframes b{0%{top:0}}"),
        ("/* of the theme */.bs-b{top:0}", ".bs-b{top:0}"),
    ],
)
def test_rules_stay_whose_classes_are_named(sheet, kept):
    rules = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    assert light_pages.used_rules(rules, {"a", "x"}) == kept


def test_a_drawing_gets_the_size_of_its_file_in_pixels(tmp_path):
    (tmp_path / "_images").mkdir()
    for name, size in (("a b", 'width="72pt" height="36.5pt"'), ("no size", 'viewBox="0 0 9 9"')):
        (tmp_path / "_images" / f"{name}.svg").write_text(f"<svg {size} xmlns='x'>", encoding="utf-8")
    sized = light_pages.with_sizes('<p><img alt="a \u201cb\u201d" src="_images/a%20b.svg" /></p>', tmp_path)
    assert sized == '<p><img width="96" height="49" alt="a \u201cb\u201d" src="_images/a%20b.svg" /></p>'
    for tag in (
        sized,
        '<img src="_images/a%20b.svg" width="9">',
        '<img src="_images/no%20size.svg">',
        '<img src="_images/nowhere.svg">',
        '<img src="https://example.org/_images/a.svg">',
    ):
        assert light_pages.with_sizes(tag, tmp_path) == tag


def test_scripts_and_styles_lose_their_comments_and_spaces_and_one_marked_as_whole_does_not():
    script = "<script{}>\nconst  text = `a\n  b`; // why\nwindow.told  =  text;\n</script>"
    whole, data = script.format(' type="module" data-whole'), '<script type="application/json">{"a":  1}</script>'
    page = f"<style>\n/* why */\n.a  >  b {{ top: 0 }}\n</style><pre>  a</pre>{script.format('')}{whole}{data}"
    light = light_pages.with_short_scripts(page)
    assert light.startswith("<style>.a>b{top:0}</style><pre>  a</pre><script>")
    assert light.endswith(f"</script>{whole}{data}")
    assert light.count("why") == 1
    assert "`a\n  b`" in light[: -len(whole + data)]


@pytest.mark.parametrize("mark", ["sd-card", "thebe-button"])
def test_what_a_page_uses_travels_with_it(mark):
    tags = {
        "sd-card": '<link href="_static/sphinx-design.min.css?v=1"><script src="_static/design-tabs.js"></script>',
        "thebe-button": '<link href="_static/sphinx-thebe.css"><script src="_static/sphinx-thebe.js"></script>',
    }
    page = f'<head>{"".join(tags.values())}</head><body class="{{}}">'
    others = "".join(part for name, part in tags.items() if name != mark)
    assert light_pages.without_parts(page.format(mark)) == page.replace(others, "").format(mark)
    assert light_pages.without_parts(page) == '<head></head><body class="{}">'


def test_a_style_that_an_explorer_repeats_is_on_the_page_once():
    kit, own = "<style>\n.regattn { top: 0; }\n</style>\n", "<style>\n/* own */\n.regattn .a { top: 1; }\n</style>\n"
    other = "<style>\nbody { top: 2; }\n</style>\n"
    page = f"{other}<figure>\n{kit}{own}</figure>\n<figure>\n{kit}</figure>\n<figure>\n{kit}{own}</figure>\n{other}"
    left = f"{other}<figure>\n{kit}{own}</figure>\n<figure>\n</figure>\n<figure>\n</figure>\n{other}"
    assert light_pages.with_each_style_once(page) == left


@pytest.mark.browser
def test_a_module_that_explorers_share_is_on_the_page_once_and_reaches_all(browser, tmp_path):
    module = "const $_kit_a = (() => {\nconst one = (() => {\n  return () => 1;\n})();\nreturn { one };\n})();\n"
    own = "const { one } = $_kit_a;\ndocument.title += one();\n"
    figure = '<figure>\n<script type="module">\n{}</script>\n</figure>\n'
    whole = figure.replace('"module"', '"module" data-whole')  # it writes pages with its script
    page = light_pages.with_each_module_once("".join(each.format(module + own) for each in (figure, whole, figure)))
    assert page.count("const one") == 2
    (tmp_path / "page.html").write_text(f"<!doctype html><title>t</title>{page}", encoding="utf-8")
    with open_offline(browser, tmp_path / "page.html") as opened:
        assert opened.title() == "t111"
    alone = figure.format(module + own)
    assert light_pages.with_each_module_once(alone) == alone


def test_files_are_shortened_but_for_those_that_the_next_build_reads(tmp_path):
    texts = {"own.js": "run( 1 );  // why\n", "own.css": "a { top: 0; }\n", "own.json": "[1,  2]"}
    texts |= dict.fromkeys(light_pages.READ_AGAIN, "window.told  =  {};\nrun();\n")
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    light_pages.shorten_files(tmp_path)
    left = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert left == texts | {"own.js": "run(1);", "own.css": "a{top:0}"}


SHEET = """
html[data-theme="light"] .highlight { background: #fefefe; color: #080808 }
html[data-theme="light"] .highlight .n { color: #080808 } /* Name */
html[data-theme="light"] .highlight .o { color: #080808 } /* Operator */
html[data-theme="light"] .highlight .k { color: #6730C5 } /* Keyword */
html[data-theme="light"] .highlight .ge { color: #080808; font-style: italic } /* Emphasis */
html[data-theme="dark"] .highlight { background: #2b2b2b; color: #F8F8F2 }
html[data-theme="dark"] .highlight .n { color: #F8F8F2 } /* Name */
html[data-theme="dark"] .highlight .o { color: #ABE338 } /* Operator */
html[data-theme="dark"] .highlight .k { color: #DCC6E0 } /* Keyword */
html[data-theme="dark"] .highlight .ge { color: #F8F8F2; font-style: italic } /* Emphasis */
"""


def test_code_keeps_the_marks_that_are_seen_in_any_theme():
    assert light_pages.plain_classes(SHEET) == {"n"}
    code = '<span class="k">if</span> <span class="n">a</span><span class="o">==</span><span class="n">b</span>'
    page = '<p><span class="n">a</span></p><div class="highlight"><pre><span></span>{}</pre></div>'
    kept = '<span class="k">if</span> a<span class="o">==</span>b'
    assert light_pages.without_marks(page.format(code), {"n"}) == page.format(kept)
    assert light_pages.without_marks(page.format(code), set()) == page.format(code)
