// LagExplorer: an autoregression as attention in time, a map of dates on dates and one row of it over the history.
import { element } from "./controls.js";
import { explorer } from "./explorer.js";
import { formatNumber, isolate, orderTicks, rounded } from "./format.js";
import { lagProblem, lagState } from "./lag-numbers.js";

const SHADED = 0.98; // share of the weights of a map that are shaded by size; those above get the darkest shade

// Positions are those of the whole series, so that nothing moves sideways when the number of lags changes.
const places = ({ lags, n }) => Array.from({ length: n }, (_, t) => t + lags);
const timeTicks = (p, { dates }) => orderTicks(dates, Math.max(3, Math.floor(p.size.width / 56)));
const asQuery = (place, { longest, dates }) => ({ query: Math.max(0, Math.min(dates.length - longest - 1, Math.round(place) - longest)) });
const room = ([low, high], share) => [low - share * (high - low || 1), high + share * (high - low || 1)];

function historyPanel(problem) {
  const { dates, units, names } = problem;
  const frame = { x: [-1, dates.length], y: room(problem.highest, 0.1) };
  const inside = (value) => Math.max(frame.y[0], Math.min(frame.y[1], value));
  return {
    title: "The dates that this one listens to",
    wide: true,
    legend: [
      ["positive", "dot", "observed, larger with more weight"],
      ["negative", "dot", "weight below zero"],
      ["query", "diamond", "fitted at the date that asks (drag it)"],
    ],
    plot: { label: "History", yLabel: units || names[0], height: 260 },
    by: "x",
    at: (k, state) => [k + state.lags, state.values[k]],
    handle: { at: ({ row, lags, prediction }) => [row + lags, inside(prediction)], to: (x) => asQuery(x, problem) },
    make(p) {
      const [line, dots] = [p.line("neutral"), p.signedDots()];
      const [upright, diamond] = [p.marker("query", "upright"), p.marker("query")];
      return (state) => {
        const largest = Math.max(...state.weights.map(Math.abs)) || 1;
        const at = places(state);
        p.frame({ ...frame, xTicks: timeTicks(p, problem) });
        line(at, state.values);
        dots(at, state.values, (i) => 1 + 6.5 * Math.sqrt(Math.abs(state.weights[i]) / largest), state.weights);
        upright(state.row + state.lags);
        diamond(state.row + state.lags, inside(state.prediction));
      };
    },
  };
}

// A picture of the size of the weights of one sign, as opaque as they are large, for a mask over the role's colour.
function shades(map, limit, sign) {
  const n = map.length;
  const canvas = Object.assign(document.createElement("canvas"), { width: n, height: n });
  const context = canvas.getContext("2d");
  const image = context.createImageData(n, n);
  map.forEach((row, t) => row.forEach((weight, i) => (image.data[4 * (t * n + i) + 3] = 255 * Math.max(0, Math.min(1, (sign * weight) / limit)))));
  context.putImageData(image, 0, 0);
  return `url(${canvas.toDataURL()})`;
}

// The pictures of a fit, made once.
function pictures(found) {
  if (!found.pictures) {
    const sizes = new Float64Array(found.n * found.n);
    found.map.forEach((row, t) => sizes.set(row.map(Math.abs), t * found.n));
    sizes.sort();
    const limit = sizes[Math.floor(SHADED * (sizes.length - 1))] || sizes.at(-1) || 1;
    found.pictures = [shades(found.map, limit, 1), shades(found.map, limit, -1)];
  }
  return found.pictures;
}

function mapPanel(problem) {
  const { dates } = problem;
  const most = dates.length;
  return {
    title: "The map: every date on every date",
    legend: [
      ["positive", "box", "weight above zero"],
      ["negative", "box", "below zero"],
      ["query", "line", "the row that asks (click another)"],
    ],
    plot: { label: "Map of weights", yLabel: "date that asks", xLabel: "date that answers", height: 330 },
    hint: () => "of every date on every date",
    click: (_, y) => asQuery(-y, problem),
    make(p) {
      const layers = ["positive", "negative"].map((role) => element("div", { class: `ra-raster ra-${role}`, "aria-hidden": "true" }));
      p.host.classList.add("ra-layered");
      p.host.prepend(...layers);
      const level = p.marker("query", "level");
      let shown = null;
      return (state) => {
        const ticks = timeTicks(p, problem);
        p.frame({ x: [-0.5, most - 0.5], y: [0.5 - most, 0.5], xTicks: ticks, yTicks: ticks.map(({ at, text }) => ({ at: -at, text })) });
        const [first, last] = [state.lags - 0.5, most - 0.5];
        const box = { left: p.x(first), top: p.y(-first), width: p.x(last) - p.x(first), height: p.y(-last) - p.y(-first) };
        layers.forEach(({ style }, k) => {
          if (shown !== state.found) style.maskImage = pictures(state.found)[k];
          for (const [side, pixels] of Object.entries(box)) style[side] = `${pixels}px`;
        });
        shown = state.found;
        level(0, -(state.row + state.lags));
      };
    },
  };
}

function contributionsPanel(problem) {
  return {
    title: "What each date adds: weight × value",
    legend: [
      ["positive", "box", "adds to the fit"],
      ["negative", "box", "takes away"],
    ],
    plot: { label: "Contributions", yLabel: problem.units || problem.names[0], height: 330 },
    by: "x",
    at: (k, state) => [k + state.lags, state.contributions[k]],
    make(p) {
      const [bars, upright] = [p.signedBars(), p.marker("query", "upright")];
      return (state) => {
        const { contributions, lags, row } = state;
        const y = rounded([Math.min(0, ...contributions), Math.max(0, ...contributions)], 4);
        p.frame({ x: [-1, problem.dates.length], y: y[0] < y[1] ? y : [-1, 1], xTicks: timeTicks(p, problem) });
        bars([...new Array(lags).fill(0), ...contributions]);
        upright(row + lags);
      };
    },
  };
}

function fitPanel(problem) {
  const { dates, units, names } = problem;
  return {
    title: "Observed and fitted",
    wide: true,
    legend: [
      ["neutral", "line", "observed"],
      ["prediction", "line", "fitted: attention at every date"],
    ],
    plot: { label: "Fit", yLabel: units || names[0], height: 220 },
    by: "x",
    at: (k, state) => [k + state.lags, state.fitted[k]],
    make(p) {
      const [observed, line, upright] = [p.line("neutral"), p.line("prediction"), p.marker("query", "upright")];
      return (state) => {
        const at = places(state);
        const [low, high] = [Math.min(problem.highest[0], ...state.fitted), Math.max(problem.highest[1], ...state.fitted)];
        p.frame({ x: [-1, dates.length], y: room([low, high], 0.06), xTicks: timeTicks(p, problem) });
        observed(at, state.values);
        line(at, state.fitted);
        upright(state.row + state.lags);
      };
    },
  };
}

const render = explorer({
  name: "LagExplorer",
  prepare: lagProblem,
  compute: lagState,
  panels: (problem) => ({
    history: historyPanel(problem),
    map: mapPanel(problem),
    contributions: contributionsPanel(problem),
    fit: fitPanel(problem),
  }),
  hint: ({ query }, { labels }) => `for ${isolate(labels[query])}; arrow keys read the dates, Enter lets one ask`,
  cursor: (problem, view) => ({
    count: ({ n }) => n,
    text: (k, { lags, weights, values, fitted }) =>
      `${isolate(problem.dates[k + lags])}: weight ${formatNumber(weights[k])}\n` +
      `observed ${formatNumber(values[k])}, fitted ${formatNumber(fitted[k])}`,
    pick: (k) => asQuery(k + view.model.get("max_lag"), problem),
    start: ({ row }) => row,
  }),
  numbers() {
    const print = (key) => (state) => formatNumber(Number(state[key].toPrecision(12)));
    return [
      ["prediction", "fitted", print("prediction")],
      ["observed", "observed", print("observed")],
      ["total", "sum of weights", print("total")],
      ["own", "weight on itself", print("own")],
      ["rank", "rank of the map", ({ rank }) => String(rank)],
      ["error", "error over all dates", print("error")],
    ];
  },
  say({ weights, row, n, lags, query }, { labels, dates }) {
    let most = row === 0 ? 1 : 0;
    for (let i = 0; i < n; i++) if (i !== row && weights[i] > weights[most]) most = i;
    const below = weights.reduce((count, weight) => count + (weight < 0), 0);
    return [isolate(labels[query]), ` hears ${isolate(dates[most + lags])} most of all other dates; ${below} of ${n} have weights below zero.`];
  },
  result: ({ map, weights, contributions, fitted, prediction, observed, total, own, rank, error }) => ({
    map: map.map((row) => Array.from(row)),
    weights: Array.from(weights),
    contributions: Array.from(contributions),
    fitted: Array.from(fitted),
    prediction, observed, total, own, rank, error, // prettier-ignore
  }),
});

export default { render };
