// The BlockExplorer's drawing: the stream on the left, what reads and writes it on the right, a shape on every arrow.
import { element } from "../_kit/controls.js";
import { isolate } from "../_kit/format.js";
import { svgElement } from "../_kit/plot.js";

const [STREAM, BRANCH, ROW, HALF] = [72, 236, 36, 12]; // pixels of the drawing
const [WIDE, SAID] = [340, 60];
const ON_STREAM = {
  pre: ["embedding", "add_1", "add_2"],
  parallel: ["embedding", "add_2"],
  post: ["embedding", "add_1", "norm_1", "add_2", "norm_2"],
};
const SIDE = { queries: -57, values: 57 }; // three boxes stand in one row

const stepNames = {
  embedding: "word + place", norm_1: "normalise", queries: "queries", keys: "keys", values: "values", scores: "scores",
  mask: "mask", weights: "weights", average: "average", output: "heads → W_O", add_1: "+", norm_2: "normalise",
  hidden: "W_1, max(0, ·)", back: "W_2", add_2: "+",
}; // prettier-ignore

// The boxes of a part, without those on the stream and a norm that two parts read.
const INSIDE = { attention: ["queries", "keys", "values", "scores", "mask", "weights", "average", "output"], "feed-forward": ["hidden", "back"] };
const READS = { attention: "norm_1", "feed-forward": "norm_2" };
const partOf = (part, order) => [...(INSIDE[part] ?? []), ...(order === "pre" && INSIDE[part] ? [READS[part]] : [])];

// Where each step of an order stands: its row, and whether on the stream.
function placesOf(steps, order) {
  let row = -1;
  return steps.map(({ key, values }) => {
    if (key !== "keys" && key !== "values") row += 1;
    const onStream = ON_STREAM[order].includes(key);
    const x = (onStream ? STREAM : BRANCH) + (SIDE[key] ?? 0);
    const onStreamWide = stepNames[key] === "+" ? 26 : 116;
    const width = ["queries", "keys", "values"].includes(key) ? 52 : onStream ? onStreamWide : 166;
    return { key, x, y: 18 + row * ROW, width, onStream, shape: `${values.length} × ${values[0].length}` };
  });
}

const [DOWN, RIGHT, LEFT] = ["m-3,-5l3,5l3,-5", "m-5,-3l5,3l-5,3", "m5,-3l-5,3l5,3"]; // heads of arrows

function arrows(places) {
  const lines = []; // [path, the box in a branch that it leads to or from]
  const shapes = [];
  let [before, source] = [places[0], places[0]]; // the last on the stream; what a branch begins with
  places.slice(1).forEach((at, k) => {
    const last = places[k];
    if (at.onStream) {
      lines.push([`M${STREAM},${before.y + HALF}V${at.y - HALF}${DOWN}`]);
      shapes.push([STREAM - 5, (before.y + at.y) / 2 + 4, before.shape, "end"]);
      if (!last.onStream) {
        lines.push([`M${last.x},${last.y + HALF}V${at.y}H${at.x + at.width / 2}${LEFT}`, last.key]);
        shapes.push([(last.x + at.x + at.width / 2) / 2, at.y - 4, last.shape, "middle"]);
      }
      before = at;
    } else if (last.onStream) {
      source = at;
      lines.push([`M${STREAM},${at.y}H${at.x - at.width / 2}${RIGHT}`, at.key]);
      shapes.push([(STREAM + at.x - at.width / 2) / 2, at.y - 4, last.shape, "middle"]);
    } else if (at.key === "hidden" && last.key === "output") {
      // parallel: both halves read the same norm, and both write to the same sum
      lines.push([`M${source.x + source.width / 2},${source.y}H${WIDE - 6}V${at.y}H${at.x + at.width / 2}${LEFT}`, at.key]);
      lines.push([`M${last.x - last.width / 2},${last.y}H${STREAM + 30}V${places.at(-1).y}`, last.key]);
      shapes.push([WIDE - 10, source.y + ROW / 2 + 4, source.shape, "end"], [STREAM + 34, last.y + 16, last.shape, "start"]);
    } else if (at.y > last.y) {
      const from = last.key === "values" ? BRANCH : last.x;
      lines.push([`M${from},${last.y + HALF}V${at.y - HALF}${DOWN}`, at.key]);
      shapes.push([from + 6, (last.y + at.y) / 2 + 4, last.shape, "start"]);
    }
  });
  return { lines, shapes };
}

// Words whose letter behind a low line is lowered: W_O.
function lowered(node, words) {
  const pieces = words.split(/_(.)/);
  pieces.forEach((piece, k) => {
    const part = svgElement("tspan", k % 2 ? { dy: 3, "font-size": "0.75em" } : { dy: k && piece ? -3 : 0 });
    part.textContent = piece;
    node.append(part);
  });
  return node;
}

// What the stream says at a stop, below the place `at`: a word with its share, and a bar of the shares that have a colour.
function stopMarks(at) {
  const bar = at.y + HALF + 31;
  const word = svgElement("text", { class: "ra-said-word", "data-step": at.key, x: STREAM - 6, y: bar - 4, "text-anchor": "end" });
  const says = svgElement("text", { x: STREAM - 6, y: bar - 17, "text-anchor": "end" });
  says.textContent = "says";
  const parts = ["neutral", "positive", "negative"].map((role) => svgElement("path", { class: `ra-said ra-${role}` }));
  const group = svgElement("g", { class: "ra-stop" });
  group.append(says, word, ...parts);
  const piece = (from, to) => `M${STREAM - 6 - SAID * (1 - from)},${bar}h${SAID * (to - from)}v7h${-SAID * (to - from)}z`;
  return (shares, said, lit) => {
    word.textContent = said;
    group.classList.toggle("ra-now", lit);
    const [are, is] = shares;
    [[0, 1], [0, are], [are, are + is]].forEach(([from, to], k) => parts[k].setAttribute("d", piece(from, to)));
    return group;
  };
}

// Returns draw(steps, settings, chosen, sizes, stops); a click on a box gives its key to pick. Of stops, where the stream
// says something, each is [the shares with a colour, the word and its share, whether it is lit].
export function flowDrawing(host, { label, pick, signal }) {
  const svg = host.appendChild(svgElement("svg", { class: "ra-plot ra-flow", role: "img", "aria-label": label }));
  let drawn = "";
  svg.addEventListener("click", ({ target }) => target.dataset.step && pick(target.dataset.step), { signal });
  let marks = [];
  return (steps, { order, layers, positions, out, word }, chosen, sizes, stops) => {
    const places = placesOf(steps, order);
    const key = JSON.stringify([places, layers, positions, out, sizes, stops.length && word]);
    if (key !== drawn) {
      drawn = key;
      const { lines, shapes: all } = arrows(places);
      marks = stops.length ? places.filter((at) => at.onStream).map(stopMarks) : [];
      const shapes = marks.length ? all.filter(([x]) => x !== STREAM - 5) : all; // there stands what it says
      const text = (x, y, words, anchor, more = {}) => {
        const made = svgElement("text", { x, y, "text-anchor": anchor, ...more });
        return lowered(made, words);
      };
      const end = places.at(-1).y;
      // under each part its name, and how many parameters it has
      const beside = { output: ["attention", sizes[0]], back: ["feed-forward", sizes[1]] };
      const under = (at) => (order === "parallel" && at.key === "output" ? [STREAM + 76, at.y + 22] : [STREAM + 18, at.y + ROW + 16]);
      const caption = ([part, n]) => `${part} · ${part === out ? "taken out" : `${n} parameters`}`;
      const counted = places.filter((at) => beside[at.key]).map((at) => text(...under(at), caption(beside[at.key]), "start", { class: "ra-part" }));
      const gone = partOf(out, order);
      const pathOf = (wanted) => lines.filter(([, box]) => gone.includes(box) === wanted).map(([d]) => d).join(""); // prettier-ignore
      const without = (step) => (gone.includes(step) ? "ra-without" : "");
      lines.push([`M${STREAM},${end + HALF}V${end + 38}${DOWN}`]);
      const after = layers > 1 ? `to block 2 of ${layers}, at last to V scores` : "to the unembedding: V scores";
      if (!marks.length) shapes.push([STREAM - 5, end + 34, places.at(-1).shape, "end"]);
      shapes.push([STREAM + 8, end + 34, after, "start"]);
      svg.setAttribute("viewBox", `0 0 ${WIDE} ${end + (marks.length ? 52 : 44)}`);
      svg.replaceChildren(
        svgElement("path", { class: "ra-line ra-neutral", d: pathOf(false) }),
        svgElement("path", { class: "ra-line ra-neutral ra-without", d: pathOf(true) }),
        ...counted,
        ...shapes.map(([x, y, words, anchor]) => text(x, y, words, anchor, { class: "ra-shape" })),
        ...places.flatMap(({ key: step, x, y, width }) => [
          svgElement("rect", { x: x - width / 2, y: y - HALF, width, height: 2 * HALF, rx: 5, class: without(step), "data-step": step }),
          text(x, y + 4, step === "embedding" && positions === "none" ? (stops.length ? `word: ${word}` : "word") : stepNames[step], "middle", { class: `ra-step ${without(step)}`, "data-step": step }),
        ]),
      );
    }
    if (stops.length) svg.setAttribute("aria-label", `${label}. The stream of ${isolate(word)} says ${stops.map(([, said]) => said).join(", then ")}.`);
    svg.append(...marks.map((mark, k) => mark(...stops[k])));
    for (const box of svg.querySelectorAll("rect")) box.classList.toggle("ra-chosen", box.dataset.step === chosen);
  };
}

// A small table of counts: a part, its formula, its number.
export function countTable(host, label) {
  const body = element("tbody");
  host.append(element("table", { class: "ra-shares ra-counts", "aria-label": label }, body));
  const cell = (words) => element("td", {}, words);
  const row = ([part, formula, n]) =>
    element("tr", {}, element("th", { scope: "row" }, part), cell(formula), cell(n.toLocaleString("en")));
  return (lines) => body.replaceChildren(...lines.map(row));
}
