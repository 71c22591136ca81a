// MathJax sets the formulas of the slides; those of the notes stay MathML, which the speaker's window shows by itself.
// Then each slide is fitted: a picture fills what is left, an explorer or a table is drawn smaller until it fits, and
// words smaller or larger. `data-fitted` on the root says that all is done.
const LEAST = 0.4;
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

// The largest size at which nothing overflows, by halving.
async function shrink(body, set, most) {
  set(most);
  await frame();
  if (!overflows(body)) return most;
  let [low, high] = [LEAST, most];
  for (let k = 0; k < 6; k++) {
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

// An explorer has its controls beside its drawings or above them, whichever leaves it largest.
async function arrange(body, set) {
  const figure = body.querySelector("figure.regattn");
  let best = { size: 0 };
  for (const way of figure ? ["side", "broad", "above"] : [""]) {
    if (figure) figure.dataset.way = way;
    const size = await shrink(body, set, 1);
    if (size > best.size) best = { way, size };
    if (size === 1) break;
  }
  if (figure) figure.dataset.way = best.way;
  set(best.size);
  await frame();
}

async function fit(slide) {
  const body = slide.querySelector(":scope > .body");
  const drawn = [...body.querySelectorAll(":scope > .explorer, :scope > .table")];
  const most = slide.matches(".slide-words") ? MOST : 1;
  const zoom = (size) => drawn.forEach((part) => (part.style.zoom = size));
  if (drawn.length) await (most > 1 ? shrink(body, zoom, most) : arrange(body, zoom));
  if (!drawn.length || overflows(body)) await shrink(body, (size) => (body.style.fontSize = `${size}em`), most);
}

async function fitAll() {
  const deck = document.querySelector(".reveal .slides");
  deck.classList.add("measuring");
  await frame();
  await Promise.all([...deck.querySelectorAll("section.slide")].map(fit));
  deck.classList.remove("measuring");
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
// What is written into an explorer moves no slide.
window.addEventListener(
  "keydown",
  (event) => event.target.closest?.("figure.regattn, input, select, textarea") && event.stopPropagation(),
  true,
);
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
