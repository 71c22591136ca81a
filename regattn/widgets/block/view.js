// BlockExplorer: one sentence through one transformer block, drawn; each number with what it is made of.
import { countTable, flowDrawing } from "./flow.js";
import { blockCounts, blockSteps } from "./numbers.js";
import { element, fits } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, isolate } from "../_kit/format.js";
import { numberTable } from "../_kit/tables.js";

// What each step does, in a sentence.
const told = {
  embedding: "Each word brings its vector; its place may be added.",
  norm_1: "Each row is brought to mean 0 and variance 1.",
  queries: "What each word asks for: x times the head's query matrix.",
  keys: "What each word answers to: x times the head's key matrix.",
  values: "What each word has to give: x times the head's value matrix.",
  scores: "Every query on every key, divided by √d.",
  mask: "Who may look at whom: not at what comes later.",
  weights: "Softmax of each row over what may be looked at: it sums to one.",
  average: "The values, averaged with these weights.",
  output: "The averages of all heads side by side, mixed by one more matrix.",
  add_1: "What attention wrote is added to the stream.",
  norm_2: "Each row is brought to mean 0 and variance 1.",
  hidden: "Every word alone: scores against 4D keys, those below zero set to zero.",
  back: "Those scores as weights on 4D values.",
  add_2: "What was written is added to the stream.",
};
const toldByHand = {
  queries: "What each word asks for.",
  keys: "What each word is found by.",
  values: "What each word hands over.",
};
const POINT = "Point at a number, or go to it with the arrow keys, to see what it is made of.";
const AMONG = ["scores", "mask", "weights"]; // tables of words on words

const signedText = (value) => (value === 0 ? "0" : value.toFixed(2).replace("-", "−").replace(/^(−?)0/, "$1"));

function flowPanel(view) {
  const label = "The block: every box is a step";
  return {
    title: "The block: click a step",
    beside: true,
    make(host) {
      const draw = flowDrawing(host, { label, pick: (step) => view.set({ step }), signal: view.signal });
      return ({ steps, order, shown, layers }) => draw(steps, order, shown.key, layers);
    },
  };
}

// What stands above the columns: words, or the names of the numbers.
function columnNames({ words, names }, key, row) {
  if (AMONG.includes(key)) return words;
  return names[key === "average" ? "values" : key] ?? Array.from(row, (_, i) => String(i + 1));
}

function numbersPanel(view, problem) {
  const { words } = problem;
  const title = "The numbers after this step";
  return {
    title,
    make(host) {
      let at = null;
      const line = element("p", { class: "ra-below", "aria-live": "polite" });
      const light = (cell) => {
        at = cell;
        view.update();
      };
      const draw = numberTable(host, { label: title, hint: "The table scrolls sideways.", light, signal: view.signal });
      host.append(line);
      return ({ shown: { key, values, how } }) => {
        const columns = columnNames(problem, key, values[0]);
        const most = values.reduce((largest, row) => Math.max(largest, ...Array.from(row, Math.abs)), 0) || 1;
        const masked = (i, j) => key === "weights" && j > i;
        const marked = (i, j) => (masked(i, j) ? "ra-masked" : values[i][j] < 0 ? "ra-below" : "ra-above");
        draw(words, columns, values, { text: signedText, most, marked });
        const inside = at && values[at[0]]?.[at[1]] !== undefined;
        const write = (piece) => (typeof piece === "number" ? formatNumber(piece) : piece);
        const made = ([i, j]) => `${how(i, j).map(write).join("")}${problem.written?.[key] ? "," : " ="} ${write(values[i][j])}`;
        const said = inside ? `${isolate(words[at[0]])}, ${columns[at[1]]}: ${made(at)}` : POINT;
        if (line.textContent !== said) line.textContent = said;
      };
    },
  };
}

function countsPanel({ ids, size }) {
  const title = "Parameters of a model of such blocks";
  return {
    title,
    beside: true,
    make(host) {
      const draw = countTable(host, title);
      return ({ counts, width: D, layers: L, positions, order }) =>
        draw([
          ["word vectors", `V D = ${size} · ${D}`, counts.embedding],
          ["places", positions === "learned" ? `T D = ${ids.length} · ${D}` : "none", counts.positions],
          ["attention", `L · 4D² = ${L} · 4 · ${D}²`, counts.attention],
          ["feed-forward", `L · 8D² = ${L} · 8 · ${D}²`, counts.feed_forward],
          ["norms", `${{ pre: "(2L + 1) D", post: "2L D", parallel: "(L + 1) D" }[order]}`, counts.norms],
          ["all", "", counts.total],
        ]);
    },
  };
}

const render = explorer({
  name: "BlockExplorer",
  longest: 78,
  valid: {
    count: (value, { stops, ...spec }) => (stops ? stops.includes(value) : fits(spec, value)),
  },
  compute(problem, now) {
    const steps = blockSteps(problem, { ...now, head: Math.min(now.head, now.n_heads) });
    const shown = steps.find(({ key }) => key === now.step) ?? steps.at(-1);
    return { ...now, steps, shown, counts: blockCounts(problem, now) };
  },
  panels: (problem, view) => ({
    numbers: numbersPanel(view, problem),
    flow: flowPanel(view),
    counts: countsPanel(problem),
  }),
  say: ({ shown: { key, values } }, { written }) => [
    `${values.length} × ${values[0].length} numbers.`,
    ` ${(written && toldByHand[key]) || told[key]}`,
  ],
  result: ({ shown, steps, counts }) => ({
    step: shown.key,
    values: shown.values.map((row) => Array.from(row)),
    stream: steps.at(-1).values.map((row) => Array.from(row)),
    ...counts,
  }),
});

export default { render };
