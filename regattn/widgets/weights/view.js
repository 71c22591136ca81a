// WeightsExplorer: a prediction is a baseline and what each training row adds, its weight times its outcome's distance
// from the mean; two models can be set side by side.
import { addedPanel, averagedPanel } from "../_kit/averaged.js";
import { printed, radiusOf, widened } from "../_kit/dates.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, formatResult, isolate, measured, numberTicks, shareText } from "../_kit/format.js";
import { dot, runningSum, sum } from "../_numbers/maths.js";

const sizeOf = (weights) => sum(weights.map(Math.abs));

// The part of its weight that one model puts where the other does, with the same sign.
function inCommon(a, b) {
  const [all, others] = [sizeOf(a), sizeOf(b)];
  return 1 - sum(a.map((weight, i) => Math.abs(weight / (all || 1) - b[i] / (others || 1)))) / 2;
}

function weightsState({ outcomes, level, weights: models }, { query, model, beside }) {
  const [weights, second] = [models[model][query], models[beside][query]];
  const contributions = weights.map((weight, i) => weight * (outcomes[i] - level));
  const order = contributions.map((_, i) => i);
  order.sort((i, j) => Math.abs(contributions[j]) - Math.abs(contributions[i]) || i - j);
  const leverage = sum(weights);
  const baseline = level * leverage;
  return {
    query, model, beside, weights, contributions, order, second, baseline, leverage, // prettier-ignore
    running: runningSum([baseline, ...order.map((i) => contributions[i])]),
    prediction: dot(weights, outcomes),
    up: sum(contributions.map((each) => Math.max(each, 0))),
    down: sum(contributions.map((each) => Math.min(each, 0))),
    short: sum(weights.map((each) => Math.min(each, 0))),
    effective: leverage ** 2 / (sum(weights.map((each) => each ** 2)) || 1),
    common: inCommon(weights, second),
  };
}

function weightsProblem(data) {
  const { outcomes, labels } = data;
  return { ...data, dates: labels, range: widened([Math.min(...outcomes), Math.max(...outcomes)], 0.08) };
}

// Where each run of rows of one group begins and ends.
function runsOf(groups) {
  const starts = groups.map((_, i) => i).filter((i) => groups[i] !== groups[i - 1]);
  return starts.map((start, k) => ({ name: groups[start], start, end: starts[k + 1] ?? groups.length }));
}

// The same plot with one name under each run, and the line through the rows broken between runs.
function grouped(p, runs) {
  const xTicks = runs.map(({ name, start, end }) => ({ at: (start + end - 1) / 2, text: name }));
  const line = (role) => {
    const draw = p.chains(role, 1.5);
    return (xs, ys) => draw(runs.map(({ start, end }) => xs.slice(start, end).map((x) => [x, ys[x]])));
  };
  return { ...p, line, frame: (frame) => p.frame({ ...frame, xTicks }) };
}

// Outcomes in the order of the training rows, larger the more weight a model gives them. The axis holds the prediction.
function rowsPanel({ outcomes, dates, range, units, groups }, which) {
  const own = which === "weights";
  const held = ({ prediction }) => [Math.min(range[0], prediction), Math.max(range[1], prediction)];
  const panel = averagedPanel({
    title: own ? "Whom it listens to" : "The same prediction by the model beside it",
    label: own ? "Training rows" : "Training rows, other model",
    units,
    height: own ? 250 : 200,
    of: (state) => ({
      outcomes, dates, // prettier-ignore
      range: own ? held(state) : range,
      weights: state[which],
      prediction: own ? state.prediction : null,
    }),
    predicted: own,
  });
  return groups ? { ...panel, make: (p) => panel.make(grouped(p, runsOf(groups))) } : panel;
}

function planePanel({ predictors = {}, asks = {} }, view) {
  const rangeOf = (name, query) => {
    const values = [...predictors[name], asks[name][query]];
    return widened([Math.min(...values), Math.max(...values)], 0.12);
  };
  const chosen = () => [view.model.get("across"), view.model.get("up")];
  return {
    title: "In the plane of two predictors",
    legend: [
      ["positive", "dot", "training row, larger with more weight"],
      ["negative", "dot", "weight below zero"],
      ["query", "diamond", "the case to predict"],
    ],
    plot: { label: "Plane of two predictors", height: 230 },
    by: "xy",
    make(p) {
      const [dots, mark, named] = [p.signedDots(), p.marker("query"), [p.note("neutral", "end"), p.note("neutral")]];
      return ({ weights, query }) => {
        const [across, up] = chosen();
        const [x, y] = [rangeOf(across, query), rangeOf(up, query)];
        p.frame({ x, y, xTicks: numberTicks(...x, 5), yTicks: numberTicks(...y, 5) });
        dots(predictors[across], predictors[up], radiusOf(weights), weights);
        mark(asks[across][query], asks[up][query]);
        named[0](`${isolate(across)} →`, x[1], y[0]);
        named[1](`↑ ${isolate(up)}`, x[0], y[1], { dx: 4 });
      };
    },
  };
}

const render = explorer({
  name: "WeightsExplorer",
  prepare: weightsProblem,
  compute: weightsState,
  panels: (problem, view) => ({
    rows: rowsPanel(problem, "weights"),
    second: rowsPanel(problem, "second"),
    sum: addedPanel(problem.units),
    plane: planePanel(problem, view),
  }),
  hint: ({ query }, { asked }) => `for ${isolate(asked[query])}; arrow keys read the rows`,
  cursor: ({ outcomes, labels }) => ({
    count: () => outcomes.length,
    text: (k, { weights, contributions }) =>
      `${isolate(labels[k])}: weight ${formatResult(weights[k])}\n` +
      `outcome ${formatNumber(outcomes[k])}\n` +
      `adds ${formatResult(contributions[k])}`,
    start: ({ order }) => order[0],
  }),
  answers: (view) => ["effective", ...(view.hides("second") ? [] : ["common"])],
  numbers: ({ units }, view) => [
    ["prediction", measured("prediction", units), printed("prediction")],
    ["baseline", measured("baseline: mean outcome × sum of weights", units), printed("baseline")],
    ["up", measured("rows for more", units), printed("up")],
    ["down", measured("rows for less", units), printed("down")],
    ["short", "sum of weights below zero", printed("short")],
    ["leverage", "sum of weights", printed("leverage")],
    ["effective", "effective number of rows", printed("effective")],
    ...(view.hides("second") ? [] : [["common", "weight in common with the model beside it", ({ common }) => shareText(common)]]),
  ],
  say({ query, order, weights, contributions, leverage, prediction }, { asked, labels }) {
    const [k] = order;
    const from = Math.abs(leverage - 1) < 1e-9 ? "the mean of all rows" : "the baseline";
    const moved = `${contributions[k] > 0 ? "+" : ""}${formatNumber(contributions[k])} from ${from}`;
    const loudest = `${isolate(labels[k])} moves it most: with weight ${formatNumber(weights[k])}, by ${moved}.`;
    return [formatResult(prediction), ` for ${isolate(asked[query])}. ${loudest}`];
  },
  result: ({ query, model, beside, weights, contributions, order, second, running, ...numbers }) => ({
    ...numbers,
    weights: Array.from(weights),
    contributions: Array.from(contributions),
    order,
    second: Array.from(second),
    running: Array.from(running),
  }),
});

export default { render };
