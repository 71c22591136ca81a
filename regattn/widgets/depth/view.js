// DepthExplorer: from pooled to local, layer by layer: the error on new rows, what tells rows apart that go through the
// layers themselves, and the predictions of one date.
import { depthProblem, depthState } from "./numbers.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, formatResult, isolate, shorten } from "../_kit/format.js";

// Depths stand along the axis as their logarithms, so that equal steps are equal factors; the doublings of 1 are named.
const placeOf = (depth) => Math.log2(1 + depth);
const depthTicks = ({ depths }) =>
  depths
    .filter((depth) => Number.isInteger(Math.log2(depth || 1)))
    .map((depth) => ({ at: placeOf(depth), text: String(depth) }));

const layersOf = (depth) => (depth === 1 ? "layer" : "layers");

// The counts shown are not one layer apart: the button goes to the next of them.
function nameStep({ root }) {
  const button = root.querySelector("[data-play='step']");
  if (button) button.title = button.lastElementChild.textContent = "Next count";
}

const ENDS = { pooled: "neutral", local: "key", partial: "leave-one-out" }; // with their colours

function errorPanel(problem) {
  const { depths } = problem;
  const places = depths.map(placeOf);
  const ends = Object.keys(ENDS);
  const errorOf = (end) => problem[`${end}_error`];
  return {
    title: "Error on the dates that follow, layer by layer",
    wide: true,
    legend: [
      ["prediction", "line", "after so many layers"],
      ...ends.map((end) => [ENDS[end], "line", end === "partial" ? "partial pooling" : end]),
    ],
    plot: { label: "Error by layer", xLabel: "layers", yLabel: "typical error", height: 300 },
    by: "x",
    at: (k, { errors }) => [places[k], errors[k]],
    ghost: ({ errors }) => [places.slice(0, errors.length), errors],
    make(p) {
      const [line, here] = [p.line("prediction"), p.marker("prediction", "dot")];
      const levels = ends.map((end) => p.marker(ENDS[end], "level"));
      return ({ errors, layers }) => {
        p.frame({ x: [0, places.at(-1)], y: [0, 1.08 * Math.max(...ends.map(errorOf))], xTicks: depthTicks(problem) });
        ends.forEach((end, k) => levels[k](0, errorOf(end)));
        line(places.slice(0, errors.length), errors);
        here(places[layers], errors[layers]);
      };
    },
  };
}

function apartPanel(problem) {
  const { depths, rows_depths: shown } = problem;
  const [places, last] = [depths.map(placeOf), shown.length - 1];
  return {
    title: "What tells the rows of one date apart when they go through the layers themselves",
    wide: true,
    legend: [["value", "line", `share of their size in which they differ, up to ${shown[last]} layers`]],
    plot: { label: "What tells rows apart", xLabel: "layers", yLabel: "share", height: 180 },
    by: "x",
    at: (k, { apart }) => [places[Math.min(k, last)], apart[Math.min(k, last)]],
    make(p) {
      const [line, here] = [p.line("value"), p.marker("value", "dot")];
      return ({ apart, layers }) => {
        p.frame({ x: [0, places.at(-1)], y: [0, 1], xTicks: depthTicks(problem) });
        line(places.slice(0, apart.length), apart);
        here(places[Math.min(layers, last)], apart.at(-1));
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
  panels: (problem, view) => {
    nameStep(view);
    return { error: errorPanel(problem), apart: apartPanel(problem), units: unitsPanel(problem) };
  },
  hint: () => "; arrow keys read the layers",
  cursor: ({ depths }, view) => ({
    count: ({ errors }) => errors.length,
    text: (k, { errors, distances, apart }) => {
      const predicted = `error ${formatNumber(errors[k])}\ndistance to local ${formatNumber(distances[k])}`;
      const passed = k < apart.length ? `rows apart ${formatResult(apart[k])}` : "";
      const said = [view.hides("error") ? "" : predicted, view.hides("apart") ? "" : passed];
      return `${depths[k]} ${layersOf(depths[k])}: ${said.filter(Boolean).join(", ")}`;
    },
    start: ({ layers }) => layers,
  }),
  answers: () => ["distance", "apart"],
  numbers: ({ pooled_error, local_error, partial_error }, view) => {
    const rows = ["apart", "what tells the rows apart", ({ apart }) => formatResult(apart.at(-1))];
    const fits = [
      ["error", "error now", ({ errors, layers }) => formatNumber(errors[layers])],
      ["distance", "way still to go to the local fit", ({ distances, layers }) => formatNumber(distances[layers])],
      ["pooled", "error, pooled", () => formatNumber(pooled_error)],
      ["local", "error, local", () => formatNumber(local_error)],
      ["partial", "error, partial pooling", () => formatNumber(partial_error)],
    ];
    return [...(view.hides("error") ? [] : fits), ...(view.hides("apart") ? [] : [rows])];
  },
  say: ({ layers, errors, apart, time }, { times, depths, rows_depths: shown }, view) => {
    const after = (depth) => `After ${depth} ${layersOf(depth)}`;
    if (view.hides("error"))
      return `${after(shown[Math.min(layers, shown.length - 1)])} what tells the rows apart is ${formatResult(apart.at(-1))} of their size.`;
    const below = view.hides("units") ? "" : `; shown below are the predictions of ${isolate(times[time])}`;
    return `${after(depths[layers])} the typical error is ${formatNumber(errors[layers])}${below}.`;
  },
  result: ({ errors, distances, apart, predictions }, { pooled_error, local_error, partial_error }) => ({
    errors, distances, apart, predictions, // prettier-ignore
    pooled_error, local_error, partial_error, // prettier-ignore
  }),
});

export default { render };
