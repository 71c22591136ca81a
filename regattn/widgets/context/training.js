// The training of attention on many small regressions, step by step; what it is judged by.
import { START, TEST, TRAIN, effective, gram, heads, identity, inverse, lossOf, normals, tasksOf, times, weightsOf } from "./numbers.js";
import { walker } from "../_kit/play.js";
import { dot, eigen, norm, sum } from "../_numbers/maths.js";

// Whether Ω is what is trained: one linear layer.
export const alone = ({ attention, depth }) => attention === "linear" && depth === 1;

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
function risksOf(settings, theta, tests, ways) {
  const n = settings.context;
  const weights = tests.map((test) => weightsOf(settings, theta, test));
  return ways.map((k) => sum(tests.map((test, b) => missOf(test, times(weights[b], test.ys[k], test.goals.length, n, 1)))) / sizeOf(tests)); // prettier-ignore
}

const sizeOf = (tests) => tests.length * tests[0].goals.length;

// The same tests with every x times a factor, as if it were counted in other units.
function stretched(tests, factor) {
  const longer = (rows) => rows.map((x) => factor * x);
  return factor === 1 ? tests : tests.map(({ X, ys, queries, goals }) => ({ X: longer(X), ys, queries: longer(queries), goals }));
}

// The risks of least squares, ridge for the noise of the training, Bayes for that of the test, and the best layer alone.
function rivalsOf(settings, tests, k, scale, factor) {
  const { dimension: p, context: n, noise } = settings;
  const rows = tests[0].X.map((x) => x / factor);
  const best = theoryOf({ ...settings, attention: "linear", depth: 1 }, rows, "best").map((value) => value / n);
  const found = { ols: 0, ridge: 0, bayes: 0, layer: 0 };
  const ridges = { ols: 0, ridge: noise ** 2, bayes: (scale * noise * factor) ** 2 };
  for (const test of tests) {
    const moments = times(test.X, test.X, p, n, p, "first");
    const z = times(test.X, test.ys[k], p, n, 1, "first");
    for (const name of Object.keys(found)) {
      const omega = name === "layer" ? best : inverse(identity(p, ridges[name]).map((value, i) => value + moments[i]), p);
      found[name] += missOf(test, times(test.queries, times(omega, z, p, p, 1), test.goals.length, p, 1));
    }
  }
  return Object.fromEntries(Object.entries(found).map(([name, total]) => [name, total / sizeOf(tests)]));
}

// The training from which one begins whose cells were put to zero.
const whole = ({ zeroed, begun, ...rest }) => ({ ...rest, zeroed: 0, begun: 0 });

const KEPT = 8; // trainings that are not taken twice

// Trainings by their settings: train(step, settings) → state, and far(settings) → its longest list of risks yet. From
// a training of which cells are put to zero a second one begins.
function trainings(training) {
  const known = new Map();
  const of = (settings) => {
    const key = JSON.stringify(settings);
    const found = known.get(key) ?? { train: walker(training), far: [] };
    known.delete(key); // it is the last that was asked for
    known.set(key, found);
    if (known.size > KEPT) known.delete(known.keys().next().value);
    return found;
  };
  const train = (step, settings) => {
    const found = of(settings);
    const state = found.train(step, settings);
    if (state.risks.length > found.far.length) found.far = state.risks.slice();
    return state;
  };
  return { train, far: (settings) => of(settings).far };
}

// What steps of a training are, and judged(settings) → { tests, rivals(k, factor), nothing }. The state is { theta, pace,
// step, limit, risks, diverged_at }. A step that would take the loss of its batch beyond the limit is not taken, and said.
export function contextTraining(data) {
  const { batch, queries, tested, asked, every, scales, clip, momentum, rise, growth_limit, steps } = data;
  const given = (settings) => ({ ...settings, correlation: data.correlation });
  const ways = scales.map((_, k) => k);
  let [key, known] = ["", null];
  const judged = (settings) => {
    const { design, dimension, context, noise, target, seed } = settings;
    const asking = JSON.stringify([design, dimension, context, noise, target, seed]);
    if (asking !== key) {
      const tests = tasksOf(given(settings), TEST, 0, tested, asked, scales);
      const found = new Map();
      const rivals = (k, factor) => {
        const at = `${k} ${factor}`;
        if (!found.has(at)) found.set(at, rivalsOf(given(settings), stretched(tests, factor), k, scales[k], factor));
        return found.get(at);
      };
      const nothing = sum(tests.map((test) => dot(test.goals, test.goals))) / sizeOf(tests); // the risk of answering zero
      [key, known] = [asking, { tests, rivals, nothing }];
    }
    return known;
  };
  const measure = (settings, theta) => risksOf(settings, theta, judged(settings).tests, ways);
  const training = {
    judged,
    given,
    begin(settings) {
      const { zeroed, begun } = settings;
      let theta = firstNumbers(settings, data);
      if (zeroed && alone(settings)) theta = training.train(begun, whole(settings)).theta.map((value, i) => (zeroed & (1 << i) ? 0 : value));
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
  return Object.assign(training, trainings(training));
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

// Risks with every x times each of the factors, of the network and of the ridge of the training; kept while they stay.
function acrossOf(problem, settings, theta, k) {
  const { training, factors, last } = problem;
  if (last?.theta === theta && last.k === k) return last;
  const { dimension: p, context: n, noise } = settings;
  const { tests } = training.judged(settings);
  const found = { theta, k, network: factors.map(() => 0), ridge: factors.map(() => 0) };
  for (const test of tests) {
    const z = times(test.X, test.ys[k], p, n, 1, "first");
    const G = gram(test, p, n); // it grows with the square of the factor, as do products of a query and rows
    const add = (risks, at, omega, size) => (risks[at] += missOf(test, times(test.queries, times(omega, z, p, p, 1), test.goals.length, p, 1).map((answer) => size * answer)) / sizeOf(tests));
    factors.forEach((factor, at) => {
      const square = factor ** 2;
      add(found.ridge, at, inverse(identity(p, noise ** 2 / square).map((value, i) => value + n * G[i]), p), 1);
      if (!heads(settings)) add(found.network, at, effective(settings, theta, { G: G.map((value) => square * value) }), square / n);
    });
  }
  if (heads(settings)) found.network = factors.map((factor) => risksOf(settings, theta, stretched(tests, factor), [k])[0]);
  problem.last = found;
  return found;
}

// What is shown: Ω beside theory, the risks of the network and of its rivals, the layers and weights on one context.
export function contextState(problem, { step, tested, factor, beside, task, query, ...settings }) {
  const { training, scales, every, steps } = problem;
  const state = training.train(step, settings);
  const { tests, rivals, nothing } = training.judged(settings);
  const { dimension: p, context: n, zeroed } = settings;
  const at = (name) => Object.keys(scales).indexOf(name);
  const k = at(tested);
  const asking = stretched(tests, factor);
  const start = zeroed && alone(settings) ? training.train(settings.begun, whole(settings)) : null;
  const shown = asking[task - 1];
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
    const tokens = { X, queries: [...X, ...queries.slice((query - 1) * p, query * p)] };
    const begun = [...ys[scale], 0];
    const after = (depth) => {
      const fit = times(weightsOf({ ...settings, depth }, state.theta, tokens), ys[scale], n + 1, n, 1);
      return begun.map((value, i) => value - fit[i]);
    };
    return [begun, ...Array.from({ length: heads(settings) ? 1 : settings.depth }, (_, l) => after(l + 1))];
  };
  const left = leaves(shown, k);
  const rows = (matrix) => Array.from({ length: p }, (_, i) => matrix.slice(i * p, (i + 1) * p));
  const ended = step === steps && state.diverged_at === null;
  const moments = settings.design === "fixed" ? eigen(rows(times(X, X, p, n, p, "first"))).values : [1];
  const far = training.far(settings);
  if (ended && !zeroed) problem.learned(settings)[settings.depth] = far.at(-1);
  // In the units of the training, as are the risks of the steps.
  const home = step % every === 0 && state.diverged_at === null ? state.risks.at(-1)[k] : risksOf(settings, state.theta, tests, [k])[0];
  return {
    step, n, task, factor, zeroed, tested, ended, every, steps, // prettier-ignore
    settings, k,
    single: alone(settings),
    early: alone(settings) && settings.design === "fixed" && settings.target === "noisy" && !zeroed, // to stop early is to shrink
    before: start && { at: settings.begun, far: training.far(whole(settings)).slice(0, 1 + Math.floor(settings.begun / every)).map((found) => found[k]), risk: risksOf(settings, start.theta, tests, [k])[0] },
    stepping: heads(settings) === 0,
    beside,
    words: besideWords({ ...settings, beside }),
    ridged: besideWords({ ...settings, beside: "ridge" }),
    told: heads(settings) ? "Σ v Ω of the heads" : settings.depth > 1 ? "of all layers, on the new task shown" : "",
    condition: Math.max(...moments) / Math.min(...moments),
    parameters: Array.from(state.theta),
    omega: rows(omega),
    theory: rows(theory),
    ridge: rows(ridge),
    gap: away(theory),
    shrunk: away(ridge),
    cosine: cosine(omega, theory),
    risks: state.risks.map((found) => found[k]),
    far: far.map((found) => found[k]),
    risk: factor === 1 ? home : risksOf(settings, state.theta, asking, [k])[0],
    home,
    nothing,
    rivals: rivals(k, factor),
    plain: rivals(k, 1),
    across: () => (ended || factor !== 1 ? acrossOf(problem, settings, state.theta, k) : null),
    common: ALIKE.includes(tested) ? ALIKE.flatMap((name) => [...far.map((found) => found[at(name)]), ...Object.values(rivals(at(name), 1))]) : [], // one axis for both
    left,
    usually: k || factor !== 1 ? leaves(tests[task - 1], 0).map((values) => -values[n]) : [], // answers to the query as in training
    reach: Math.max(...ys.flatMap((y) => y.map(Math.abs))),
    answers: { network: -left.at(-1)[n], ols: dot(proximity, ys[k]), right: goals[query - 1] },
    nearer: nearerOn(settings, state.theta, asking, k, query),
    weights: Array.from(weights),
    outcomes: Array.from(ys[k]),
    proximity: Array.from(proximity),
    agreement: cosine(weights, proximity),
    diverged_at: state.diverged_at,
  };
}
