// EmbeddingExplorer: Ω ← Ω − η (2/M) X'X (Ω − (X'X)⁻¹) ZZ', or the same on its factors, walked here step by step.
import { explorer } from "./explorer.js";
import { formatNumber, isolate, powerText } from "./format.js";
import { numberTable } from "./tables.js";

// ---- numbers -------------------------------------------------------------------------------------------------------

const flat = (rows) => Float64Array.from(rows.flat());

// out = a b for a (n × k) and b (k × m), by rows, in one array each; `turned` reads a as its transpose (k × n).
function timesInto(out, a, b, n, k, m, turned = false) {
  out.fill(0);
  for (let i = 0; i < n; i++) {
    for (let l = 0; l < k; l++) {
      const left = turned ? a[l * n + i] : a[i * k + l];
      for (let j = 0; j < m; j++) out[i * m + j] += left * b[l * m + j];
    }
  }
  return out;
}

// out = a b' for a (n × k) and b (m × k).
function timesTurnedInto(out, a, b, n, k, m) {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      let total = 0;
      for (let l = 0; l < k; l++) total += a[i * k + l] * b[j * k + l];
      out[i * m + j] = total;
    }
  }
  return out;
}

const squares = (a) => a.reduce((total, value) => total + value * value, 0);

// What the targets ask of Ω: the loss and its gradient in p dimensions, whatever the number of rows is.
function embeddingTask({ root, p }, { Z, coef, rest, size }, M) {
  const first = (rows) => Float64Array.from(rows.flatMap((row) => row.slice(0, M)));
  const [shown, wanted] = [first(Z), first(coef)];
  const [gap, seen, back] = [0, 1, 2].map(() => new Float64Array(p * M));
  const slope = new Float64Array(p * p);
  const mean = (values) => values.slice(0, M).reduce((total, value) => total + value, 0) / M;
  return {
    least: mean(rest),
    size: mean(size),
    // the loss above its least value; leaves in `seen` what the gradient needs
    excess(omega) {
      timesInto(gap, omega, shown, p, p, M);
      for (let k = 0; k < gap.length; k++) gap[k] -= wanted[k];
      return squares(timesInto(seen, root, gap, p, p, M, true)) / M;
    },
    gradient() {
      timesInto(back, root, seen, p, p, M);
      timesTurnedInto(slope, back, shown, p, M, p);
      for (let k = 0; k < slope.length; k++) slope[k] *= 2 / M;
      return slope;
    },
  };
}

// Every Ω and every loss of one walk. It ends just before the step that would take the loss beyond `growth_limit` times
// the larger of the first loss and the size of the targets, and says which step that is.
export function embeddingWalk(problem, { teacher, count, start, learning_rate }) {
  const { p, starts, steps, growth_limit } = problem;
  const pool = problem.pools[teacher];
  const task = embeddingTask(problem, pool, count);
  const eta = learning_rate * pool.limits[count - 1];
  const begin = { zero: () => new Float64Array(p * p), random: () => flat(starts.random) };
  let factors = start === "factors" ? [flat(starts.W_Q), flat(starts.W_K)] : null;
  const product = () => timesTurnedInto(new Float64Array(p * p), ...factors, p, p, p);
  let omega = factors ? product() : begin[start]();
  const omegas = [omega];
  const excess = [task.excess(omega)];
  const limit = growth_limit * Math.max(task.least + excess[0], task.size);
  const [asks, answers] = [new Float64Array(p * p), new Float64Array(p * p)];
  for (let t = 1; t <= steps; t++) {
    const slope = task.gradient();
    if (factors) {
      timesInto(asks, slope, factors[1], p, p, p);
      timesInto(answers, slope, factors[0], p, p, p, true);
      const moves = [asks, answers];
      factors = factors.map((factor, side) => factor.map((value, k) => value - eta * moves[side][k]));
      omega = product();
    } else omega = omega.map((value, k) => value - eta * slope[k]);
    const above = task.excess(omega);
    if (!(task.least + above <= limit)) return { omegas, excess, least: task.least, diverged_at: t };
    omegas.push(omega);
    excess.push(above);
  }
  return { omegas, excess, least: task.least, diverged_at: null };
}

// The map in the principal directions, root' Ω root: the identity if Ω is the inverse.
function mapOf({ root, p }, omega) {
  const half = timesInto(new Float64Array(p * p), omega, root, p, p, p);
  return timesInto(new Float64Array(p * p), root, half, p, p, p, true);
}

function mapErrorOf({ p }, map) {
  let total = 0;
  for (let i = 0; i < p; i++) for (let j = 0; j < p; j++) total += (map[i * p + j] - (i === j ? 1 : 0)) ** 2;
  return Math.sqrt(total / p);
}

function newErrors({ root, p, unseen }, omegas) {
  const [gap, seen] = [new Float64Array(p), new Float64Array(p)];
  const size = Math.sqrt(squares(timesInto(seen, root, unseen.coef, p, p, 1, true)));
  return omegas.map((omega) => {
    timesInto(gap, omega, unseen.z, p, p, 1);
    for (let k = 0; k < p; k++) gap[k] -= unseen.coef[k];
    return Math.sqrt(squares(timesInto(seen, root, gap, p, p, 1, true))) / size;
  });
}

function embeddingProblem(data) {
  const p = data.root.length;
  const unseen = { z: Float64Array.from(data.new.z), coef: Float64Array.from(data.new.coef) };
  return { ...data, p, root: flat(data.root), unseen, table: data.inverse };
}

function embeddingState(problem, { step, ...now }, before) {
  const key = JSON.stringify(now);
  let whole = before?.key === key ? before.whole : null; // a step only shows more or less of a walk
  if (!whole) {
    whole = embeddingWalk(problem, now);
    whole.errors = newErrors(problem, whole.omegas);
    whole.map_errors = whole.omegas.map((omega) => mapErrorOf(problem, mapOf(problem, omega)));
    whole.losses = whole.excess.map((above) => whole.least + above);
  }
  const { p, names } = problem;
  const last = Math.min(step, whole.omegas.length - 1);
  const omega = whole.omegas[last];
  const map = mapOf(problem, omega);
  const ran = whole.diverged_at !== null && step >= whole.diverged_at;
  const pool = problem.pools[now.teacher];
  return {
    key, whole, last, // prettier-ignore
    omega: names.map((_, i) => Array.from(omega.subarray(i * p, (i + 1) * p))),
    losses: whole.losses.slice(0, last + 1),
    errors: whole.errors.slice(0, last + 1),
    map_errors: whole.map_errors.slice(0, last + 1),
    learned: names.map((_, k) => map[k * p + k]),
    shares: pool.shares[now.count - 1],
    rank: pool.ranks[now.count - 1],
    diverged_at: ran ? whole.diverged_at : null,
  };
}

// ---- pictures ------------------------------------------------------------------------------------------------------

const cellNumber = (value) => (Math.abs(value) < 0.005 ? "0" : value.toFixed(Math.abs(value) >= 9.95 ? 0 : 1).replace("-", "−"));

function matrixPanel(title, { names, inverse }, view, values) {
  const most = Math.max(...inverse.flat().map(Math.abs));
  return {
    title,
    make(host) {
      const draw = numberTable(host, { label: title, signal: view.signal });
      return (state) => {
        const table = values(state);
        const marked = (i, j) => (table[i][j] < 0 ? "ra-below" : "ra-above");
        draw(names, names, table, { text: cellNumber, most, marked });
      };
    },
  };
}

const LOWEST = 1e-12; // below this share of the first excess the curve runs along the floor

function excessPanel({ steps }) {
  let [heights, floor] = [[], 0];
  return {
    title: "Loss above its least value",
    plot: { label: "Loss above its least value at every step, on a logarithmic axis", xLabel: "step", yLabel: "loss − least loss", height: 220 },
    hint: () => "; arrow keys read the steps",
    at: (k) => [k, Math.max(floor, heights[k])],
    by: "x",
    make(p) {
      const [line, end] = [p.line("key"), p.marker("negative", "diamond")];
      return ({ whole, last, diverged_at }) => {
        const first = whole.excess[0] || 1;
        const seen = whole.excess.filter((above) => above > 0);
        const low = Math.floor(Math.log10(Math.max(LOWEST * first, Math.min(first, ...seen))));
        const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(first, ...whole.excess))));
        floor = low;
        heights = whole.excess.slice(0, last + 1).map((above) => (above > 0 ? Math.log10(above) : -Infinity));
        const every = Math.ceil((high - low) / 5);
        const yTicks = [];
        for (let power = low; power <= high; power++) {
          if ((power - low) % every === 0) yTicks.push({ at: power || 1e-9, text: powerText(10 ** power) }); // 10⁰ is no zero line
        }
        p.frame({ x: [0, steps], y: [low, high], yTicks });
        line(heights.map((_, k) => k), heights.map((height) => Math.max(floor, height))); // prettier-ignore
        if (diverged_at === null) end();
        else end(last, heights[last]);
      };
    },
  };
}

function errorPanel({ steps, new_name }) {
  const top = (whole) => Math.min(4, Math.max(1.1, ...whole.errors, ...whole.map_errors));
  const cut = (values, high) => values.map((value) => Math.min(value, high));
  return {
    title: "Error on a target that is not taught",
    legend: [
      ["prediction", "line", isolate(new_name)],
      ["neutral", "dashed", "any noise, on average: error of the map"],
    ],
    plot: { label: "Relative error at every step", xLabel: "step", yLabel: "error, share of the right answer", height: 220 },
    hint: () => "; arrow keys read the steps",
    at: (k, { errors, whole }) => [k, Math.min(errors[k], top(whole))],
    by: "x",
    make(p) {
      const [map, fresh] = [p.line("neutral", { dashed: true }), p.line("prediction")];
      return ({ errors, map_errors, whole }) => {
        const high = top(whole);
        p.frame({ x: [0, steps], y: [0, high] });
        const places = errors.map((_, k) => k);
        map(places, cut(map_errors, high));
        fresh(places, cut(errors, high));
      };
    },
  };
}

function directionsPanel({ names }) {
  const xTicks = names.map((_, k) => ({ at: k, text: String(k + 1) }));
  return {
    title: "Principal directions of X, strongest first",
    wide: true,
    legend: [
      ["key", "square", "part that the targets fix"],
      ["prediction", "dot", "learned so far: 1 if right"],
    ],
    plot: { label: "Part of each principal direction that is fixed, and what is learned of it", xLabel: "direction", yLabel: "share", height: 200 },
    make(p) {
      const [bars, dots] = [p.bars("key"), p.dots("prediction")];
      return ({ shares, learned }) => {
        p.frame({ x: [-0.5, names.length - 0.5], y: [-0.25, 1.25], xTicks });
        bars(shares);
        const inside = learned.map((value) => Math.max(-0.25, Math.min(1.25, value)));
        dots(names.map((_, k) => k), inside, 5); // prettier-ignore
      };
    },
  };
}

// ---- the explorer --------------------------------------------------------------------------------------------------

const percent = (share) => (share < 10 ? `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %` : "over 1000 %");

function embeddingMessage({ last, losses, errors, rank, whole, diverged_at }, { names, new_name }, view) {
  if (diverged_at !== null) {
    return `Descent ran away: step ${diverged_at} would have taken the loss beyond a million million times its start. Take a smaller learning rate.`;
  }
  const count = view.model.get("count");
  const fixed = `${count === 1 ? "One target fixes" : `${count} targets fix`} ${rank} of ${names.length} directions.`;
  if (last === 0) return `${fixed} Nothing is learned yet.`;
  const above = formatNumber(Math.max(0, losses[last] - whole.least), 2);
  return `${fixed} After ${last === 1 ? "one step" : `${last} steps`} the loss is ${above} above its least value; on ${isolate(new_name)} the error is ${percent(errors[last])}.`;
}

const render = explorer({
  name: "EmbeddingExplorer",
  prepare: embeddingProblem,
  compute: embeddingState,
  ended: ({ diverged_at }) => diverged_at !== null,
  texts: ({ targets }, view) => ({
    count: (count) => `${count} (the last: ${isolate(targets[view.model.get("teacher")][count - 1])})`,
  }),
  numbers: () => [
    ["loss", "loss", ({ losses }) => formatNumber(losses.at(-1), 4)],
    ["least_loss", "loss of least squares", ({ whole }) => formatNumber(whole.least, 4)],
    ["map_error", "error of the map", ({ map_errors }) => percent(map_errors.at(-1))],
    ["error", "error, new target", ({ errors }) => percent(errors.at(-1))],
    ["rank", "directions fixed", ({ rank, shares }) => `${rank} of ${shares.length}`],
  ],
  say: embeddingMessage,
  panels: (problem, view) => ({
    omega: matrixPanel("Ω, learned so far", problem, view, ({ omega }) => omega),
    inverse: matrixPanel("(X′X)⁻¹", problem, view, () => problem.table),
    loss: excessPanel(problem),
    error: errorPanel(problem),
    directions: directionsPanel(problem),
  }),
  cursor: () => ({
    count: ({ losses }) => losses.length,
    text: (k, { losses, errors, map_errors }) =>
      `step ${k}: loss ${formatNumber(losses[k], 4)}\nerror, new target: ${percent(errors[k])}\nerror of the map: ${percent(map_errors[k])}`,
  }),
  result: ({ omega, losses, errors, map_errors, learned, shares, rank, diverged_at }) => ({
    omega, losses, errors, map_errors, learned, shares, rank, diverged_at, // prettier-ignore
  }),
});

export default { render };
