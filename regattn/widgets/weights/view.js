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
  const loudest = weights.reduce((top, weight, i) => (Math.abs(weight) > Math.abs(weights[top]) ? i : top), 0);
  return {
    query, model, beside, weights, contributions, order, second, baseline, leverage, loudest, // prettier-ignore
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

// Where each run of rows of one group begins and ends, and how far the gaps before it have moved it to the right.
const GAP = 2;
function runsOf(groups) {
  const starts = groups.map((_, i) => i).filter((i) => groups[i] !== groups[i - 1]);
  return starts.map((start, k) => ({ name: groups[start], start, end: starts[k + 1] ?? groups.length, moved: k * GAP }));
}

// Names under the runs, as many as there is room for: the one that asks first, then those that a button lets ask, then
// those that are heard most.
function namesUnder(p, runs, { asks, next, heard, width }) {
  const { margin, size } = p;
  const room = size.width - margin.left - margin.right;
  const wanted = runs.map(({ name, start, end, moved }) => {
    const at = (start + end - 1) / 2 + moved;
    const half = ([...name].length * 7 * size.unit) / 2 + 3;
    const x = Math.max(half, Math.min(size.width - half, margin.left + ((at + 1) / (width + 1)) * room));
    return { at, text: name, x, half, rank: name === asks ? 2 : next.includes(name) ? 1 : 0, heard: heard(start, end) };
  });
  const kept = [];
  for (const each of [...wanted].sort((a, b) => b.rank - a.rank || b.heard - a.heard)) {
    if (kept.every(({ x, half }) => Math.abs(each.x - x) >= each.half + half)) kept.push(each);
  }
  return kept.sort((a, b) => a.at - b.at).map(({ at, text }) => ({ at, text }));
}

// The same plot with a gap and a name for each run, the line broken between runs; `look.state` is what is drawn now.
function grouped(p, runs, look) {
  const places = runs.flatMap(({ start, end, moved }) => Array.from({ length: end - start }, (_, i) => start + i + moved));
  const width = places.at(-1) + GAP;
  const line = (role) => {
    const draw = p.chains(role, 1.5);
    return (xs, ys) => draw(runs.map(({ start, end }) => xs.slice(start, end).map((x) => [places[x], ys[x]])));
  };
  const signedDots = () => {
    const draw = p.signedDots();
    return (xs, ys, radius, weights) => draw(xs.map((x) => places[x]), ys, radius, weights);
  };
  const heard = (start, end) => sizeOf(look.state.weights.slice(start, end));
  const frame = (wanted) => {
    const yTicks = look.ticks?.(wanted.y) ?? wanted.yTicks;
    p.frame({ ...wanted, x: [-1, width], xTicks: namesUnder(p, runs, { asks: look.asks(), next: look.next, heard, width }), yTicks });
  };
  return { ...p, line, signedDots, frame, places };
}

// Powers of ten on an axis of natural logarithms.
function logTicks([low, high]) {
  const [first, last] = [low, high].map((end) => end / Math.LN10);
  const powers = Array.from({ length: Math.max(0, Math.floor(last) - Math.ceil(first) + 1) }, (_, k) => Math.ceil(first) + k);
  return powers.map((power) => ({ at: power * Math.LN10, text: power < 0 || power > 8 ? formatNumber(10 ** power, 1) : (10 ** power).toLocaleString("en") }));
}

// Three digits, with commas from a thousand on.
function plainText(value) {
  return value >= 999.5 && value < 1e9 ? Number(value.toPrecision(3)).toLocaleString("en") : formatNumber(value);
}

// How an outcome is printed: where outcomes are logs, the number whose log it is.
const outcomeText = ({ logs }, value) => (logs ? plainText(Math.exp(value)) : formatNumber(value));

// Outcomes in the order of the training rows, larger the more weight a model gives them. The axis holds the prediction.
function rowsPanel({ outcomes, dates, range, units, groups, asked, y_new: came, logs }, which, view) {
  const own = which === "weights";
  const held = ({ prediction }) => {
    const [low, high] = [Math.min(range[0], prediction), Math.max(range[1], prediction)];
    return [low - (low < range[0] ? 0.4 : 0), high + (high > range[1] ? 0.4 : 0)];
  };
  const next = view.kit.presets.map(([, { query }]) => asked[query]);
  const look = { state: null, asks: () => asked[look.state.query], next, ticks: logs ? logTicks : null };
  const panel = averagedPanel({
    title: own ? "Whom it listens to" : "The same prediction by the model beside it",
    label: own ? "Training rows" : "Training rows, other model",
    units: logs ? `${units} (log scale)` : units,
    height: own ? 250 : 200,
    of: (state) => ({
      outcomes, dates, // prettier-ignore
      range: own ? held(state) : range,
      weights: state[which],
      prediction: own ? state.prediction : null,
    }),
    predicted: own,
  });
  if (!groups) return panel;
  const runs = runsOf(groups);
  const { places } = grouped({}, runs, look);
  if (came && own) panel.legend.push(["test", "diamond", "what came"]);
  return {
    ...panel,
    at: (k, state) => [places[k], panel.at(k, state)[1]],
    make(p) {
      const draw = panel.make(grouped(p, runs, look));
      const mark = p.marker("test");
      return (state) => {
        look.state = state;
        draw(state);
        const run = came && own && runs.find(({ name }) => name === look.asks());
        if (run) mark(run.end - 1 + run.moved + 1.5, came[state.query]);
        else mark();
      };
    },
  };
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
    rows: rowsPanel(problem, "weights", view),
    second: rowsPanel(problem, "second", view),
    sum: addedPanel(problem.units),
    plane: planePanel(problem, view),
  }),
  hint: ({ query }, { asked }) => `for ${isolate(asked[query])}; arrow keys read the rows`,
  cursor: ({ outcomes, labels, logs }) => ({
    count: () => outcomes.length,
    text: (k, { weights, contributions }) =>
      `${isolate(labels[k])}: weight ${formatResult(weights[k])}\n` +
      `outcome ${outcomeText({ logs }, outcomes[k])}\n` +
      `adds ${formatResult(contributions[k])}${logs ? " to the log" : ""}`,
    start: ({ order }) => order[0],
  }),
  answers: (view) => {
    const { groups } = view.model.get("data");
    return [...(groups ? ["own", "loudest"] : ["effective"]), ...(view.hides("second") ? [] : ["common"])];
  },
  numbers({ units, groups, asked, logs }, view) {
    const inLogs = logs ? `log of ${units}` : units;
    const own = ({ weights, query }) => sum(weights.filter((_, i) => groups[i] === asked[query]));
    const heard = ({ weights, loudest }) => formatResult(weights[loudest]);
    const shared = ({ common, beside }) => `${shareText(common)} with ${isolate(beside)}`;
    return [
      ...(groups ? [["own", "weight on its own rows", (state) => formatNumber(Number(own(state).toPrecision(12)))]] : []),
      ...(groups ? [["loudest", "weight of the largest dot", heard]] : []),
      ["prediction", measured("prediction", units), logs ? ({ prediction }) => outcomeText({ logs }, prediction) : printed("prediction")],
      ["baseline", measured("baseline: mean outcome × sum of weights", inLogs), printed("baseline")],
      ["up", measured("rows for more", inLogs), printed("up")],
      ["down", measured("rows for less", inLogs), printed("down")],
      ["short", "sum of weights below zero", printed("short")],
      ["leverage", "sum of weights", printed("leverage")],
      ["effective", "effective number of rows", printed("effective")],
      ...(view.hides("second") ? [] : [["common", "weight in common with the model beside it", shared]]),
    ];
  },
  say({ query, order, weights, contributions, leverage, prediction, loudest }, { asked, labels, groups, y_new: came, units, logs }) {
    if (groups) {
      const truth = came ? `; ${outcomeText({ logs }, came[query])} came` : "";
      const way = weights[loudest] < 0 ? "has the largest weight in size," : "is heard most, with weight";
      const most = `${isolate(labels[loudest])} ${way} ${formatNumber(weights[loudest])}.`;
      return [outcomeText({ logs }, prediction), `${units && ` ${isolate(units)}`} for ${isolate(asked[query])}${truth}. ${most}`];
    }
    const [k] = order;
    const from = Math.abs(leverage - 1) < 1e-9 ? "the mean of all rows" : "the baseline";
    const moved = `${contributions[k] > 0 ? "+" : ""}${formatNumber(contributions[k])} from ${from}`;
    const mover = `${isolate(labels[k])} moves it most: with weight ${formatNumber(weights[k])}, by ${moved}.`;
    return [formatResult(prediction), ` for ${isolate(asked[query])}. ${mover}`];
  },
  result: ({ query, model, beside, weights, contributions, order, second, running, loudest, ...numbers }) => ({
    ...numbers,
    weights: Array.from(weights),
    contributions: Array.from(contributions),
    order,
    second: Array.from(second),
    running: Array.from(running),
  }),
});

export default { render };
