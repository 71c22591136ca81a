// SpectralExplorer: one query j against every training observation i, while λ, L and the query move.
import { element, output, select, slider } from "./controls.js";
import { cursor } from "./cursor.js";
import { explorer } from "./explorer.js";
import { formatNumber, isolate } from "./plot.js";
import { spectralBounds, spectralProblem, spectralState } from "./spectral-numbers.js";
import { codesPanel, pathPanel, splitPanel, sumPanel, weightsPanel } from "./spectral-panels.js";

function spectralControls(view, problem) {
  const { n, s, scale, names, panels } = problem;
  slider(view, "ridge", {
    label: "Ridge penalty λ",
    min: 0,
    max: scale.steps,
    position: scale.position,
    value: scale.value,
    text: (ridge) => (ridge === 0 ? "0 (least squares)" : formatNumber(ridge)),
  });
  const ofAll = (rank) => `${rank} of ${s.length}`;
  if (s.length > 1) slider(view, "rank", { label: "Rank L", min: 1, max: s.length, text: ofAll });
  const called = (query) => `${isolate(names[query])}${query >= n ? " (test)" : ""}`;
  const most = names.length - 1;
  if (most > 0) slider(view, "query", { label: "Query observation", min: 0, max: most, text: called, wide: true });
  if (!panels.includes("codes")) return;
  const options = [
    ["spectral", "spectral (principal directions)"],
    ["cholesky", "Cholesky (triangular)"],
    ["rotated", "spectral, rotated"],
  ];
  select(view, "root", { label: "Root of Ω", options });
  slider(view, "angle", {
    label: "Rotation",
    min: 0,
    max: 360,
    also: { root: "rotated" },
    text: (angle) => `${Math.round(angle)}°${view.model.get("root") === "rotated" ? "" : " (not in use)"}`,
  });
}

function spectralNumbers(view, problem) {
  const { y_test, names, n, targets, units } = problem;
  const kinds = [
    ["prediction", "prediction"],
    ["observed", "observed"],
    ["dof", "degrees of freedom"],
    ["train_error", "training error"],
    ["loo_error", "leave-one-out error"],
    ...(y_test ? [["test_error", "test error"]] : []),
  ];
  const printers = kinds.map(([key, words]) => [key, output(view, key, words)]);
  const who = element("strong");
  const rest = element("span");
  view.live.append(who, rest);
  return (state) => {
    const known = targets[state.query];
    for (const [key, print] of printers) print(formatNumber(key === "observed" ? known : state[key]));
    let [most, least] = [0, 0];
    state.weights.forEach((weight, i) => {
      if (weight > state.weights[most]) most = i;
      if (weight < state.weights[least]) least = i;
    });
    const say = (i) => `${isolate(names[i])} (${formatNumber(state.weights[i], 2)})`;
    who.textContent = isolate(names[state.query]);
    const observed = known === null ? "" : `, observed ${formatNumber(known)}`;
    const unit = units ? ` ${isolate(units)}` : "";
    rest.textContent =
      `${state.query >= n ? " (test row)" : ""}: predicted ${formatNumber(state.prediction)}${observed}${unit}. ` +
      `It gives most weight to ${say(most)} and least to ${say(least)}.`;
  };
}

// What is said of training observation k, in the tip and to a screen reader.
function spectralReading(problem, state, k) {
  const weight = state.weights[k];
  const adds = formatNumber(weight * problem.y[k]);
  const unit = problem.units ? ` ${isolate(problem.units)}` : "";
  return (
    `${isolate(problem.names[k])}: weight ${formatNumber(weight)}\n` +
    `= 1/${problem.n} + ${formatNumber(state.scale[k])} × ${formatNumber(state.cosine[k], 2)}\n` +
    `target ${formatNumber(problem.y[k])}${unit}, adds ${adds}`
  );
}

function observationCursors(view, problem, panels, now) {
  const cursors = [];
  const moved = (k) => cursors.forEach((other) => other.show(k));
  for (const { plot: p, at, by } of panels) {
    const options = {
      count: () => problem.n,
      at: (k) => at(k, now()),
      text: (k) => spectralReading(problem, now(), k),
      by,
      moved,
      pick: (k) => view.set({ query: k }),
      start: () => Math.min(now().query, problem.n - 1),
      signal: view.signal,
    };
    cursors.push(cursor(p, options));
  }
  return cursors;
}

function pathCursors(view, path) {
  const cursors = [];
  const moved = (k) => cursors.forEach((other) => other.show(k));
  const words = (k) => {
    const { train_error, loo_error, test_error, dof } = path.reader(k);
    const test = test_error === null ? "" : `\ntest ${formatNumber(test_error)}`;
    return (
      `λ = ${formatNumber(path.ridge(k))}: ${formatNumber(dof)} degrees of freedom\n` +
      `training ${formatNumber(train_error)}\nleave-one-out ${formatNumber(loo_error)}${test}`
    );
  };
  for (const [p, key] of [[path.plots[0], "train_error"], [path.plots[1], "dof"]]) {
    const options = {
      count: path.count,
      at: (k) => [path.place(k), path.reader(k)[key]],
      text: words,
      by: "x",
      shape: "upright",
      moved,
      pick: (k) => view.set({ ridge: path.ridge(k) }),
      start: () => path.nearest(view.model.get("ridge")),
      signal: view.signal,
    };
    cursors.push(cursor(p, options));
  }
  return cursors;
}

function render({ model, el }) {
  const view = explorer({ model, el, name: "SpectralExplorer" });
  const problem = spectralProblem(model.get("data"));
  const makers = { weights: weightsPanel, split: splitPanel, codes: codesPanel, sum: sumPanel };
  spectralControls(view, problem);
  const print = spectralNumbers(view, problem);
  const shown = Object.keys(makers).filter((name) => problem.panels.includes(name));
  const panels = shown.map((name) => makers[name](view, problem));
  const path = problem.panels.includes("path") ? pathPanel(view, problem) : null;

  let state = null;
  let bounds = null;
  function compute() {
    const [ridge, rank, query] = ["ridge", "rank", "query"].map((name) => model.get(name));
    if (state?.query !== query) bounds = spectralBounds(problem, query);
    path?.compute(rank);
    state = spectralState(problem, { ridge, rank, query });
    return state;
  }
  compute();
  const cursors = [
    ...observationCursors(view, problem, panels, () => state),
    ...(path ? pathCursors(view, path) : []),
  ];

  view.start({
    traits: ["ridge", "rank", "query", "root", "angle"],
    compute,
    draw() {
      print(state);
      const name = isolate(problem.names[state.query]);
      for (const { plot: p, draw } of panels) {
        if (!p.measure()) continue;
        p.speak(`for ${name}; arrow keys read the training observations, Enter makes one the query`);
        draw(state, bounds);
      }
      if (path?.plots.map((p) => p.measure()).every(Boolean)) {
        for (const p of path.plots) p.speak("; arrow keys read the curves, Enter sets λ");
        path.draw(state);
      }
      for (const each of cursors) each.redraw();
    },
    result: () => ({
      weights: Array.from(state.weights),
      scale: Array.from(state.scale),
      cosine: Array.from(state.cosine),
      prediction: state.prediction,
      dof: state.dof,
      train_error: state.train_error,
      test_error: state.test_error,
      loo_error: state.loo_error,
    }),
  });
  return view.done;
}

export default { render };
