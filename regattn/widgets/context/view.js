// ContextExplorer: attention trained on many small regressions, beside the inverse that it should find.
import { contextState, contextTraining } from "./training.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, formatResult, powerText } from "../_kit/format.js";
import { walker } from "../_kit/play.js";
import { svgElement } from "../_kit/plot.js";
import { tablePanel } from "../_kit/tables.js";

const LOWEST = 1e-6; // a smaller risk runs along the floor

const exact = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}\u00a0%`;
const percent = (share) => (share < 0.0005 ? "less than 0.1\u00a0%" : share < 10 ? exact(share) : "over 1000\u00a0%");
const short = (value) => formatResult(value);

function contextMessage({ step, risk, risks, rivals, words, gap, shrunk, plainly, agreement, diverged_at, stretched, stepping, task, answers, nearer }, { tested }, view) {
  if (diverged_at !== null) {
    const beyond = "beyond a million million times its start. Take a smaller learning rate.";
    return `The training ran away: step ${diverged_at} would have taken the loss ${beyond}`;
  }
  const others = `least squares ${short(rivals.ols)}, Bayes ${short(rivals.bayes)}`;
  const answered = view.hides("layers") ? "" : ` Task ${task}: it answers ${short(answers.network)}, least squares ${short(answers.ols)}; right is ${short(answers.right)}. In ${nearer} of ${tested} tasks it is nearer than least squares.`;
  if (stretched && step > 0) {
    const why = stepping ? "Every x is doubled, so the first step is four times as long" : "Every x is doubled";
    return `${why}: the risk on new tasks is ${short(risk)}. Least squares, ${short(rivals.ols)}, and Bayes who is told, ${short(rivals.bayes)}, do not notice.${answered}`;
  }
  if (step === 0) return `Nothing is learned yet: press Play. The risk on new tasks is ${short(risk)}; of ${others}.`;
  const long = risk > risks[0] ? " The risk is above that of the start: the steps are too long." : "";
  const alike = !view.hides("layers") ? answered : agreement === null || !plainly ? "" : ` Its weights agree with those of least squares to a cosine of ${agreement.toFixed(3)}.`;
  const after = step === 1 ? "one step" : `${step} steps`;
  const found = view.hides("omega") ? `After ${after} the` : `After ${after} Ω is ${percent(gap)} away from ${words}${shrunk ? `, ${percent(shrunk.gap)} from the ridge ${shrunk.words}` : ""}. The`;
  return `${found} risk on new tasks is ${short(risk)}; of ${others}.${alike}${long}`;
}

// What gets the darkest shade, in both tables: the largest number of the theory.
const largest = ({ n, theory }) => n * Math.max(...theory.flat().map(Math.abs));

// One of the two tables: n times a matrix.
function matrixPanel(view, title, pick, below, beside = false) {
  const look = (state) => {
    const { n, theory } = state;
    const most = largest(state);
    const names = theory.map((_, j) => `x${j + 1}`);
    const values = pick(state).map((row) => row.map((value) => n * value));
    const text = (value) => (Math.abs(value) < 1e3 ? value.toFixed(2).replace("-", "−") : formatNumber(value, 2));
    return [names, names, values, { text, most, marked: (i, j) => (values[i][j] < 0 ? "ra-below" : "ra-above") }];
  };
  const legend = [["positive", "square", "above zero"], ["negative", "square", "below zero"]]; // prettier-ignore
  return tablePanel(view, title, look, { below, legend, beside });
}

const height = (value) => Math.log10(Math.max(LOWEST, value));

// Rivals of the network: role, mark and words of each. Those that coincide are one line, which the legend names for all.
const RIVALS = {
  ols: ["key", "line", "least squares"],
  bayes: ["leave-one-out", "dashed", "Bayes"],
  ridge: ["neutral", "line", "ridge for the noise of training"],
  layer: ["test", "dashed", "one linear layer, fully trained"],
};
const EARLY = 1.02; // times the least risk: from there on the curve says where it was least
const LETTER = 6.5; // pixels that one takes, about
const ABOVE = 100; // times the worst rival: a larger risk leaves the picture, as where x is doubled
const SAME = 1.005; // of two risks, how much larger the one may be where both are one line

// The rivals whose lines are drawn, each with those that coincide with it.
function distinct(rivals) {
  const found = [];
  for (const name of Object.keys(RIVALS)) {
    const twin = found.find(([first]) => Math.abs(height(rivals[first]) - height(rivals[name])) < Math.log10(SAME));
    if (twin) twin.push(name);
    else found.push([name]);
  }
  return found;
}

// Have the legend of a plot, whose first item is the network, name what is drawn.
function nameRivals(plot, found) {
  const items = plot.host.parentNode.querySelectorAll(".ra-legend > li");
  Object.keys(RIVALS).forEach((name, k) => {
    const own = found.find(([first]) => first === name);
    items[k + 1].hidden = !own;
    if (own) items[k + 1].lastChild.data = own.map((each) => RIVALS[each][2]).join(" = ");
  });
}

// Ticks of a logarithmic axis: powers of ten, and 2 and 5 times them where there is room.
function riskTicks(low, high) {
  const gap = Math.max(1, Math.ceil((high - low) / 5));
  const powers = Array.from({ length: Math.ceil(high - low) + 2 }, (_, k) => Math.floor(low) + k);
  const places = powers.filter((power) => power % gap === 0).flatMap((power) => (high - low < 2.5 ? [1, 2, 5] : [1]).map((front) => [front, power])); // prettier-ignore
  const word = (front, power) => (Math.abs(power) < 4 ? String(Number((front * 10 ** power).toPrecision(1))) : powerText(10 ** power));
  return places.map(([front, power]) => ({ at: power + Math.log10(front) || 1e-9, text: word(front, power) })); // 1 is no zero line
}

function riskPanel({ steps, every }, view) {
  const beside = view.hides("omega") ? {} : { beside: true, wide: true };
  return {
    title: "Risk on new tasks",
    ...beside, // under the tables, where Play is in view
    legend: [
      ["prediction", "line", "network"],
      ...Object.values(RIVALS),
    ],
    plot: { label: "Risk after every tenth step, on a logarithmic axis", xLabel: "step", yLabel: "risk: mean squared distance, on a log scale", height: 240 },
    hint: () => "; arrow keys read the steps",
    at: (k, { risks }) => [k * every, height(risks[k])],
    by: "x",
    make(p) {
      const lines = Object.entries(RIVALS).map(([name, [role, mark]]) => [name, p.line(role, { dashed: mark === "dashed" })]);
      const [network, here] = [p.chains("prediction", 2), p.marker("prediction", "dot")];
      const [least, early] = [p.dots("prediction", { hollow: true }), p.note("prediction")];
      return ({ risks, risk, rivals, step, common, stretched }) => {
        const ceiling = Math.max(risks[0], ABOVE * Math.max(...Object.values(rivals))); // what is higher is cut
        const within = (value) => height(Math.min(ceiling, value));
        const seen = [...risks, risk, ...Object.values(rivals), ...(view.hides("omega") ? common : [])].map(within);
        const [low, high] = [Math.floor(8 * Math.min(...seen) - 0.5) / 8, Math.ceil(8 * Math.max(...seen) + 0.5) / 8];
        p.frame({ x: [0, steps], y: [low, high], yTicks: riskTicks(low, high) });
        const found = distinct(rivals);
        for (const [name, line] of lines) {
          const drawn = found.some(([first]) => first === name);
          line(drawn ? [0, steps] : [], Array(2).fill(height(rivals[name])));
        }
        nameRivals(p, found);
        network([risks.map((found, k) => [k * every, height(found)])]);
        const best = risks.indexOf(Math.min(...risks));
        const passed = best > 0 && !stretched && risk > EARLY * risks[best];
        least(passed ? [best * every] : [], [height(risks[best])], 6);
        const words = passed ? `lowest here, step ${best * every}: stopped early` : "";
        const free = p.size.width - p.margin.right - p.x(best * every) - LETTER * p.size.unit * words.length;
        early(words, best * every, height(risks[best]), { dx: Math.min(12, free), dy: free < 12 ? 20 : 4 }); // beside it, or below
        here(Math.min(step, steps), within(risk));
      };
    },
  };
}

const SWINGS = 8; // times the largest outcome: as far as the axis goes with a query that swings
const ROOM = 1.3; // times the largest outcome at any noise: what goes beyond is cut, so that axes stand still

// What every layer leaves of the outcomes of one task: beside the risk where no tables stand above the sentence.
function layersPanel(view) {
  return {
    title: "One new task, layer by layer",
    beside: view.hides("omega"),
    legend: [
      ["key", "square", "rows that were read: how far off, typically (±)"],
      ["query", "line", "the query: its answer so far"],
      ["truth", "hollow", "answer of least squares"],
      ["truth", "dot", "right answer"],
      ["query", "dotted", "the same, tested as in training"],
    ],
    plot: { label: "What is left of every outcome before and after every layer", xLabel: "layers", yLabel: "what is left; the answer", height: 240 },
    make(p) {
      const band = p.svg.querySelectorAll(":scope > g")[1].appendChild(svgElement("path", { class: "ra-band" }));
      const [query, usual] = [p.chains("query", 3), p.chains("query ra-dotted", 2)]; // cut at the frame
      const [ols, right] = [p.dots("truth", { hollow: true }), p.dots("truth")];
      return ({ n, left, usually, answers, reach, stretched }) => {
        const swing = stretched ? Math.max(...left.map((values) => Math.abs(values[n]))) : 0; // where steps are too long they are seen
        const most = ROOM * Math.max(reach, Math.abs(answers.ols), Math.abs(answers.right), Math.min(SWINGS * reach, swing));
        const last = left.length - 1;
        const size = left.map((values) => Math.min(most, Math.sqrt(values.slice(0, n).reduce((total, value) => total + value ** 2, 0) / n)));
        p.frame({ x: [0, 1.06 * last], y: [-most, most], xTicks: left.map((_, l) => ({ at: l, text: String(l) })) });
        const edge = (sign) => size.map((value, l) => `${p.x(l).toFixed(1)},${p.y(sign * value).toFixed(1)}`);
        band.setAttribute("d", `M${[...edge(1), ...edge(-1).reverse()].join("L")}Z`); // root mean square, to both sides
        query([left.map((values, l) => [l, -values[n]])]); // what is left of an unknown outcome is minus its answer
        usual([usually.map((answer, l) => [l, answer])]);
        p.svg.closest("[data-panel]").querySelector(".ra-legend > :last-child").style.visibility = usually.length ? "" : "hidden"; // its room stays
        ols([1.03 * last], [answers.ols], 5);
        right([1.03 * last], [answers.right], 4);
      };
    },
  };
}

function weightsPanel() {
  return {
    title: "Weights on the same task, for the query",
    legend: [
      ["positive", "square", "network, above zero"],
      ["negative", "square", "network, below zero"],
      ["truth", "hollow", "least squares"],
    ],
    plot: { label: "Weight of every row of a context", xLabel: "rows, by the weight of least squares", height: 150 },
    make(p) {
      const [bars, rings] = [p.signedBars(), p.dots("truth", { hollow: true })];
      return ({ n, weights, proximity }) => {
        const order = weights.map((_, i) => i).sort((a, b) => proximity[b] - proximity[a]);
        const most = 1.15 * Math.max(...proximity.map(Math.abs), Math.min(1e3, Math.max(...weights.map(Math.abs))));
        const tick = Number((most / 1.4).toPrecision(1));
        p.frame({ x: [-0.6, n - 0.4], y: [-most, most], yTicks: [-tick, 0, tick].map((at) => ({ at, text: formatNumber(at, 1) })), xTicks: [0, n - 1].map((at) => ({ at, text: String(at + 1) })) });
        bars(order.map((i) => Math.max(-most, Math.min(most, weights[i]))));
        rings(order.map((_, k) => k), order.map((i) => proximity[i]), 4); // prettier-ignore
      };
    },
  };
}

const render = explorer({
  name: "ContextExplorer",
  longest: 270,
  prepare(data) {
    const training = contextTraining({ ...data, scales: Object.values(data.scales) });
    return { ...data, training, train: walker(training) };
  },
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
  panels: (problem, view) => ({
    omega: matrixPanel(view, "What Ω has become, times n", ({ omega }) => omega, ({ told }) => told), // prettier-ignore
    theory: matrixPanel(view, "What theory sets beside it, times n", ({ theory }) => theory, ({ words }) => `n · ${words}`, true), // prettier-ignore
    risk: riskPanel(problem, view),
    layers: layersPanel(view),
    weights: weightsPanel(),
  }),
  cursor: ({ every }) => ({
    count: ({ risks }) => risks.length,
    text: (k, { risks, rivals }) => `step ${k * every}: risk ${short(risks[k])}\nleast squares ${short(rivals.ols)}, Bayes ${short(rivals.bayes)}`,
  }),
  result: ({ parameters, omega, theory, gap, cosine, risks, risk, rivals, left, answers, nearer, weights, proximity, agreement, diverged_at }) => ({
    parameters, omega, theory, gap, cosine, risks, risk, rivals, left, answers, nearer, weights, proximity, agreement, diverged_at, // prettier-ignore
  }),
});

export default { render };
