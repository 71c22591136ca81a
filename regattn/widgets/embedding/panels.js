// The five pictures of the EmbeddingExplorer.
import { isolate, powerText } from "../_kit/format.js";
import { numberTable } from "../_kit/tables.js";

const [HIGHEST_ERROR, LOWEST_DOT, HIGHEST_DOT] = [4, -2, 3]; // where the frames end at the latest

// Whether something stands at the rim of its picture because it is beyond.
export function beyondFrames({ errors, map_errors, learned }) {
  const outside = (value) => value < LOWEST_DOT || value > HIGHEST_DOT;
  return Math.max(...errors, ...map_errors) > HIGHEST_ERROR || learned.some(outside);
}

function cellNumber(value) {
  const size = Math.abs(value);
  if (size >= 9995) {
    const [front, power] = value.toExponential(0).split("e+");
    return `${front.replace("-", "−")}·${powerText(10 ** Number(power))}`;
  }
  return size < 0.05 ? "0" : value.toFixed(size >= 9.95 ? 0 : 1).replace("-", "−");
}

export function matrixPanel(title, { names, inverse }, view, values) {
  const most = Math.max(...inverse.flat().map(Math.abs));
  return {
    title,
    make(host) {
      const draw = numberTable(host, { label: title, signal: view.signal });
      host.querySelector("table").style.width = "100%"; // so that neighbouring numbers stand apart
      return (state) => {
        const table = values(state);
        const marked = (i, j) => (table[i][j] < 0 ? "ra-below" : "ra-above");
        draw(names, names, table, { text: cellNumber, most, marked });
      };
    },
  };
}

const LOWEST = 1e-12; // below this share of the first excess the curve runs along the floor

export function excessPanel({ steps }) {
  let [heights, floor] = [[], 0];
  return {
    title: "Loss above its least value",
    wide: true,
    legend: [["key", "line", "mean of the targets taught"]],
    plot: {
      label: "Loss above its least value at every step, on a logarithmic axis",
      xLabel: "step",
      yLabel: "loss − least loss",
      height: 200,
    },
    hint: () => "; arrow keys read the steps",
    at: (k) => [k, Math.max(floor, heights[k])],
    by: "x",
    make(p) {
      const [line, end] = [p.line("key"), p.marker("negative", "diamond")];
      return ({ whole, last, diverged_at }) => {
        const first = whole.excess[0] || 1;
        const seen = whole.excess.filter((above) => above > 0);
        const low = Math.floor(Math.log10(Math.max(LOWEST * first, Math.min(first, ...seen))));
        const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(first, ...whole.excess))));
        floor = low;
        heights = whole.excess.slice(0, last + 1).map((above) => (above > 0 ? Math.log10(above) : -Infinity));
        const every = Math.ceil((high - low) / 5);
        const yTicks = [];
        for (let power = low; power <= high; power++) {
          if ((power - low) % every) continue;
          yTicks.push({ at: power || 1e-9, text: powerText(10 ** power) }); // 10⁰ is no zero line
        }
        p.frame({ x: [0, steps], y: [low, high], yTicks });
        line(heights.map((_, k) => k), heights.map((height) => Math.max(floor, height))); // prettier-ignore
        if (diverged_at === null) end();
        else end(last, heights[last]);
      };
    },
  };
}

export function errorPanel({ steps, new_name }) {
  const top = (whole) => Math.min(HIGHEST_ERROR, Math.max(1.1, ...whole.errors, ...whole.map_errors));
  const cut = (values, high) => values.map((value) => Math.min(value, high));
  return {
    title: "Error of the map, and on a new target",
    legend: [
      ["prediction", "line", isolate(new_name)],
      ["neutral", "dashed", "the map"],
    ],
    plot: {
      label: "Relative error at every step",
      xLabel: "step",
      yLabel: "error, share of the right answer",
      height: 220,
    },
    hint: () => "; arrow keys read the steps",
    at: (k, { errors, whole }) => [k, Math.min(errors[k], top(whole))],
    by: "x",
    make(p) {
      const [map, fresh] = [p.line("neutral", { dashed: true }), p.line("prediction")];
      return ({ errors, map_errors, whole }) => {
        const high = top(whole);
        p.frame({ x: [0, steps], y: [0, high] });
        const places = errors.map((_, k) => k);
        map(places, cut(map_errors, high));
        fresh(places, cut(errors, high));
      };
    },
  };
}

export function directionsPanel({ names }) {
  const xTicks = names.map((_, k) => ({ at: k, text: String(k + 1) }));
  return {
    title: "Principal directions of X, strongest first",
    beside: true,
    legend: [
      ["neutral", "square", "fixed by the targets"],
      ["prediction", "dot", "learned; 1 = all"],
    ],
    plot: {
      label: "Part of each principal direction that is fixed, and what is learned of it",
      xLabel: "direction",
      yLabel: "share",
      height: 220, // as high as the one beside it
    },
    make(p) {
      const [bars, dots] = [p.bars("neutral"), p.dots("prediction")];
      return ({ shares, learned }) => {
        const low = Math.max(LOWEST_DOT, Math.min(-0.25, ...learned.map((value) => value - 0.1)));
        const high = Math.min(HIGHEST_DOT, Math.max(1.25, ...learned.map((value) => value + 0.1)));
        p.frame({ x: [-0.5, names.length - 0.5], y: [low, high], xTicks });
        bars(shares);
        const inside = learned.map((value) => Math.max(low, Math.min(high, value)));
        dots(names.map((_, k) => k), inside, 5); // prettier-ignore
      };
    },
  };
}
