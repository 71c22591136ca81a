"""What the tests know of a deck: its page in a browser, ready to be measured, and what its slides hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.browser import open_offline

WIDTH, HEIGHT = 1280, 800
# How a line begins that needs the one before it, and of what it speaks that stands on the page and not on a slide.
LEANS = re.compile(
    r"(?:That|This|These|Those|Such|Its?|They|Their|He|She|With (?:it|them)|Then|But|And|So|Both|Hence|Here too|"
    r"The (?:first|last|second|other|others|same|latter|former)|In words|In it|Of these)\b"
)
ELSEWHERE = re.compile(
    r"\b(?:(?:lower|upper|left|right|following|next|last) (?:panel|picture|figure|table)|"
    r"(?:two|three|four) (?:panel|picture|figure|table|section)s on\b|"
    r"(?:above|below)(?=[.,;:!?)]| (?:is|are|stands?|you)\b)|"
    r"[io]n this page)"
)
# By slide: how far its parts stand out of its body, at the right and at the foot, in pixels, and how large its
# pictures are and how many panels its explorers show. What is closed, hidden or drawn inside a glyph by MathJax is not
# looked at.
MEASURE = """() => {
  const deck = document.querySelector(".reveal .slides");
  deck.classList.add("measuring");
  const left = "mjx-container *, svg.drawing *, .visually-hidden, .ra-menu-box";
  const seen = (part) => part.getClientRects().length && !part.closest(left);
  const measured = [...deck.querySelectorAll("section.slide")].map((slide) => {
    const frame = slide.getBoundingClientRect();
    const body = slide.querySelector(":scope > .body");
    const scrolls = (part) => part.closest(".ra-scroll") && !part.matches(".ra-scroll");
    const parts = [...slide.querySelectorAll(".head, .head *, .body, .body *")].filter((p) => seen(p) && !scrolls(p));
    const boxes = parts.map((part) => part.getBoundingClientRect());
    const edge = body.getBoundingClientRect();
    return {
      kind: [...slide.classList].find((name) => name.startsWith("slide-")).slice(6),
      title: slide.querySelector("h1, h2").textContent.trim(),
      right: Math.max(...boxes.map((box) => box.right)) - frame.right,
      foot: Math.max(...boxes.map((box) => box.bottom)) - Math.max(edge.bottom, frame.bottom - 44),
      over: Math.max(body.scrollHeight - body.clientHeight, body.scrollWidth - body.clientWidth),
      pictures: [...body.querySelectorAll(".picture > :is(img, svg)")].map((p) => [
        p.naturalWidth ?? p.clientWidth, p.getBoundingClientRect().height]),
      explorers: [...body.querySelectorAll("figure.regattn")].map((p) => [
        p.hasAttribute("data-awake"), p.querySelectorAll(".ra-panel:not(.deck-away)").length]),
      notes: slide.querySelector("aside.notes")?.textContent.trim() ?? "",
    };
  });
  deck.classList.remove("measuring");
  return measured;
}"""

# By slide: what is written on it and how high its letters are, in pixels, and whether it stands within its slide, for
# each choice of panels of an explorer or, unless all are asked for, as it opens and for the last choice. Glyphs of a
# drawing of Matplotlib have 100 units; of a formula its line is measured, and not an index.
TEXTS = """async (all) => {
  const deck = document.querySelector(".reveal .slides");
  deck.classList.add("measuring");
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const away = "aside.notes, mjx-container, mjx-assistive-mml, script, style, .visually-hidden, .ra-menu-box";
  const glyphs = (slide) => [...slide.querySelectorAll("svg.drawing g > g[transform*='scale']")]
    .filter((part) => part.getClientRects().length && part.parentElement.id.includes("text_"))
    .map((part) => {
      const { a, b } = part.getScreenCTM();
      return [100 * Math.hypot(a, b), part.parentElement.id];
    });
  const read = (slide) => {
    const found = glyphs(slide);
    const walk = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const part = walk.currentNode.parentElement;
      if (!walk.currentNode.data.trim() || !part.getClientRects().length) continue;
      if (part.closest(away) || part.closest("svg.drawing")) continue;
      const drawn = part.closest("svg");
      const scale = drawn ? Math.hypot(part.getScreenCTM().a, part.getScreenCTM().b) : part.currentCSSZoom ?? 1;
      found.push([parseFloat(getComputedStyle(part).fontSize) * scale, walk.currentNode.data.trim()]);
    }
    for (const formula of slide.querySelectorAll(".head mjx-container, .body mjx-container"))
      found.push([parseFloat(getComputedStyle(formula).fontSize) * (formula.currentCSSZoom ?? 1), "formula"]);
    const edge = slide.getBoundingClientRect();
    const shown = [...slide.querySelectorAll(".body .ra-panel, .body .ra-readout, .body .ra-controls")];
    const out = shown.filter((part) => part.getClientRects().length)
      .map((part) => part.getBoundingClientRect())
      .map((box) => Math.max(box.bottom - edge.bottom, box.right - edge.right));
    return { least: found.sort((a, b) => a[0] - b[0]).slice(0, 3), count: found.length, out: Math.max(0, ...out) };
  };
  const choices = async (slide) => {
    const states = [read(slide)];
    const presses = [...slide.querySelectorAll(".deck-panels button")];
    const figure = slide.querySelector("figure.regattn");
    for (const press of all ? [...presses, ...presses.slice(0, 1)] : presses.slice(-1)) {
      press.click();
      while (figure.hasAttribute("data-busy")) await frame();
      states.push(read(slide));
    }
    return states;
  };
  const found = await Promise.all([...deck.querySelectorAll("section.slide")].map(choices));
  deck.classList.remove("measuring");
  return found;
}"""

# By preset of every explorer: its slide, its words, how many panels it leaves in sight and how far what is drawn stands
# out of the slide, in pixels of it.
PRESSED = """async () => {
  const deck = document.querySelector(".reveal .slides");
  deck.classList.add("measuring");
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const found = [];
  for (const [at, slide] of [...deck.querySelectorAll("section.slide")].entries()) {
    const figure = slide.querySelector(".body figure.regattn");
    for (const press of figure?.querySelectorAll(".ra-presets button") ?? []) {
      press.click();
      await frame();
      while (figure.hasAttribute("data-busy")) await frame();
      const edge = slide.getBoundingClientRect();
      const drawn = [...figure.querySelectorAll(".ra-panel")].filter((panel) => panel.getClientRects().length);
      const boxes = drawn.map((panel) => panel.getBoundingClientRect());
      const out = Math.max(...boxes.map((box) => Math.max(box.bottom - edge.bottom, box.right - edge.right)));
      found.push([at + 1, press.textContent.trim(), drawn.length, (out * slide.offsetWidth) / edge.width]);
    }
  }
  deck.classList.remove("measuring");
  return found;
}"""


@contextmanager
def opened_deck(browser, path: Path, query: str = "") -> Iterator:
    """Yield a deck in a browser without a network, its slides fitted."""
    with open_offline(browser, path, width=WIDTH, height=HEIGHT) as page:
        if query:
            page.goto(path.resolve().as_uri() + query)
        page.wait_for_selector("html[data-fitted]", state="attached", timeout=120_000)
        yield page
