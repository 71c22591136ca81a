// DescentExplorer: θ ← θ ∓ η (2/|B|) X_B'(X_B θ − y_B) for two parameters, walked here step by step.
import { explorer } from "./explorer.js";
import { output, select, slider } from "./controls.js";
import { cursor } from "./cursor.js";
import { formatNumber, plot, powerText, svgElement } from "./plot.js";

// ---- numbers -------------------------------------------------------------------------------------------------------

// A 32-bit generator of numbers in [0, 1), the same in regattn/widgets/descent.py. For pictures, not for statistics.
export function mulberry32(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

// A function that deals the next batch of row numbers: all rows shuffled, dealt out, shuffled again.
export function dealer(n, size, seed = 1) {
  const uniform = mulberry32(seed);
  const order = new Uint32Array(n);
  let next = n;
  return () => {
    if (next >= n) {
      order.forEach((_, i) => (order[i] = i));
      for (let i = n - 1; i > 0; i--) {
        const j = Math.floor(uniform() * (i + 1));
        [order[i], order[j]] = [order[j], order[i]];
      }
      next = 0;
    }
    const rows = order.subarray(next, Math.min(n, next + size));
    next += size;
    return rows;
  };
}

// Points and losses of one walk. It ends just before the step that would take the loss beyond `growth_limit` times the
// larger of the first loss and the mean of y², and says which step that is.
export function descend({ X, y, steps, growth_limit }, { learning_rate, batch_size, sign, start }) {
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
  const deal = batch_size === n ? () => everything : dealer(n, batch_size);
  const direction = sign === "plus" ? 1 : -1;
  let [a, b] = start;
  const parameters = [[a, b]];
  const losses = [measure(a, b)];
  const limit = growth_limit * Math.max(losses[0], y.reduce((total, value) => total + value * value, 0) / n);
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
function levelSet({ best, curvatures, directions }, excess, count = 96) {
  const half = curvatures.map((curvature) => Math.sqrt((2 * excess) / curvature));
  return Array.from({ length: count + 1 }, (_, k) => {
    const turn = (2 * Math.PI * k) / count;
    const [u, v] = [half[0] * Math.cos(turn), half[1] * Math.sin(turn)];
    return [0, 1].map((axis) => best[axis] + directions[axis][0] * u + directions[axis][1] * v);
  });
}

// The part of a segment inside a box {x: [low, high], y: [low, high]}, or null (Liang and Barsky).
export function clipSegment(from, to, box) {
  let [enter, leave] = [0, 1];
  for (const [axis, [low, high]] of [box.x, box.y].entries()) {
    const move = to[axis] - from[axis];
    for (const [reach, room] of [[-move, from[axis] - low], [move, high - from[axis]]]) { // prettier-ignore
      if (reach === 0 && room < 0) return null;
      if (reach < 0) enter = Math.max(enter, room / reach);
      if (reach > 0) leave = Math.min(leave, room / reach);
    }
  }
  if (enter > leave) return null;
  const at = (share) => [0, 1].map((axis) => from[axis] + share * (to[axis] - from[axis]));
  return [at(enter), at(leave)];
}

// ---- pictures ------------------------------------------------------------------------------------------------------

// A path below the marks of a plot that never leaves its frame.
function clippedLine(p, role, width) {
  const marks = p.svg.querySelectorAll("g")[1];
  const element = p.svg.insertBefore(svgElement("path", { class: `ra-line ra-${role}` }), marks);
  element.style.strokeWidth = `${width}px`;
  return (chains, box) => {
    let d = "";
    for (const chain of chains) {
      for (let k = 1; k < chain.length; k++) {
        const kept = clipSegment(chain[k - 1], chain[k], box);
        if (kept) d += `M${kept.map(([x, y]) => `${p.x(x).toFixed(1)},${p.y(y).toFixed(1)}`).join("L")}`;
      }
    }
    element.setAttribute("d", d);
  };
}

function surfacePanel(view, problem) {
  const { best, names, reach, curvatures } = problem;
  const box = view.panel("surface", {
    title: "The loss surface and the path",
    legend: [
      ["query", "dot", "start (click to move it)"],
      ["key", "line", "path"],
      ["truth", "diamond", "least squares"],
    ],
  });
  const label = "Loss surface of two parameters with the path of the descent";
  const p = plot(view.host(box), { label, xLabel: names[0], yLabel: names[1], height: 300, square: true });
  const contours = clippedLine(p, "neutral", 0.8);
  const path = clippedLine(p, "key", 1.6);
  const dots = p.dots("key");
  const start = p.marker("query", "dot");
  const bottom = p.marker("truth", "diamond");
  const ring = p.marker("cursor", "ring");
  const radii = [0.05, 0.12, 0.22, 0.35, 0.5, 0.7, 0.95, 1.25, 1.6].map((share) => share * reach);
  const levels = radii.map((radius) => levelSet(problem, 0.5 * curvatures[0] * radius * radius));
  let [frame, drawn] = [null, 0];

  view.listen(p.svg, "click", (event) => {
    const at = p.svg.getBoundingClientRect();
    const up = (event.clientY - at.top - p.y(0)) / (p.y(1) - p.y(0));
    const inside = (value, k) => Math.max(best[k] - reach, Math.min(best[k] + reach, value));
    view.set({ start_1: inside(p.invertX(event.clientX - at.left), 0), start_2: inside(up, 1) });
  });
  const visible = ([a, b]) => a >= frame.x[0] && a <= frame.x[1] && b >= frame.y[0] && b <= frame.y[1];
  return {
    plot: p,
    draw({ parameters }) {
      const half = p.squareDomain(reach * 1.02);
      frame = { x: half.x.map((v) => v + best[0]), y: half.y.map((v) => v + best[1]) };
      p.frame(frame);
      if (drawn !== p.size.width) contours(levels, frame);
      drawn = p.size.width;
      path([parameters], frame);
      const shown = parameters.filter(visible);
      dots(shown.map((point) => point[0]), shown.map((point) => point[1]), 2.2); // prettier-ignore
      start(...parameters[0]);
      bottom(...best);
    },
    mark: (point) => (point && frame && visible(point) ? ring(...point) : ring()),
  };
}

const DEEPEST = 1e-10; // below this share of the first excess the curve runs along the floor

function lossPanel(view, problem) {
  const box = view.panel("loss", { title: "Loss above its least value" });
  const label = "Loss above its least value at every step, on a logarithmic axis";
  const p = plot(view.host(box), { label, xLabel: "step", yLabel: "loss − least loss", height: 300 });
  const line = p.line("key");
  const end = p.marker("negative", "diamond");
  let [heights, floor] = [[], 0];
  return {
    plot: p,
    at: (k) => [k, Math.max(floor, heights[k])],
    draw({ excess, diverged_at }) {
      const first = Math.max(excess[0], DEEPEST * problem.curvatures[0] * problem.reach ** 2);
      const low = Math.floor(Math.log10(Math.max(DEEPEST * first, Math.min(first, ...excess.filter((e) => e > 0)))));
      const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(first, ...excess))));
      floor = low;
      heights = excess.map((value) => (value > 0 ? Math.log10(value) : -Infinity));
      const every = Math.ceil((high - low) / 6);
      const yTicks = [];
      for (let power = low; power <= high; power++) {
        if ((power - low) % every === 0) yTicks.push({ at: power || 1e-9, text: powerText(10 ** power) }); // 10⁰ is no zero line
      }
      p.frame({ x: [0, problem.steps], y: [low, high], yTicks });
      line(heights.map((_, k) => k), heights.map((value) => Math.max(floor, value))); // prettier-ignore
      if (diverged_at === null) end();
      else end(heights.length - 1, heights[heights.length - 1]);
    },
  };
}

// ---- the explorer --------------------------------------------------------------------------------------------------

const aroundBest = ({ best, reach }, k) => ({ min: best[k] - reach, max: best[k] + reach, step: reach / 100 });

function descentControls(view, problem) {
  const { y, largest_stable_step: limit, names } = problem;
  const decades = Math.log10(200);
  slider(view, "learning_rate", {
    label: "Learning rate η",
    min: 0,
    max: 200,
    position: (eta) => Math.round((200 * Math.log10((100 * eta) / limit)) / decades),
    value: (place) => (limit / 100) * 10 ** ((decades * place) / 200),
    text: (eta) => `${formatNumber(eta)} (${formatNumber(eta / limit, 2)} × limit)`,
  });
  const sizes = [];
  for (let size = 1; size < y.length; size *= 2) sizes.push(size);
  sizes.push(y.length);
  const nearest = (size) => sizes.reduce((best, s, k) => (Math.abs(s - size) < Math.abs(sizes[best] - size) ? k : best), 0);
  slider(view, "batch_size", {
    label: "Batch size",
    min: 0,
    max: sizes.length - 1,
    position: nearest,
    value: (place) => sizes[place],
    text: (size) => (size === y.length ? `all ${size} rows` : `${size} of ${y.length} rows`),
  });
  for (const [k, name] of ["start_1", "start_2"].entries()) {
    slider(view, name, { label: `Start, ${names[k]}`, ...aroundBest(problem, k), text: (value) => formatNumber(value) });
  }
  const options = [["minus", "− (downhill)"], ["plus", "+ (uphill, as printed)"]]; // prettier-ignore
  select(view, "sign", { label: "Sign of the step", options });
}

function descentNumbers(view, { steps, least_loss, largest_stable_step }) {
  const print = {
    loss: output(view, "loss", "loss after the last step"),
    least_loss: output(view, "least_loss", "least loss there is"),
    largest_stable_step: output(view, "largest_stable_step", "largest stable step, the limit"),
  };
  print.least_loss(formatNumber(least_loss, 5));
  print.largest_stable_step(formatNumber(largest_stable_step));
  return ({ losses, parameters, diverged_at }) => {
    print.loss(formatNumber(losses[losses.length - 1], 5));
    const [a, b] = parameters[parameters.length - 1].map((value) => formatNumber(value));
    view.live.textContent =
      diverged_at === null
        ? `After ${steps} steps the walk stands at (${a}, ${b}).`
        : `The walk ran away: step ${diverged_at} would have taken the loss beyond a million million times its start.`;
  };
}

function render({ model, el }) {
  const view = explorer({ model, el, name: "DescentExplorer" });
  const problem = model.get("data");
  descentControls(view, problem);
  const print = descentNumbers(view, problem);
  const surface = surfacePanel(view, problem);
  const curve = lossPanel(view, problem);
  let state = null;

  function compute() {
    const [learning_rate, batch_size, sign] = ["learning_rate", "batch_size", "sign"].map((name) => model.get(name));
    const start = [model.get("start_1"), model.get("start_2")];
    const walk = descend(problem, { learning_rate, batch_size, sign, start });
    state = { ...walk, excess: walk.parameters.map((point) => excessLoss(problem, point)) };
    return state;
  }
  compute();

  const words = (k) => {
    const [a, b] = state.parameters[k].map((value) => formatNumber(value));
    return `step ${k}: (${a}, ${b})\nloss ${formatNumber(state.losses[k], 5)}`;
  };
  const reader = cursor(curve.plot, {
    count: () => state.losses.length,
    at: (k) => curve.at(k),
    text: words,
    by: "x",
    moved(k) {
      reader.show(k);
      surface.mark(k === null ? null : state.parameters[k]);
    },
    signal: view.signal,
  });

  view.start({
    traits: ["learning_rate", "batch_size", "sign", "start_1", "start_2"],
    compute,
    draw() {
      print(state);
      if (surface.plot.measure()) {
        surface.plot.speak("; a click sets the start, and so do the two sliders");
        surface.draw(state);
      }
      if (curve.plot.measure()) {
        curve.plot.speak("; arrow keys read the steps");
        curve.draw(state);
        reader.redraw();
      }
    },
    result: () => ({
      parameters: state.parameters,
      losses: state.losses,
      diverged_at: state.diverged_at,
      largest_stable_step: problem.largest_stable_step,
      least_loss: problem.least_loss,
    }),
  });
  return view.done;
}

export default { render };
