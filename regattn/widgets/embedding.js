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

// What one Ω is worth. With E = Ω − (X'X)⁻¹ and G = root'E the loss lies tr(G ZZ' G')/M above its least value, its gradient
// is 2/M root G ZZ', the fit of another target misses by G z, and the map by G root. `slope` is left for the next step.
function embeddingJudge({ root, p, target, unseen }, { Z }, M) {
  const shown = Float64Array.from(Z.flatMap((row) => row.slice(0, M)));
  const both = timesTurnedInto(new Float64Array(p * p), shown, shown, p, M, p);
  const [gap, seen, spread, slope, map] = [0, 1, 2, 3, 4].map(() => new Float64Array(p * p));
  const miss = new Float64Array(p);
  const size = Math.sqrt(squares(timesInto(new Float64Array(p), root, unseen.coef, p, p, 1, true)));
  return (omega) => {
    for (let k = 0; k < gap.length; k++) gap[k] = omega[k] - target[k];
    timesInto(seen, root, gap, p, p, p, true);
    timesInto(spread, seen, both, p, p, p);
    let above = 0;
    for (let k = 0; k < seen.length; k++) above += seen[k] * spread[k];
    timesInto(slope, root, spread, p, p, p);
    for (let k = 0; k < slope.length; k++) slope[k] *= 2 / M;
    timesInto(miss, seen, unseen.z, p, p, 1);
    timesInto(map, seen, root, p, p, p);
    return { above: Math.max(0, above / M), slope, error: Math.sqrt(squares(miss)) / size, map_error: Math.sqrt(squares(map) / p) };
  };
}

// Every Ω of one walk with its loss and its errors. It ends just before the step that would take the loss beyond
// `growth_limit` times the larger of the first loss and the size of the targets, and says which step that is.
export function embeddingWalk(problem, { teacher, count, start, learning_rate }) {
  const { p, starts, steps, growth_limit } = problem;
  const pool = problem.pools[teacher];
  const mean = (values) => values.slice(0, count).reduce((total, value) => total + value, 0) / count;
  const [least, size] = [mean(pool.rest), mean(pool.size)];
  const judge = embeddingJudge(problem, pool, count);
  const eta = learning_rate * pool.limits[start === "factors" ? "factors" : "omega"][count - 1];
  const factors = start === "factors" ? [flat(starts.W_Q), flat(starts.W_K)] : null;
  const product = () => timesTurnedInto(new Float64Array(p * p), ...factors, p, p, p);
  let omega = factors ? product() : start === "random" ? flat(starts.random) : new Float64Array(p * p);
  let now = judge(omega);
  const walk = { omegas: [omega], excess: [now.above], losses: [least + now.above], errors: [now.error], map_errors: [now.map_error], least, diverged_at: null };
  const limit = growth_limit * Math.max(least + now.above, size);
  const moves = [new Float64Array(p * p), new Float64Array(p * p)];
  for (let t = 1; t <= steps; t++) {
    if (factors) {
      timesInto(moves[0], now.slope, factors[1], p, p, p);
      timesInto(moves[1], now.slope, factors[0], p, p, p, true);
      for (const side of [0, 1]) for (let k = 0; k < omega.length; k++) factors[side][k] -= eta * moves[side][k];
      omega = product();
    } else {
      omega = Float64Array.from(omega);
      for (let k = 0; k < omega.length; k++) omega[k] -= eta * now.slope[k];
    }
    now = judge(omega);
    if (!(least + now.above <= limit)) return { ...walk, diverged_at: t };
    walk.omegas.push(omega);
    walk.excess.push(now.above);
    walk.losses.push(least + now.above);
    walk.errors.push(now.error);
    walk.map_errors.push(now.map_error);
  }
  return walk;
}

function embeddingProblem(data) {
  const unseen = { z: Float64Array.from(data.new.z), coef: Float64Array.from(data.new.coef) };
  return { ...data, p: data.root.length, root: flat(data.root), target: flat(data.inverse), unseen };
}

function embeddingState(problem, { step, ...now }, before) {
  const key = JSON.stringify(now);
  const whole = before?.key === key ? before.whole : embeddingWalk(problem, now); // a step only shows more or less of it
  const { p, names, root } = problem;
  const last = Math.min(step, whole.omegas.length - 1);
  const omega = whole.omegas[last];
  const half = timesInto(new Float64Array(p * p), omega, root, p, p, p);
  const map = timesInto(new Float64Array(p * p), root, half, p, p, p, true);
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

const cellNumber = (value) => (Math.abs(value) < 0.05 ? "0" : value.toFixed(Math.abs(value) >= 9.95 ? 0 : 1).replace("-", "−"));

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
      ["neutral", "square", "part that the targets fix"],
      ["prediction", "dot", "learned so far: 1 if right"],
    ],
    plot: { label: "Part of each principal direction that is fixed, and what is learned of it", xLabel: "direction", yLabel: "share", height: 200 },
    make(p) {
      const [bars, dots] = [p.bars("neutral"), p.dots("prediction")];
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
    inverse: matrixPanel("(X′X)⁻¹", problem, view, () => problem.inverse),
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
