"""What the tests know of a deck: its page in a browser, ready to be measured, and what its slides hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.browser import open_offline

WIDTH, HEIGHT = 1280, 800
# By slide: how far its parts stand out of its body, at the right and at the foot, in pixels, and how large its words,
# pictures and drawings are. What is closed, hidden or drawn inside a glyph by MathJax is not looked at.
MEASURE = """() => {
  const deck = document.querySelector(".reveal .slides");
  deck.classList.add("measuring");
  const left = "mjx-container *, .visually-hidden, .ra-menu-box";
  const seen = (part) => part.getClientRects().length && !part.closest(left);
  const measured = [...deck.querySelectorAll("section.slide")].map((slide) => {
    const frame = slide.getBoundingClientRect();
    const body = slide.querySelector(":scope > .body");
    const scrolls = (part) => part.closest(".ra-scroll") && !part.matches(".ra-scroll");
    const parts = [...slide.querySelectorAll(".head, .head *, .body, .body *")].filter((p) => seen(p) && !scrolls(p));
    const boxes = parts.map((part) => part.getBoundingClientRect());
    const edge = body.getBoundingClientRect();
    const words = [...body.querySelectorAll("p, li, td, th, pre")].filter((p) => seen(p) && !p.closest("figure"));
    return {
      kind: [...slide.classList].find((name) => name.startsWith("slide-")).slice(6),
      title: slide.querySelector("h1, h2").textContent.trim(),
      right: Math.max(...boxes.map((box) => box.right)) - frame.right,
      foot: Math.max(...boxes.map((box) => box.bottom)) - Math.max(edge.bottom, frame.bottom - 44),
      over: Math.max(body.scrollHeight - body.clientHeight, body.scrollWidth - body.clientWidth),
      letters: Math.min(99, ...words.map((p) => parseFloat(getComputedStyle(p).fontSize) * (p.currentCSSZoom ?? 1))),
      pictures: [...body.querySelectorAll(".picture img")].map((p) => [
        p.naturalWidth, p.getBoundingClientRect().height]),
      explorers: [...body.querySelectorAll("figure.regattn")].map((p) => [
        p.hasAttribute("data-awake"), Number(p.parentElement.style.zoom || 1)]),
      notes: slide.querySelector("aside.notes")?.textContent.trim() ?? "",
    };
  });
  deck.classList.remove("measuring");
  return measured;
}"""


@contextmanager
def opened_deck(browser, path: Path, query: str = "") -> Iterator:
    """Yield a deck in a browser without a network, its slides fitted."""
    with open_offline(browser, path, width=WIDTH, height=HEIGHT) as page:
        if query:
            page.goto(path.resolve().as_uri() + query)
        page.wait_for_selector("html[data-fitted]", state="attached", timeout=120_000)
        yield page
