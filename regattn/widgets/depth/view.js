// DepthExplorer: from pooled to local, layer by layer: the error on new rows, what tells rows apart that go through the
// layers themselves, and the predictions of one date.
import { depthProblem, depthState } from "./numbers.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, formatResult, isolate, shorten } from "../_kit/format.js";

const depthTicks = ({ depths }) => depths.map((depth, at) => ({ at, text: String(depth) }));

const ENDS = { pooled: "neutral", local: "key", partial: "leave-one-out" }; // with their colours

function errorPanel(problem) {
  const { depths } = problem;
  const ends = Object.keys(ENDS);
  const errorOf = (end) => problem[`${end}_error`];
  return {
    title: "Error on the dates that follow, layer by layer",
    wide: true,
    legend: [
      ["prediction", "line", "after so many layers"],
      ...ends.map((end) => [ENDS[end], "line", end === "partial" ? "partial pooling" : end]),
    ],
    plot: { label: "Error by layer", xLabel: "layers, doubling", yLabel: "typical error", height: 240 },
    by: "x",
    at: (k, { errors }) => [k, errors[k]],
    ghost: ({ errors }) => [[...errors.keys()], errors],
    make(p) {
      const [line, here] = [p.line("prediction"), p.marker("prediction", "dot")];
      const levels = ends.map((end) => p.marker(ENDS[end], "level"));
      return ({ errors, layers }) => {
        p.frame({ x: [0, depths.length - 1], y: [0, 1.08 * Math.max(...ends.map(errorOf))], xTicks: depthTicks(problem) });
        ends.forEach((end, k) => levels[k](0, errorOf(end)));
        line(errors.map((_, k) => k), errors); // prettier-ignore
        here(layers, errors[layers]);
      };
    },
  };
}

function apartPanel(problem) {
  const { depths, rows_depths: shown } = problem;
  const last = shown.length - 1;
  return {
    title: "What tells the rows of one date apart when they go through the layers themselves",
    wide: true,
    legend: [["value", "line", `share of their size in which they differ, up to ${shown[last]} layers`]],
    plot: { label: "What tells rows apart", xLabel: "layers, doubling", yLabel: "share", height: 180 },
    by: "x",
    at: (k, { apart }) => [Math.min(k, last), apart[Math.min(k, last)]],
    make(p) {
      const [line, here] = [p.line("value"), p.marker("value", "dot")];
      return ({ apart, layers }) => {
        p.frame({ x: [0, depths.length - 1], y: [0, 1], xTicks: depthTicks(problem) });
        line([...apart.keys()], apart);
        here(Math.min(layers, last), apart.at(-1));
      };
    },
  };
}

function unitsPanel({ names, tasks, target }) {
  const all = tasks.flatMap(({ y_new, pooled }) => [...y_new, ...pooled]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const room = 0.08 * (high - low || 1);
  return {
    title: "The predictions of one date",
    wide: true,
    legend: [
      ["test", "dot", "what came"],
      ["prediction", "dot", "predicted"],
      ["neutral", "dot", "pooled"],
    ],
    plot: { label: "Predictions of one date", xLabel: target, height: Math.min(60 + 22 * names.length, 480) },
    make(p) {
      const [pooledDots, guesses, came] = [p.dots("neutral"), p.dots("prediction"), p.dots("test")];
      return ({ time, predictions }) => {
        const { asks, y_new, pooled } = tasks[time];
        const at = asks.map(({ unit }) => -1 - unit);
        const every = Math.ceil(names.length / 19);
        const yTicks = names.map((name, k) => ({ at: -1 - k, text: shorten(name, 18) })).filter((_, k) => k % every === 0);
        p.frame({ x: [low - room, high + room], y: [-0.5 - names.length, -0.5], yTicks });
        pooledDots(pooled, at, 2.5);
        came(y_new, at, 3);
        guesses(predictions, at, 4);
      };
    },
  };
}

const render = explorer({
  name: "DepthExplorer",
  prepare: depthProblem,
  compute: depthState,
  panels: (problem) => ({ error: errorPanel(problem), apart: apartPanel(problem), units: unitsPanel(problem) }),
  hint: () => "; arrow keys read the layers",
  cursor: ({ depths }) => ({
    count: ({ errors }) => errors.length,
    text: (k, { errors, distances, apart }) =>
      `${depths[k]} layers: error ${formatNumber(errors[k])}\ndistance to local ${formatNumber(distances[k])}` +
      (k < apart.length ? `, rows apart ${formatResult(apart[k])}` : ""),
    start: ({ layers }) => layers,
  }),
  answers: () => ["distance", "apart"],
  numbers: ({ pooled_error, local_error, partial_error }) => [
    ["error", "error now", ({ errors, layers }) => formatNumber(errors[layers])],
    ["distance", "way to the local fit that is left", ({ distances, layers }) => formatNumber(distances[layers])],
    ["apart", "what tells the rows apart", ({ apart }) => formatResult(apart.at(-1))],
    ["pooled", "error, pooled", () => formatNumber(pooled_error)],
    ["local", "error, local", () => formatNumber(local_error)],
    ["partial", "error, partial pooling", () => formatNumber(partial_error)],
  ],
  say: ({ layers, errors, time }, { times, depths }) =>
    `After ${depths[layers]} ${depths[layers] === 1 ? "layer" : "layers"} the typical error is ${formatNumber(errors[layers])}; shown below are the predictions of ${isolate(times[time])}.`,
  result: ({ errors, distances, apart, predictions }, { pooled_error, local_error, partial_error }) => ({
    errors, distances, apart, predictions, // prettier-ignore
    pooled_error, local_error, partial_error, // prettier-ignore
  }),
});

export default { render };
