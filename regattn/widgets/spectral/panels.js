// The five pictures of the SpectralExplorer.
import { sliderScale } from "../_kit/controls.js";
import { timeTicks } from "../_kit/dates.js";
import { formatNumber, formatResult, isolate, numberTicks, powerText, rounded, shorten } from "../_kit/format.js";
import { clipSegment, dot, niceTicks, norm, spectralFilter } from "../_numbers/maths.js";
import { addedBy, equallyNear, extremes, spectralCodes, spectralErrors } from "./numbers.js";

// Where the years (or some of the labels) stand along the observations.
function placeTicks(p, labels) {
  return timeTicks(p, { dates: labels });
}

const signed = [
  ["positive", "box", "positive weight"],
  ["negative", "box", "negative weight"],
];
const dots = signed.map(([role, , words]) => [role, "dot", words]);

// What is drawn through the ringed row, one guide at a time.
const guides = {
  weight: ["truth", "dashed", "as heavy as the ring"],
  near: ["truth", "line", "as near as the ring"],
};

// Leaves the guide that is drawn in the legend of a plot.
function guideLegend(p) {
  const items = [...p.host.parentElement.querySelectorAll(".ra-legend li")];
  return ({ guide }) => {
    for (const [name, [, , words]] of Object.entries(guides)) {
      const item = items.find((each) => each.textContent === words);
      if (item) item.style.display = name === guide ? "" : "none";
    }
  };
}

// On a narrow screen both pictures of the codes are to be seen at once, one below the other.
const codesHeight = (view) => () => (view.body.clientWidth < 600 ? 270 : 290);

// A note that is written to the right of its place or to the left of it.
function sidedNote(p, role) {
  const notes = { 1: p.note(role, "start"), "-1": p.note(role, "end") };
  return (side, text, x, y, { dx = 0, dy = 0 } = {}) => {
    notes[side](text, x, y, { dx: side * dx, dy });
    notes[-side]("", x, y);
  };
}

// Where the name of observation i stands: beside its end if no other bar or ring that its letters span comes near,
// else beyond them all, with an arrow to its end; null where another name stands at that height.
function namePlaces({ named_rows: named, names, n }, { weights, unshrunk }, perUnit, near, letter = 6.6) {
  const taken = [];
  return named.map((i) => {
    const [sign, reach] = [weights[i] < 0 ? -1 : 1, (letter * shorten(names[i]).length + 8) / perUnit];
    const [from, to] = i < n / 2 ? [i, Math.min(n - 1, i + reach)] : [Math.max(0, i - reach), i];
    const end = (k) => Math.max(0, sign * weights[k], sign * unshrunk[k]);
    let others = 0;
    for (let k = Math.floor(from); k <= Math.ceil(to); k++) if (k !== i) others = Math.max(others, end(k));
    const beside = others + near < end(i);
    const at = sign * Math.max(beside ? 0 : others, end(i));
    const dy = beside ? 4 : sign < 0 ? 16 : -6;
    const height = at - (dy * near) / 12;
    if (taken.some((other) => other.from < to && from < other.to && Math.abs(other.height - height) < 1.2 * near)) return null;
    taken.push({ from, to, height });
    if (beside) return { text: shorten(names[i]), at, dx: i < n / 2 ? 7 : -7, dy };
    const text = i < n / 2 ? `${sign < 0 ? "↖" : "↙"}${shorten(names[i])}` : `${shorten(names[i])}${sign < 0 ? "↗" : "↘"}`;
    return { text, at, dx: i < n / 2 ? 3 : -3, dy };
  });
}

// The area of a dot is in proportion to the size of its weight.
function dotRadius({ weights, bounds }) {
  const largest = Math.max(-bounds.weight[0], bounds.weight[1]);
  return (i) => 1.2 + 6 * Math.sqrt(Math.abs(weights[i]) / largest);
}

// Notes with the names of the rows that have one, each beside its dot: on the side asked for, or on the other where the
// dot of the query, a named one, an earlier name or the frame is in the way.
function namedDots(p, { named_rows: named, names }, sidesOf) {
  const told = named.map((i) => [i, { 1: p.note("neutral", "start"), "-1": p.note("neutral", "end") }]);
  return (xs, ys, state) => {
    const [radius, taken] = [dotRadius(state), []];
    for (const [i, notes] of told) {
      const [text, x, y, away] = [shorten(names[i]), p.x(xs[i]), p.y(ys[i]), radius(i) + 4];
      const span = (side) => [x + side * away, x + side * (away + 6.6 * text.length)].sort((a, b) => a - b);
      const [left, right] = p.domain().x.map(p.x);
      const dots = [...named, state.query].map((k) => ({ from: p.x(xs[k]) - 6, to: p.x(xs[k]) + 6, y: p.y(ys[k]) }));
      const clear = ([from, to], y) =>
        from >= left && to <= right && ![...taken, ...dots].some((other) => other.from < to && from < other.to && Math.abs(other.y - y) < 12);
      const place = (side) => ({ side, span: span(side), dx: side * away, dy: 4 });
      // Above the dot, as far out as the frame lets it, where it would leave the frame.
      const lifted = (side) => {
        const edge = side > 0 ? right : left;
        const inner = edge - side * 6.6 * text.length;
        return { side: -side, span: [edge, inner].sort((a, b) => a - b), dx: edge - x, dy: -away - 2 };
      };
      const sides = sidesOf(xs[i]);
      const out = span(sides[0]).some((at) => at < left || at > right);
      const places = [place(sides[0]), ...(out ? [lifted(sides[0])] : []), place(sides[1])];
      const open = places.find(({ span, dy }) => clear(span, y + dy - 4)); // where none is, the ring and its line still name it
      const { side, span: [from, to], dx, dy } = open ?? places[0]; // prettier-ignore
      if (open) taken.push({ from, to, y: y + dy - 4 });
      notes[side](open ? text : "", xs[i], ys[i], { dx, dy });
      notes[-side]("", xs[i], ys[i]);
    }
  };
}

export function weightsPanel(problem, view) {
  const { n, names, labels, s, row, named_rows: named } = problem;
  const end = names.length > n ? n * 1.04 + 1 : n;
  const shrinks = !(view.hides("ridge") && view.hides("rank"));
  const legend = [
    ...signed,
    ...(shrinks ? [["truth", "hollow", "where least squares ends"]] : []),
    ["neutral", "dashed", "1/n: an equal share"],
    ["query", "diamond", "the query (drag it)"],
    ...(shrinks ? [] : [["query", "dotted", "its weight on itself"]]),
  ];
  const places = labels.map((_, i) => i);
  const place = ({ query }) => Math.min(query, end - 0.01 * n); // a row to be tested comes after the last bar, as far as there is room
  return {
    title: `The weight of each ${row}`,
    wide: true,
    legend,
    plot: { label: "Weights", yLabel: "weight", xLabel: row, height: view.hides("sum") ? 250 : 225 },
    by: "x",
    at: (k, state) => [k, state.weights[k]],
    handle: {
      at: (state) => [place(state), state.weights[state.query] ?? 0],
      to: (x) => ({ query: Math.max(0, Math.min(names.length - 1, Math.round(x))) }),
    },
    make(p) {
      const [bars, uniform] = [p.signedBars(), p.line("neutral", { dashed: true })];
      const before = p.dots("truth", { hollow: true });
      const [stem, level, diamond, note] = [p.line("query"), p.line("query", { dotted: true }), p.marker("query"), sidedNote(p, "query")];
      const told = named.map((i) => p.note("neutral", i < n / 2 ? "start" : "end"));
      const ends = told.length ? [] : [0, 1].map(() => sidedNote(p, "neutral"));
      problem.drawn.push(({ weights }) => {
        const k = problem.chosen ?? 0; // the tip keeps to the bar's side, beyond the axis from its end
        p.host.dataset.corner = `${weights[k] < 0 ? "top" : "bottom"} ${k < n / 2 ? "left" : "right"}`;
      });
      return (state) => {
        const [low, high] = rounded(state.bounds.weight);
        p.frame({ x: [-1, end], y: [low, high], xTicks: placeTicks(p, labels) });
        bars(state.weights);
        uniform([-1, n], [1 / n, 1 / n]);
        const turned = shrinks && (state.ridge > 0 || state.rank < s.length);
        before(places, state.unshrunk, 2, () => turned);
        const inside = state.query < n;
        const own = inside ? state.weights[state.query] : 0;
        const edge = own < 0 ? high : low; // the stem leaves the bar free
        stem([state.query, state.query], inside ? [0, edge] : [NaN, NaN]);
        level([-1, n], inside && !shrinks ? [own, own] : [NaN, NaN]);
        diamond(place(state), inside ? state.weights[state.query] : 0);
        const drawn = turned ? state : { ...state, unshrunk: state.weights };
        const near = (12 * (high - low)) / (p.y(low) - p.y(high)); // the height of a line, in weights
        const asks = `${isolate(shorten(names[state.query]))} asks`;
        let crowded = false; // whether a name stands where this one would
        const shown = ends.length ? extremes(state.weights) : named;
        namePlaces({ ...problem, named_rows: shown }, drawn, p.x(1) - p.x(0), near).forEach((place, k) => {
          const i = shown[k];
          const { text, at, dx, dy } = place ?? { text: "", at: 0, dx: 0, dy: 0 };
          const flat = i === state.query || Math.abs(state.weights[i]) < near; // nothing to point at
          if (told.length) told[k](text, i, at, { dx, dy });
          else ends[k](i < n / 2 ? 1 : -1, flat ? "" : text, i, at, { dx: Math.abs(dx), dy });
          crowded ||= place && p.y(place.at) + place.dy < p.y(high) + 24 && p.x(i) > p.x(end) - 7 * asks.length;
        });
        if (inside) note(state.query < n / 2 ? 1 : -1, asks, state.query, edge, { dx: 6 });
        else note(-1, asks, end, crowded ? low : high);
      };
    },
  };
}

export function splitPanel(problem, view) {
  const { n } = problem;
  const beside = view.hides("weights"); // then the codes lead, and their legend names the guide
  return {
    title: "Why that weight: 1/n + scale × cosine",
    beside,
    legend: [...dots, ...(beside && !view.hides("codes") ? [] : Object.values(guides))],
    plot: { label: "Scale and cosine", height: codesHeight(view), yLabel: "cosine of the angle", xLabel: "scale: product of lengths" },
    at: (k, state) => [state.scale[k], state.cosine[k]],
    make(p) {
      const [level, near, explain] = [p.line("truth", { dashed: true }), p.line("truth"), guideLegend(p)];
      const [signedDots, ring] = [p.signedDots(), p.marker("truth", "ring")];
      const tell = namedDots(p, problem, () => [1, -1]);
      // The dots of one weight: the correction, divided by the scale.
      const curve = (line, correction, right) => {
        const from = Math.min(right, Math.max(Math.abs(correction), 1e-3 * right));
        const xs = Array.from({ length: 80 }, (_, k) => from * (right / from) ** (k / 79));
        line(xs, xs.map((x) => correction / x));
      };
      const around = (state) => {
        const [k, right] = [problem.chosen ?? extremes(state.weights)[0], p.domain().x[1]];
        const correction = state.weights[k] - 1 / n;
        if (state.guide === "near") level([], []);
        else curve(level, correction, right);
        near(...(state.guide === "near" ? equallyNear(problem, state, k, right) : [[], []]));
        explain(state);
        ring(state.scale[k], state.cosine[k]);
      };
      problem.drawn.push(around);
      return (state) => {
        const right = rounded([0, state.bounds.scale])[1];
        p.frame({ x: [0, right], y: [-1.08, 1.08], yTicks: numberTicks(-1, 1, 4) });
        signedDots(state.scale, state.cosine, dotRadius(state), state.weights);
        tell(state.scale, state.cosine, state);
        around(state);
      };
    },
  };
}

// The training row whose code is nearest to a place on the screen.
function nearestCode(codes, n, [x, y]) {
  let [best, least] = [0, Infinity];
  for (let i = 0; i < n; i++) {
    const away = Math.hypot(codes[i][0] - x, codes[i][1] - y);
    if (away < least) [best, least] = [i, away];
  }
  return best;
}

// All weights of one size lie on a straight line at right angles to the query's arrow, where the codes have no more than
// two coordinates: its end points, cut at the frame.
function levelLine(asks, correction, domain) {
  const size = dot(asks, asks);
  if (!(size > 0)) return null;
  const far = 4 * Math.max(...[domain.x, domain.y].flat().map(Math.abs));
  const ways = [-1, 1].map((way) => [0, 1].map((a) => (correction * asks[a]) / size + (way * far * (a ? asks[0] : -asks[1])) / Math.sqrt(size)));
  return clipSegment(...ways, domain);
}

// The corner of the frame where a tip covers none of `free` and the fewest dots, in the words of style.css.
function emptiestCorner(p, xs, ys, free) {
  const [{ x, y }, wide, high] = [p.domain(), 200, 76];
  const near = { left: (k) => p.x(xs[k]) - p.x(x[0]) < wide, right: (k) => p.x(x[1]) - p.x(xs[k]) < wide };
  const level = { bottom: (k) => p.y(y[0]) - p.y(ys[k]) < high, top: (k) => p.y(ys[k]) - p.y(y[1]) < high };
  const covered = Object.keys(level).flatMap((v) =>
    Object.keys(near).map((h) => {
      const inside = (k) => near[h](k) && level[v](k);
      return [xs.filter((_, k) => inside(k)).length + (free.some(inside) ? xs.length : 0), `${v} ${h}`];
    }),
  );
  return covered.reduce((best, corner) => (corner[0] < best[0] ? corner : best))[1];
}

// The frame of the codes, one for every query and every turn: whatever they may reach, and where they have two
// coordinates, at the start all that is as near as the first of the named rows.
function codesSides({ all, scores, s, named_rows: named, start }) {
  const radius = 1.08 * Math.max(...all.map((row) => norm(row)));
  const sides = [0, 1].map(() => [-radius, radius]);
  if (s.length !== 2 || !named.length) return sides;
  const away = 1.04 * Math.hypot(...[0, 1].map((axis) => all[start][axis] - scores[named[0]][axis]));
  return sides.map(([low, high], axis) => [Math.min(low, all[start][axis] - away), Math.max(high, all[start][axis] + away)]);
}

export function codesPanel(problem, view) {
  const sides = codesSides(problem);
  const radius = sides[0][1];
  const { n } = problem;
  let codes = [];
  return {
    title: "Codes of the keys and of the query",
    legend: [
      ["query", "diamond", "the query (drag it)"],
      ...Object.values(guides),
    ],
    plot: { label: "Codes", yLabel: "coordinate 2", xLabel: "coordinate 1", height: codesHeight(view) },
    at: (k) => codes[k],
    handle: { at: ({ query }) => codes[query].slice(0, 2), to: (x, y) => ({ query: nearestCode(codes, problem.n, [x, y]) }) },
    make(p) {
      const [circle, back, explain] = [p.chains("truth", 1.5), p.chains("query", 0.9), guideLegend(p)];
      const [signedDots, level] = [p.signedDots(), p.line("truth", { dashed: true })];
      const [arm, diamond] = [p.line("query"), p.marker("query")];
      const ring = p.marker("truth", "ring");
      const tell = namedDots(p, problem, (x) => (x < 0 ? [-1, 1] : [1, -1])); // away from the crowd
      const across = (line, cut) => line(...[0, 1].map((axis) => (cut ?? []).map((point) => point[axis])));
      const around = (state) => {
        const k = problem.chosen ?? extremes(state.weights)[0];
        const [asks, own, domain] = [codes[state.query], codes[k], p.domain()];
        ring(own[0], own[1]);
        const away = Math.hypot(asks[0] - own[0], asks[1] - own[1]);
        const flat = asks.length === 2; // else the plane shows only a shadow of distances and angles
        const angles = Array.from({ length: 181 }, (_, step) => (step * Math.PI) / 90);
        explain(state);
        circle(flat && state.guide === "near" ? [angles.map((a) => [asks[0] + away * Math.cos(a), asks[1] + away * Math.sin(a)])] : []);
        const correction = state.weights[k] - 1 / n;
        across(level, flat && state.guide !== "near" ? levelLine(asks, correction, domain) : null);
        p.host.dataset.corner = emptiestCorner(p, ...[0, 1].map((axis) => codes.map((code) => code[axis])), [k, state.query]);
      };
      problem.drawn.push(around);
      return (state) => {
        codes = spectralCodes(problem, state, state.root, state.angle);
        const domain = p.evenDomain(...sides);
        const step = niceTicks(0, radius, 2)[1] ?? radius; // one step for both axes: the units are the same
        const ticks = ([low, high]) => numberTicks(low, high, (high - low) / step);
        p.frame({ ...domain, xTicks: ticks(domain.x), yTicks: ticks(domain.y) });
        const [xs, ys] = [0, 1].map((axis) => codes.map((code) => code[axis]));
        signedDots(xs, ys, dotRadius(state), state.weights);
        tell(xs, ys, state);
        const [asks, far] = [codes[state.query], 4 * radius];
        const size = norm(asks) || 1;
        back(asks.length === 2 ? [[-far, far].map((way) => asks.map((value) => (way * value) / size))] : []);
        around(state);
        arm([0, xs[state.query]], [0, ys[state.query]]);
        diamond(xs[state.query], ys[state.query]);
      };
    },
  };
}

// Notes of what each named stretch of rows adds, beside its part of the running sum: the first half of them on its left.
function stretchNotes(p, { stretches, ...problem }) {
  const notes = stretches.map((_, k) => p.note("neutral", 2 * k < stretches.length ? "end" : "start"));
  return ({ weights, sums }) => {
    const roomy = p.size.width > 500; // for the numbers, too
    stretches.forEach(([words, from, to], k) => {
      let added = 0;
      for (let i = from; i <= to; i++) added += addedBy(problem, weights[i], i);
      const [before, after] = [sums[to] - added, sums[to]];
      const seen = Math.abs(p.y(before) - p.y(after)) > 16; // else the line would strike the words
      const side = 2 * k < stretches.length ? -1 : 1;
      const told = roomy ? `${words}: ${formatResult(added)}` : words;
      notes[k](seen ? told : "", (from + to) / 2, (before + after) / 2, { dx: 9 * side, dy: 4 });
    });
  };
}

export function sumPanel(problem, view) {
  const { n, row, targets, labels, level, units } = problem;
  const places = labels.map((_, i) => i);
  return {
    title: `From the mean to the prediction, one ${row} after another`,
    wide: true,
    legend: [
      ["prediction", "line", "running sum of (weight − 1/n) × (target − mean)"],
      ["neutral", "dashed", "the mean: equal shares"],
      ["truth", "diamond", "observed"],
    ],
    plot: { label: "Running sum", height: view.hides("weights") ? 230 : 190, yLabel: units || "target", xLabel: `${row}s up to this one` },
    by: "x",
    at: (k, state) => [k, state.sums[k]],
    make(p) {
      const [even, line] = [p.line("neutral", { dashed: true }), p.line("prediction", { steps: true })];
      const [dotEnd, truth, note] = [p.marker("prediction", "dot"), p.marker("truth"), p.note("prediction", "end")];
      const tell = stretchNotes(p, problem);
      return (state) => {
        const [end, y] = [n * 1.04 + 1, rounded(state.bounds.sum)];
        p.frame({ x: [-1, end], y, xTicks: placeTicks(p, labels) });
        even([-1, n], [level, level]);
        line(places, state.sums);
        tell(state);
        dotEnd(n - 1, state.prediction);
        const known = Number.isFinite(targets[state.query]) ? targets[state.query] : null;
        truth(known === null ? null : (n + end) / 2, known ?? 0);
        const rising = state.prediction >= state.sums[Math.floor(n * 0.9)]; // the number stands where the line does not
        const room = p.y(state.prediction) - p.y(y[1]) > 26; // and not against the upper edge
        note(formatNumber(state.prediction), n - 1, state.prediction, { dx: -10, dy: rising && room ? -9 : 18 });
      };
    },
  };
}

// Errors and degrees of freedom at the places of the slider of λ, for one rank; computed anew when the rank changes.
function pathOf(problem, scale) {
  const places = [0];
  for (let place = 1; place <= scale.steps; place += Math.max(1, Math.floor(scale.steps / 120))) places.push(place);
  const ridges = places.map(scale.value);
  const off = -0.06 * scale.steps; // where 0 stands on the axis, apart from the logarithmic part
  let path = { rank: null };
  const points = (rank) => {
    if (path.rank !== rank) path = { rank, points: ridges.map((ridge) => spectralErrors(problem, spectralFilter(problem.s, ridge, rank))) };
    return path.points;
  };
  const across = (place) => (place < 1 ? off : place);
  return { places, ridges, off, across, points };
}

function pathErrors({ y_test }) {
  const errors = [["train", "train_error", "training error"], ["leave-one-out", "loo_error", "leave-one-out error"]]; // prettier-ignore
  return y_test ? [...errors, ["test", "test_error", "test error"]] : errors;
}

// The range of the errors at every rank, so that heights can be compared when the rank changes; a leave-one-out error
// may grow without bound where there is one row a direction, and is followed to three times that of the mean.
function errorRange(problem, scale, errors) {
  const size = problem.s.length;
  const count = Math.min(size, 12);
  const ranks = Array.from({ length: count }, (_, k) => Math.round(((k + 1) * size) / count));
  const ridges = Array.from({ length: 9 }, (_, k) => scale.value(Math.round((k * scale.steps) / 8)));
  const found = (ridge, rank) => spectralErrors(problem, spectralFilter(problem.s, ridge, rank));
  const most = 3 * found(ridges.at(-1), size).train_error;
  const values = ranks
    .flatMap((rank) => ridges.map((ridge) => found(ridge, rank)))
    .flatMap((point) => errors.map(([, key]) => point[key]))
    .filter(Number.isFinite)
    .map((value) => Math.min(value, most));
  return [Math.min(...values), Math.max(...values)];
}

function pathFrames([top, low], { problem, scale, path, points, errors, range }) {
  const every = Math.ceil(scale.decades().length / Math.max(3, top.size.width / 62));
  const decades = scale.decades().filter((_, k) => k % every === 0);
  const powers = decades.map((value) => ({ at: scale.position(value), text: powerText(value) }));
  const xTicks = [{ at: path.off, text: "0" }, ...powers];
  const x = [path.off - 0.03 * scale.steps, scale.steps * 1.02];
  const here = points.flatMap((point) => errors.map(([, key]) => point[key])).filter(Number.isFinite);
  const values = [...here, ...range];
  top.frame({ x, y: rounded([Math.min(...values) * 0.999, Math.max(...values) * 1.001], 4), xTicks });
  const most = problem.s.length + 1;
  const yTicks = numberTicks(0, most, 4).filter(({ at }) => Number.isInteger(at));
  low.frame({ x, y: [0, most * 1.08], xTicks, yTicks });
}

function pathCursor(path, scale, units) {
  const point = (k, { rank }) => path.points(rank)[k];
  const place = (key) => (k, state) => [path.across(path.places[k]), point(k, state)[key]];
  return {
    places: ([top, low]) => [[top, place("train_error"), "x"], [low, place("dof"), "x"]], // prettier-ignore
    count: () => path.places.length,
    text(k, state) {
      const { train_error, loo_error, test_error, dof } = point(k, state);
      const test = test_error === null ? "" : `\ntest ${formatResult(test_error)}`;
      return (
        `λ = ${formatNumber(path.ridges[k])}: ${formatNumber(dof)} degrees of freedom\n` +
        `errors${units ? `, ${isolate(units)}` : ""}\ntraining ${formatResult(train_error)}\nleave-one-out ${formatResult(loo_error)}${test}`
      );
    },
    pick: (k) => ({ ridge: path.ridges[k] }),
    start: ({ ridge }) => (ridge <= 0 ? 0 : path.places.findLastIndex((at) => at <= scale.position(ridge))),
    shape: "upright",
  };
}

export function pathPanel(problem, view) {
  const scale = sliderScale(view.specs.find((spec) => spec.name === "ridge"));
  const path = pathOf(problem, scale);
  const errors = pathErrors(problem);
  const range = errorRange(problem, scale, errors);
  const yLabel = `root mean squared error${problem.units ? ` (${problem.units})` : ""}`;
  const axes = { yLabel: "effective degrees of freedom", xLabel: "ridge penalty λ" };
  return {
    title: "Errors and degrees of freedom along the penalty",
    wide: true,
    legend: errors.map(([role, , words]) => [role, role === "leave-one-out" ? "dashed" : "line", words]),
    plot: [{ label: "Errors along the penalty", yLabel, height: 210 }, { label: "Degrees of freedom", height: 150, ...axes }],
    hint: () => "; arrow keys read the curves, Enter sets λ",
    cursor: pathCursor(path, scale, problem.units),
    make(...plots) {
      const curve = (p, role, key) => ({ key, line: p.line(role), zero: p.dots(role), now: p.marker(role, "dot") });
      const curves = [...errors.map(([role, key]) => curve(plots[0], role, key)), curve(plots[1], "key", "dof")];
      const rules = plots.map((p) => p.marker("neutral", "upright"));
      return (state) => {
        const points = path.points(state.rank);
        pathFrames(plots, { problem, scale, path, points, errors, range });
        const x = path.across(scale.position(state.ridge));
        for (const rule of rules) rule(x);
        for (const { key, line, zero, now } of curves) {
          line(path.places.slice(1), points.slice(1).map((point) => point[key] ?? NaN));
          zero([path.off], [points[0][key] ?? 0], 3, () => points[0][key] !== null);
          now(state[key] === null ? null : x, state[key] ?? 0);
        }
      };
    },
  };
}
