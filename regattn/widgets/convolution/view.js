// ConvolutionExplorer: a kernel of 3 × 3 moved over a small image, and what follows: bias, ReLU, pooling.
import { cellPicture, highest, lowest } from "../_kit/cells.js";
import { element, fits } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber } from "../_kit/format.js";
import { svgElement } from "../_kit/plot.js";

const SIZE = 3; // of the kernel
const POOL = 2; // of the windows of the pooling
const [LEAST, LARGEST] = [9.1, 14]; // pixels, of a number on the image
const GLYPH = 0.65; // of its size, the width of a sign of it with some air

const CELLS = Array.from({ length: SIZE * SIZE }, (_, k) => `kernel_${Math.floor(k / SIZE) + 1}${(k % SIZE) + 1}`);

// ---- numbers -------------------------------------------------------------------------------------------------------

function padded(image, rings) {
  const width = image[0].length + 2 * rings;
  const empty = () => Array.from({ length: rings }, () => new Array(width).fill(0));
  const aside = new Array(rings).fill(0);
  return [...empty(), ...image.map((row) => [...aside, ...row, ...aside]), ...empty()];
}

// The sum of the products at every place of the window.
export function slide(image, kernel, stride) {
  const places = (size) => Math.floor((size - SIZE) / stride) + 1;
  return Array.from({ length: places(image.length) }, (_, i) =>
    Array.from({ length: places(image[0].length) }, (_, j) => {
      let total = 0;
      for (let m = 0; m < SIZE; m++) for (let n = 0; n < SIZE; n++) total += image[i * stride + m][j * stride + n] * kernel[m][n];
      return total;
    }),
  );
}

// The largest entry of each square; what is left over at the lower and the right edge is dropped.
export function largestOf(map) {
  const count = (size) => Math.floor(size / POOL);
  return Array.from({ length: count(map.length) }, (_, i) =>
    Array.from({ length: count(map[0].length) }, (_, j) =>
      Math.max(map[2 * i][2 * j], map[2 * i][2 * j + 1], map[2 * i + 1][2 * j], map[2 * i + 1][2 * j + 1]),
    ),
  );
}

// At how many places the window can stand.
function placesOf({ images: [image] }, { stride, padding }) {
  const along = (size) => Math.floor((size + 2 * padding - SIZE) / stride) + 1;
  return along(image.length) * along(image[0].length);
}

function convolutionState({ images }, { image, stride, padding, bias, turned, place, ...now }) {
  const numbers = CELLS.map((name) => now[name]);
  if (turned) numbers.reverse(); // a turn by 180°
  const kernel = Array.from({ length: SIZE }, (_, m) => numbers.slice(SIZE * m, SIZE * m + SIZE));
  const around = padded(images[image], padding);
  const map = slide(around, kernel, stride);
  const activated = map.map((row) => row.map((value) => Math.max(value + bias, 0)));
  const at = Math.min(place, map.length * map[0].length - 1);
  const [row, column] = [Math.floor(at / map[0].length), at % map[0].length];
  return { around, kernel, turned, map, activated, pooled: largestOf(activated), row, column, at, stride, bias };
}

// ---- pictures ------------------------------------------------------------------------------------------------------

const SIGNS = [
  ["positive", "box", "above zero"],
  ["negative", "box", "below zero"],
];

function stagePanel(title, rowsOf, windowOf, legend = []) {
  return {
    title,
    legend,
    make(host) {
      const draw = cellPicture(host, title);
      return (state) => {
        const rows = rowsOf(state);
        draw(rows, Math.max(1e-12, highest(rows), -lowest(rows)), windowOf(state));
      };
    },
  };
}

const written = (value) => String(Number(value.toFixed(2))).replace("-", "−"); // 1, −0.5, 0.11

// The image, with the number of the kernel on each cell of the window; below it where the cells are too small.
const imagePanel = {
  title: "Image and kernel",
  make(host) {
    const draw = cellPicture(host, "Image");
    const svg = host.querySelector("svg");
    const numbers = CELLS.map(() => svgElement("text", { class: "ra-kernel-number" }));
    const below = CELLS.map(() => element("span"));
    const square = host.appendChild(element("div", { class: "ra-kernel-below" }, ...below));
    return ({ around, kernel, row, column, stride }) => {
      const [top, left] = [row * stride, column * stride];
      const cell = svg.clientWidth / (around[0].length + 0.2);
      draw(around, Math.max(1e-12, highest(around), -lowest(around)), [top, left, SIZE]);
      if (numbers[0].parentNode !== svg || svg.lastChild !== numbers.at(-1)) svg.append(...numbers);
      const texts = kernel.flat().map(written);
      const roomy = cell >= LEAST * Math.max(2, ...texts.map((text) => GLYPH * text.length));
      square.hidden = roomy;
      texts.forEach((text, k) => {
        const place = { x: left + (k % SIZE) + 0.5, y: top + Math.floor(k / SIZE) + 0.5 };
        for (const [name, at] of Object.entries(place)) numbers[k].setAttribute(name, at);
        numbers[k].style.fontSize = `${Math.min(LARGEST, Math.max(LEAST, 0.4 * cell)) / (cell || LARGEST)}px`; // in cells
        numbers[k].textContent = roomy ? text : "";
        below[k].textContent = text;
      });
    };
  },
};

// Nine numbers in a square; the box is made with the first.
function kernelCell(view, { name, label, min, max, step }) {
  let box = view.controls.querySelector(".ra-kernel-cells");
  if (!box) {
    box = element("div", { class: "ra-kernel-cells", role: "group", "aria-label": "Kernel" });
    view.controls.append(element("div", { class: "ra-kernel ra-control" }, element("span", { class: "ra-control-name" }, "Kernel"), box));
  }
  const input = element("input", { type: "number", min, max, step, "aria-label": label, "data-control": name });
  input.dataset.lmSuppressShortcuts = "";
  box.append(input);
  view.rows.set(name, box.parentElement);
  view.listen(input, "input", () => {
    const value = input.valueAsNumber;
    if (Number.isFinite(value)) view.set({ [name]: Math.max(min, Math.min(max, value)) });
  });
  const show = () => {
    if (input.valueAsNumber !== view.model.get(name)) input.value = String(view.model.get(name));
  };
  view.listen(input, "change", show); // a cell that was emptied shows again what counts
  const use = () => view.use(box.parentElement);
  for (const event of ["pointerdown", "focus"]) view.listen(input, event, use);
  view.refreshers.push(show);
}

// ---- the explorer --------------------------------------------------------------------------------------------------

const render = explorer({
  name: "ConvolutionExplorer",
  own: { cell: kernelCell },
  valid: { cell: (value, spec) => fits({ ...spec, kind: "slider" }, value) },
  compute: convolutionState,
  ended: ({ map, at }) => at >= map.length * map[0].length - 1,
  texts: (problem, view) => ({
    place: (place) => `${Math.min(place + 1, placesOf(problem, view.now()))}`,
    padding: (rings) => (rings ? `${rings} ${rings === 1 ? "ring" : "rings"} of zeros` : "none"),
  }),
  lasts: (problem) => ({ place: (now) => placesOf(problem, now) - 1 }),
  answers: () => ["size"],
  numbers: () => [
    ["here", "sum of products here", ({ map, row, column }) => formatNumber(map[row][column])],
    ["size", "feature map", ({ map }) => `${map.length} × ${map[0].length}`],
    ["pooled", "after pooling", ({ pooled }) => `${pooled.length} × ${pooled[0].length}`],
  ],
  say: ({ map, activated, row, column, bias, turned }) => {
    const how = turned ? "With the kernel turned, the" : "The";
    const made = `${how} window stands at row ${row + 1}, column ${column + 1} of the feature map: its nine products add up to ${formatNumber(map[row][column])}`;
    return `${made}, with the bias ${formatNumber(map[row][column] + bias)}, after ReLU ${formatNumber(activated[row][column])}.`;
  },
  panels: () => ({
    image: imagePanel,
    map: { ...stagePanel("Feature map", ({ map }) => map, ({ row, column }) => [row, column, 1], SIGNS), beside: true },
    activated: stagePanel("After bias and ReLU", ({ activated }) => activated, ({ row, column, pooled }) => {
      const [i, j] = [Math.floor(row / POOL), Math.floor(column / POOL)];
      return i < pooled.length && j < pooled[0].length ? [POOL * i, POOL * j, POOL] : [0, 0, 0];
    }), // prettier-ignore
    pooled: stagePanel("After pooling", ({ pooled }) => pooled, ({ row, column, pooled }) => {
      const [i, j] = [Math.floor(row / POOL), Math.floor(column / POOL)];
      return i < pooled.length && j < pooled[0].length ? [i, j, 1] : [0, 0, 0];
    }), // prettier-ignore
  }),
  result: ({ map, activated, pooled, row, column }) => ({ feature_map: map, activated, pooled, here: map[row][column] }),
});

export default { render };
