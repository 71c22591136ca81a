// AverageExplorer: scores s_i = 1 + z z_i; least squares uses s_i / n as weights, softmax attention exp(s_i) / Σ exp(s_l).
import { explorer } from "./explorer.js";
import { element, output, select, slider } from "./controls.js";
import { cursor } from "./cursor.js";
import { formatNumber, isolate, numberTicks, plot, shorten } from "./plot.js";
import { dot, runningSum, softmax } from "./maths.js";

// ---- numbers -------------------------------------------------------------------------------------------------------

export function averageWeights({ codes, level, spread }, { query, kernel }) {
  const z = (query - level) / spread;
  if (kernel === "softmax") return softmax(codes.map((code) => 1 + z * code));
  return codes.map((code) => (1 + z * code) / codes.length);
}

export function averageProblem(data) {
  const codes = Float64Array.from(data.x, (value) => (value - data.level) / data.spread);
  const [low, high] = [Math.min(...data.x), Math.max(...data.x)];
  const room = 0.25 * (high - low);
  const problem = { ...data, codes, low: low - room, high: high + room };
  const grid = Array.from({ length: 61 }, (_, k) => problem.low + ((problem.high - problem.low) * k) / 60);
  const predict = (kernel) => grid.map((query) => dot(averageWeights(problem, { query, kernel }), data.y));
  problem.grid = grid;
  problem.curves = { identity: predict("identity"), softmax: predict("softmax") };
  const tops = [...data.y, ...problem.curves.identity];
  const margin = 0.06 * (Math.max(...tops) - Math.min(...tops));
  problem.range = [Math.min(...tops) - margin, Math.max(...tops) + margin];
  return problem;
}

export function averageState(problem, { query, kernel }) {
  const weights = averageWeights(problem, { query, kernel });
  const running = runningSum(weights.map((weight, i) => weight * problem.y[i]));
  return { query, kernel, weights, running, prediction: dot(weights, problem.y) };
}

// ---- pictures ------------------------------------------------------------------------------------------------------

function scatterPanel(view, problem) {
  const box = view.panel("scatter", {
    title: "Who is listened to",
    legend: [
      ["positive", "dot", "weight above zero"],
      ["negative", "dot", "below zero"],
      ["prediction", "diamond", "prediction"],
    ],
  });
  const [xLabel, yLabel] = problem.names;
  const p = plot(view.host(box), { label: `${yLabel} against ${xLabel}`, xLabel, yLabel, height: 250 });
  const curve = p.line("neutral");
  const above = p.dots("positive");
  const under = p.dots("negative");
  const query = p.marker("query", "upright");
  const mark = p.marker("prediction");
  return {
    plot: p,
    at: (k) => [problem.x[k], problem.y[k]],
    draw(state) {
      p.frame({
        x: [problem.low, problem.high],
        y: problem.range,
        xTicks: numberTicks(problem.low, problem.high, 5),
        yTicks: numberTicks(...problem.range, 5),
      });
      curve(problem.grid, problem.curves[state.kernel]);
      const radius = (k) => 1.5 + 22 * Math.sqrt(Math.abs(state.weights[k]) / 3);
      above(problem.x, problem.y, radius, (k) => state.weights[k] >= 0);
      under(problem.x, problem.y, radius, (k) => state.weights[k] < 0);
      query(state.query);
      mark(state.query, state.prediction);
    },
  };
}

function runningPanel(view, problem) {
  const legend = [
    ["key", "line", "sum so far"],
    ["prediction", "line", "prediction"],
  ];
  const box = view.panel("running", { title: "The prediction adds up, case by case", legend });
  const yLabel = problem.names[1];
  const p = plot(view.host(box), { label: "Running sum of weight times outcome", xLabel: "past cases, from left to right", yLabel, height: 250 });
  const line = p.line("key", { steps: true });
  const level = p.marker("prediction", "level");
  const mark = p.marker("prediction");
  const n = problem.y.length;
  return {
    plot: p,
    at: (k, state) => [k + 1, state.running[k]],
    draw(state) {
      const [low, high] = [Math.min(problem.range[0], ...state.running), Math.max(problem.range[1], ...state.running)];
      const xTicks = [0, Math.floor((n - 1) / 2), n - 1].map((k) => ({ at: k + 1, text: shorten(problem.labels[k]) }));
      p.frame({ x: [0, n + 0.8], y: [low, high], xTicks, yTicks: numberTicks(low, high, 5) });
      line(Array.from({ length: n + 1 }, (_, k) => k), [0, ...state.running]); // prettier-ignore
      level(0, state.prediction);
      mark(n, state.prediction);
    },
  };
}

// ---- the explorer --------------------------------------------------------------------------------------------------

function render({ model, el }) {
  const view = explorer({ model, el, name: "AverageExplorer" });
  const problem = averageProblem(model.get("data"));
  const { names, labels, x, y } = problem;
  slider(view, "query", {
    label: `Ask at ${names[0]}`,
    min: problem.low,
    max: problem.high,
    step: (problem.high - problem.low) / 200,
    text: (query) => formatNumber(query, 2),
  });
  const options = [["identity", "least squares"], ["softmax", "softmax attention"]]; // prettier-ignore
  select(view, "kernel", { label: "Weights by", options });
  const print = output(view, "prediction", `prediction, ${names[1]}`);
  const most = output(view, "most", "largest weight");
  const below = output(view, "below", "weights below zero");
  const who = element("strong");
  const rest = element("span");
  view.live.append(who, rest);

  let state = null;
  const compute = () => (state = averageState(problem, { query: model.get("query"), kernel: model.get("kernel") }));
  compute();
  const panels = [scatterPanel(view, problem), runningPanel(view, problem)];
  const cursors = [];
  for (const { plot: p, at } of panels) {
    const options = {
      count: () => y.length,
      at: (k) => at(k, state),
      text: (k) => `${isolate(labels[k])}: weight ${formatNumber(state.weights[k])}\ntimes outcome ${formatNumber(y[k])} adds ${formatNumber(state.weights[k] * y[k])}`,
      by: p === panels[0].plot ? "xy" : "x",
      moved: (k) => cursors.forEach((each) => each.show(k)),
      pick: (k) => view.set({ query: x[k] }),
      signal: view.signal,
    };
    cursors.push(cursor(p, options));
  }

  view.start({
    traits: ["query", "kernel"],
    compute,
    draw() {
      const top = state.weights.reduce((best, weight, i) => (weight > state.weights[best] ? i : best), 0);
      const negative = state.weights.filter((weight) => weight < 0).length;
      print(formatNumber(state.prediction));
      most(`${formatNumber(state.weights[top], 2)} (${isolate(shorten(labels[top]))})`);
      below(`${negative} of ${y.length}`);
      who.textContent = formatNumber(state.prediction);
      rest.textContent = ` is the sum of ${y.length} past outcomes, each times its weight. The weights sum to one.`;
      for (const { plot: p, draw } of panels) {
        if (!p.measure()) continue;
        p.speak("; arrow keys read the cases, Enter asks at one");
        draw(state);
      }
      for (const each of cursors) each.redraw();
    },
    result: () => ({
      weights: Array.from(state.weights),
      running: Array.from(state.running),
      prediction: state.prediction,
    }),
  });
  return view.done;
}

export default { render };
