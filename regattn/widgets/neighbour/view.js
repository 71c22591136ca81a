// NeighbourExplorer: words on a map of two directions, the nearest words of one, and how sure their ranks are.
import { explorer } from "../_kit/explorer.js";
import { formatNumber, isolate, shorten } from "../_kit/format.js";
import { neighbourProblem, neighbourState } from "./numbers.js";

// Where the name of a word may stand, in pixels from its dot.
const SPOTS = [[8, 4], [8, 17], [8, -9], [8, 30], [8, -22]]; // prettier-ignore

const roomFor = (values, share) => {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const more = share * (high - low || 1);
  return [low - more, high + more];
};

// The word nearest to a place on the map, in pixels.
function wordAt(p, places, x, y) {
  const away = places.map(([a, b]) => (p.x(a) - p.x(x)) ** 2 + (p.y(b) - p.y(y)) ** 2);
  return away.indexOf(Math.min(...away));
}

function wordMap(problem) {
  let [plotted, shown] = [null, null];
  return {
    title: "All words, by two directions that you choose",
    wide: true,
    legend: [
      ["query", "diamond", "the word that asks (click another)"],
      ["key", "dot", "its nearest words"],
      ["neutral", "dot", "other words"],
    ],
    plot: { label: "Map of words", xLabel: "direction across", yLabel: "direction upwards", height: 340 },
    by: "xy",
    at: (k, { places }) => places[k],
    click: (x, y) => ({ query: wordAt(plotted, shown.places, x, y) }),
    make(p) {
      plotted = p;
      const [others, near, mark] = [p.dots("neutral"), p.dots("key"), p.marker("query")];
      const notes = Array.from({ length: problem.listed + 1 }, () => p.note("neutral"));
      return (state) => {
        shown = state;
        const [xs, ys] = [0, 1].map((axis) => state.places.map((place) => place[axis]));
        p.frame({ x: roomFor(xs, 0.12), y: roomFor(ys, 0.08) });
        others(xs, ys, 2.2, (k) => k !== state.query && !state.nearest.includes(k));
        near(xs, ys, 4, (k) => state.nearest.includes(k));
        mark(xs[state.query], ys[state.query]);
        const taken = [];
        [state.query, ...state.nearest].forEach((k, i) => {
          const [x, y] = [p.x(xs[k]), p.y(ys[k])];
          const left = x > p.size.width - 90;
          const free = SPOTS.map(([dx, dy]) => [left ? -52 - dx : dx, dy]).find(([dx, dy]) =>
            taken.every(([a, b]) => Math.abs(a - x - dx) > 60 || Math.abs(b - y - dy) > 12),
          );
          const [dx, dy] = free ?? [8, 4];
          if (free) taken.push([x + dx, y + dy]);
          notes[i](free ? shorten(problem.words[k], 12) : "", xs[k], ys[k], { dx, dy });
        });
      };
    },
  };
}

function rankPanel(problem) {
  const top = problem.count - 1;
  const xTicks = [1, 2, 5, 10, 20, 50, 100].filter((at) => at <= top).map((rank) => ({ at: Math.log10(rank), text: String(rank) }));
  return {
    title: "Rank of the nearest words, with its range over resampled corpora",
    wide: true,
    legend: [
      ["key", "dot", "rank in the corpus"],
      ["key", "line", "least to greatest rank, corpora resampled"],
    ],
    plot: { label: "Ranks", xLabel: "rank among the words shown (1 is nearest)", height: 60 + 24 * problem.listed },
    hint: () => "of the nearest words",
    make(p) {
      const [ranges, dots] = [p.chains("key", 5), p.dots("key")];
      return ({ nearest, least, most }) => {
        const yTicks = nearest.map((word, k) => ({ at: -1 - k, text: shorten(problem.words[word]) }));
        p.frame({ x: [-0.05, Math.log10(top) + 0.05], y: [-0.5 - nearest.length, -0.5], xTicks, yTicks });
        ranges(nearest.map((_, k) => [[Math.log10(least[k]), -1 - k], [Math.log10(most[k]) + 1e-6, -1 - k]])); // prettier-ignore
        dots(nearest.map((_, k) => Math.log10(k + 1)), nearest.map((_, k) => -1 - k), 4); // prettier-ignore
      };
    },
  };
}

const render = explorer({
  name: "NeighbourExplorer",
  prepare: neighbourProblem,
  compute: neighbourState,
  panels: (problem) => ({ ranks: rankPanel(problem), map: wordMap(problem) }),
  hint: ({ query }, { words }) => `for ${isolate(words[query])}; arrow keys read the words, Enter lets one ask`,
  cursor: ({ words, count }) => ({
    count: () => count,
    text: (k, { query, cosines }) => (k === query ? `${isolate(words[k])}: asks` : `${isolate(words[k])}: cosine ${formatNumber(cosines[k], 3)}`),
    pick: (k) => ({ query: k }),
    start: ({ query }) => query,
  }),
  answers: () => ["stay"],
  numbers: ({ listed, words }) => [
    ["nearest", "nearest word", ({ nearest }) => shorten(words[nearest[0]])],
    ["cosine", "its cosine", ({ cosines, nearest }) => formatNumber(cosines[nearest[0]], 3)],
    ["map", "directions on the map", ({ directions }) => directions.join(" and ")],
    ["stay", `stay among the first ${listed}`, ({ stay }) => `${stay} of ${listed}`],
  ],
  say: ({ query, nearest, most }, { words, copies }) => [
    isolate(words[query]),
    ` is nearest to ${isolate(words[nearest[0]])}`,
    copies > 1 ? `; in the worst of ${copies - 1} resampled corpora it has rank ${most[0]}.` : ".",
  ],
  result: ({ nearest, cosines, least, most, stay, directions, places }, { words }) => ({
    neighbours: nearest.map((word) => words[word]),
    cosines: nearest.map((word) => cosines[word]),
    least, most, stay, directions, places, // prettier-ignore
  }),
});

export default { render };
