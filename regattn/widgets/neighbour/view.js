// NeighbourExplorer: words on a map of the first two directions, the nearest words of one, and how sure their ranks are.
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

// The middle of each category on the map.
function middles({ groups }, places) {
  return [...new Set(groups)].map((name) => {
    const members = places.filter((_, k) => groups[k] === name);
    return { name, at: [0, 1].map((axis) => members.reduce((total, place) => total + place[axis], 0) / members.length) };
  });
}

function mapLegend({ groups }) {
  const kin = groups.length ? [["truth", "dot", "words of its category"]] : [];
  return [
    ["query", "diamond", "the word that asks (click another), and its ray"],
    ["key", "hollow", "its nearest words, and the ray of the first"],
    ...kin,
    ["neutral", "dot", `other words${groups.length ? "; CAPITALS: the middle of a category" : ""}`],
  ];
}

function wordMap(problem) {
  let [plotted, shown] = [null, null];
  return {
    title: "All words, drawn with the first two of their numbers; near means a small angle at the origin",
    wide: true,
    legend: mapLegend(problem),
    plot: { label: "Map of words", xLabel: "direction 1", yLabel: "direction 2", height: 360 },
    by: "xy",
    at: (k, { places }) => places[k],
    click: (x, y) => ({ query: wordAt(plotted, shown.places, x, y) }),
    make(p) {
      plotted = p;
      const rays = { key: p.chains("key", 1.5), query: p.chains("query", 1.5) };
      const [others, alike, near] = [p.dots("neutral"), p.dots("truth"), p.dots("key", { hollow: true })];
      const [mark, origin] = [p.marker("query"), p.marker("neutral", "dot")];
      const notes = Array.from({ length: 5 }, () => p.note("value"));
      const names = [...new Set(problem.groups)].map(() => p.note("neutral", "middle"));
      return (state) => {
        shown = state;
        const { query, nearest, kin, places } = state;
        const [xs, ys] = [0, 1].map((axis) => places.map((place) => place[axis]));
        p.frame({ x: roomFor([0, ...xs], 0.08), y: roomFor([0, ...ys], 0.08) });
        others(xs, ys, 2.5, (k) => k !== query && !kin[k]);
        alike(xs, ys, 4, (k) => k !== query && kin[k]);
        near(xs, ys, 6, (k) => nearest.includes(k));
        mark(xs[query], ys[query]);
        origin(0, 0);
        const far = ([x, y]) => [[0, 0], [100 * x, 100 * y]]; // prettier-ignore
        rays.query([far(places[query])]);
        rays.key([far(places[nearest[0]])]);
        const taken = [];
        const write = (note, words, [a, b], width, shift) => {
          const [x, y] = [p.x(a) + shift, p.y(b)];
          const room = ([dx, dy]) => taken.every(([u, v, w]) => Math.abs(u - x - dx) > (w + width) / 2 || Math.abs(v - y - dy) > 13);
          const free = SPOTS.map(([dx, dy]) => [shift ? dx : 0, dy]).find(room);
          const [dx, dy] = free ?? [0, 0];
          if (free) taken.push([x + dx, y + dy, width]);
          note(free ? words : "", a, b, { dx, dy });
        };
        write(notes[0], "origin", [0, 0], 50, 25);
        [query, ...nearest.slice(0, 3)].forEach((k, i) => write(notes[i + 1], shorten(problem.words[k], 12), places[k], 70, 35));
        middles(problem, places).forEach(({ name, at }, i) => write(names[i], name.toUpperCase(), at, 60, 0));
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
      ...(problem.groups.length ? [["truth", "dot", "the same, of its category"]] : []),
      ["neutral", "line", "least to greatest rank, corpora resampled"],
    ],
    plot: { label: "Ranks", xLabel: "rank among the words shown (1 is nearest)", height: 60 + 24 * problem.listed },
    hint: () => "of the nearest words",
    make(p) {
      const [ranges, dots, alike] = [p.chains("neutral", 2), p.dots("key"), p.dots("truth")];
      return ({ nearest, least, most, kin }) => {
        const yTicks = nearest.map((word, k) => ({ at: -1 - k, text: shorten(problem.words[word]) }));
        p.frame({ x: [-0.05, Math.log10(top) + 0.05], y: [-0.5 - nearest.length, -0.5], xTicks, yTicks });
        ranges(nearest.map((_, k) => [[Math.log10(least[k]), -1 - k], [Math.log10(most[k]) + 1e-6, -1 - k]])); // prettier-ignore
        const at = [nearest.map((_, k) => Math.log10(k + 1)), nearest.map((_, k) => -1 - k), 5];
        dots(...at, (k) => !kin[nearest[k]]);
        alike(...at, (k) => kin[nearest[k]]);
      };
    },
  };
}

// How many of the words listed can be of the category of the word that asks.
const ceiling = (groups, query, listed) => Math.min(listed, groups.filter((name) => name === groups[query]).length - 1);

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
  answers: () => ["alike", "stay"],
  numbers: ({ listed, words, groups }) => [
    ["nearest", "nearest word", ({ nearest }) => shorten(words[nearest[0]])],
    ["cosine", "its cosine", ({ cosines, nearest }) => formatNumber(cosines[nearest[0]], 3)],
    ...(groups.length ? [["alike", `of its category, among the ${listed}`, ({ alike, query }) => `${alike} of at most ${ceiling(groups, query, listed)}`]] : []),
    ["stay", `stay among the first ${listed}`, ({ stay }) => `${stay} of ${listed}`],
  ],
  say: ({ query, nearest, most }, { words, copies }) => [
    isolate(words[query]),
    ` is nearest to ${isolate(words[nearest[0]])}${copies > 1 ? `, in ${copies - 1} resampled ${copies > 2 ? "corpora" : "corpus"} ${most[0] === 1 ? "always first" : `at rank ${most[0]} at worst`}` : ""}.`,
  ],
  result: ({ nearest, cosines, least, most, stay, alike, places }, { words }) => ({
    neighbours: nearest.map((word) => words[word]),
    cosines: nearest.map((word) => cosines[word]),
    least, most, stay, alike, places, // prettier-ignore
  }),
});

export default { render };
