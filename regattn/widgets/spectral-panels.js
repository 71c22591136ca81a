// The five pictures of the SpectralExplorer. Each maker returns its plot, where observation k stands in it, and draw().
import { niceTicks, norm, runningSum, spectralFilter } from "./maths.js";
import { formatNumber, isolate, numberTicks, orderTicks, plot, powerText, shorten } from "./plot.js";
import { spectralCodes, spectralErrors } from "./spectral-numbers.js";

function rounded([low, high], count = 5) {
  const ticks = niceTicks(low, high, count);
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
  return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}

// Where the years (or some of the labels) stand along the observations.
function placeTicks(p, labels) {
  return orderTicks(labels, Math.max(3, Math.floor(p.size.width / 56)));
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

export function weightsPanel(view, problem) {
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
      p.frame({ x: [-1, end], y: [low, high], xTicks: placeTicks(p, problem.labels) });
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

export function splitPanel(view, problem) {
  const legend = [...dots, ["neutral", "dashed", "weight 0"]];
  const box = view.panel("split", { title: "Why that weight: 1/n + scale × cosine", legend });
  const axes = { yLabel: "cosine of the angle", xLabel: "scale: product of lengths" };
  const p = plot(view.host(box), { label: "Scale and cosine", height: 290, ...axes });
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
      border(xs, xs.map((x) => -first / x));
      drawSigned(positive, negative, state.scale, state.cosine, state, bounds);
    },
  };
}

export function codesPanel(view, problem) {
  const legend = [...dots, ["query", "diamond", "the query"]];
  const box = view.panel("codes", { title: "Codes of the keys and of the query", legend });
  const options = { label: "Codes", yLabel: "code 2", xLabel: "code 1", height: 290 };
  const p = plot(view.host(box), options);
  const [positive, negative] = [p.dots("positive"), p.dots("negative")];
  const [arm, diamond] = [p.line("query"), p.marker("query")];
  const reach = Math.max(...problem.scores.map((row) => norm(row)));
  let codes = [];
  return {
    plot: p,
    at: (k) => codes[k],
    draw(state, bounds) {
      codes = spectralCodes(problem, state, view.model.get("root"), view.model.get("angle"));
      const radius = 1.08 * Math.max(reach, norm(problem.all[state.query]));
      const domain = p.squareDomain(radius);
      const step = niceTicks(0, radius, 2)[1] ?? radius; // one step for both axes: the units are the same
      const ticks = ([low, high]) => numberTicks(low, high, (high - low) / step);
      p.frame({ ...domain, xTicks: ticks(domain.x), yTicks: ticks(domain.y) });
      const xs = codes.map((code) => code[0]);
      const ys = codes.map((code) => code[1]);
      drawSigned(positive, negative, xs, ys, state, bounds);
      arm([0, xs[state.query]], [0, ys[state.query]]);
      diamond(xs[state.query], ys[state.query]);
    },
  };
}

export function sumPanel(view, problem) {
  const legend = [
    ["prediction", "line", "running sum of weight × target, to the prediction"],
    ["neutral", "dashed", "with uniform attention, to the mean"],
    ["truth", "diamond", "observed"],
  ];
  const { n, targets, labels, y, units } = problem;
  const box = view.panel("sum", { title: "The prediction, summed over the training observations", wide: true, legend });
  const axes = { yLabel: units || "target", xLabel: "training observations up to this one" };
  const p = plot(view.host(box), { label: "Running sum", height: 230, ...axes });
  const even = p.line("neutral", { dashed: true });
  const [line, dotEnd] = [p.line("prediction", { steps: true }), p.marker("prediction", "dot")];
  const [truth, note] = [p.marker("truth"), p.note("prediction", "end")];
  const places = labels.map((_, i) => i);
  const uniform = runningSum(y).map((total) => total / n);
  return {
    plot: p,
    by: "x",
    at: (k, state) => [k, state.sums[k]],
    draw(state, bounds) {
      const end = n * 1.04 + 1;
      p.frame({ x: [-1, end], y: rounded(bounds.sum), xTicks: placeTicks(p, labels) });
      even(places, uniform);
      line(places, state.sums);
      dotEnd(n - 1, state.prediction);
      const known = Number.isFinite(targets[state.query]) ? targets[state.query] : null;
      truth(known === null ? null : (n + end) / 2, known ?? 0);
      const rising = state.prediction >= state.sums[Math.floor(n * 0.9)]; // the number stands where the line does not
      note(formatNumber(state.prediction), n - 1, state.prediction, { dx: -10, dy: rising ? -9 : 18 });
    },
  };
}

export function pathPanel(view, problem) {
  const errors = [
    ["train", "train_error", "training error"],
    ["loo", "loo_error", "leave-one-out error"],
    ...(problem.y_test ? [["test", "test_error", "test error"]] : []),
  ];
  const { scale, units } = problem;
  const box = view.panel("path", {
    title: "Errors and degrees of freedom along the penalty",
    wide: true,
    legend: errors.map(([role, , words]) => [role, role === "loo" ? "dashed" : "line", words]),
  });
  const yLabel = `root mean squared error${units ? ` (${units})` : ""}`;
  const top = plot(view.host(box), { label: "Errors along the penalty", yLabel, height: 210 });
  const axes = { yLabel: "effective degrees of freedom", xLabel: "ridge penalty λ" };
  const low = plot(view.host(box), { label: "Degrees of freedom", height: 150, ...axes });
  const curve = (p, role) => ({ line: p.line(role), zero: p.dots(role), now: p.marker(role, "dot") });
  const curves = errors.map(([role, key]) => ({ key, ...curve(top, role) }));
  const dof = curve(low, "key");
  const rules = [top.marker("neutral", "upright"), low.marker("neutral", "upright")];
  const positions = [0];
  for (let place = 1; place <= scale.steps; place += Math.max(1, Math.floor(scale.steps / 120))) positions.push(place);
  const off = -0.06 * scale.steps; // where 0 stands on the axis, apart from the logarithmic part
  const across = (place) => (place < 1 ? off : place);
  let path = null;

  function frames() {
    const every = Math.ceil(scale.decades().length / Math.max(3, top.size.width / 62));
    const decades = scale.decades().filter((_, k) => k % every === 0);
    const powers = decades.map((value) => ({ at: scale.position(value), text: powerText(value) }));
    const xTicks = [{ at: off, text: "0" }, ...powers];
    const x = [off - 0.03 * scale.steps, scale.steps * 1.02];
    const values = path.points.flatMap((point) => errors.map(([, key]) => point[key])).filter(Number.isFinite);
    top.frame({ x, y: rounded([Math.min(...values) * 0.999, Math.max(...values) * 1.001], 4), xTicks });
    const most = problem.s.length + 1;
    const step = Math.ceil(most / 4);
    const whole = Array.from({ length: Math.floor(most / step) + 1 }, (_, k) => k * step);
    const yTicks = whole.map((at) => ({ at, text: String(at) }));
    low.frame({ x, y: [0, most * 1.08], xTicks, yTicks });
  }

  return {
    plots: [top, low],
    compute(rank) {
      if (path?.rank === rank) return;
      const ridges = positions.map(scale.value);
      const points = ridges.map((ridge) => spectralErrors(problem, spectralFilter(problem.s, ridge, rank)));
      path = { rank, ridges, points, drawn: "" };
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
          line(xs, path.points.slice(1).map((point) => point[name] ?? NaN));
          const first = path.points[0][name];
          zero([off], [first ?? 0], 3, () => first !== null);
        }
        dof.line(xs, path.points.slice(1).map((point) => point.dof));
        dof.zero([off], [path.points[0].dof], 3);
      }
      const x = across(scale.position(state.ridge));
      for (const rule of rules) rule(x);
      for (const { key: name, now } of curves) now(state[name] === null ? null : x, state[name] ?? 0);
      dof.now(x, state.dof);
    },
  };
}
