// The numbers behind the DepthExplorer, pure: layers that attend to what the pooled line leaves over. A layer adds
// η X'(r − X b) to the coefficients b of a unit. Along an eigenvector of X'X with eigenvalue s² that has a closed form,
// so that any depth is known at once.
import { dot } from "./maths.js";

// How far ℓ layers come along each direction. With a residual connection what is missing shrinks by 1 − ηs² a layer, on
// the way to z/s²; without one a layer forgets what the others made, and the stack settles at ηz/(1 + ηs²), a ridge.
function reached({ squares, shows }, eta, layers, residual) {
  return squares.map((s, k) => {
    if (residual) return s > 0 ? (shows[k] / s) * (1 - (1 - eta * s) ** layers) : 0;
    return ((eta * shows[k]) / (1 + eta * s)) * (1 - (-eta * s) ** layers);
  });
}

// Errors and distances from the local fit at every depth, over all tasks, and each task's predictions.
export function depthWalk({ tasks, depths }, { mask, step, residual }) {
  const [errors, distances, predictions] = [[], [], tasks.map(() => [])];
  for (const layers of depths) {
    let [squared, count, far, whole] = [0, 0, 0, 0];
    tasks.forEach(({ own, all, asks, y_new, pooled }, at) => {
      const groups = mask ? own : [all]; // without the mask all units are one, and nothing is left to learn
      const largest = Math.max(...groups.map(({ squares }) => Math.max(...squares)));
      const along = groups.map((group) => reached(group, step / largest, layers, residual));
      own.forEach(({ squares, shows }, u) => {
        squares.forEach((s, k) => {
          const goal = s > 0 ? shows[k] / s : 0;
          const here = mask ? along[u][k] : 0;
          far += s * (goal - here) ** 2;
          whole += s * goal ** 2;
        });
      });
      const guesses = asks.map(({ unit, own: x, all: row }, i) => pooled[i] + (mask ? dot(x, along[unit]) : dot(row, along[0])));
      guesses.forEach((guess, i) => (squared += (y_new[i] - guess) ** 2));
      count += guesses.length;
      predictions[at].push(guesses);
    });
    errors.push(Math.sqrt(squared / count));
    distances.push(Math.sqrt(far / whole));
  }
  return { errors, distances, predictions };
}

// Everything shown for one setting of the controls; a walk is made once and shown in part.
export function depthState(problem, { layers, time, ...settings }, before) {
  const key = JSON.stringify(settings);
  const whole = before?.key === key ? before.whole : depthWalk(problem, settings);
  return {
    key, whole, layers, time, // prettier-ignore
    errors: whole.errors.slice(0, layers + 1),
    distances: whole.distances.slice(0, layers + 1),
    predictions: whole.predictions[time][layers],
  };
}
