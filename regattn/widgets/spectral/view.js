// SpectralExplorer: one query j against every training observation i, while λ, L and the query move.
import { explorer } from "../_kit/explorer.js";
import { formatNumber, formatResult, isolate, measured } from "../_kit/format.js";
import { addedBy, extremes, ranks, spectralOfQuery, spectralProblem, spectralState } from "./numbers.js";
import { codesPanel, pathPanel, splitPanel, sumPanel, weightsPanel } from "./panels.js";

const unitOf = ({ units }) => (units ? ` ${isolate(units)}` : "");

function spectralMessage(state, problem, view) {
  const { names, targets } = problem;
  const known = targets[state.query];
  const [most, least] = extremes(state.weights);
  const say = (i) => `${isolate(names[i])} (${formatResult(state.weights[i], 2)})`;
  const inside = state.query < problem.n;
  const place = inside && `${ordinal(ranks(problem, state, state.query).heavy)} of ${problem.n}`;
  const own = inside && most !== state.query ? `; its own: ${formatResult(state.weights[state.query], 2)}, ${place}` : "";
  const when = problem.later && ` ${isolate(problem.later)}`;
  const observed = known === null ? "" : `, observed${when} ${formatNumber(known)}`;
  const errors = [["leave-one-out", state.loo_error], ["training", state.train_error], ["test", state.test_error]]; // prettier-ignore
  const said = errors.filter(([, error]) => error !== null).map(([name, error]) => `${name} ${formatResult(error)}`);
  return [
    `${isolate(names[state.query])}: ${formatResult(state.prediction)}`,
    `${unitOf(problem)} ${inside ? "fitted" : "predicted"}${problem.named ? ` from ${predictorsOf(problem, state.query)}` : ""}${observed}. ` +
      (view.hides("path")
        ? `Largest weight: ${most === state.query ? `its own (${formatResult(state.weights[most], 2)})` : say(most)}${own}; ${state.weights[least] < 0 ? "furthest below zero" : "smallest"}: ${say(least)}.`
        : `Errors of the whole fit: ${said.join(", ")}.`),
  ];
}

const ordinal = (k) => `${k}${{ 1: "st", 2: "nd", 3: "rd" }[k % 100 > 10 && k % 100 < 14 ? 0 : k % 10] ?? "th"}`;

// The predictors of a row, by their names.
function predictorsOf({ predictors, rows, predictors_hidden: more }, k) {
  const said = predictors.map((name, j) => `${isolate(name)} ${formatNumber(rows[k][j])}`);
  return `${said.join(", ")}${more ? ` and ${more} more` : ""}`;
}

// What is said of training observation k, in the tip and to a screen reader.
function spectralReading(problem, state, k, view) {
  const [{ names, n, y }, { weights, scale, cosine }] = [problem, state];
  const { heavy, near } = view.hides("codes") ? {} : ranks(problem, state, k);
  const split = `${formatResult(scale[k])} × ${formatNumber(cosine[k], 2)} (scale × cosine)`;
  return (
    `${isolate(names[k])}: weight ${formatResult(weights[k])}\n` +
    (heavy ? `${ordinal(heavy)} heaviest, ${ordinal(near)} nearest of ${n}\n` : "") +
    `${predictorsOf(problem, k)}\n` +
    `= 1/${n} + ${view.hides("split") ? formatResult(weights[k] - 1 / n) : split}\n` +
    `target ${formatNumber(y[k])}${unitOf(problem)}, adds ${formatResult(addedBy(problem, weights[k], k))}${unitOf(problem)}`
  );
}

// The row that has the ring among the codes, and what is drawn with it: the one last pointed at.
function ringed([first = null]) {
  const drawn = [];
  const ring = function (k, state) {
    this.chosen = k;
    for (const draw of drawn) draw(state);
  };
  return { chosen: first, drawn, ring };
}

const render = explorer({
  name: "SpectralExplorer",
  prepare: (data, { model }) => ({ ...spectralProblem(data), start: model.get("query"), ...ringed(data.named_rows) }),
  compute(problem, now, before) {
    const { bounds, unshrunk } = before?.query === now.query ? before : spectralOfQuery(problem, now.query, problem.start);
    return { ...spectralState(problem, now), root: now.root, angle: now.angle, bounds, unshrunk };
  },
  texts: ({ names, n, s }, view) => ({
    ridge(ridge) {
      const full = view.model.get("rank") === s.length;
      return ridge > 0 ? formatNumber(ridge) : full ? "0 (least squares)" : "0 (no penalty)";
    },
    query: (query) => `${isolate(names[query])}${query >= n ? " (not in training)" : ""}`,
    angle: (angle) => `${Math.round(angle)}°`,
  }),
  answers: (view) => (view.hides("ridge") ? [] : ["dof", "loo_error"]),
  numbers(problem, view) {
    const { targets, y_test, units } = problem;
    const print = (key) => (state) => formatResult(state[key]);
    const fit = [
      ["dof", "degrees of freedom", print("dof")],
      ["train_error", measured("training error", units), print("train_error")],
      ["loo_error", measured("leave-one-out error", units), print("loo_error")],
      ...(y_test ? [["test_error", measured("test error", units), print("test_error")]] : []),
    ];
    return [
      ["prediction", measured("prediction", units), print("prediction")],
      ["observed", measured("observed", units), ({ query }) => formatNumber(targets[query])],
      ...(view.hides("ridge") && view.hides("path") ? [] : fit),
    ];
  },
  say: spectralMessage,
  panels: (problem, view) => ({
    weights: weightsPanel(problem, view),
    codes: codesPanel(problem, view),
    split: splitPanel(problem, view),
    sum: sumPanel(problem, view),
    path: pathPanel(problem, view),
  }),
  hint: ({ query }, { names }) =>
    `for ${isolate(names[query])}; arrow keys read the training observations, Enter makes one the query`,
  cursor: (problem, view) => ({
    count: () => problem.n,
    text: (k, state) => spectralReading(problem, state, k, view),
    moved: (k, state) => k !== null && problem.ring(k, state),
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
