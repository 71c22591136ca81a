// NetworkExplorer: a small network for a yes or a no, trained in the page.
import { explorer } from "../_kit/explorer.js";
import { formatNumber } from "../_kit/format.js";
import { crossEntropy, feed, logitsOf, networkSizes, sigmoid } from "./numbers.js";
import { UNIT_SIDE, borderPanel, lossPanel, unitsPanel } from "./panels.js";
import { networkTraining } from "./training.js";
import { walker } from "../_kit/play.js";

const FINE = 33; // points of the border's grid along each axis

const between = ([low, high], count) => Array.from({ length: count }, (_, k) => low + ((high - low) * k) / (count - 1));

// The points of a grid, row by row, as the inputs of a network.
function gridOf({ low, high }, count) {
  const [xs, ys] = [0, 1].map((axis) => between([low[axis], high[axis]], count));
  return { xs, ys, inputs: Float64Array.from(ys.flatMap((y) => xs.flatMap((x) => [x, y]))) };
}

function shareRight(z, y) {
  let right = 0;
  for (let i = 0; i < y.length; i++) right += z[i] > 0 === (y[i] === 1);
  return right / y.length;
}

const SILENT = 1e-9; // an answer below this is none

// How many hidden units answer nothing to any training row; `taken` is what the layers after the first took in.
function countSilent(taken, n) {
  let silent = 0;
  for (const answers of taken) {
    for (let first = 0; first < answers.length; first += n) {
      if (answers.subarray(first, first + n).every((answer) => Math.abs(answer) < SILENT)) silent++;
    }
  }
  return silent;
}

const percent = (share) => `${(100 * share).toFixed(1)}\u00a0%`;

function describe({ step, loss, losses, layers, silent, diverged_at, right, right_held_out }) {
  if (diverged_at !== null) {
    const beyond = "beyond a million million times its start";
    return `The training ran away: step ${diverged_at} would have taken the loss ${beyond}.`;
  }
  const also = right_held_out === null ? "" : ` and ${percent(right_held_out)} of those held out`;
  const begun = step === 0 ? "At the start" : `After ${step} ${step === 1 ? "step" : "steps"}`;
  const warning = step > 0 && loss > losses[0] ? " The loss is above that of the start: the steps are too long." : "";
  const units = layers.reduce((total, width) => total + width, 0);
  const dead = silent ? ` ${silent} of ${units} hidden ${units === 1 ? "unit answers" : "units answer"} nothing to any training row.` : "";
  return `${begun} the network is right in ${percent(right)} of the training rows${also}.${warning}${dead}`;
}

const render = explorer({
  name: "NetworkExplorer",
  longest: 150,
  prepare(data) {
    const flat = (rows) => Float64Array.from(rows.flat());
    const problem = { ...data, inputs: flat(data.X), inputs_held_out: flat(data.X_held_out) };
    problem.fine = gridOf(data, FINE);
    problem.small = gridOf(data, UNIT_SIDE);
    problem.coarse = gridOf(data, data.coarse_count);
    problem.train = walker(networkTraining(problem));
    return problem;
  },
  compute(problem, { step, ...settings }) {
    const state = problem.train(step, settings);
    const { theta } = state;
    const z = logitsOf(settings, theta, problem.fine.inputs);
    const held = problem.y_held_out.length ? logitsOf(settings, theta, problem.inputs_held_out) : null;
    const sizes = networkSizes(settings);
    const fed = feed(sizes, theta, settings.activation, problem.inputs);
    const own = fed.sums.at(-1);
    return {
      step,
      z,
      logits: (inputs) => logitsOf(settings, theta, inputs),
      layers: sizes.slice(1, -1),
      answers: feed(sizes, theta, settings.activation, problem.small.inputs).taken.slice(1),
      probabilities: Array.from(logitsOf(settings, theta, problem.coarse.inputs), sigmoid),
      parameters: Array.from(theta),
      losses: state.losses.slice(),
      held_out: state.held_out.slice(),
      loss: crossEntropy(own, problem.y),
      loss_held_out: held && crossEntropy(held, problem.y_held_out),
      right: shareRight(own, problem.y),
      right_held_out: held && shareRight(held, problem.y_held_out),
      silent: countSilent(fed.taken.slice(1), problem.y.length),
      diverged_at: state.diverged_at,
    };
  },
  ended: ({ diverged_at }) => diverged_at !== null,
  texts: ({ y }) => ({
    units_1: (count) => (count ? String(count) : "no hidden layer"),
    batch_size: (size) => (size === y.length ? `all ${size} rows` : `${size} of ${y.length} rows`),
    seed: (seed) => `draw ${seed}`,
  }),
  numbers: ({ y_held_out }) => [
    ["loss", "loss, training rows, nats", ({ loss }) => formatNumber(loss, 4)],
    ...(y_held_out.length
      ? [["loss_held_out", "loss, held out, nats", ({ loss_held_out }) => formatNumber(loss_held_out, 4)]]
      : []),
    ["count", "parameters", ({ parameters }) => String(parameters.length)],
  ],
  say: describe,
  panels: (problem) => ({ border: borderPanel(problem), loss: lossPanel(problem), units: unitsPanel() }),
  cursor: ({ every }) => ({
    count: ({ losses }) => losses.length,
    text: (k, { losses, held_out }) => {
      const also = held_out.length ? `\nheld out ${formatNumber(held_out[k], 4)}` : "";
      return `step ${k * every}: loss ${formatNumber(losses[k], 4)}${also}`;
    },
  }),
  result: ({ parameters, probabilities, losses, held_out, loss, right, right_held_out, silent, diverged_at }) => ({
    parameters,
    probabilities,
    losses,
    held_out,
    loss,
    right,
    right_held_out,
    silent,
    diverged_at,
  }),
});

export default { render };
