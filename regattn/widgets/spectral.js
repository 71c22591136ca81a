// SpectralExplorer: ω_ji = 1/n + Σ_{k≤L} F_jk F_ik s_k²/(s_k²+λ), one query j against every training observation i.
import { explorer } from "./explorer.js";
import { output, select, slider, element } from "./controls.js";
import { cursor } from "./cursor.js";
import { formatNumber, isolate, numberTicks, orderTicks, plot, powerText, shorten } from "./plot.js";
import { dot, effectiveDof, logScaleWithZero, mean, multiply, niceTicks, norm, rootMeanSquare } from "./maths.js";
import { runningSum, spectralFilter, spectralWeights, triangularRotation } from "./maths.js";

// ---- numbers -------------------------------------------------------------------------------------------------------

// What does not change while controls move.
export function spectralProblem(data) {
  const rows = (matrix) => matrix.map((row) => Float64Array.from(row));
  const scores = rows(data.scores);
  const level = mean(data.y);
  const n = scores.length;
  const s = Float64Array.from(data.singular_values);
  const content = s.map((_, k) => scores.reduce((total, row, i) => total + row[k] * (data.y[i] - level), 0));
  const decade = (value, round) => 10 ** round(Math.log10(value));
  const low = decade(s[s.length - 1] ** 2 / 100, Math.floor);
  const high = decade(s[0] ** 2 * 100, Math.ceil);
  return {
    ...data, scores, test_scores: rows(data.test_scores), s, n, level, content, // prettier-ignore
    all: [...scores, ...rows(data.test_scores)],
    names: [...data.labels, ...data.labels_test],
    targets: [...data.y, ...(data.y_test ?? data.labels_test.map(() => null))],
    scale: logScaleWithZero(low, high, 40 * Math.round(Math.log10(high / low)) + 1),
  };
}

// Errors and degrees of freedom of the whole fit; each error is a root mean square, null where it does not exist.
function spectralErrors(problem, kept) {
  const { scores, test_scores, y, y_test, n, level, content } = problem;
  const slopes = kept.map((share, k) => share * content[k]);
  const size = kept.length;
  const residuals = scores.map((row, i) => y[i] - level - dot(slopes, row, size));
  let determined = true;
  const alone = scores.map((row, i) => {
    let leverage = 1 / n;
    for (let k = 0; k < size; k++) leverage += kept[k] * row[k] * row[k];
    if (leverage > 1 - 1e-10) determined = false;
    return residuals[i] / (1 - leverage);
  });
  return {
    dof: effectiveDof(kept, 1),
    train_error: rootMeanSquare(residuals),
    loo_error: determined ? rootMeanSquare(alone) : null,
    test_error: y_test ? rootMeanSquare(test_scores.map((row, j) => y_test[j] - level - dot(slopes, row, size))) : null,
  };
}

// Everything shown for one setting of the controls.
export function spectralState(problem, { ridge, rank, query }) {
  const { scores, all, s, n, y } = problem;
  const kept = spectralFilter(s, ridge, rank);
  const asks = all[query];
  const weights = spectralWeights(scores, asks, kept, 1 / n);
  const length = (row) => Math.sqrt(kept.reduce((total, share, k) => total + share * row[k] * row[k], 0));
  const own = length(asks);
  const scale = Float64Array.from(scores, (row) => own * length(row));
  const products = spectralWeights(scores, asks, kept);
  const cosine = scale.map((size, i) => (size > 0 ? Math.max(-1, Math.min(1, products[i] / size)) : 0));
  const sums = runningSum(weights.map((weight, i) => weight * y[i]));
  const prediction = problem.level + dot(kept.map((share, k) => share * problem.content[k]), asks, s.length);
  return { ridge, rank, query, kept, weights, scale, cosine, sums, prediction, ...spectralErrors(problem, kept) };
}

// Bounds for every λ and L of one query. The filter falls from direction to direction, so (Abel) a filtered sum lies
// between the smallest and the largest of its unfiltered partial sums: trying every L at λ = 0 is enough.
function spectralBounds(problem, query) {
  const { scores, all, s, n, y } = problem;
  const asks = all[query];
  const bounds = { weight: [0, 1 / n], sum: [0, 0], scale: 0 };
  const widen = (range, value) => {
    range[0] = Math.min(range[0], value);
    range[1] = Math.max(range[1], value);
  };
  for (let rank = 0; rank <= s.length; rank++) {
    let total = 0;
    scores.forEach((row, i) => {
      const weight = 1 / n + dot(asks, row, rank);
      total += weight * y[i];
      widen(bounds.weight, weight);
      widen(bounds.sum, total);
    });
  }
  if (Number.isFinite(problem.targets[query])) widen(bounds.sum, problem.targets[query]);
  bounds.scale = norm(asks) * Math.max(...scores.map((row) => norm(row)));
  return bounds;
}

// Codes F = XW of all rows for a root W of Ω, at least two columns wide.
export function spectralCodes(problem, { kept, rank, ridge }, root, angle) {
  const wide = Math.max(2, rank);
  const half = kept.map(Math.sqrt);
  const codes = problem.all.map((row) => Float64Array.from({ length: wide }, (_, k) => (k < rank ? row[k] * half[k] : 0)));
  let turn = null;
  if (root === "cholesky") {
    const w = problem.directions.map((row) => Float64Array.from({ length: rank }, (_, k) => row[k] / Math.hypot(problem.s[k], Math.sqrt(ridge))));
    turn = triangularRotation(w);
    if (rank === 1) turn = [[turn[0][0], 0], [0, 1]]; // prettier-ignore
  } else if (root === "rotated") {
    const [c, d] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
    turn = Array.from({ length: wide }, (_, i) => Array.from({ length: wide }, (_, j) => Number(i === j)));
    [turn[0][0], turn[0][1], turn[1][0], turn[1][1]] = [c, d, -d, c];
  }
  return turn ? multiply(codes, turn) : codes;
}

// ---- pictures ------------------------------------------------------------------------------------------------------

function rounded([low, high], count = 5) {
  const ticks = niceTicks(low, high, count);
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
  return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}

const signed = [
  ["positive", "box", "positive weight"],
  ["negative", "box", "negative weight"],
];
const dots = signed.map(([role, , words]) => [role, "dot", words]);

// The area of a dot is in proportion to the size of its weight.
function dotRadius(state, bounds) {
  const largest = Math.max(-bounds.weight[0], bounds.weight[1]);
  return (i) => 1.2 + 6 * Math.sqrt(Math.abs(state.weights[i]) / largest);
}

function drawSigned(positive, negative, xs, ys, state, bounds) {
  const radius = dotRadius(state, bounds);
  positive(xs, ys, radius, (i) => i < state.weights.length && state.weights[i] >= 0);
  negative(xs, ys, radius, (i) => i < state.weights.length && state.weights[i] < 0);
}

function weightsPanel(view, problem) {
  const legend = [...signed, ["neutral", "dashed", "1/n: uniform attention"], ["query", "diamond", "the query"]];
  const box = view.panel("weights", { title: "The weight of each training observation", wide: true, legend });
  const p = plot(view.host(box), { label: "Weights", yLabel: "weight", xLabel: "training observation", height: 250 });
  const bars = { positive: p.bars("positive"), negative: p.bars("negative") };
  const uniform = p.line("neutral", { dashed: true });
  const [upright, diamond, note] = [p.marker("query", "upright"), p.marker("query"), p.note("query", "end")];
  const { n, names } = problem;
  const end = names.length > n ? n * 1.04 + 1 : n;
  return {
    plot: p,
    by: "x",
    at: (k, state) => [k, state.weights[k]],
    draw(state, bounds) {
      const [low, high] = rounded(bounds.weight);
      p.frame({ x: [-1, end], y: [low, high], xTicks: orderTicks(problem.labels, Math.max(3, Math.floor(p.size.width / 70))) });
      bars.positive(state.weights, (i) => state.weights[i] >= 0);
      bars.negative(state.weights, (i) => state.weights[i] < 0);
      uniform([-1, n], [1 / n, 1 / n]);
      const inside = state.query < n;
      const x = inside ? state.query : (n + end) / 2;
      upright(inside ? x : null);
      diamond(x, inside ? state.weights[state.query] : 0);
      note(inside ? "" : `${isolate(shorten(names[state.query]))} asks`, end, high);
    },
  };
}

function splitPanel(view, problem) {
  const legend = [...dots, ["neutral", "dashed", "weight 0"]];
  const box = view.panel("split", { title: "Why that weight: 1/n + scale × cosine", legend });
  const options = { label: "Scale and cosine", yLabel: "cosine of the angle", xLabel: "scale: product of lengths", height: 290 };
  const p = plot(view.host(box), options);
  const border = p.line("neutral", { dashed: true });
  const [positive, negative] = [p.dots("positive"), p.dots("negative")];
  return {
    plot: p,
    at: (k, state) => [state.scale[k], state.cosine[k]],
    draw(state, bounds) {
      const right = rounded([0, bounds.scale])[1];
      p.frame({ x: [0, right], y: [-1.08, 1.08], yTicks: numberTicks(-1, 1, 4) });
      const first = 1 / problem.n; // left of it even a cosine of −1 leaves the weight positive
      const xs = Array.from({ length: 80 }, (_, k) => first * (right / first) ** (k / 79)).filter(() => first < right);
      border(xs, xs.map((x) => -first / x)); // prettier-ignore
      drawSigned(positive, negative, state.scale, state.cosine, state, bounds);
    },
  };
}

function codesPanel(view, problem) {
  const legend = [...dots, ["query", "diamond", "the query"]];
  const box = view.panel("codes", { title: "Codes of the keys and of the query", legend });
  const options = { label: "Codes", yLabel: "code 2", xLabel: "code 1", height: 290, square: false };
  const p = plot(view.host(box), options);
  const [positive, negative, arm, diamond] = [p.dots("positive"), p.dots("negative"), p.line("query"), p.marker("query")];
  const reach = Math.max(...problem.scores.map((row) => norm(row)));
  let codes = [];
  return {
    plot: p,
    at: (k) => codes[k],
    draw(state, bounds) {
      codes = spectralCodes(problem, state, view.model.get("root"), view.model.get("angle"));
      p.frame(p.squareDomain(1.08 * Math.max(reach, norm(problem.all[state.query]))));
      const xs = codes.map((code) => code[0]);
      const ys = codes.map((code) => code[1]);
      drawSigned(positive, negative, xs, ys, state, bounds);
      arm([0, xs[state.query]], [0, ys[state.query]]);
      diamond(xs[state.query], ys[state.query]);
    },
  };
}

function sumPanel(view, problem) {
  const legend = [
    ["prediction", "line", "running sum of weight × target, to the prediction"],
    ["neutral", "dashed", "with uniform attention, to the mean"],
    ["truth", "diamond", "observed"],
  ];
  const { n, targets, labels, y, units } = problem;
  const box = view.panel("sum", { title: "The prediction, summed over the training observations", wide: true, legend });
  const options = { label: "Running sum", yLabel: units || "target", xLabel: "training observations up to this one", height: 230 };
  const p = plot(view.host(box), options);
  const even = p.line("neutral", { dashed: true });
  const [line, dotEnd, truth, note] = [p.line("prediction", { steps: true }), p.marker("prediction", "dot"), p.marker("truth"), p.note("prediction", "end")];
  const places = labels.map((_, i) => i);
  const uniform = runningSum(y).map((total) => total / n);
  return {
    plot: p,
    by: "x",
    at: (k, state) => [k, state.sums[k]],
    draw(state, bounds) {
      const end = n * 1.04 + 1;
      p.frame({ x: [-1, end], y: rounded(bounds.sum), xTicks: orderTicks(labels, Math.max(3, Math.floor(p.size.width / 70))) });
      even(places, uniform);
      line(places, state.sums);
      dotEnd(n - 1, state.prediction);
      const known = Number.isFinite(targets[state.query]) ? targets[state.query] : null;
      truth(known === null ? null : (n + end) / 2, known ?? 0);
      note(formatNumber(state.prediction), n - 1, state.prediction, { dx: -10, dy: state.prediction >= state.sums[Math.floor(n * 0.9)] ? -9 : 18 });
    },
  };
}

function pathPanel(view, problem) {
  const errors = [["train", "train_error", "training error"], ["loo", "loo_error", "leave-one-out error"], ["test", "test_error", "test error"]] // prettier-ignore
    .filter(([, key]) => key !== "test_error" || problem.y_test);
  const { scale, units } = problem;
  const box = view.panel("path", {
    title: "Errors and degrees of freedom along the penalty",
    wide: true,
    legend: errors.map(([role, , words]) => [role, role === "loo" ? "dashed" : "line", words]),
  });
  const yLabel = `root mean squared error${units ? ` (${units})` : ""}`;
  const top = plot(view.host(box), { label: "Errors along the penalty", yLabel, height: 210 });
  const low = plot(view.host(box), { label: "Degrees of freedom", yLabel: "effective degrees of freedom", xLabel: "ridge penalty λ", height: 150 });
  const curves = errors.map(([role, key]) => ({ key, line: top.line(role), zero: top.dots(role), now: top.marker(role, "dot") }));
  const dof = { line: low.line("key"), zero: low.dots("key"), now: low.marker("key", "dot") };
  const rules = [top.marker("neutral", "upright"), low.marker("neutral", "upright")];
  const positions = [0];
  for (let place = 1; place <= scale.steps; place += Math.max(1, Math.floor(scale.steps / 120))) positions.push(place);
  const off = -0.06 * scale.steps; // where 0 stands on the axis, apart from the logarithmic part
  const across = (place) => (place < 1 ? off : place);
  let path = null;

  function frames() {
    const every = Math.ceil(scale.decades().length / Math.max(3, top.size.width / 62));
    const decades = scale.decades().filter((_, k) => k % every === 0);
    const xTicks = [{ at: off, text: "0" }, ...decades.map((value) => ({ at: scale.position(value), text: powerText(value) }))];
    const x = [off - 0.03 * scale.steps, scale.steps * 1.02];
    const values = path.points.flatMap((point) => errors.map(([, key]) => point[key])).filter(Number.isFinite);
    top.frame({ x, y: rounded([Math.min(...values) * 0.999, Math.max(...values) * 1.001], 4), xTicks });
    const most = problem.s.length + 1;
    const step = Math.ceil(most / 4);
    const yTicks = Array.from({ length: Math.floor(most / step) + 1 }, (_, k) => ({ at: k * step, text: String(k * step) }));
    low.frame({ x, y: [0, most * 1.08], xTicks, yTicks });
  }

  return {
    plots: [top, low],
    compute(rank) {
      if (path?.rank === rank) return;
      const ridges = positions.map(scale.value);
      path = { rank, ridges, points: ridges.map((ridge) => spectralErrors(problem, spectralFilter(problem.s, ridge, rank))) };
      path.drawn = "";
    },
    reader: (k) => path.points[k],
    ridge: (k) => path.ridges[k],
    count: () => positions.length,
    place: (k) => across(positions[k]),
    nearest: (ridge) => (ridge <= 0 ? 0 : positions.findLastIndex((place) => place <= scale.position(ridge))),
    draw(state) {
      const key = `${path.rank} ${top.size.width}`;
      if (path.drawn !== key) {
        path.drawn = key;
        frames();
        const xs = positions.slice(1);
        for (const { key: name, line, zero } of curves) {
          line(xs, path.points.slice(1).map((point) => point[name] ?? NaN)); // prettier-ignore
          const first = path.points[0][name];
          zero([off], [first ?? 0], 3, () => first !== null);
        }
        dof.line(xs, path.points.slice(1).map((point) => point.dof)); // prettier-ignore
        dof.zero([off], [path.points[0].dof], 3);
      }
      const x = across(scale.position(state.ridge));
      for (const rule of rules) rule(x);
      for (const { key: name, now } of curves) now(state[name] === null ? null : x, state[name] ?? 0);
      dof.now(x, state.dof);
    },
  };
}

// ---- the explorer --------------------------------------------------------------------------------------------------

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
  if (s.length > 1) slider(view, "rank", { label: "Rank L", min: 1, max: s.length, text: (rank) => `${rank} of ${s.length}` });
  const called = (query) => `${isolate(names[query])}${query >= n ? " (test)" : ""}`;
  const most = names.length - 1;
  if (most > 0) slider(view, "query", { label: "Query observation", min: 0, max: most, text: called, wide: true });
  if (!panels.includes("codes")) return;
  const options = [["spectral", "spectral (principal directions)"], ["cholesky", "Cholesky (triangular)"], ["rotated", "spectral, rotated"]]; // prettier-ignore
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
  for (const [p, key] of [[path.plots[0], "train_error"], [path.plots[1], "dof"]]) { // prettier-ignore
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
