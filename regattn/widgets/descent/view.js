// DescentExplorer: the walk of gradient descent over the loss surface of two parameters, step by step.
import { levelSet, walkOf } from "./numbers.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, powerText } from "../_kit/format.js";

// ---- pictures ------------------------------------------------------------------------------------------------------

function surfacePanel(problem, ringed) {
  const { best, names, reach, curvatures } = problem;
  const radii = [0.05, 0.12, 0.22, 0.35, 0.5, 0.7, 0.95, 1.25, 1.6].map((share) => share * reach);
  const levels = radii.map((radius) => levelSet(problem, 0.5 * curvatures[0] * radius * radius));
  const inside = (value, k) => Math.max(best[k] - reach, Math.min(best[k] + reach, value));
  const moveStart = (x, y) => ({ start_1: inside(x, 0), start_2: inside(y, 1) });
  const label = "Loss surface of two parameters with the path of the descent";
  return {
    title: "The loss surface and the path",
    legend: [
      ["query", "dot", "start (drag it, or click)"],
      ["key", "line", "path"],
      ["key", "dashed", "the next step"],
      ["truth", "diamond", "least squares"],
    ],
    plot: { label, xLabel: names[0], yLabel: names[1], height: 300 },
    hint: () => "; a click sets the start, and so do the two sliders",
    click: moveStart,
    handle: { at: ({ parameters }) => parameters[0], to: moveStart },
    make(p) {
      const [contours, path, dots] = [p.chains("neutral", 0.8), p.chains("key", 1.6), p.dots("key")];
      const ahead = p.chains("key ra-dashed", 1.5);
      const [here, start, bottom] = [p.marker("key", "dot"), p.marker("query", "dot"), p.marker("truth")];
      const ring = p.marker("cursor", "ring");
      let drawn = "";
      const visible = ([a, b]) => {
        const { x, y } = p.domain();
        return a >= x[0] && a <= x[1] && b >= y[0] && b <= y[1];
      };
      ringed.show = (point) => (point && visible(point) ? ring(...point) : ring());
      return ({ parameters, whole }) => {
        const half = p.squareDomain(reach * 1.02);
        p.frame({ x: half.x.map((v) => v + best[0]), y: half.y.map((v) => v + best[1]) });
        ringed.visible = visible;
        const frame = `${p.size.width} ${p.margin.left} ${p.domain().x}`;
        if (drawn !== frame) contours(levels);
        drawn = frame;
        path([parameters]);
        ahead([whole.parameters.slice(parameters.length - 1, parameters.length + 1)]);
        const shown = parameters.filter(visible);
        dots(shown.map((point) => point[0]), shown.map((point) => point[1]), 2.2); // prettier-ignore
        here(...(visible(parameters.at(-1)) ? parameters.at(-1) : []));
        start(...parameters[0]);
        bottom(...best);
      };
    },
  };
}

const DEEPEST = 1e-10; // below this share of the first excess the curve runs along the floor

function lossPanel(problem) {
  const label = "Loss above its least value at every step, on a logarithmic axis";
  let [heights, floor] = [[], 0];
  return {
    title: "Loss above its least value",
    beside: true,
    plot: { label, xLabel: "step", yLabel: "loss − least loss", height: 300 },
    hint: () => "; arrow keys read the steps",
    at: (k) => [k, Math.max(floor, heights[k])],
    by: "x",
    make(p) {
      const [line, here, end] = [p.line("key"), p.marker("key", "dot"), p.marker("negative", "diamond")];
      return ({ whole: { excess }, losses, diverged_at }) => {
        const first = Math.max(excess[0], DEEPEST * problem.curvatures[0] * problem.reach ** 2);
        const low = Math.floor(Math.log10(Math.max(DEEPEST * first, Math.min(first, ...excess.filter((e) => e > 0)))));
        const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(first, ...excess))));
        floor = low;
        heights = excess.map((value) => (value > 0 ? Math.log10(value) : -Infinity));
        const every = Math.ceil((high - low) / 6);
        const yTicks = [];
        for (let power = low; power <= high; power++) {
          const at = power || 1e-9; // 10⁰ is no zero line
          if ((power - low) % every === 0) yTicks.push({ at, text: powerText(10 ** power) });
        }
        p.frame({ x: [0, problem.steps], y: [low, high], yTicks });
        const walked = heights.slice(0, losses.length);
        line(walked.map((_, k) => k), walked.map((value) => Math.max(floor, value))); // prettier-ignore
        if (diverged_at === null) here(walked.length - 1, Math.max(floor, walked.at(-1)));
        else here();
        if (diverged_at === null) end();
        else end(walked.length - 1, walked.at(-1));
      };
    },
  };
}

// ---- the explorer --------------------------------------------------------------------------------------------------

const whenText = (count) => (count ? `After ${count} ${count === 1 ? "step" : "steps"}` : "At the start");
const pair = (point) => `(${point.map((value) => formatNumber(value)).join(", ")})`;

const render = explorer({
  name: "DescentExplorer",
  longest: 116,
  prepare: (data) => ({ ...data, ringed: { show: () => {}, visible: () => true } }), // where the cursor of the loss stands on the surface, and what the surface shows
  compute(problem, { step, ...now }, before) {
    const key = JSON.stringify(now);
    const whole = before?.key === key ? before.whole : walkOf(problem, now); // a step only shows more or less of a walk
    const [parameters, losses] = [whole.parameters, whole.losses].map((all) => all.slice(0, step + 1));
    const ran = whole.diverged_at !== null && step >= whole.diverged_at;
    return { key, whole, step, parameters, losses, diverged_at: ran ? whole.diverged_at : null };
  },
  ended: ({ diverged_at }) => diverged_at !== null,
  texts: ({ largest_stable_step: limit, y }) => ({
    learning_rate: (eta) => `${formatNumber(eta)} (${formatNumber(eta / limit, 2)} × limit)`,
    batch_size: (size) => (size === y.length ? `all ${size} rows` : `${size} of ${y.length} rows`),
  }),
  numbers: ({ least_loss, largest_stable_step }) => [
    ["loss", "loss here, mean squared error", ({ losses }) => formatNumber(losses[losses.length - 1], 5)],
    ["least_loss", "least possible loss", () => formatNumber(least_loss, 5)],
    ["largest_stable_step", "limit: largest stable learning rate", () => formatNumber(largest_stable_step)],
  ],
  say: ({ whole, parameters, losses, diverged_at }, { ringed }) =>
    diverged_at === null
      ? `${whenText(losses.length - 1)} the loss is ${formatNumber(whole.excess[losses.length - 1])} above its least value${losses.length > 1 ? `; at the start it was ${formatNumber(whole.excess[0])}` : ""}.${ringed.visible(parameters.at(-1)) ? "" : " The walk is outside the picture."}`
      : `The walk ran away: step ${diverged_at} would have taken the loss beyond a million million times its start.`,
  panels: (problem) => ({ surface: surfacePanel(problem, problem.ringed), loss: lossPanel(problem) }),
  cursor: ({ ringed }) => ({
    count: ({ losses }) => losses.length,
    text: (k, { parameters, losses }) => `step ${k}: ${pair(parameters[k])}\nloss ${formatNumber(losses[k], 5)}`,
    moved: (k, { parameters }) => ringed.show(k === null ? null : parameters[k]),
  }),
  result: ({ parameters, losses, diverged_at }, { largest_stable_step, least_loss }) => ({
    parameters,
    losses,
    diverged_at,
    largest_stable_step,
    least_loss,
  }),
});

export default { render };
