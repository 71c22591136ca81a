// The numbers behind the DescentExplorer, pure: θ ← θ ∓ η (2/|B|) X_B'(X_B θ − y_B) for two parameters, step by step.
import { dealer } from "../_numbers/batches.js";

// Points and losses of one walk. It ends just before the step that would take the loss beyond `growth_limit` times the
// larger of the first loss and the mean of y², and says which step that is.
export function descend({ X, y, steps, growth_limit }, { learning_rate, batch_size, seed, sign, start }) {
  const n = y.length;
  const residuals = new Float64Array(n);
  const measure = (a, b) => {
    let total = 0;
    for (let i = 0; i < n; i++) {
      residuals[i] = X[i][0] * a + X[i][1] * b - y[i];
      total += residuals[i] ** 2;
    }
    return total / n;
  };
  const everything = Uint32Array.from({ length: n }, (_, i) => i);
  const deal = batch_size === n ? () => everything : dealer(n, batch_size, seed);
  const direction = sign === "plus" ? 1 : -1;
  let [a, b] = start;
  const parameters = [[a, b]];
  const losses = [measure(a, b)];
  const meanSquare = y.reduce((total, value) => total + value * value, 0) / n;
  const limit = growth_limit * Math.max(losses[0], meanSquare);
  for (let t = 1; t <= steps; t++) {
    const rows = deal();
    let [down, across] = [0, 0];
    for (const i of rows) {
      down += X[i][0] * residuals[i];
      across += X[i][1] * residuals[i];
    }
    const step = (direction * learning_rate * 2) / rows.length;
    a += step * down;
    b += step * across;
    const loss = measure(a, b);
    if (!(loss <= limit)) return { parameters, losses, diverged_at: t };
    parameters.push([a, b]);
    losses.push(loss);
  }
  return { parameters, losses, diverged_at: null };
}

// How far a point's loss lies above the least: ½ Σ λ_k (v_k'(θ − θ*))², without the loss of digits of a difference.
export function excessLoss({ best, curvatures, directions }, [a, b]) {
  let total = 0;
  for (let k = 0; k < 2; k++) {
    const along = directions[0][k] * (a - best[0]) + directions[1][k] * (b - best[1]);
    total += 0.5 * curvatures[k] * along * along;
  }
  return total;
}

// The ellipse on which the loss lies `excess` above the least.
export function levelSet({ best, curvatures, directions }, excess, count = 96) {
  const half = curvatures.map((curvature) => Math.sqrt((2 * excess) / curvature));
  return Array.from({ length: count + 1 }, (_, k) => {
    const turn = (2 * Math.PI * k) / count;
    const [u, v] = [half[0] * Math.cos(turn), half[1] * Math.sin(turn)];
    return [0, 1].map((axis) => best[axis] + directions[axis][0] * u + directions[axis][1] * v);
  });
}

// A whole walk and, at each of its points, how far the loss lies above the least.
export function walkOf(problem, { start_1, start_2, ...now }) {
  const walk = descend(problem, { ...now, start: [start_1, start_2] });
  return { ...walk, excess: walk.parameters.map((point) => excessLoss(problem, point)) };
}
