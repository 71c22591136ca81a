// PositionExplorer: scores of places with places under three schemes, against distance, and what training has shown.
import { explorer } from "../_kit/explorer.js";
import { formatNumber, formatResult, numberTicks, powerText, rounded } from "../_kit/format.js";
import { shades, signLayers } from "../_kit/cells.js";
import { positionState } from "./numbers.js";

function tablePanel({ places }) {
  return {
    title: "Every place with every place",
    legend: [
      ["positive", "box", "score above zero"],
      ["negative", "box", "below zero"],
      ["query", "line", "pairs at the lag; the place that answers"],
    ],
    plot: { label: "Table of scores", yLabel: "place that asks", xLabel: "place that answers", height: 285 },
    hint: () => "of every place with every place",
    click: (x) => ({ place: Math.max(0, Math.min(places - 1, Math.round(x))) }),
    make(p) {
      const put = signLayers(p);
      p.host.classList.add("ra-unruled");
      const [stripe, upright] = [p.line("query"), p.marker("query", "upright")];
      const at = [0, 16, 32, 48, 63];
      return ({ table, lag, place }) => {
        const xTicks = at.map((t) => ({ at: t, text: String(t) }));
        const yTicks = at.map((t) => ({ at: -t, text: String(t) }));
        p.frame({ x: [-0.5, places - 0.5], y: [0.5 - places, 0.5], xTicks, yTicks });
        const limit = Math.max(...table.map((row) => Math.max(...row.map(Math.abs)))) || 1;
        put([shades(table, limit, 1), shades(table, limit, -1)], [-0.5, places - 0.5], [0.5 - places, 0.5]);
        stripe([-0.5, places - 0.5 - lag], [0.5 - lag, 0.5 - places]);
        upright(place);
      };
    },
  };
}

function curvePanel({ farthest }) {
  const later = Array.from({ length: farthest }, (_, d) => d);
  return {
    title: "Score against distance",
    wide: true,
    legend: [
      ["key", "line", "score when a later place asks this one"],
      ["query", "diamond", "at the lag"],
      ["test", "line", "farthest that training shows"],
    ],
    plot: { label: "Score against distance", xLabel: "places later", yLabel: "score", height: 240 },
    by: "x",
    at: (d, { curve }) => [d, curve[d]],
    make(p) {
      const [line, diamond, upright] = [p.line("key"), p.marker("query"), p.marker("test", "upright")];
      return ({ curve, lag, length, score }) => {
        const y = rounded([Math.min(0, ...curve), Math.max(...curve)], 4);
        p.frame({ x: [-2, farthest + 1], y: y[0] < y[1] ? y : [-1, 1] });
        line(later, curve);
        diamond(lag, score);
        upright(length - 1);
      };
    },
  };
}

function clocksPanel() {
  return {
    title: "Places until a clock has gone round",
    legend: [
      ["key", "dot", "within the length of training"],
      ["negative", "dot", "not once within it"],
      ["test", "line", "length of training"],
    ],
    plot: { label: "Places until a clock has gone round", xLabel: "clock i", yLabel: "places", height: 285 },
    hint: () => "one dot for each clock",
    make(p) {
      const [round, open, level] = [p.dots("key"), p.dots("negative"), p.marker("test", "level")];
      const none = p.note("neutral", "middle");
      return ({ around, length }) => {
        const n = around.length;
        const logs = around.map(Math.log10);
        const top = Math.ceil(Math.max(5, ...logs)); // one scale for every base up to that of the chapter
        const yTicks = Array.from({ length: top + 1 }, (_, at) => ({ at, text: powerText(10 ** at) }));
        const xTicks = numberTicks(0, Math.max(1, n - 1), 5).filter(({ at }) => n && Number.isInteger(at));
        p.frame({ x: n ? [-1, n] : [-2, 1], y: [0, top], xTicks, yTicks });
        none(n ? "" : "no clocks: ALiBi has a price in their place", (n - 1) / 2, 1.5);
        const index = logs.map((_, i) => i);
        round(index, logs, 3, (i) => around[i] <= length);
        open(index, logs, 3, (i) => around[i] > length);
        level(0, n ? Math.log10(length) : NaN);
      };
    },
  };
}

const print = (key) => (state) => formatResult(state[key]);

const render = explorer({
  name: "PositionExplorer",
  longest: 129,
  prepare: (data) => data,
  compute: positionState,
  texts: () => ({ draw: (draw) => `draw ${draw}` }),
  panels: (problem) => ({ curve: curvePanel(problem), table: tablePanel(problem), clocks: clocksPanel() }),
  hint: ({ place }) => `of place ${place}; arrow keys read the distances, Enter takes one as the lag`,
  cursor: ({ places, farthest }) => ({
    count: () => farthest,
    text: (d, { curve, length }) => `${d} places later: ${formatResult(curve[d])}\n${d < length ? "seen" : "never seen"} in training`,
    pick: (d) => ({ lag: Math.min(d, places - 1) }),
    start: ({ lag }) => lag,
  }),
  // where the exponent is that of the sine, all pairs have one score
  numbers: (_, view) => [
    ["score", "score at the lag, of the place", print("score")],
    ...(view.hides("exponent")
      ? []
      : [
          ["least", "least of the pairs in the table", print("least")],
          ["most", "most of them", print("most")],
        ]),
    ["unfinished", "clocks not round once in training", ({ unfinished, around }) => (around.length ? `${unfinished} of ${around.length}` : "no clocks")],
  ],
  say({ scheme, lag, least, most, spread, pairs, unfinished, around, length, head }) {
    const along = spread
      ? ` the ${pairs} pairs score from ${formatNumber(least)} to ${formatNumber(most)}: no stripe.`
      : ` ${pairs === 1 ? "the only pair scores" : `all ${pairs} pairs score`} ${formatNumber(most)}.`;
    const beyond =
      scheme === "alibi"
        ? ` Each step costs ${formatNumber(2 ** -head)}, beyond the length of training as within it. Later places are masked.`
        : ` ${unfinished} of ${around.length} clocks do not go round once within ${length} places.`;
    return [`Lag ${lag}:`, along + beyond];
  },
  result: ({ curve, score, least, most, spread, around, unfinished }) => ({ curve, score, least, most, spread, around, unfinished }),
});

export default { render };
