// MathJax sets the formulas of the slides; those of the notes stay MathML, which the speaker's window shows by itself.
// Then each slide is fitted: a picture fills what is left, an explorer shows as many panels as can be read, a table is
// drawn smaller until it fits, and words smaller or larger. `data-fitted` on the root says that all is done.
const READABLE = 15.5; // pixels of the smallest letter on a slide of 1280 by 800
const GROWN = 1.15; // how much letters in a picture may grow
const LEAST = 0.78; // of words and tables, so that their letters can be read
const MARGIN = 90; // beside a formula, for its number
const MOST = 1.25; // words alone are drawn larger, where there is room
const root = document.documentElement;

const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

function overflows(body) {
  const frame = body.getBoundingClientRect();
  const scale = frame.width / body.offsetWidth || 1;
  const low = (part) => part.getBoundingClientRect().bottom > frame.bottom + scale;
  const wide = (part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0;
  const across = (formula) => formula.getBoundingClientRect().width > frame.width - 2 * MARGIN * scale;
  return (
    body.scrollHeight > body.clientHeight + 1 ||
    [...body.children].some((part) => low(part) || wide(part)) ||
    [...body.querySelectorAll(":scope > div.math mjx-math")].some(across) ||
    [...body.querySelectorAll("figure.regattn .ra-scroll")].some(wide)
  );
}

// The largest size from `least` at which nothing overflows, by halving.
async function shrink(body, set, most, least) {
  set(most);
  await frame();
  if (!overflows(body)) return most;
  let [low, high] = [least, most];
  for (let k = 0; k < 5; k++) {
    const middle = (low + high) / 2;
    set(middle);
    await frame();
    if (overflows(body)) high = middle;
    else low = middle;
  }
  set(low);
  await frame();
  return low;
}

// --- explorers: controls and, beside or below them, one panel or two; the others are a press away -------------------

const ways = { 1: ["side", "above"], 2: ["pair", "side", "above", "stack"] };
const NUMBERS = ["table", "line", "none"]; // how those below the sentence stand: none only where no line has room
const panelsOf = (figure) => [...figure.querySelectorAll(".ra-panel")];

function letters(part) {
  const written = [...part.querySelectorAll("*")].filter((each) => {
    const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    return own && each.getClientRects().length && !each.closest(".ra-menu-box, .visually-hidden");
  });
  return Math.min(99, ...written.map((each) => parseFloat(getComputedStyle(each).fontSize) * (each.currentCSSZoom ?? 1)));
}

// What is pressed may draw more than there is room for: then it is drawn smaller, and as large as before where it may;
// where its letters become too small, all is laid out again, out of sight.
async function again(figure) {
  if ("busy" in figure.dataset) return;
  figure.dataset.busy = "";
  await frame();
  const body = figure.closest(".body");
  await shrink(body, (size) => (figure.parentElement.style.zoom = size), Number(figure.dataset.size), LEAST);
  if (overflows(body) || letters(figure) < Math.min(READABLE, Number(figure.dataset.letters))) {
    const first = panelsOf(figure).findIndex((panel) => !panel.classList.contains("deck-away"));
    figure.style.visibility = "hidden";
    await arrange(body, Math.max(0, first));
    figure.style.visibility = "";
  }
  delete figure.dataset.busy;
}

// What is pressed and read at the left, what is drawn at the right.
function divide(figure) {
  for (const name of ["click", "change"]) figure.addEventListener(name, () => again(figure));
  const body = figure.querySelector(".ra-body");
  const [left, right] = ["deck-left", "deck-right"].map((name) => Object.assign(document.createElement("div"), { className: name }));
  for (const part of [...body.children]) (part.matches(".ra-panels") ? right : left).append(part);
  body.append(left, right);
  const panels = panelsOf(figure);
  if (panels.length < 2) return;
  const bar = Object.assign(document.createElement("div"), { className: "deck-panels" });
  panels.forEach((panel, k) => {
    const title = panel.querySelector(".ra-title").textContent;
    const press = Object.assign(document.createElement("button"), { type: "button", textContent: k + 1, title });
    press.setAttribute("aria-label", `Panel ${k + 1}: ${title}`);
    press.addEventListener("click", () => arrange(figure.closest(".body"), k));
    bar.append(press);
  });
  bar.prepend("Panels");
  figure.closest(".slide").querySelector(".head").append(bar);
}

function show(figure, chosen) {
  const presses = figure.closest(".slide").querySelectorAll(".deck-panels button");
  panelsOf(figure).forEach((panel, k) => {
    panel.classList.toggle("deck-away", !chosen.includes(k));
    presses[k]?.setAttribute("aria-pressed", chosen.includes(k));
  });
}

// Lay panels and controls out in a way, a pixel wider or narrower than before: an explorer draws anew when its width does.
function lay(figure, way) {
  figure.dataset.way = way;
  figure.toggleAttribute("data-nudged");
}

// Two panels from the one that is asked for, where all that is written can be read; otherwise that one alone.
async function arrange(body, first = 0) {
  const figure = body.querySelector("figure.regattn");
  figure.dataset.busy = "";
  const zoom = (size) => (figure.parentElement.style.zoom = size);
  const count = panelsOf(figure).length;
  let best = { size: 0 };
  for (const many of [2, 1].filter((many) => first + many <= count || many === 1)) {
    show(figure, many === 2 ? [first, first + 1] : [first]);
    for (const numbers of NUMBERS) {
      figure.dataset.numbers = numbers;
      for (const way of ways[many]) {
        lay(figure, way);
        const size = await shrink(body, zoom, MOST, LEAST);
        if (size > best.size && !overflows(body)) best = { many, numbers, way, size, letters: letters(figure) };
      }
      if (best.letters >= READABLE) break;
    }
    if (best.letters >= READABLE) break;
  }
  show(figure, best.many === 2 ? [first, first + 1] : [first]);
  figure.dataset.numbers = best.numbers ?? "none";
  lay(figure, best.way ?? "above");
  Object.assign(figure.dataset, { size: best.size || LEAST, letters: best.letters ?? 0 });
  zoom(best.size || LEAST);
  await frame();
  delete figure.dataset.busy;
}

// --- pictures: as large as fits, and what is written in them as large as can be read ---------------------------------

const drawn = (body) => [...body.querySelectorAll(".picture > svg")];

// How large the letters of a picture are, in pixels of the slide: Matplotlib draws glyphs of 100 units, scaled.
function written(svg) {
  const { width, height } = svg.viewBox.baseVal;
  const scale = Math.min(svg.clientWidth / width, svg.clientHeight / height);
  return [...svg.querySelectorAll("g[id*='text_'] > g[transform*='scale']")].map((glyphs) => {
    const [, size] = /scale\(([\d.]+)/.exec(glyphs.dataset.drawn ?? glyphs.getAttribute("transform"));
    return [glyphs, 100 * size * scale];
  });
}

// Letters that are a little too small grow around their middle.
function grow(svg) {
  for (const [glyphs, size] of written(svg)) {
    if (size >= READABLE || size < READABLE / GROWN / 1.02) continue;
    const before = (glyphs.dataset.drawn ??= glyphs.getAttribute("transform"));
    glyphs.setAttribute("transform", before);
    const { x, y, width, height } = glyphs.getBBox();
    const [cx, cy, by] = [x + width / 2, y + height / 2, READABLE / size];
    glyphs.setAttribute("transform", `${before} translate(${cx} ${cy}) scale(${by}) translate(${-cx} ${-cy})`);
  }
}

async function fit(slide) {
  const body = slide.querySelector(":scope > .body");
  const figure = body.querySelector("figure.regattn");
  if (figure) {
    divide(figure);
    return arrange(body);
  }
  const tables = [...body.querySelectorAll(":scope > .table")];
  const most = slide.matches(".slide-words, .slide-vote, .slide-quiz") ? MOST : 1;
  if (tables.length) await shrink(body, (size) => tables.forEach((part) => (part.style.zoom = size)), most, LEAST);
  if (!tables.length || overflows(body)) await shrink(body, (size) => (body.style.fontSize = `${size}em`), most, LEAST);
  if (overflows(body)) {
    slide.classList.add("tight"); // long code: nearer lines, smaller margins
    await shrink(body, (size) => (body.style.fontSize = `${size}em`), 1, LEAST);
  }
  drawn(body).forEach(grow);
}

// With `?steps` behind its name a deck shows a slide part by part: paragraphs, points of a list, rows of a table.
function stepwise(slide) {
  const body = slide.querySelector(":scope > .body");
  if (slide.matches(".slide-title, .slide-vote") || body.querySelector("figure.regattn")) return;
  const inside = (part) => (part.matches("ul, ol") ? [...part.children] : part.matches(".table") ? [...part.querySelectorAll("tbody tr")] : [part]);
  for (const part of [...body.children].flatMap(inside).slice(1)) part.classList.add("fragment");
}

async function fitAll() {
  const deck = document.querySelector(".reveal .slides");
  deck.classList.add("measuring");
  await frame();
  await Promise.all([...deck.querySelectorAll("section.slide")].map(fit));
  deck.classList.remove("measuring");
  if (new URLSearchParams(location.search).has("steps")) {
    deck.querySelectorAll("section.slide").forEach(stepwise);
    Reveal.sync();
  }
  root.dataset.fitted = "yes";
}

const ready = () => (document.readyState === "complete" ? fitAll() : window.addEventListener("load", fitAll));
const showText = ready;
window.MathJax = {
  loader: { load: COMPONENTS },
  startup: {
    elements: [".slides .head", ".slides .body"],
    pageReady: () => MathJax.startup.defaultPageReady().then(() => document.fonts.ready).finally(ready),
  },
};
// Keys pressed in an explorer move no slide, unless a pointer came last: what it pressed gives the keys back to the deck,
// but for a field that is written into, which does so at Enter or Escape. What a presenter sends always moves a slide.
const PRESENTER = { PageUp: "prev", PageDown: "next" };
let pointed = false;
window.addEventListener(
  "keydown",
  (event) => {
    pointed = false;
    const held = event.target.closest?.("figure.regattn, .deck-panels, input, select, textarea");
    if (!held) return;
    event.stopPropagation();
    const asked = PRESENTER[event.key];
    if (asked && !event.target.matches("textarea")) {
      event.preventDefault();
      event.target.blur();
      Reveal[asked]();
    } else if (["Enter", "Escape"].includes(event.key) && event.target.matches("input, select")) event.target.blur();
  },
  true,
);
window.addEventListener("pointerdown", () => (pointed = true), true);
function giveBack() {
  const held = document.activeElement;
  const written = held?.matches("textarea, [contenteditable], input:not([type=range], [type=checkbox], [type=radio])");
  if (pointed && !written && held?.closest("figure.regattn, .deck-panels")) held.blur();
}
for (const name of ["click", "change"]) window.addEventListener(name, () => setTimeout(giveBack), true); // marks stop theirs
// A deck is drawn as large as the screen, and an explorer smaller still: a drawing that asks where the pointer is gets
// its answer in its own units.
function inUnits(event) {
  const plot = event.target.closest?.("figure.regattn svg.ra-plot");
  const box = plot?.getBoundingClientRect();
  const { width, height } = plot?.viewBox.baseVal ?? {};
  if (!width || !box.width) return;
  const at = { clientX: box.left + ((event.clientX - box.left) * width) / box.width };
  at.clientY = box.top + ((event.clientY - box.top) * height) / box.height;
  for (const [name, value] of Object.entries(at)) Object.defineProperty(event, name, { value });
}
for (const name of ["pointerdown", "pointermove", "pointerup", "click", "mousemove"])
  window.addEventListener(name, inUnits, true);
