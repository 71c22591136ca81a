"""Write decks as PowerPoint files, whose words can be edited, below _build/powerpoint: one for each chapter.

A slide is laid out as its deck shows it. Headings, points, votes, tasks and the speaker's notes are text; a picture, a
table, a formula of its own and an explorer, as it opens, are pictures with what they show as alternative text. Decks
are made first, by `make slides`; `make powerpoint CHAPTERS="9 panels"` writes those of some chapters.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any

from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.text import MSO_ANCHOR
from pptx.util import Emu, Pt

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from regattn._files import atomic_write  # noqa: E402
from teach.slides.builder import HEIGHT, WIDTH  # noqa: E402
from tests.browser import launch, open_offline  # noqa: E402
from tools.choice import chapters, chosen  # noqa: E402

PIXEL = 9525  # units of PowerPoint, of which an inch has 914,400
POINT = 0.75  # points in a pixel
SHARP = 2  # pixels of a picture for each of the slide
BLANK = 6  # the layout of the default template that holds nothing
ROOM = 1.04  # letters of another family may be a little wider
INDEX = 30_000  # thousandths of a per cent of a line, by which an index stands lower, a power higher
RAISED = dict(zip("0123456789+−=()n⊤T", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿᵀᵀ", strict=True))
LOWERED = dict(zip("0123456789+−=()tij", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₜᵢⱼ", strict=True))
SMALL = {1: str.maketrans(RAISED), -1: str.maketrans(LOWERED)}  # signs that a program keeps which shows notes as text
SLIDES = "[...document.querySelectorAll('.slides > section.slide')]"
PRESENT = f"(at) => {SLIDES}.findIndex((slide) => slide.matches('.present')) === at"
# What the present slide holds: its blocks of text, its pictures and its notes, with their places in pixels.
READ = """() => {
  const slide = document.querySelector(".slides > section.present");
  const joined = (runs) => runs.map((run) => run.text).join("");
  const trimmed = (runs) => {
    const said = (run) => run.text.trim();
    const kept = runs.slice(runs.findIndex(said), runs.findLastIndex(said) + 1);
    if (kept.length) {
      kept[0].text = kept[0].text.trimStart();
      kept.at(-1).text = kept.at(-1).text.trimEnd();
    }
    return kept;
  };
  const put = (style, text) => [{ ...style, text }];
  // A formula within a line, as people type it: indices are lowered and raised, a fraction is written with a slash.
  const typed = (node, style) => {
    const parts = [...node.children].filter((part) => part.localName !== "annotation");
    const all = (list = parts) => list.flatMap((part) => typed(part, style));
    const at = (part, shift) => typed(part, { ...style, shift });
    const grouped = (part) => {
      const runs = typed(part, style);
      return [...joined(runs)].length > 2 ? [...put(style, "("), ...runs, ...put(style, ")")] : runs;
    };
    switch (node.localName) {
      case "msub": return [...all([parts[0]]), ...at(parts[1], -1)];
      case "msup": return [...all([parts[0]]), ...at(parts[1], 1)];
      case "msubsup": return [...all([parts[0]]), ...at(parts[1], -1), ...at(parts[2], 1)];
      case "mfrac": return [...grouped(parts[0]), ...put(style, "/"), ...grouped(parts[1])];
      case "msqrt": return [...put(style, "√("), ...all(), ...put(style, ")")];
      case "mover": {
        const mark = { "^": "\\u0302", "~": "\\u0303", "¯": "\\u0304", "‾": "\\u0304" }[parts[1].textContent.trim()];
        return mark ? put({ ...style, italic: true }, parts[0].textContent + mark) : all();
      }
      case "mi": {
        const italic = [...node.textContent].length === 1 && node.getAttribute("mathvariant") !== "normal";
        return put({ ...style, italic }, node.textContent);
      }
      case "mo": {
        const between = /^[=<>≤≥≈→+∈≠·×−]$/.test(node.textContent) && node.previousElementSibling;
        return put(style, between ? `\\u202f${node.textContent}\\u202f` : node.textContent);
      }
      case "mspace": return put(style, " ");
      default: return parts.length ? all() : put(style, node.textContent);
    }
  };
  const runs = (node, style = {}) => [...node.childNodes].flatMap((part) => {
    if (part.nodeType === Node.TEXT_NODE) return put(style, part.data.replace(/\\s+/g, " "));
    if (part.nodeType !== Node.ELEMENT_NODE) return [];
    if (part.matches(".math, mjx-container, math")) {
      const formula = part.matches("math") ? part : part.querySelector("math");
      return formula ? typed(formula, style) : [];
    }
    if (part.matches("style, script, .visually-hidden")) return [];
    if (part.matches(".if-time")) return put({ ...style, bold: true }, `${part.textContent} · `);
    return runs(part, {
      ...style,
      bold: style.bold || part.matches("strong, b"),
      italic: style.italic || part.matches("em, i"),
      code: style.code || part.matches("code"),
    });
  });
  const place = (part) => {
    const box = part.getBoundingClientRect();
    return [box.x, box.y, box.width, box.height];
  };
  const colour = (part) => getComputedStyle(part).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const mark = (item) => {
    if (!item) return "";
    const at = [...item.parentElement.children].indexOf(item);
    if (item.closest(".vote")) return `${"ABCDEFGH"[at]}  `;
    return item.matches("ol > li") ? `${at + 1}. ` : "• ";
  };
  const paragraph = (part) => ({
    runs: runs(part),
    size: parseFloat(getComputedStyle(part).fontSize) * (part.currentCSSZoom ?? 1),
    colour: colour(part),
    bold: Number(getComputedStyle(part).fontWeight) > 500,
    mark: mark(part.closest("li")),
    place: place(part),
  });
  const said = ".point, .vote, .task, .opening, ol, ul";
  const blocks = [];
  for (const part of [...slide.querySelectorAll(":scope > .head > *, :scope > .body > *")]) {
    if (!part.getClientRects().length || part.matches(".deck-panels")) continue;
    if (part.matches(`.head > *, ${said}`)) {
      const lines = [...part.querySelectorAll("p, li > p")].filter((line) => line.getClientRects().length);
      blocks.push({ lines: (lines.length ? lines : [part]).map(paragraph) });
    } else {
      const drawn = part.querySelector("figure.regattn, [role=img], img, annotation, table, pre") ?? part;
      const alt = drawn.getAttribute("aria-label") ?? drawn.getAttribute("alt") ?? drawn.textContent;
      const inner = part.matches("div.math") ? part.querySelector("mjx-math, math") : null;
      const number = part.matches("div.math") ? part.querySelector(".eqno") : null;
      const boxes = (inner?.getClientRects().length ? [inner, number].filter(Boolean) : [part]).map(place);
      const [left, top] = [0, 1].map((k) => Math.min(...boxes.map((box) => box[k])));
      const [right, foot] = [0, 1].map((k) => Math.max(...boxes.map((box) => box[k] + box[k + 2])));
      const told = alt.trim().replace(/\\s+/g, " ").slice(0, 900);
      blocks.push({ alt: told, place: [left, top, right - left, foot - top] });
    }
  }
  const notes = [...slide.querySelectorAll("aside.notes :is(p, li, pre, td, th, dt, dd)")]
    .filter((line) => !line.querySelector("p, li, pre, td"))
    .map((line) => ({ mark: line.closest("li") ? "• " : "", runs: trimmed(runs(line)) }))
    .filter((line) => line.runs.length);
  return { blocks, notes };
}"""


def write(browser, deck: Path, target: Path) -> int:
    """Write a deck as a PowerPoint file; return how many slides it has."""
    show = Presentation()
    show.slide_width, show.slide_height = Emu(WIDTH * PIXEL), Emu(HEIGHT * PIXEL)
    with open_offline(browser, deck, width=WIDTH, height=HEIGHT) as page:
        page.wait_for_selector("html[data-fitted]", state="attached", timeout=120_000)
        camera = page.context.new_cdp_session(page)
        count = page.evaluate(f"{SLIDES}.length")
        for at in range(count):
            page.evaluate("(at) => { location.hash = `#/${at}`; }", at)
            page.wait_for_function(PRESENT, arg=at)
            page.wait_for_selector(".present figure[data-busy]", state="detached")
            held = page.evaluate(READ)
            slide = show.slides.add_slide(show.slide_layouts[BLANK])
            for block in held["blocks"]:
                if "lines" in block:
                    add_text(slide, block["lines"])
                else:
                    add_picture(slide, camera, block)
            add_notes(slide.notes_slide.notes_text_frame, held["notes"])
    show.core_properties.title = deck.stem
    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(target) as file:
        show.save(file)
    return count


def add_picture(slide: Any, camera: Any, block: dict) -> None:
    """Add a picture of a part of the slide, where it stands."""
    left, top, width, height = block["place"]
    clip = {"x": max(0, left), "y": max(0, top), "width": min(width, WIDTH - left), "height": min(height, HEIGHT - top)}
    taken = camera.send("Page.captureScreenshot", {"format": "png", "clip": {**clip, "scale": SHARP}})
    frame = [Emu(round(clip[edge] * PIXEL)) for edge in ("x", "y", "width", "height")]
    picture = slide.shapes.add_picture(io.BytesIO(b64decode(taken["data"])), *frame)
    picture._element.nvPicPr.cNvPr.set("descr", block["alt"])


def add_text(slide: Any, lines: list[dict]) -> None:
    """Add a box of text that begins where its first line does; it grows with what is written into it."""
    places = [line["place"] for line in lines]
    left, top = (min(place[k] for place in places) for k in (0, 1))
    right, foot = (max(place[k] + place[k + 2] for place in places) for k in (0, 1))
    width = min((right - left) * ROOM + 8, WIDTH - left)
    box = slide.shapes.add_textbox(*(Emu(round(edge * PIXEL)) for edge in (left, top, width, foot - top)))
    frame = box.text_frame
    frame.word_wrap, frame.vertical_anchor = True, MSO_ANCHOR.TOP
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
    for k, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if k == 0 else frame.add_paragraph()
        above = line["place"][1] - (lines[k - 1]["place"][1] + lines[k - 1]["place"][3]) if k else 0
        paragraph.space_before = Pt(max(0.0, above) * POINT)
        for piece in [{"text": line["mark"]}, *line["runs"]]:
            if piece["text"]:
                add_run(paragraph, piece, line)


def add_run(paragraph: Any, piece: dict, line: dict) -> None:
    """Add letters of one kind to a line."""
    run = paragraph.add_run()
    run.text, font = piece["text"], run.font
    font.size, font.color.rgb = Pt(round(2 * line["size"] * POINT) / 2), RGBColor(*map(round, line["colour"]))
    font.bold, font.italic = bool(piece.get("bold") or line["bold"]), bool(piece.get("italic"))
    font.name = "Consolas" if piece.get("code") else "Arial"
    if piece.get("shift"):
        run._r.get_or_add_rPr().set("baseline", str(INDEX * piece["shift"]))


def add_notes(frame: Any, lines: list[dict]) -> None:
    """Write the notes: indices and powers as signs of their own where there are such, otherwise lowered and raised."""
    for k, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if k == 0 else frame.add_paragraph()
        for piece in filter(lambda piece: piece["text"], [{"text": line["mark"]}, *line["runs"]]):
            text, shift = piece["text"], piece.get("shift", 0)
            run, own = paragraph.add_run(), SMALL.get(shift, {})
            run.text = text.translate(own) if set(map(ord, text)) <= set(own) else text
            if shift and run.text == text:
                run._r.get_or_add_rPr().set("baseline", str(INDEX * shift))


def main() -> None:
    """Write the decks of all chapters, or of those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", help="a chapter by number, name or a part of it; all without one")
    parser.add_argument("--decks", type=Path, default=ROOT / "_build" / "revealjs", help="the decks of `make slides`")
    parser.add_argument("--folder", type=Path, default=ROOT / "_build" / "powerpoint", help="where the files go")
    given = parser.parse_args()
    try:
        pages = [chapter.page for chapter in chosen(given.pages) or chapters(ROOT)]
    except ValueError as error:
        sys.exit(str(error))
    if missing := [page for page in pages if not (given.decks / f"{page}.html").exists()]:
        sys.exit(f"there is no deck of {missing[0]} in {given.decks}: run `make slides` first")
    with launch() as browser:
        for page in pages:
            target = given.folder / f"{Path(page).name}.pptx"
            count = write(browser, given.decks / f"{page}.html", target)
            print(os.path.relpath(target, Path.cwd()), f"({count} slides)", flush=True)


if __name__ == "__main__":
    main()
