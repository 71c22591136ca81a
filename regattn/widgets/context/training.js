// The training of attention on many small regressions, step by step, for the walker of play.js; what it is judged by.
import { START, TEST, TRAIN, effective, heads, identity, inverse, lossOf, normals, tasksOf, times, weightsOf } from "./numbers.js";
import { dot, norm, sum } from "../_numbers/maths.js";

// The first numbers: zero for one linear layer, small for others; two heads begin with opposite signs.
function firstNumbers(settings, { starts }) {
  const { attention, depth, tied, dimension: p, seed } = settings;
  const count = heads(settings) || (tied ? 1 : depth) * (attention === "plus" ? 2 : 1);
  const spread = attention === "linear" && depth === 1 ? 0 : starts[attention];
  const drawn = normals(seed, START, 0, count * p * p).map((value) => spread * value);
  return Float64Array.from([...drawn, ...[1, -1].slice(0, heads(settings))]);
}

// n times the inverse of X'X, that of ridge, or the Ω of least risk; one layer alone knows C in place of the context.
export function theoryOf(settings, X, which) {
  const { design, dimension: p, context: n, depth, noise, correlation, target } = settings;
  const alone = design === "random" && (depth === 1 || heads(settings) > 0);
  const sigma = identity(p).map((_, k) => n * correlation ** Math.abs((k % p) - Math.floor(k / p)));
  const moments = alone ? sigma : times(X, X, p, n, p, "first");
  const plain = which === "inverse" || (which === "best" && design === "fixed" && target === "noisy");
  let ridge = plain ? 0 : noise ** 2;
  if (which === "best" && alone) ridge += p; // the trace of C
  const grown = which === "best" && alone ? 1 + 1 / n : 1;
  const added = identity(p, ridge);
  return inverse(moments.map((value, k) => grown * value + added[k]), p).map((value) => n * value); // prettier-ignore
}

function missOf(task, answers) {
  return answers.reduce((total, answer, j) => total + (answer - task.goals[j]) ** 2, 0);
}

// The mean squared distances to the noise-free answers for each way of testing.
function risksOf(settings, theta, sets) {
  const n = settings.context;
  const [known, size] = [new Map(), sets[0].length * sets[0][0].goals.length];
  for (const tests of sets) if (!known.has(tests)) known.set(tests, tests.map((test) => weightsOf(settings, theta, test))); // prettier-ignore
  return sets.map((tests, k) => sum(tests.map((test, b) => missOf(test, times(known.get(tests)[b], test.ys[k], test.goals.length, n, 1)))) / size); // prettier-ignore
}

// The tests for each way of testing: the same where x has the units of training, whose noise is kept in `ys`.
function setsOf(tests, units) {
  const other = (unit) => tests.map((test) => ({ ...test, X: test.X.map((x) => unit * x), queries: test.queries.map((x) => unit * x) }));
  return units.map((unit) => (unit === 1 ? tests : other(unit)));
}

// The same for least squares, ridge for the noise of the training, Bayes for that of the test, and the best layer alone.
function rivalsOf(settings, sets, scales, units) {
  const { dimension: p, context: n, noise } = settings;
  const best = theoryOf({ ...settings, attention: "linear", depth: 1 }, sets[0][0].X, "best").map((value) => value / n);
  return scales.map((scale, k) => {
    const tests = sets[k];
    const found = { ols: 0, ridge: 0, bayes: 0, layer: 0 };
    const ridges = { ols: 0, ridge: noise ** 2, bayes: (scale * noise * units[k]) ** 2 };
    for (const test of tests) {
      const moments = times(test.X, test.X, p, n, p, "first");
      const z = times(test.X, test.ys[k], p, n, 1, "first");
      for (const name of Object.keys(found)) {
        const omega = name === "layer" ? best : inverse(identity(p, ridges[name]).map((value, i) => value + moments[i]), p);
        const coef = times(omega, z, p, p, 1);
        found[name] += missOf(test, times(test.queries, coef, test.goals.length, p, 1));
      }
    }
    const size = tests.length * tests[0].goals.length;
    return Object.fromEntries(Object.entries(found).map(([name, total]) => [name, total / size]));
  });
}

// What the walker of play.js needs, and judged(settings) → { sets, rivals }. The state is { theta, pace, step, limit,
// risks, diverged_at }. A step that would take the loss of its batch beyond the limit is not taken, and said.
export function contextTraining(data) {
  const { batch, queries, tested, asked, every, scales, units, clip, momentum, rise, growth_limit, steps } = data;
  const given = (settings) => ({ ...settings, correlation: data.correlation });
  let [key, known] = ["", null];
  const judged = (settings) => {
    const { design, dimension, context, noise, target, seed } = settings;
    const asking = JSON.stringify([design, dimension, context, noise, target, seed]);
    if (asking !== key) {
      const sets = setsOf(tasksOf(given(settings), TEST, 0, tested, asked, scales), units);
      [key, known] = [asking, { sets, rivals: rivalsOf(given(settings), sets, scales, units) }];
    }
    return known;
  };
  const measure = (settings, theta) => risksOf(settings, theta, judged(settings).sets);
  return {
    judged,
    measure,
    given,
    begin(settings) {
      const theta = firstNumbers(settings, data);
      const risks = [measure(settings, theta)];
      return { theta, pace: new Float64Array(theta.length), step: 0, limit: null, risks, diverged_at: null };
    },
    advance(state, settings) {
      const t = state.step++;
      if (state.diverged_at !== null) return;
      const { theta } = state;
      const tasks = tasksOf(given(settings), TRAIN, t, batch, queries);
      const slope = new Float64Array(theta.length);
      const loss = lossOf(settings, theta, tasks, slope);
      const goals = tasks.flatMap((task) => Array.from(task.goals));
      state.limit ??= growth_limit * Math.max(loss, sum(goals.map((goal) => goal ** 2)) / goals.length);
      const cut = Math.min(1, clip / Math.max(Math.sqrt(sum(slope.map((value) => value ** 2))), 1e-300));
      const rate = settings.learning_rate * Math.min((t + 1) / (rise * steps), (1 - t / steps) / (1 - rise));
      state.pace = state.pace.map((value, k) => momentum * value + (1 - momentum) * cut * slope[k]);
      const moved = theta.map((value, k) => value - rate * state.pace[k]);
      if (!(lossOf(settings, moved, tasks) <= state.limit) || !moved.every(Number.isFinite)) {
        state.diverged_at = state.step;
        return;
      }
      state.theta = moved;
      if (state.step % every === 0) state.risks.push(measure(settings, moved));
    },
    keep: 50,
  };
}

function cosine(a, b) {
  const size = norm(a) * norm(b);
  return size ? dot(a, b) / size : null;
}

// What the second table shows, in words.
function besideWords({ design, target, depth, beside, ...settings }) {
  if (design === "random" && (depth === 1 || heads(settings))) {
    return { inverse: "(nC)⁻¹", ridge: "(nC + σ²I)⁻¹", best: "((n + 1)C + (tr C + σ²)I)⁻¹" }[beside];
  }
  const plain = beside === "inverse" || (beside === "best" && design === "fixed" && target === "noisy");
  return plain ? "(X′X)⁻¹" : "(X′X + σ²I)⁻¹";
}

// On how many of the new tasks the answer to the query is nearer to the right one than that of least squares.
function nearerOn(settings, theta, tests, k, query) {
  const { dimension: p, context: n } = settings;
  return tests.filter((test) => {
    const asked = { ...test, queries: test.queries.slice((query - 1) * p, query * p) };
    const slopes = times(inverse(times(test.X, test.X, p, n, p, "first"), p), times(test.X, test.ys[k], p, n, 1, "first"), p, p, 1);
    const missed = (answer) => Math.abs(answer - test.goals[query - 1]);
    return missed(dot(weightsOf(settings, theta, asked), test.ys[k])) < missed(dot(asked.queries, slopes));
  }).length;
}

const ALIKE = ["same", "quiet"]; // tests whose risks are compared by eye

// What is shown: Ω beside theory, the risks of the network and of its rivals, the layers and weights on one context.
export function contextState(problem, { step, tested, beside, task, query, ...settings }) {
  const { train, training, scales, every } = problem;
  const state = train(step, settings);
  const { sets, rivals } = training.judged(settings);
  const { dimension: p, context: n } = settings;
  const at = (name) => Object.keys(scales).indexOf(name);
  const k = at(tested);
  const shown = sets[k][task - 1];
  const { X, queries, ys, goals } = shown;
  const omega = effective(settings, state.theta, shown).map((value) => value / n);
  const [theory, ridge] = [beside, "ridge"].map((which) => theoryOf(training.given(settings), X, which).map((value) => value / n));
  const away = (other) => norm(omega.map((value, i) => value - other[i])) / norm(other);
  const asked = { ...shown, queries: queries.slice((query - 1) * p, query * p) };
  const weights = weightsOf(settings, state.theta, asked);
  const found = times(asked.queries, inverse(times(X, X, p, n, p, "first"), p), 1, p, p);
  const proximity = times(found, X, 1, p, n, "second");
  // What every layer leaves of the outcomes of a test, of its rows and last of the query.
  const leaves = ({ X, ys, queries }, scale) => {
    const tokens = { ...shown, X, G: undefined, queries: [...X, ...queries.slice((query - 1) * p, query * p)] };
    const begun = [...ys[scale], 0];
    const after = (depth) => {
      const fit = times(weightsOf({ ...settings, depth }, state.theta, tokens), ys[scale], n + 1, n, 1);
      return begun.map((value, i) => value - fit[i]);
    };
    return [begun, ...Array.from({ length: heads(settings) ? 1 : settings.depth }, (_, l) => after(l + 1))];
  };
  const left = leaves(shown, k);
  const rows = (matrix) => Array.from({ length: p }, (_, i) => matrix.slice(i * p, (i + 1) * p));
  return {
    step, n, task, // prettier-ignore
    stretched: problem.units[k] !== 1,
    stepping: heads(settings) === 0,
    words: besideWords({ ...settings, beside }),
    told: heads(settings) ? "Σ v Ω of the heads" : settings.depth > 1 ? "of all layers, on the new task shown" : "n · Ω",
    parameters: Array.from(state.theta),
    omega: rows(omega),
    theory: rows(theory),
    gap: away(theory),
    shrunk: beside === "inverse" && settings.design === "fixed" && settings.target === "clean" ? { gap: away(ridge), words: besideWords({ ...settings, beside: "ridge" }) } : null,
    plainly: beside === "inverse",
    cosine: cosine(omega, theory),
    risks: state.risks.map((found) => found[k]),
    risk: (step % every === 0 && state.diverged_at === null ? state.risks.at(-1) : training.measure(settings, state.theta))[k],
    rivals: rivals[k],
    common: ALIKE.includes(tested) ? ALIKE.flatMap((name) => [...state.risks.map((found) => found[at(name)]), ...Object.values(rivals[at(name)])]) : [], // one axis for both
    left,
    usually: k ? leaves(sets[0][task - 1], 0).map((values) => -values[n]) : [], // answers to the query as in training
    reach: Math.max(...ys.flatMap((y) => y.map(Math.abs))),
    answers: { network: -left.at(-1)[n], ols: dot(proximity, ys[k]), right: goals[query - 1] },
    nearer: nearerOn(settings, state.theta, sets[k], k, query),
    weights: Array.from(weights),
    proximity: Array.from(proximity),
    agreement: cosine(weights, proximity),
    diverged_at: state.diverged_at,
  };
}
