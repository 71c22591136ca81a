// The numbers behind the DepthExplorer, pure: layers that attend to what the pooled line leaves over, and rows that go
// through such layers themselves.
import { dot, eigen, mean, multiply, norm, softmax } from "../_numbers/maths.js";

// The rows that see each other and those that ask them: of each unit, or all.
function circles({ unit, asks }, mask) {
  const of = (list, u) => [...list.keys()].filter((i) => !mask || list[i] === u);
  const asking = asks.map((ask) => ask.unit);
  return (mask ? [...new Set(unit)] : [0]).map((u) => ({ rows: of(unit, u), asking: of(asking, u) }));
}

const columns = (rows) => Array.from(rows[0], (_, k) => rows.map((row) => row[k]));
const scores = (query, keys) => keys.map((key) => dot(query, key) / Math.sqrt(key.length));
const averages = (queries, keys) => queries.map((query) => softmax(scores(query, keys)));

// A layer of inner products adds η X'(r − X b) to coefficients b, whose directions are the eigenvectors of X'X.
function products(X, left, X_new) {
  const { values, vectors } = eigen(multiply(columns(X), X));
  const along = (x) => vectors.map((vector) => dot(vector, x));
  const fits = X.map(along);
  return { values, fits, guesses: X_new.map(along), shows: columns(fits).map((fit) => dot(fit, left)) };
}

// A layer of softmax adds η A(r − f) to the fit. With d² for the sums that softmax divides by, d A / d is symmetric.
function smooths(X, left, X_new) {
  const A = averages(X, X);
  const size = A.map((_, i) => Math.sqrt(A[0][i] / A[i][0])); // d, but for a factor
  const { values, vectors } = eigen(A.map((row, i) => row.map((weight, j) => Math.sqrt(weight * A[j][i]))));
  const basis = A.map((_, i) => vectors.map((vector) => vector[i] / size[i]));
  return {
    values,
    fits: basis.map((row) => row.map((value, k) => value * values[k])),
    guesses: multiply(averages(X_new, X), basis),
    shows: vectors.map((vector) => vector.reduce((total, value, i) => total + value * size[i] * left[i], 0)),
  };
}

// How far ℓ layers come along a direction with eigenvalue s where z shows. With a residual connection what is missing
// shrinks by 1 − ηs a layer, on the way to z/s; without one a layer forgets what the others made, and the stack settles
// at ηz/(1 + ηs), a ridge.
function reached(s, z, eta, layers, residual) {
  if (!residual) return ((eta * z) / (1 + eta * s)) * (1 - (-eta * s) ** layers);
  if (Math.abs(eta * s) > 0.5) return (z / s) * (1 - (1 - eta * s) ** layers);
  return z * (s === 0 ? eta * layers : -Math.expm1(layers * Math.log1p(-eta * s)) / s);
}

export function depthProblem(data) {
  return { ...data, stacks: new Map() };
}

// The directions of every task, found once for a kernel and a mask.
function directions({ tasks, stacks }, kernel, mask) {
  const key = `${kernel} ${mask}`;
  if (!stacks.has(key)) {
    const turned = kernel === "softmax" ? smooths : products;
    const found = tasks.map((task) =>
      circles(task, mask).map(({ rows, asking }) => {
        const [X, left, X_new] = [rows.map((i) => task.X[i]), rows.map((i) => task.left[i]), asking.map((i) => task.asks[i].x)]; // prettier-ignore
        return { rows, asking, ...turned(X, left, X_new) };
      }),
    );
    stacks.set(key, found);
  }
  return stacks.get(key);
}

// Errors and distances from the local fit at every depth, over all tasks, and each task's predictions.
export function depthWalk(problem, { kernel, mask, step, residual }) {
  const { tasks, depths } = problem;
  const [errors, distances, predictions] = [[], [], tasks.map(() => [])];
  const stacks = directions(problem, kernel, mask);
  for (const layers of depths) {
    let [squared, count, far, whole] = [0, 0, 0, 0];
    tasks.forEach(({ gap, y_new, pooled }, at) => {
      const groups = stacks[at];
      const largest = kernel === "softmax" ? 1 : Math.max(...groups.map(({ values }) => Math.max(...values)));
      const said = [...pooled];
      for (const { values, shows, rows, fits, asking, guesses } of groups) {
        const along = values.map((s, k) => reached(s, shows[k], step / largest, layers, residual));
        rows.forEach((i, k) => (far += (gap[i] - dot(fits[k], along)) ** 2));
        asking.forEach((i, k) => (said[i] += dot(guesses[k], along)));
      }
      said.forEach((guess, i) => (squared += (y_new[i] - guess) ** 2));
      count += said.length;
      whole += dot(gap, gap);
      predictions[at].push(said);
    });
    errors.push(Math.sqrt(squared / count));
    distances.push(Math.sqrt(far / whole));
  }
  return { errors, distances, predictions };
}

// The size of the rows' differences from the mean row, as a share of the size of all rows.
function apartness(rows) {
  const centre = columns(rows).map(mean);
  const size = (list) => norm(list.map((row) => norm(row)));
  return size(rows.map((row) => row.map((value, k) => value - centre[k]))) / size(rows);
}

// How far apart rows stand at every depth that go through the layers themselves: queries, keys and values at once.
export function apartWalk(task, depths, { kernel, mask, step, residual }) {
  const groups = circles(task, mask);
  const found = [];
  let now = task.X;
  for (let layers = 0; layers <= depths.at(-1); layers++) {
    if (depths.includes(layers)) found.push(apartness(now));
    const parts = groups.map(({ rows }) => rows.map((i) => now[i]));
    const grams = kernel === "identity" && parts.map((rows) => multiply(columns(rows), rows));
    const eta = grams ? step / Math.max(...grams.map((gram) => Math.max(...eigen(gram).values))) : step;
    const next = [...now];
    parts.forEach((rows, u) => {
      const heard = grams ? multiply(rows, grams[u]) : multiply(averages(rows, rows), rows);
      groups[u].rows.forEach((i, k) => (next[i] = heard[k].map((value, j) => (residual ? now[i][j] : 0) + eta * value)));
    });
    now = next;
  }
  return found;
}

// Everything shown for one setting of the controls; a walk is made once and shown in part.
export function depthState(problem, { layers, time, ...settings }, before) {
  const key = JSON.stringify(settings);
  const same = before?.key === key;
  const whole = same ? before.whole : depthWalk(problem, settings);
  const rows = same && before.time === time ? before.rows : apartWalk(problem.tasks[time], problem.rows_depths, settings);
  return {
    key, whole, rows, layers, time, // prettier-ignore
    errors: whole.errors.slice(0, layers + 1),
    distances: whole.distances.slice(0, layers + 1),
    apart: rows.slice(0, layers + 1),
    predictions: whole.predictions[time][layers],
  };
}
