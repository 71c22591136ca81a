// NetworkExplorer: a small network for a yes or a no, trained in the page.
import { element } from "./controls.js";
import { explorer } from "./explorer.js";
import { formatNumber } from "./format.js";
import { crossEntropy, crossings, feed, logitsOf, networkSizes, networkTraining } from "./network-numbers.js";
import { walker } from "./play.js";
import { svgElement } from "./plot.js";

const FINE = 33; // points of the border's grid along each axis
const SMALL = 9; // and of the little pictures of the units

const between = ([low, high], count) => Array.from({ length: count }, (_, k) => low + ((high - low) * k) / (count - 1));
const sure = (z) => 1 / (1 + Math.exp(-z));

// The points of a grid, row by row, as the inputs of a network.
function gridOf({ low, high }, count) {
  const [xs, ys] = [0, 1].map((axis) => between([low[axis], high[axis]], count));
  return { xs, ys, inputs: Float64Array.from(ys.flatMap((y) => xs.flatMap((x) => [x, y]))) };
}

function shareRight(z, y) {
  let right = 0;
  for (let i = 0; i < y.length; i++) right += z[i] > 0 === (y[i] === 1);
  return right / y.length;
}

// ---- pictures ------------------------------------------------------------------------------------------------------

function borderPanel({ X, y, names, classes, fine, low, high }) {
  const [xs, ys] = [X.map((row) => row[0]), X.map((row) => row[1])];
  return {
    title: "The border",
    legend: [
      ["positive", "dot", classes[1]],
      ["negative", "dot", classes[0]],
      ["truth", "line", "undecided"],
      ["neutral", "line", "sure to 90 %"],
    ],
    plot: { label: "Training rows of two classes and the border of the network", xLabel: names[0], yLabel: names[1], height: 320 },
    make(p) {
      const [faint, border, yes, no] = [p.chains("neutral", 1), p.chains("truth", 2.4), p.dots("positive"), p.dots("negative")];
      let drawn = "";
      return ({ z }) => {
        p.frame({ x: [low[0], high[0]], y: [low[1], high[1]] });
        const at = (level) => crossings(z, fine.xs, fine.ys, level);
        faint([...at(Math.log(9)), ...at(-Math.log(9))]);
        border(at(0));
        const frame = `${p.size.width} ${p.margin.left} ${p.domain().x}`;
        if (drawn === frame) return; // the rows stand still
        drawn = frame;
        yes(xs, ys, 2.4, (i) => y[i] === 1);
        no(xs, ys, 2.4, (i) => y[i] === 0);
      };
    },
  };
}

// One little picture for each unit: squares, the larger the further the unit's answer is from zero.
function unitsPanel() {
  return {
    title: "What each hidden unit answers",
    wide: true,
    legend: [
      ["positive", "box", "above zero"],
      ["negative", "box", "below zero"],
    ],
    make(host) {
      const box = host.appendChild(element("div", { class: "ra-units" }));
      let pictures = [];
      const build = (layers) => {
        pictures = layers.map((width) => Array.from({ length: width }, () => {
          const svg = svgElement("svg", { class: "ra-plot ra-unit", viewBox: `0 0 ${100 * SMALL} ${100 * SMALL}`, role: "img" });
          const squares = ["positive", "negative"].map((role) => svg.appendChild(svgElement("path", { class: `ra-dot ra-${role}` })));
          return { svg, squares };
        })); // prettier-ignore
        box.replaceChildren(...pictures.map((units) => element("div", { class: "ra-unit-row" }, ...units.map(({ svg }) => svg))));
        if (!layers.length) box.append(element("p", {}, "There is no hidden layer: the border is a straight line."));
      };
      build([]);
      return ({ layers, answers }) => {
        if (pictures.map((units) => units.length).join() !== layers.join()) build(layers);
        pictures.forEach((units, k) =>
          units.forEach(({ svg, squares }, u) => {
            const values = new Float64Array(SMALL * SMALL);
            let most = 1e-12;
            for (let i = 0; i < values.length; i++) {
              values[i] = answers[k][i * layers[k] + u];
              most = Math.max(most, Math.abs(values[i]));
            }
            const d = ["", ""];
            values.forEach((value, i) => {
              const half = Math.round(48 * Math.sqrt(Math.abs(value) / most)); // hundredths
              const [x, y] = [100 * (i % SMALL) + 50 - half, 100 * (SMALL - Math.floor(i / SMALL)) - 50 - half];
              d[value < 0 ? 1 : 0] += `M${x},${y}h${2 * half}v${2 * half}h${-2 * half}z`;
            });
            squares.forEach((path, side) => path.setAttribute("d", d[side]));
            svg.setAttribute("aria-label", `Unit ${u + 1} of hidden layer ${k + 1}: answers up to ${formatNumber(most)}`);
          }),
        );
      };
    },
  };
}

function lossPanel({ steps, every, y_held_out }) {
  const held = y_held_out.length > 0;
  return {
    title: "Loss",
    legend: [["train", "line", "training rows"], ...(held ? [["test", "line", "rows held out"]] : [])],
    plot: { label: "Cross-entropy after each step", xLabel: "step", yLabel: "cross-entropy, nats", height: 320 },
    at: (k, { losses }) => [k * every, losses[k]],
    by: "x",
    make(p) {
      const [train, test, here] = [p.line("train"), p.line("test"), p.marker("train", "dot")];
      return ({ losses, held_out, step, loss }) => {
        const top = Math.max(0.8, ...losses.slice(0, 1), ...held_out.slice(0, 1));
        p.frame({ x: [0, steps], y: [0, top] });
        const places = losses.map((_, k) => k * every);
        const cut = (values) => values.map((value) => Math.min(value, top));
        train(places, cut(losses));
        test(places, cut(held_out));
        here(step, Math.min(loss, top));
      };
    },
  };
}

// ---- the explorer --------------------------------------------------------------------------------------------------

const percent = (share) => `${(100 * share).toFixed(1)} %`;

function describe({ step, loss, losses, diverged_at, right, right_held_out }) {
  if (diverged_at !== null)
    return `The training ran away: step ${diverged_at} would have taken the loss beyond a million million times its start.`;
  const also = right_held_out === null ? "" : ` and ${percent(right_held_out)} of those held out`;
  const begun = step === 0 ? "At the start" : `After ${step} ${step === 1 ? "step" : "steps"}`;
  const warning = step > 0 && loss > losses[0] ? " The loss is above that of the start: the steps are too long." : "";
  return `${begun} the network is right in ${percent(right)} of the training rows${also}.${warning}`;
}

const render = explorer({
  name: "NetworkExplorer",
  prepare(data) {
    const flat = (rows) => Float64Array.from(rows.flat());
    const problem = { ...data, inputs: flat(data.X), inputs_held_out: flat(data.X_held_out) };
    problem.fine = gridOf(data, FINE);
    problem.small = gridOf(data, SMALL);
    problem.coarse = gridOf(data, data.coarse_count);
    problem.train = walker(networkTraining(problem));
    return problem;
  },
  compute(problem, { step, ...settings }) {
    const state = problem.train(step, settings);
    const { theta } = state;
    const z = logitsOf(settings, theta, problem.fine.inputs);
    const own = logitsOf(settings, theta, problem.inputs);
    const held = problem.y_held_out.length ? logitsOf(settings, theta, problem.inputs_held_out) : null;
    const sizes = networkSizes(settings);
    return {
      step,
      z,
      layers: sizes.slice(1, -1),
      answers: feed(sizes, theta, settings.activation, problem.small.inputs).taken.slice(1),
      probabilities: Array.from(logitsOf(settings, theta, problem.coarse.inputs), sure),
      parameters: Array.from(theta),
      losses: state.losses.slice(),
      held_out: state.held_out.slice(),
      loss: crossEntropy(own, problem.y),
      loss_held_out: held && crossEntropy(held, problem.y_held_out),
      right: shareRight(own, problem.y),
      right_held_out: held && shareRight(held, problem.y_held_out),
      diverged_at: state.diverged_at,
    };
  },
  ended: ({ diverged_at }) => diverged_at !== null,
  texts: ({ y }) => ({
    units_1: (count) => (count ? String(count) : "no hidden layer"),
    batch_size: (size) => (size === y.length ? `all ${size} rows` : `${size} of ${y.length} rows`),
    seed: (seed) => `draw ${seed}`,
  }),
  numbers: ({ y_held_out }) => [
    ["loss", "loss, training rows", ({ loss }) => formatNumber(loss, 4)],
    ...(y_held_out.length ? [["loss_held_out", "loss, held out", ({ loss_held_out }) => formatNumber(loss_held_out, 4)]] : []),
    ["count", "parameters", ({ parameters }) => String(parameters.length)],
  ],
  say: describe,
  panels: (problem) => ({ border: borderPanel(problem), loss: lossPanel(problem), units: unitsPanel() }),
  cursor: ({ every }) => ({
    count: ({ losses }) => losses.length,
    text: (k, { losses, held_out }) =>
      `step ${k * every}: loss ${formatNumber(losses[k], 4)}${held_out.length ? `\nheld out ${formatNumber(held_out[k], 4)}` : ""}`,
  }),
  result: ({ parameters, probabilities, losses, held_out, loss, right, right_held_out, diverged_at }) => ({
    parameters,
    probabilities,
    losses,
    held_out,
    loss,
    right,
    right_held_out,
    diverged_at,
  }),
});

export default { render };
