// ContextExplorer: attention trained on many small regressions, beside the inverse that it should find.
import { factorsPanel, over, riskPanel } from "./curves.js";
import { drawnPanel } from "./drawn.js";
import { keepsOmega, keptMessage, pressed } from "./keep.js";
import { contextState } from "./state.js";
import { contextTraining } from "./training.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, formatResult } from "../_kit/format.js";
import { svgElement } from "../_kit/plot.js";
import { tablePanel } from "../_kit/tables.js";

const exact = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}\u00a0%`;
const percent = (share) => (share < 0.0005 ? "less than 0.1\u00a0%" : share < 10 ? exact(share) : "over 1000\u00a0%");
const short = (value) => formatResult(value);
const NEAR = 0.03; // of a distance: Ω has come to where it should
const FAR = 0.05; // and here it has not
const LOWER = 0.95; // times the risk where no x is multiplied: a risk that is less is said

// Where every x is multiplied: who notices, and from where to where the network is better than least squares.
function stretchedMessage({ factor, stepping, risk, home, rivals, plain, across }, { factors }) {
  const times = `Every x times ${factor}`;
  const why = stepping ? `${times}, so the first layer’s step is ${Number((factor ** 2).toFixed(2))} times as long as in training` : times;
  const grown = rivals.ridge / plain.ridge;
  const notices = grown > 1.5 ? "does" : grown > 1.02 ? "does a little" : grown < 0.98 ? "gains by it" : "hardly does";
  const { network } = across();
  const beaten = network.map((each) => each < plain.ols);
  const one = factors.indexOf(1);
  const [low, high] = [beaten.lastIndexOf(false, one) + 1, beaten.indexOf(false, one)];
  const upTo = high < 0 ? factors.at(-1) : factors[high - 1];
  const last = beaten[one] ? ` ${low > 0 ? `From ${factors[low]} to` : "Up to"} ${upTo} the network beats least squares.` : "";
  const least = network.indexOf(Math.min(...network));
  const lower = network[least] < LOWER * network[one] ? ` It is least at ${factors[least]}, ${short(network[least])}.` : "";
  return `${why}: on these hundred tasks the risk is ${short(risk)}, and at 1 it is ${short(home)}.${lower} Least squares, ${short(rivals.ols)}, does not notice; the ridge of the training ${notices}, ${short(rivals.ridge)}; Bayes, ${short(rivals.bayes)}, is told.${last}`;
}

const DONE = { zero: "Ω is back. ", noise: "Ω has followed. ", target: "Ω has followed. " };

// How far Ω is from both, and at the end whether it has come to the one that it should.
function distanceMessage({ after, beside, gap, shrunk, thirdGap, words, before, ended, steps, condition, settings, averaged }) {
  const { target, design } = settings;
  const third = averaged ? `, ${percent(thirdGap)} from where descent ends` : `, ${percent(shrunk)} from the ridge`;
  const both = beside === "inverse" && (design === "fixed" || averaged) ? third : "";
  const aim = target === "clean" ? shrunk : gap;
  const done = before && ended && !averaged && aim < NEAR;
  const back = done ? (before.why?.name === "noise" && target === "noisy" ? "Ω has stayed. " : (DONE[before.why?.name] ?? "")) : "";
  const late = ended && design === "fixed" && beside !== "ridge" && aim > FAR;
  const why = late ? ` These ${steps} steps were not enough: the weakest direction of the rows is learned last (condition number ${formatNumber(condition, 2)}).` : "";
  return `${back}After ${after}${before ? " from there" : ""} Ω is ${percent(gap)} away from ${words}${both}.${why} The`;
}

const TESTED = { same: "", quiet: ", tested with a third of the noise it learned with,", loud: ", tested with twice the noise it learned with," };

function contextMessage(state, problem, view) {
  const { step, risk, far, rivals, diverged_at, factor, task, answers, nearer, before } = state;
  if (diverged_at !== null) {
    const beyond = "beyond a million million times its start. Take a smaller learning rate.";
    return `The training ran away: step ${diverged_at} would have taken the loss ${beyond}`;
  }
  const others = `least squares ${short(rivals.ols)}, Bayes ${short(rivals.bayes)}`;
  const answered = view.hides("layers") ? "" : ` Task ${task}: it answers ${short(answers.network)}, least squares ${short(answers.ols)}; right is ${short(answers.right)}. It is nearer than least squares in ${nearer} of ${problem.tested} tasks.`;
  if (factor !== 1 && step > 0) return stretchedMessage(state, problem) + answered;
  if (step === 0 && before) return keptMessage(state, percent, short);
  if (step === 0) return `Nothing is learned yet: press Play. The risk on new tasks is ${short(risk)}; of ${others}.`;
  const long = !before && risk > far[0] ? " The risk is above that of the start: the steps are too long." : "";
  const after = step === 1 ? "one step" : `${step} steps`;
  const noise = TESTED[state.tested];
  const found = view.hides("omega") ? `After ${after}${noise} the` : distanceMessage({ ...state, after });
  return `${found} risk on new tasks is ${short(risk)}; of ${others}.${answered}${long}`;
}

// What gets the darkest shade, in all tables: the largest number of the theory.
const largest = ({ n, theory }) => n * Math.max(...theory.flat().map(Math.abs));

// One of the tables: n times a matrix, under its name in the state.
function matrixPanel(view, title, pick, { name, ...options }) {
  const look = (state) => {
    const { n, theory } = state;
    const most = largest(state);
    const names = theory.map((_, j) => `x${j + 1}`);
    const values = pick(state).map((row) => row.map((value) => n * value));
    const text = (value) => (Math.abs(value) < 1e3 ? value.toFixed(2).replace("-", "−") : formatNumber(value, 2));
    return [names, names, values, { text, most, marked: (i, j) => (values[i][j] < 0 ? "ra-below" : "ra-above") }];
  };
  const panel = tablePanel(view, title, look, options);
  return {
    ...panel,
    make(host) {
      const draw = panel.make(host);
      const [head, line] = [host.parentNode.querySelector(".ra-title"), host.querySelector(".ra-below")];
      return (state) => {
        draw(state);
        const words = name?.(state) ?? title;
        if (head.textContent !== words) head.textContent = words;
        line.classList.toggle("ra-strong", Boolean(options.near?.(state)));
      };
    },
  };
}

const BESIDE = { inverse: "The inverse", ridge: "The ridge", best: "The best there is" };
const MEAN = { ...BESIDE, inverse: "The inverse, of the mean", ridge: "The ridge, of the mean" }; // where rows are new
const SIGNS = [["positive", "square", "above zero"], ["negative", "square", "below zero"]]; // prettier-ignore

// A round number, 0 and its opposite.
function evenTicks(most) {
  const tick = Number((most / 1.4).toPrecision(1));
  return [-tick, 0, tick].map((at) => ({ at, text: formatNumber(at, 1) }));
}

const SWINGS = 8; // times the largest outcome: as far as the axis goes with a query that swings
const ROOM = 1.3; // times the largest outcome at any noise: what goes beyond is cut, so that axes stand still

// Without tables what is pressed most is what the network is tested on: it stands above the curves.
function face(view) {
  const rows = view.hides("omega") ? ["factor", "task"].map((name) => view.rows.get(name)).filter(Boolean) : [];
  view.first.querySelector(".ra-played")?.before(...rows);
}

// What every layer leaves of the outcomes of one task: beside the risk where no tables stand above the sentence.
function layersPanel(problem, view) {
  face(view);
  return {
    title: "One new task, layer by layer",
    beside: view.hides("omega"),
    legend: [
      ["query", "line", "query"],
      ["truth", "hollow", "least squares"],
      ["truth", "dot", "right"],
    ],
    plot: { label: "What is left of every outcome before and after every layer", xLabel: "layers", yLabel: "rows: what is left; query: answer", height: 200 },
    make(p) {
      const band = p.svg.querySelectorAll(":scope > g")[1].appendChild(svgElement("path", { class: "ra-band" }));
      const [query, usual] = [p.chains("query", 3), p.chains("query ra-dotted", 2)]; // cut at the frame
      const [beyond, rows, trained] = [over(p, "query"), p.note("key"), p.note("query")];
      const pointed = p.chains("key", 2);
      let [row, place] = [null, []]; // whose bar is pointed at; where the words stand
      const follow = ({ left }) => {
        pointed(row === null ? [] : [left.map((values, l) => [l, values[row]])]);
        rows(row === null ? "rows: typically ± this far off" : `row ${row + 1}: what is left of it`, ...place);
      };
      problem.follow = (i, state) => {
        row = i;
        if (p.size.width) follow(state);
      };
      const [ols, right] = [p.dots("truth", { hollow: true }), p.dots("truth")];
      return (state) => {
        const { n, left, usually, answers, reach, factor } = state;
        const swing = factor !== 1 ? Math.max(...left.map((values) => Math.abs(values[n]))) : 0; // where steps are too long they are seen
        const most = ROOM * Math.max(reach, Math.abs(answers.ols), Math.abs(answers.right), Math.min(SWINGS * reach, swing));
        const last = left.length - 1;
        const size = left.map((values) => Math.min(most, Math.sqrt(values.slice(0, n).reduce((total, value) => total + value ** 2, 0) / n)));
        p.frame({ x: [0, 1.06 * last], y: [-most, most], yTicks: evenTicks(most), xTicks: left.map((_, l) => ({ at: l, text: String(l) })) });
        const edge = (sign) => size.map((value, l) => `${p.x(l).toFixed(1)},${p.y(sign * value).toFixed(1)}`);
        band.setAttribute("d", `M${[...edge(1), ...edge(-1).reverse()].join("L")}Z`); // root mean square, to both sides
        beyond(left.findIndex((values) => Math.abs(values[n]) > most), most, most);
        query([left.map((values, l) => [l, -values[n]])]); // what is left of an unknown outcome is minus its answer
        usual([usually.map((answer, l) => [l, answer])]);
        place = [0, factor === 1 ? -size[0] : -most, { dx: 6, dy: factor === 1 ? 14 : -8 }];
        trained(usually.length ? "dotted: as in training" : "", 0, most, { dx: 6 });
        ols([1.03 * last], [answers.ols], 5);
        right([1.03 * last], [answers.right], 4);
        if (row >= n) row = null;
        follow(state);
      };
    },
  };
}

// Rows in the order in which they stand: by the weight that least squares gives them.
const ordered = ({ proximity }) => proximity.map((_, i) => i).sort((a, b) => proximity[b] - proximity[a]);

function weightsPanel(problem, view) {
  return {
    title: "Weights on the same task, for the query",
    cursor: {
      places: ([p]) => [[p, (k, state) => [k, state.proximity[ordered(state)[k]]], "x"]],
      count: ({ n }) => n,
      moved: (k, state) => problem.follow?.(k === null ? null : ordered(state)[k], state),
      text(k, state) {
        const i = ordered(state)[k];
        return `row ${i + 1}, whose outcome is ${short(state.outcomes[i])}\nits weight: network ${short(state.weights[i])}, least squares ${short(state.proximity[i])}${view.hides("layers") ? "" : "\nits line above: what the layers leave of it"}`;
      },
    },
    legend: [
      ["positive", "square", "network, above zero"],
      ["negative", "square", "network, below zero"],
      ["truth", "hollow", "least squares"],
    ],
    plot: { label: "Weight of every row of a context", xLabel: "rows, by the weight of least squares", height: 120 },
    make(p) {
      const [bars, rings] = [p.signedBars(), p.dots("truth", { hollow: true })];
      return ({ n, weights, proximity }) => {
        const order = ordered({ proximity });
        const most = 1.15 * Math.max(...proximity.map(Math.abs), Math.min(1e3, Math.max(...weights.map(Math.abs))));
        p.frame({ x: [-0.6, n - 0.4], y: [-most, most], yTicks: evenTicks(most), xTicks: [0, n - 1].map((at) => ({ at, text: String(at + 1) })) });
        bars(order.map((i) => Math.max(-most, Math.min(most, weights[i]))));
        rings(order.map((_, k) => k), order.map((i) => proximity[i]), 4); // prettier-ignore
      };
    },
  };
}

const render = explorer({
  name: "ContextExplorer",
  longest: 200,
  prepare(data) {
    const trained = new Map(); // risks of whole trainings: those that differ in their number of layers together
    const learned = ({ depth, ...rest }) => {
      const key = JSON.stringify(rest);
      if (!trained.has(key)) trained.set(key, {});
      return trained.get(key);
    };
    const factors = Array.from({ length: 31 }, (_, k) => (10 + k) / 20);
    const pasts = new Map(); // risks before Ω was kept, by what was kept
    return { ...data, learned, factors, pasts, training: contextTraining({ ...data, scales: Object.values(data.scales) }) };
  },
  own: { held: () => {}, kept: () => {} }, // moves and presses on Ω set them
  valid: { kept: (text) => typeof text === "string" && text.length <= 400 && (text === "" || text.split(",").every((number) => number.trim() && Number.isFinite(Number(number)))) },
  texts: ({ steps }, view) => ({ step: (step) => (view.model.get("begun") ? `${view.model.get("begun")} + ${step}` : `${step} of ${steps}`) }),
  compute: contextState,
  ended: ({ diverged_at }) => diverged_at !== null,
  numbers: (_, view) => [
    ["risk", "risk", (state) => short(state.risk)],
    ["ols", "least squares", ({ rivals }) => short(rivals.ols)],
    ["ridge", "ridge", ({ rivals }) => short(rivals.ridge)],
    ["bayes", "Bayes", ({ rivals }) => short(rivals.bayes)],
    ["layer", "one layer, trained", ({ rivals }) => short(rivals.layer)],
    ...(view.hides("theory") ? [] : [["gap", "distance of n Ω", ({ gap }) => percent(gap)]]),
    ["agreement", "weights: cosine", ({ agreement }) => (agreement === null ? "–" : agreement.toFixed(3))],
  ],
  say: contextMessage,
  panels: (problem, view) => (keepsOmega(view, problem), {
    omega: matrixPanel(view, "Ω, times n", ({ omega }) => omega, {
      legend: view.hides("drawn") ? SIGNS : [],
      pick: pressed(view, problem),
      below: ({ told, step, kept }) => told || (step || kept ? "Press a cell: it becomes zero." : "It begins at zero."),
    }),
    theory: matrixPanel(view, "Theory, times n", ({ theory }) => theory, {
      beside: true,
      name: ({ beside, averaged }) => (averaged ? MEAN : BESIDE)[beside],
      below: ({ words, gap }) => `n · ${words}: Ω is ${percent(gap)} away`,
      near: ({ gap }) => gap < NEAR,
    }),
    ridge: matrixPanel(view, "The ridge, times n", ({ third }) => third, {
      beside: true,
      name: ({ averaged }) => (averaged ? "Where descent ends" : "The ridge"),
      below: ({ thirdWords, thirdGap }) => `n · ${thirdWords}: Ω is ${percent(thirdGap)} away`,
      near: ({ thirdGap }) => thirdGap < NEAR,
    }),
    drawn: drawnPanel(view),
    risk: riskPanel(problem, view),
    factors: factorsPanel(problem, view),
    layers: layersPanel(problem, view),
    weights: weightsPanel(problem, view),
  }),
  cursor: ({ every, steps }) => ({
    count: () => Math.floor(steps / every) + 1,
    start: ({ step }) => Math.round(step / every),
    text: (k, { far, plain, begun }) => `step ${begun ? `${begun} + ` : ""}${k * every}: ${far[k] === undefined ? "press to go there" : `risk ${short(far[k])}`}\nleast squares ${short(plain.ols)}, Bayes ${short(plain.bayes)}`,
    pick: (k) => ({ step: k * every }),
  }),
  result: ({ parameters, omega, theory, gap, shrunk, cosine, risks, risk, rivals, left, answers, nearer, weights, proximity, agreement, drawn, diverged_at }) => ({
    parameters, omega, theory, gap, shrunk, cosine, risks, risk, rivals, left, answers, nearer, weights, proximity, agreement, drawn, diverged_at, // prettier-ignore
  }),
});

export default { render };
