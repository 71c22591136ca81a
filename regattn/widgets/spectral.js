// SpectralExplorer: one query j against every training observation i, while λ, L and the query move.
import { explorer } from "./explorer.js";
import { formatNumber, isolate } from "./format.js";
import { spectralBounds, spectralProblem, spectralState } from "./spectral-numbers.js";
import { codesPanel, pathPanel, splitPanel, sumPanel, weightsPanel } from "./spectral-panels.js";

function spectralMessage(state, { names, n, targets, units }) {
  const known = targets[state.query];
  let [most, least] = [0, 0];
  state.weights.forEach((weight, i) => {
    if (weight > state.weights[most]) most = i;
    if (weight < state.weights[least]) least = i;
  });
  const say = (i) => `${isolate(names[i])} (${formatNumber(state.weights[i], 2)})`;
  const observed = known === null ? "" : `, observed ${formatNumber(known)}`;
  const unit = units ? ` ${isolate(units)}` : "";
  return [
    isolate(names[state.query]),
    `${state.query >= n ? " (test row)" : ""}: predicted ${formatNumber(state.prediction)}${observed}${unit}. ` +
      `It gives most weight to ${say(most)} and least to ${say(least)}.`,
  ];
}

// What is said of training observation k, in the tip and to a screen reader.
function spectralReading({ names, n, y, units }, { weights, scale, cosine }, k) {
  const unit = units ? ` ${isolate(units)}` : "";
  return (
    `${isolate(names[k])}: weight ${formatNumber(weights[k])}\n` +
    `= 1/${n} + ${formatNumber(scale[k])} × ${formatNumber(cosine[k], 2)}\n` +
    `target ${formatNumber(y[k])}${unit}, adds ${formatNumber(weights[k] * y[k])}`
  );
}

const render = explorer({
  name: "SpectralExplorer",
  prepare: spectralProblem,
  compute(problem, now, before) {
    const bounds = before?.query === now.query ? before.bounds : spectralBounds(problem, now.query);
    return { ...spectralState(problem, now), root: now.root, angle: now.angle, bounds };
  },
  texts: ({ names, n }, view) => ({
    query: (query) => `${isolate(names[query])}${query >= n ? " (test)" : ""}`,
    angle: (angle) => `${Math.round(angle)}°${view.model.get("root") === "rotated" ? "" : " (not in use)"}`,
  }),
  numbers({ targets, y_test }) {
    const print = (key) => (state) => formatNumber(state[key]);
    return [
      ["prediction", "prediction", print("prediction")],
      ["observed", "observed", ({ query }) => formatNumber(targets[query])],
      ["dof", "degrees of freedom", print("dof")],
      ["train_error", "training error", print("train_error")],
      ["loo_error", "leave-one-out error", print("loo_error")],
      ...(y_test ? [["test_error", "test error", print("test_error")]] : []),
    ];
  },
  say: spectralMessage,
  panels: (problem, view) => ({
    weights: weightsPanel(problem),
    split: splitPanel(problem),
    codes: codesPanel(problem),
    sum: sumPanel(problem),
    path: pathPanel(problem, view),
  }),
  hint: ({ query }, { names }) =>
    `for ${isolate(names[query])}; arrow keys read the training observations, Enter makes one the query`,
  cursor: (problem) => ({
    count: () => problem.n,
    text: (k, state) => spectralReading(problem, state, k),
    pick: (k) => ({ query: k }),
    start: ({ query }) => Math.min(query, problem.n - 1),
  }),
  result: ({ weights, scale, cosine, prediction, dof, train_error, test_error, loo_error }) => ({
    weights: Array.from(weights),
    scale: Array.from(scale),
    cosine: Array.from(cosine),
    prediction,
    dof,
    train_error,
    test_error,
    loo_error,
  }),
});

export default { render };
