// Ω ← Ω − η (2/M) X'X (Ω − (X'X)⁻¹) ZZ', or the same on its factors, as in regattn/regression/embedding.py.

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

// What one Ω is worth. With E = Ω − (X'X)⁻¹ and G = root'E the loss lies tr(G ZZ' G')/M above its least value, its
// gradient is 2/M root G ZZ', the fit of another target misses by G z, and the map by G root. `slope` is left for the
// next step.
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
    const [error, map_error] = [Math.sqrt(squares(miss)) / size, Math.sqrt(squares(map) / p)];
    return { above: Math.max(0, above / M), slope, error, map_error };
  };
}

// What there is to know of the targets: those given, or those of a draw.
const taught = ({ listed, draws }, { teacher, seed }) => (teacher === "listed" ? listed : draws[seed - 1][teacher]);

// Every Ω of one walk with its loss and its errors. It ends just before the step that would take the loss beyond
// `growth_limit` times the larger of the first loss and the size of the targets, and says which step that is.
export function embeddingWalk(problem, { teacher, count, start, learning_rate, seed }) {
  const { p, steps, growth_limit } = problem;
  const { starts, limits } = problem.draws[seed - 1];
  const pool = taught(problem, { teacher, seed });
  const mean = (values) => values.slice(0, count).reduce((total, value) => total + value, 0) / count;
  const [least, size] = [mean(pool.rest), mean(pool.size)];
  const judge = embeddingJudge(problem, pool, count);
  const eta = learning_rate * (start === "factors" ? limits[teacher] : pool.limits)[count - 1];
  const factors = start === "factors" ? [flat(starts.W_Q), flat(starts.W_K)] : null;
  const product = () => timesTurnedInto(new Float64Array(p * p), ...factors, p, p, p);
  let omega = factors ? product() : start === "random" ? flat(starts.random) : new Float64Array(p * p);
  let now = judge(omega);
  const walk = { omegas: [], excess: [], losses: [], errors: [], map_errors: [], least, diverged_at: null };
  const keep = () => {
    walk.omegas.push(omega);
    walk.excess.push(now.above);
    walk.losses.push(least + now.above);
    walk.errors.push(now.error);
    walk.map_errors.push(now.map_error);
  };
  keep();
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
    keep();
  }
  return walk;
}

export function embeddingProblem(data) {
  const unseen = { z: Float64Array.from(data.new.z), coef: Float64Array.from(data.new.coef) };
  return { ...data, p: data.root.length, root: flat(data.root), target: flat(data.inverse), unseen };
}

export function embeddingState(problem, { step, ...now }, before) {
  const key = JSON.stringify(now);
  // a step only shows more or less of the walk
  const whole = before?.key === key ? before.whole : embeddingWalk(problem, now);
  const { p, names, root } = problem;
  const last = Math.min(step, whole.omegas.length - 1);
  const omega = whole.omegas[last];
  const half = timesInto(new Float64Array(p * p), omega, root, p, p, p);
  const map = timesInto(new Float64Array(p * p), root, half, p, p, p, true);
  const ran = whole.diverged_at !== null && step >= whole.diverged_at;
  const pool = taught(problem, now);
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
