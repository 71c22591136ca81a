// CodebookExplorer: a point of a latent plane is dragged, and a decoder draws from the code that stands for it.
import { cellPicture } from "../_kit/cells.js";
import { codebookProblem, codebookState } from "./numbers.js";
import { element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, isolate, numberTicks, shareText } from "../_kit/format.js";

const rowsOf = (pixels, width) => Array.from({ length: pixels.length / width }, (_, i) => Array.from(pixels.slice(i * width, (i + 1) * width)));
const inked = (rows) => rows.map((row) => row.map((shade) => Math.max(0, shade))); // paper is never whiter than white

const APART = 22; // pixels between labels: more of them would be a thicket

// Which images are labelled: those that touch no code and no label before.
function written(p, xs, ys, codes) {
  const taken = codes.map(([x, y]) => [p.x(x), p.y(y)]);
  return xs.map((value, i) => {
    const [x, y] = [p.x(value), p.y(ys[i])];
    const free = taken.every(([left, top]) => Math.hypot(left - x, top - y) >= APART * p.size.unit);
    if (free) taken.push([x, y]);
    return free;
  });
}

function planePanel({ latents, labels, low, high }, shown) {
  const [xs, ys] = [0, 1].map((axis) => latents.map((point) => point[axis]));
  const sides = [0, 1].map((axis) => [low[axis], high[axis]]);
  const slope = (high[1] - low[1]) / (high[0] - low[0]);
  const inside = (value, axis) => Math.max(low[axis], Math.min(high[axis], value));
  return {
    title: "The latent plane",
    beside: true,
    legend: [
      ["query", "diamond", "the point (drag it)"],
      ["key", "dot", "codes (click one)"],
      ["neutral", "dot", "images, some labelled"],
      ["key", "hollow", "images nearest to the same code"],
      ["truth", "line", "what is told"],
    ],
    plot: { label: "Images and codes in the latent plane", xLabel: "first latent number", yLabel: "second latent number", height: (width) => Math.max(220, Math.min(440, 72 + slope * (width - 58))) }, // prettier-ignore
    by: "xy",
    at: (k, { codes }) => codes[k],
    handle: { at: ({ point }) => point, to: (x, y) => ({ across: inside(x, 0), upwards: inside(y, 1) }) },
    make(p) {
      const [images, members, way] = [p.dots("neutral"), p.dots("key", { hollow: true }), p.line("truth")];
      const notes = labels.map((label) => [p.note("neutral", "middle"), label]);
      const [codes, told, point] = [p.dots("key"), p.marker("truth", "dot"), p.marker("query")];
      let [drawn, spelled] = ["", []];
      return (state) => {
        shown.state = state;
        for (let k = 0; k < 2; k++) {
          const even = p.evenDomain(...sides); // nearest is by distance; the first makes room for numbers
          p.frame({ ...even, xTicks: numberTicks(...even.x, 7), yTicks: numberTicks(...even.y, 7) });
        }
        const frame = `${p.size.width} ${p.margin.left} ${p.domain().x} ${p.domain().y} ${state.book}`;
        if (drawn !== frame) {
          spelled = written(p, xs, ys, state.codes);
          notes.forEach(([note, label], i) => note(spelled[i] ? label : "", xs[i], ys[i], { dy: 4 }));
        }
        drawn = frame; // while the point moves, the images stand still
        const nearest = new Set(state.members);
        images(xs, ys, 1.5, (i) => !spelled[i] && !nearest.has(i));
        members(xs, ys, (i) => (spelled[i] ? 7 : 1.5), (i) => nearest.has(i)); // prettier-ignore
        way([state.point[0], state.told[0]], [state.point[1], state.told[1]]);
        const weight = (k) => (state.weights.length ? state.weights[k] : 0);
        codes(state.codes.map((code) => code[0]), state.codes.map((code) => code[1]), (k) => 5 + 4 * Math.sqrt(weight(k))); // prettier-ignore
        told(...state.told);
        point(...state.point);
      };
    },
  };
}

function drawnPanel({ images, most }) {
  const width = images[0][0].length;
  return {
    title: "What the decoder draws",
    make(host) {
      const own = host.appendChild(element("div"));
      own.style.maxWidth = "31cqi"; // on a phone it is on one screen with the plane
      const draw = cellPicture(own, "Drawn image");
      const lost = host.appendChild(element("p"));
      return ({ drawn, error }) => {
        draw(inked(rowsOf(drawn, width)), most);
        lost.textContent = `Squared error per pixel, all images: ${formatNumber(error, 3)}`;
      };
    },
  };
}

// The images that are sent as the code nearest to the point, those closest to it first.
function membersPanel({ images, labels, most, shown }) {
  return {
    title: "Images nearest to the same code",
    make(host) {
      const row = host.appendChild(element("div", { class: "ra-unit-row ra-few" }));
      const places = Array.from({ length: Math.min(shown, images.length) }, (_, k) => {
        const box = row.appendChild(element("div"));
        return { box, draw: cellPicture(box, `Image ${k + 1}`) };
      });
      const none = host.appendChild(element("p", {}, "No image is nearest to this code: it is dead."));
      let before = "";
      return ({ members }) => {
        const now = members.slice(0, shown).join();
        none.hidden = members.length > 0;
        if (now === before) return;
        before = now;
        places.forEach(({ box, draw }, k) => {
          box.hidden = k >= members.length;
          box.title = box.hidden ? "" : labels[members[k]];
          if (!box.hidden) draw(images[members[k]], most);
        });
      };
    },
  };
}

function commonest(members, labels) {
  const counts = new Map();
  for (const i of members) counts.set(labels[i], (counts.get(labels[i]) ?? 0) + 1);
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), ["", 0]);
}

function told({ assignment, weights, code, codes, members }, { labels, latents }) {
  const [label, count] = commonest(members, labels);
  const most = label === "·" ? "" : `, ${count} of them with the label ${isolate(label)}`;
  const cell = members.length ? `${members.length} of ${latents.length} images${most}` : "no image";
  const nearest = `Code ${code + 1} of ${codes.length} is nearest to the point, as it is to ${cell}.`;
  if (assignment === "hard") return ["", `${nearest} The decoder is told this code and nothing else.`];
  if (assignment === "none") return ["", `${nearest} The decoder is told the point itself.`];
  const own = `the nearest has ${shareText(Math.max(...weights))} of the weight`;
  return ["", `${nearest} The decoder is told an average of all codes: ${own}.`];
}

const render = explorer({
  name: "CodebookExplorer",
  longest: 184,
  prepare: (data) => ({ ...codebookProblem(data), on: { state: null } }),
  compute: codebookState,
  panels: (problem) => ({ drawn: drawnPanel(problem), plane: planePanel(problem, problem.on), members: membersPanel(problem) }),
  hint: () => "; arrow keys read the codes, Enter puts the point on one",
  cursor: ({ on, nearest }) => ({
    count: ({ codes }) => codes.length,
    text: (k, { codes, book }) => `code ${k + 1} of ${codes.length}: nearest to ${nearest[book].filter((own) => own === k).length} images`,
    pick: (k) => ({ across: on.state.codes[k][0], upwards: on.state.codes[k][1] }),
    start: ({ code }) => code,
  }),
  numbers: () => [
    ["bits", "bits for an image", ({ codes, assignment }) => (assignment === "hard" ? formatNumber(Math.log2(codes.length), 3) : "not counted")],
    ["live", "codes nearest to one of these images", ({ live, codes }) => `${live} of ${codes.length}`],
  ],
  say: told,
  result: ({ weights, told, drawn, code, members, error, live }) => ({
    weights: Array.from(weights),
    told: Array.from(told),
    drawn: Array.from(drawn),
    code: code + 1,
    members: members.length,
    error,
    live,
  }),
});

export default { render };
