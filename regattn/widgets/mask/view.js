// MaskExplorer: what a date of an autoregression may know, and what moves when the future is changed.
import { asQuery, bounded, dateHint, printed, radiusOf, timeTicks, widened } from "../_kit/dates.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, isolate, measured, numberTicks, rounded, shareText } from "../_kit/format.js";
import { maskProblem, maskState } from "./numbers.js";

const span = (lists, share) => {
  const ends = lists.map((a) => [Math.min(...a), Math.max(...a)]);
  return widened([Math.min(...ends.map(([low]) => low)), Math.max(...ends.map(([, high]) => high))], share);
};
const PARTS = [
  ["train", "dot", "up to the date that asks"],
  ["test", "dot", "after it"],
];

function historyPanel(problem) {
  const { n, units, name } = problem;
  const xs = Array.from({ length: n }, (_, i) => i);
  return {
    title: "What the date listens to",
    wide: true,
    legend: [...PARTS, ["neutral", "hollow", "hollow: weight below zero"], ["query", "diamond", "fitted at the date that asks (drag it)"]],
    plot: { label: "History", yLabel: units || name, height: 240 },
    by: "x",
    at: (k, { values }) => [k, values[k]],
    handle: { at: ({ row, prediction, frame }) => [row, bounded(prediction, frame)], to: (x) => asQuery(x, problem) },
    make(p) {
      const line = p.line("neutral");
      const [past, future] = [p.dots("train"), p.dots("test")];
      const [pastBelow, futureBelow] = [p.dots("train", { hollow: true }), p.dots("test", { hollow: true })];
      const [upright, diamond] = [p.marker("query", "upright"), p.marker("query")];
      return (state) => {
        const { values, fitted, weights, row } = state;
        state.frame = span([values, fitted], 0.06);
        p.frame({ x: [-1, n], y: state.frame, xTicks: timeTicks(p, problem) });
        const radius = radiusOf(weights);
        line(xs, values);
        past(xs, values, radius, (i) => i <= row && weights[i] >= 0);
        future(xs, values, radius, (i) => i > row && weights[i] >= 0);
        pastBelow(xs, values, radius, (i) => i <= row && weights[i] < 0);
        futureBelow(xs, values, radius, (i) => i > row && weights[i] < 0);
        upright(row);
        diamond(row, bounded(state.prediction, state.frame));
      };
    },
  };
}

function weightsPanel(problem) {
  return {
    title: "Its weights",
    wide: true,
    legend: PARTS.map(([role, , words]) => [role, "box", words]),
    plot: { label: "Weights", yLabel: "weight", height: 180 },
    by: "x",
    at: (k, { weights }) => [k, weights[k]],
    make(p) {
      const [past, future, upright] = [p.bars("train"), p.bars("test"), p.marker("query", "upright")];
      return ({ weights, row }) => {
        const ends = rounded([Math.min(0, ...weights), Math.max(0, ...weights)], 4);
        const y = ends[0] < ends[1] ? ends : [-1, 1];
        p.frame({ x: [-1, problem.n], y, xTicks: timeTicks(p, problem), yTicks: numberTicks(...y, 4) });
        past(weights, (i) => i <= row);
        future(weights, (i) => i > row);
        upright(row);
      };
    },
  };
}

function fitPanel(problem) {
  const { n, known, units, name } = problem;
  const xs = Array.from({ length: n }, (_, i) => i);
  return {
    title: "Observed and fitted",
    wide: true,
    legend: [
      ["neutral", "line", "observed"],
      ["leave-one-out", "dashed", "fitted, before the shock"],
      ["prediction", "line", "fitted now"],
    ],
    plot: { label: "Fit", yLabel: units || name, height: 210 },
    by: "x",
    at: (k, { values, fitted }) => [k, k < known ? values[k] : fitted[k - known]],
    make(p) {
      const [observed, old, now] = [p.line("neutral"), p.line("leave-one-out", { dashed: true }), p.line("prediction")];
      const upright = p.marker("query", "upright");
      return ({ values, fitted, before, row }) => {
        p.frame({ x: [-1, n], y: span([values, fitted, before], 0.06), xTicks: timeTicks(p, problem) });
        observed(xs, values);
        now(xs.slice(known), fitted);
        old(xs.slice(known), before);
        upright(row);
      };
    },
  };
}

const render = explorer({
  name: "MaskExplorer",
  longest: 82,
  prepare: maskProblem,
  compute: maskState,
  texts: () => ({ shock: (draw) => (draw ? `draw ${draw}` : "as it was") }),
  panels: (problem) => ({ fit: fitPanel(problem), history: historyPanel(problem), weights: weightsPanel(problem) }),
  hint: dateHint,
  cursor: (problem) => ({
    count: () => problem.n,
    text: (k, { weights, values, fitted }) =>
      `${isolate(problem.dates[k])}: weight ${formatNumber(weights[k])}\nobserved ${formatNumber(values[k])}` +
      (k < problem.known ? "" : `, fitted ${formatNumber(fitted[k - problem.known])}`),
    pick: (k) => asQuery(k, problem),
    start: ({ row }) => row,
  }),
  answers: () => ["prediction", "moved", "left"],
  numbers: ({ units }) => [
    ["prediction", measured("fitted", units), printed("prediction")],
    ["observed", measured("observed", units), printed("observed")],
    ["left", "left of the sum, before division", printed("left")],
    ["ahead", "share ahead, by size of weights", ({ ahead }) => shareText(ahead)],
    ["moved", measured("farthest move up to the date", units), printed("moved")],
  ],
  say({ query, shock, how_many: many, ahead }, { labels }) {
    const who = isolate(labels[query]);
    const share = ahead ? `${shareText(ahead)} of its weight, in size,` : "none of its weight";
    if (query === labels.length - 1) return [who, " is the last date: nothing comes after it that could be changed."];
    if (!shock) return [who, ` gives ${share} to what comes after it.`];
    return [who, ` and before: ${many || "none"} of ${query + 1} fitted values moved when the future was changed.`];
  },
  result: ({ weights, before, fitted, prediction, observed, left, ahead, moved, how_many }) => ({
    weights: Array.from(weights),
    before: Array.from(before),
    fitted: Array.from(fitted),
    prediction, observed, left, ahead, moved, how_many, // prettier-ignore
  }),
});

export default { render };
