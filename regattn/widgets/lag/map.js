// The map of the LagExplorer: every date on every date, a picture of its weights for each sign and the row that asks.
import { shades, signLayers } from "../_kit/cells.js";
import { asQuery, timeTicks } from "../_kit/dates.js";

const SHADED = 0.98; // share of the weights of a map that are shaded by size; those above get the darkest shade

// The pictures of a fit, made once.
function pictures(found) {
  if (!found.pictures) {
    const sizes = new Float64Array(found.n * found.n);
    found.map.forEach((row, t) => sizes.set(row.map(Math.abs), t * found.n));
    sizes.sort();
    const limit = sizes[Math.floor(SHADED * (sizes.length - 1))] || sizes.at(-1) || 1;
    found.pictures = [shades(found.map, limit, 1), shades(found.map, limit, -1)];
  }
  return found.pictures;
}

export function mapPanel(problem) {
  const { dates } = problem;
  const most = dates.length;
  return {
    title: "The map: every date on every date",
    legend: [
      ["positive", "box", "weight above zero"],
      ["negative", "box", "below zero"],
      ["query", "line", "the row that asks (click another)"],
    ],
    plot: { label: "Map of weights", yLabel: "date that asks", xLabel: "date that answers", height: 330 },
    hint: () => "of every date on every date",
    click: (_, y) => asQuery(-y, problem),
    make(p) {
      const place = signLayers(p);
      const level = p.marker("query", "level");
      return (state) => {
        const ticks = timeTicks(p, problem);
        const yTicks = ticks.map(({ at, text }) => ({ at: -at, text }));
        p.frame({ x: [-0.5, most - 0.5], y: [0.5 - most, 0.5], xTicks: ticks, yTicks });
        const [first, last] = [state.lags - 0.5, most - 0.5];
        place(pictures(state.found), [first, last], [-last, -first]);
        level(0, -(state.row + state.lags));
      };
    },
  };
}
