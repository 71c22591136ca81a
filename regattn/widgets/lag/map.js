// The map of the LagExplorer: every date on every date, a picture of its weights for each sign and the row that asks.
import { element } from "../_kit/controls.js";
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
      const raster = (role) => element("div", { class: `ra-raster ra-${role}`, "aria-hidden": "true" });
      const layers = ["positive", "negative"].map(raster);
      p.host.classList.add("ra-layered");
      p.host.prepend(...layers);
      const level = p.marker("query", "level");
      let shown = null;
      return (state) => {
        const ticks = timeTicks(p, problem);
        const yTicks = ticks.map(({ at, text }) => ({ at: -at, text }));
        p.frame({ x: [-0.5, most - 0.5], y: [0.5 - most, 0.5], xTicks: ticks, yTicks });
        const [first, last] = [state.lags - 0.5, most - 0.5];
        const [left, top] = [p.x(first), p.y(-first)];
        const box = { left, top, width: p.x(last) - left, height: p.y(-last) - top };
        layers.forEach(({ style }, k) => {
          if (shown !== state.found) style.maskImage = pictures(state.found)[k];
          for (const [side, pixels] of Object.entries(box)) style[side] = `${pixels}px`;
        });
        shown = state.found;
        level(0, -(state.row + state.lags));
      };
    },
  };
}
