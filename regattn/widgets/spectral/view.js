// SpectralExplorer: one query j against every training observation i, while λ, L and the query move.
import { element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, formatResult, isolate, measured } from "../_kit/format.js";
import { addedBy, extremes, ranks, spectralOfQuery, spectralProblem, spectralState } from "./numbers.js";
import { codesPanel, pathPanel, splitPanel, sumPanel, weightsPanel } from "./panels.js";

const unitOf = ({ units }) => (units ? ` ${isolate(units)}` : "");

function spectralMessage(state, problem, view) {
  const { names, targets } = problem;
  problem.tell(state);
  const known = targets[state.query];
  const [most, least] = extremes(state.weights);
  const say = (i) => `${isolate(names[i])} (${formatResult(state.weights[i], 2)})`;
  const inside = state.query < problem.n;
  const size = inside && `(${formatResult(state.weights[state.query], 2)})`;
  const place = inside && `${ordinal(ranks(problem, state, state.query).heavy)} of ${problem.n}`;
  const own = inside && most !== state.query ? `; itself ${place} ${size}` : "";
  const turned = state.weights[least] < 0 ? "with the sign turned" : "least";
  const when = problem.later && ` ${isolate(problem.later)}`;
  const came = known === null ? "" : `, ${briefly(known)} came${when}`;
  const errors = [["leave-one-out", state.loo_error], ["training", state.train_error], ["test", state.test_error]]; // prettier-ignore
  const said = errors.filter(([, error]) => error !== null).map(([name, error]) => `${name} ${formatResult(error)}`);
  return [
    `${isolate(names[state.query])} asks: ${briefly(state.prediction)}`,
    `${unitOf(problem)} is ${inside ? "fitted" : "forecast"}${came}. ` +
      (view.hides("path")
        ? `Heaviest: ${most === state.query ? `itself ${size}` : say(most)}${own}; ${turned}: ${say(least)}.`
        : `Errors of the whole fit: ${said.join(", ")}.`),
  ];
}

// An outcome as one says it: with a decimal place where there are two digits before it.
const briefly = (value) => formatResult(value, Math.abs(value) < 10 ? 2 : 3);

const ordinal = (k) => `${k}${{ 1: "st", 2: "nd", 3: "rd" }[k % 100 > 10 && k % 100 < 14 ? 0 : k % 10] ?? "th"}`;

// The predictors of a row, by their names.
function predictorsOf({ predictors, rows, predictors_hidden: more }, k) {
  const said = predictors.map((name, j) => `${isolate(name)} ${formatNumber(rows[k][j])}`);
  return `${said.join(", ")}${more ? ` and ${more} more` : ""}`;
}

// What is said of training observation k in the tip, and to a screen reader: no more than leaves the picture in sight.
function spectralReading(problem, state, k, view) {
  const weight = state.weights[k];
  const second = () => {
    if (view.hides("codes")) return `adds ${formatResult(addedBy(problem, weight, k), 2)}${unitOf(problem)}`;
    const { heavy, near } = ranks(problem, state, k);
    return `${ordinal(heavy)} highest, ${ordinal(near)} nearest`;
  };
  return `${isolate(problem.names[k])}: weight ${formatResult(weight, 2)}\n${second()}`;
}

// The rest of what is known of it, for the line below the pictures.
function spectralFacts(problem, { weights, scale, cosine }, k, view) {
  const [{ n, y, later }, unit] = [problem, unitOf(problem)];
  const beyond = weights[k] - 1 / n;
  const split = `${formatResult(scale[k], 2)} × ${formatNumber(Math.abs(cosine[k]), 2)} (scale × cosine)`;
  const sum = view.hides("split") ? formatResult(Math.abs(beyond), 2) : split;
  const came = `${formatNumber(y[k], 2)}${unit} came${later && ` ${isolate(later)}`}`;
  return [
    `weight ${formatResult(weights[k], 2)} = 1/${n} ${beyond < 0 ? "−" : "+"} ${sum}`,
    ...(problem.named ? [predictorsOf(problem, k)] : []),
    `${came}, adds ${formatResult(addedBy(problem, weights[k], k), 2)}.`,
  ].join("; ");
}

// The row pointed at: what is drawn with it, and the line that tells its facts. Where there is a ring, it stays with the
// row last pointed at, at first the heaviest.
function ringed({ named_rows: [first = null] }, view) {
  const rings = !(view.hides("codes") && view.hides("split"));
  const [who, rest] = [element("strong"), element("span")];
  view.answers.before(element("p", { class: "ra-ringed", "aria-live": "polite", "data-output": "ringed" }, who, rest));
  const drawn = [];
  return {
    chosen: rings ? first : null,
    drawn,
    ring(k, state) {
      if (k === null && rings) return;
      this.chosen = k;
      for (const draw of drawn) draw(state);
      this.tell(state);
    },
    tell(state) {
      const k = this.chosen ?? (rings ? extremes(state.weights)[0] : null);
      if (k === null) {
        who.textContent = this.named ? `${isolate(this.names[state.query])}: ` : "";
        rest.textContent = `${this.named ? `${predictorsOf(this, state.query)}. ` : ""}Point at a bar to read it here.`;
        return;
      }
      const { heavy, near } = view.hides("codes") ? {} : ranks(this, state, k);
      const ranked = heavy ? `${ordinal(heavy)} highest weight, ${ordinal(near)} nearest of ${this.n}; ` : "";
      who.textContent = `${isolate(this.names[k])}: `;
      rest.textContent = `${ranked}${spectralFacts(this, state, k, view)}`;
    },
  };
}

const render = explorer({
  name: "SpectralExplorer",
  prepare: (data, view) => ({ ...spectralProblem(data), start: view.model.get("query"), ...ringed(data, view) }),
  compute(problem, now, before) {
    const { bounds, unshrunk } = before?.query === now.query ? before : spectralOfQuery(problem, now.query, problem.start);
    return { ...spectralState(problem, now), root: now.root, angle: now.angle, guide: now.guide, bounds, unshrunk };
  },
  texts: ({ names, n, s }, view) => ({
    ridge(ridge) {
      const full = view.model.get("rank") === s.length;
      return ridge > 0 ? formatNumber(ridge) : full ? "0 (least squares)" : "0 (no penalty)";
    },
    query: (query) => `${isolate(names[query])}${query >= n ? " (new)" : ""}`,
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
    moved: (k, state) => problem.ring(k, state),
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
