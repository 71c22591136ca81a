// A prediction as an average of outcomes, in two panels: whom it listens to, and how their parts add up.
import { bounded, radiusOf, timeTicks, widened } from "./dates.js";
import { numberTicks, orderTicks, rounded } from "./format.js";

// Outcomes in the order of their rows, larger the more weight they have: `of(state)` gives outcomes, their dates or
// names, the range they are drawn in, their weights and, where there is one, the prediction. `at(k, state)` is a row.
export function averagedPanel({ title, label, units, height, of, predicted = true }) {
  return {
    title,
    wide: true,
    legend: [
      ["positive", "dot", "outcome, larger with more weight"],
      ["negative", "dot", "weight below zero"],
      ...(predicted ? [["prediction", "line", "the prediction"]] : []),
    ],
    plot: { label, yLabel: units || "outcome", height },
    by: "x",
    at: (k, state) => [k, of(state).outcomes[k]],
    make(p) {
      const [line, dots, level] = [p.line("neutral"), p.signedDots(), p.marker("prediction", "level")];
      return (state) => {
        const { outcomes, dates, range, weights, prediction } = of(state);
        const places = Array.from(outcomes.keys());
        p.frame({ x: [-1, outcomes.length], y: range, xTicks: timeTicks(p, { dates }), yTicks: numberTicks(...range, 5) });
        line(places, outcomes);
        dots(places, outcomes, radiusOf(weights), weights);
        if (predicted && prediction !== null) level(0, bounded(prediction, range));
        else level();
      };
    },
  };
}

// The running sum of a state, from its baseline to its prediction; without one the frame is empty.
export function addedPanel(units) {
  return {
    title: "From the baseline to the prediction, the loudest first",
    legend: [
      ["key", "line", "sum so far"],
      ["prediction", "line", "prediction"],
    ],
    plot: { label: "Running sum of contributions", xLabel: "training rows counted", yLabel: units || "outcome", height: 230 },
    by: "x",
    make(p) {
      const [line, level] = [p.line("key", { steps: true }), p.marker("prediction", "level")];
      return ({ running, prediction }) => {
        const places = Array.from(running.keys());
        const y = running.length ? rounded(widened([Math.min(...running), Math.max(...running)], 0.05), 4) : [0, 1];
        const n = Math.max(1, running.length - 1);
        p.frame({ x: [0, n + 0.8], y, xTicks: orderTicks(Array.from({ length: n + 1 }, (_, k) => String(k)), 5), yTicks: numberTicks(...y, 5) });
        line(places, running);
        if (prediction === null) level();
        else level(0, prediction);
      };
    },
  };
}
