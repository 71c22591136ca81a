// The three pictures of the NetworkExplorer.
import { element } from "../_kit/controls.js";
import { crossings } from "./contour.js";
import { formatNumber } from "../_kit/format.js";
import { svgElement } from "../_kit/plot.js";

export const UNIT_SIDE = 9; // points of the little pictures of the units along each axis

export function borderPanel({ X, y, names, classes, fine, low, high }) {
  const [xs, ys] = [X.map((row) => row[0]), X.map((row) => row[1])];
  return {
    title: "The border",
    legend: [
      ["positive", "dot", classes[1]],
      ["negative", "dot", classes[0]],
      ["truth", "line", "undecided"],
      ["neutral", "line", "sure to 90 %"],
    ],
    plot: {
      label: "Training rows of two classes and the border of the network",
      xLabel: names[0],
      yLabel: names[1],
      height: 320,
    },
    make(p) {
      const [faint, border] = [p.chains("neutral", 1), p.chains("truth", 2.4)];
      const [yes, no] = [p.dots("positive"), p.dots("negative")];
      let drawn = "";
      return ({ z, logits }) => {
        p.frame({ x: [low[0], high[0]], y: [low[1], high[1]] });
        const at = (level) => crossings(z, fine.xs, fine.ys, level, logits);
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

function unitPicture() {
  const box = `0 0 ${100 * UNIT_SIDE} ${100 * UNIT_SIDE}`;
  const svg = svgElement("svg", { class: "ra-plot ra-unit", viewBox: box, role: "img" });
  const part = (role) => svg.appendChild(svgElement("path", { class: `ra-dot ra-${role}` }));
  return { svg, squares: ["positive", "negative"].map(part) };
}

// One little picture for each unit: squares, the larger the further the unit's answer is from zero.
export function unitsPanel() {
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
        pictures = layers.map((width) => Array.from({ length: width }, unitPicture));
        const rowOf = (units) => element("div", { class: "ra-unit-row" }, ...units.map(({ svg }) => svg));
        box.replaceChildren(...pictures.map(rowOf));
        if (!layers.length) box.append(element("p", {}, "There is no hidden layer: the border is a straight line."));
      };
      build([]);
      return ({ layers, answers }) => {
        if (pictures.map((units) => units.length).join() !== layers.join()) build(layers);
        pictures.forEach((units, k) =>
          units.forEach(({ svg, squares }, u) => {
            const values = answers[k].subarray(u * UNIT_SIDE ** 2, (u + 1) * UNIT_SIDE ** 2);
            const most = values.reduce((found, value) => Math.max(found, Math.abs(value)), 1e-12);
            const d = ["", ""];
            values.forEach((value, i) => {
              const half = Math.round(48 * Math.sqrt(Math.abs(value) / most)); // hundredths
              const x = 100 * (i % UNIT_SIDE) + 50 - half;
              const y = 100 * (UNIT_SIDE - Math.floor(i / UNIT_SIDE)) - 50 - half;
              d[value < 0 ? 1 : 0] += `M${x},${y}h${2 * half}v${2 * half}h${-2 * half}z`;
            });
            squares.forEach((path, side) => path.setAttribute("d", d[side]));
            const name = `Unit ${u + 1} of hidden layer ${k + 1}`;
            svg.setAttribute("aria-label", `${name}: answers ${most > 1e-12 ? `up to ${formatNumber(most)}` : "nothing"}`);
          }),
        );
      };
    },
  };
}

export function lossPanel({ steps, every, y_held_out }) {
  const held = y_held_out.length > 0;
  return {
    title: "Loss",
    beside: true,
    legend: [["train", "line", "training rows"], ...(held ? [["test", "line", "rows held out"]] : [])],
    plot: { label: "Cross-entropy after each step", xLabel: "step", yLabel: "cross-entropy, nats", height: 320 },
    at: (k, { losses }) => [k * every, losses[k]],
    by: "x",
    make(p) {
      const [train, test, here] = [p.line("train"), p.line("test"), p.marker("train", "dot")];
      return ({ losses, held_out, step, loss }) => {
        const top = Math.max(0.8, loss, ...losses, ...held_out); // steps that are too long leave the usual range
        p.frame({ x: [0, steps], y: [0, top] });
        const places = losses.map((_, k) => k * every);
        train(places, losses);
        test(places, held_out);
        here(step, loss);
      };
    },
  };
}
