// ForecastExplorer: a trained encoder and decoder on a series: its fan, whom it listens to, and a past with gaps in it.
import { bounded, widened } from "../_kit/dates.js";
import { element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { forecastProblem, forecastState, lagOf, roleOf, upTo } from "./numbers.js";
import { formatNumber, formatResult, isolate, shareText } from "../_kit/format.js";
import { shareBars } from "../_kit/tables.js";
import { sum } from "../_numbers/maths.js";

// Where month k stands on the axis, and the month at x: a month ahead has twice the room of a month read.
const placed = ({ context }, k) => (k < context ? k : 2 * k - context + 0.5);
const monthAt = ({ context }, x) => (x < context - 0.5 ? x : (x + context - 0.5) / 2);
const axis = ({ context, steps }) => [-1, context + 2 * steps - 0.5];
const years = (problem, { dates }) => dates.flatMap((date, k) => (date.endsWith("-01") ? [{ at: placed(problem, k), text: date.slice(0, 4) }] : []));
const tap = globalThis.matchMedia?.("(hover: none)").matches ? "tap twice" : "press"; // a first tap shows what stands there
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const monthName = (date) => `${MONTHS[Number(date.slice(5)) - 1]} ${date.slice(0, 4)}`;
const shortName = (date, narrow) => `${MONTHS[Number(date.slice(5)) - 1].slice(0, 3)} ${narrow ? `’${date.slice(2, 4)}` : date.slice(0, 4)}`;
const percent = (share) => `${share > 0 && share < 0.005 ? "< 1" : Math.round(100 * share)}\u00a0%`;

// What a point of the window sets: a month to come asks; a month gone is deleted, with those a year apart, or heard again.
function asPlace(k, problem, { horizon, deleted, lag }) {
  const { context, steps } = problem;
  const place = bounded(Math.round(k), [0, context + steps - 1]);
  if (place >= context) return { horizon: place - context + 1 };
  const wanted = lagOf(problem, place, horizon);
  return deleted === "lags" && lag === wanted ? { deleted: "nothing" } : { deleted: "lags", lag: wanted };
}

function fanPanel(problem) {
  const { context, steps, units, bands: pairs, shares } = problem;
  const [past, ahead] = [upTo(context), upTo(steps).map((h) => placed(problem, context + h))];
  return {
    title: "Read, expected, came",
    wide: true,
    legend: [
      ["train", "dot", `read (${tap}: deletes this month of all years)`],
      ["negative", "hollow", "deleted"],
      ["prediction", "line", `expected, ${percent(shares[0])} in the band`],
      ["truth", "dot", "what came"],
      ["query", "diamond", "asks (drag)"],
    ],
    plot: { label: "Forecast", yLabel: units, height: 215 },
    by: "x",
    at: (k, { read, came }) => [placed(problem, k), k < context ? read[k] : came[k - context]],
    handle: { at: ({ horizon, median }) => [ahead[horizon - 1], median[horizon - 1]], to: (x) => asPlace(Math.max(monthAt(problem, x), context), problem, {}) },
    make(p) {
      const bands = pairs.map(() => p.line("prediction ra-band"));
      const [history, other, doubt] = [p.line("neutral"), p.line("value", { dashed: true }), p.line("test", { dashed: true })];
      const [whole, middle] = [p.line("leave-one-out", { dashed: true }), p.line("prediction")];
      const [kept, gone, truth] = [p.dots("train"), p.dots("negative", { hollow: true }), p.dots("truth")];
      const [edge, diamond] = [p.marker("neutral", "upright"), p.marker("query")];
      const title = p.host.parentElement.querySelector(".ra-title");
      return (state) => {
        const { read, came, quantiles, median, before, heard, horizon, sceptic, usual_fan } = state;
        const all = [...read, ...came, ...usual_fan, ...sceptic, ...(state.rival ?? []), ...quantiles.flatMap((row) => Array.from(row))];
        p.frame({ x: axis(problem), y: widened([Math.min(...all), Math.max(...all)], 0.05), xTicks: years(problem, state) });
        title.textContent = `${state.series}: read, expected, came`;
        const quantile = (k) => quantiles.map((row) => row[k]);
        bands.forEach((band, b) => band([...ahead, ...ahead.toReversed()], [...quantile(pairs[b][0]), ...quantile(pairs[b][1]).reverse()]));
        history(past, read);
        whole(state.deleted === "nothing" ? [] : ahead, before);
        other(problem.drawn.has("mase_rival") ? ahead : [], state.rival);
        doubt(problem.drawn.has("mase_naive") ? ahead : [], sceptic);
        middle(ahead, median);
        kept(past, read, 2.6, (k) => heard[k]);
        gone(past, read, 3.4, (k) => !heard[k]);
        truth(ahead, came, 3);
        edge(context - 0.5);
        diamond(ahead[horizon - 1], median[horizon - 1]);
      };
    },
  };
}

// The largest weights, of months that stand apart, whose names have room above their bars.
function tallest(weights) {
  const order = upTo(weights.length).sort((a, b) => weights[b] - weights[a]);
  const named = [];
  for (const k of order) if (weights[k] > 0.1 && named.length < 3 && named.every((other) => Math.abs(other - k) > 7)) named.push(k);
  return named;
}

function weightsPanel(problem) {
  const { context, steps } = problem;
  return {
    title: "Where the head listens (press a bar)",
    wide: true,
    beside: true, // above the sentence: what a scene changes is on one screen with its button
    legend: [
      ["query", "box", "12, 24, 36 months before it"],
      ["key", "box", "other months"],
      ["negative", "hollow", "deleted"],
      ["neutral", "line", "equal weights"],
    ],
    plot: { label: "Weights", yLabel: "weight", height: 140 },
    by: "x",
    at: (k, { weights }) => [placed(problem, k), weights[k] ?? 0],
    make(p) {
      const [seasonal, others, gone] = [p.bars("query"), p.bars("key"), p.dots("negative", { hollow: true })];
      const [level, edge] = [p.marker("neutral", "level"), p.marker("neutral", "upright")];
      const names = upTo(3).map(() => p.note("cursor", "middle"));
      const wider = ["to come, drawn", "twice as wide"].map((words) => [words, p.note("neutral", "middle")]);
      return (state) => {
        const { weights, heard, horizon, most, dates } = state;
        const same = (k) => (context + horizon - 1 - k) % 12 === 0;
        p.frame({ x: axis(problem), y: [0, 1.25 * most], xTicks: years(problem, state) });
        seasonal(weights, same);
        others(weights, (k) => !same(k));
        gone(upTo(context), weights, 3.4, (k) => !heard[k]);
        level(0, 1 / context);
        edge(context - 0.5);
        wider.forEach(([words, note], n) => note(words, context + steps - 0.5, 0.75 * most, { dy: 16 * n }));
        const named = tallest(weights);
        names.forEach((note, n) => {
          const k = named[n] ?? 0;
          note(n < named.length ? shortName(dates[k], p.size.width < 400) : "", Math.max(k, 2), weights[k], { dy: -5 });
        });
      };
    },
  };
}

const drawable = { mase_naive: true, mase_rival: true };

// The error of the year of the model and of its rivals: a full bar is 1. The names are the legend; those of rivals draw lines.
function errorsPanel({ rival, drawn }, view) {
  const rows = [
    ["prediction", "line", "model", "mase"],
    ["test", "dashed", "sceptic", "mase_naive"],
    ...(rival ? [["value", "dashed", "linear map", "mase_rival"]] : []),
    ["leave-one-out", "dashed", "model, nothing deleted", "mase_before"],
  ];
  return {
    title: "Error of the year, MASE",
    beside: true,
    make(host) {
      const table = element("table", { class: "ra-shares", "aria-label": "Error of the year, MASE" });
      const lines = rows.map(([role, mark, words, key]) => {
        const swatch = element("span", { class: `ra-swatch ra-swatch-${mark} ra-${role}`, "aria-hidden": "true" });
        const [bar, value] = [element("span", { class: `ra-share-bar ra-${role}`, "aria-hidden": "true" }), element("td")];
        const name = key in drawable ? element("button", { type: "button", class: "ra-word ra-draws" }, swatch, words) : element("span", {}, swatch, words);
        if (key in drawable) {
          view.listen(name, "click", () => {
            if (!drawn.delete(key)) drawn.add(key);
            view.update();
          });
        }
        const row = element("tr", {}, element("th", { scope: "row" }, name), value, element("td", { class: "ra-share-track" }, bar));
        return { key, bar, value, row, name };
      });
      table.append(element("tbody", {}, ...lines.map(({ row }) => row)));
      host.append(table, element("p", { class: "ra-note-below" }, "Press a rival to draw its line. The sceptic takes last year’s months, plus what a year has added. Full bar: 1."));
      return (state) => {
        for (const { key, bar, value, row, name } of lines) {
          if (key in drawable) name.setAttribute("aria-pressed", String(drawn.has(key)));
          value.textContent = formatNumber(state[key], 2);
          bar.style.width = `${Math.min(100, 100 * state[key]).toFixed(2)}%`;
          row.style.visibility = key === "mase_before" && state.deleted === "nothing" ? "hidden" : "";
        }
      };
    },
  };
}

const three = (lag) => `${lag}, ${lag + 12}, ${lag + 24}`;

// What each lag costs: faint the lags that no hand has deleted.
function costsPanel(problem) {
  const place = (x) => ({ deleted: "lags", lag: bounded(Math.round(x), [1, 24]) });
  return {
    title: "What deleting a lag costs",
    beside: true,
    legend: [["query", "diamond", "lag, and 12, 24 later (drag)"]],
    plot: { label: "Error when a lag is deleted", xLabel: "lag", yLabel: "MASE", height: 150 },
    hint: () => "with the lag 12 and 24 months later; arrow keys read the lags, Enter deletes one",
    handle: { at: (state) => [state.lag, state.deleted === "lags" ? state.mase : state.mase_before], to: place },
    cursor: {
      places: ([p]) => [[p, (k, { costs, mase_before }) => [k + 1, costs[k] ?? mase_before], "x"]],
      count: () => 24,
      text: (k, { costs }) => `lags ${three(k + 1)}\n${costs[k] === null ? "not tried" : `MASE ${formatResult(costs[k])}`}`,
      pick: (k) => place(k + 1),
      start: ({ lag }) => lag - 1,
    },
    make(p) {
      const [faint, dark, now] = [p.bars("neutral ra-faint"), p.bars("neutral"), p.bars("query")];
      const [level, diamond] = [p.marker("leave-one-out", "level"), p.marker("query")];
      const below = element("p", { class: "ra-note-below" });
      p.host.after(below);
      return ({ costs, tried, all, deleted, lag, mase, mase_before }) => {
        below.textContent = all ? "The error without this lag and those 12 and 24 later." : "Delete any lag but 12, and all 24 are shown.";
        const top = Math.max(1, mase_before, ...costs.map((cost) => cost ?? 0));
        p.frame({ x: [0, 25], y: [0, 1.12 * top], xTicks: [1, 6, 12, 18, 24].map((at) => ({ at, text: String(at) })) });
        const bars = [0, ...costs.map((cost) => cost ?? 0)];
        const chosen = (k) => deleted === "lags" && k === lag;
        faint(bars, (k) => bars[k] > 0 && !tried[k - 1] && !chosen(k));
        dark(bars, (k) => tried[k - 1] && !chosen(k));
        now(bars, chosen);
        level(0, mase_before);
        diamond(lag, deleted === "lags" ? mase : mase_before);
      };
    },
  };
}

// The two ways to count a head's months share one axis: the one in which it has a peak is how it listens.
const together = (...rows) => [0, 1.08 * Math.max(...rows.flat())];

function lagsPanel({ context, steps }) {
  return {
    title: "All months ahead, counted back from the one that asks",
    legend: [
      ["query", "box", "lags 12, 24, 36"],
      ["key", "box", "other lags"],
    ],
    plot: { label: "Weight by lag", xLabel: "months back", yLabel: "mean weight", height: 220 },
    hint: () => "by lag, a mean over all months ahead",
    make(p) {
      const [seasonal, others] = [p.bars("query"), p.bars("key")];
      const xTicks = upTo(Math.floor((context + steps) / 12)).map((k) => ({ at: 12 * (k + 1), text: String(12 * (k + 1)) }));
      return ({ by_lag, by_place }) => {
        p.frame({ x: [0, context + steps], y: together(by_lag, by_place), xTicks });
        const bars = [0, ...by_lag];
        seasonal(bars, (lag) => lag > 0 && lag % 12 === 0 && lag <= 36);
        others(bars, (lag) => lag > 0 && (lag % 12 !== 0 || lag > 36));
      };
    },
  };
}

function placesPanel({ context }) {
  return {
    title: "The same, counted back from the last month read",
    legend: [
      ["query", "box", "a year and two years before it"],
      ["key", "box", "other months"],
    ],
    plot: { label: "Weight by month before the last one read", xLabel: "months back", yLabel: "mean weight", height: 220 },
    hint: () => "by month before the last one read, a mean over all months ahead",
    make(p) {
      const [change, others] = [p.bars("query"), p.bars("key")];
      const xTicks = upTo(Math.floor(context / 12) + 1).map((k) => ({ at: 12 * k, text: String(12 * k) }));
      return ({ by_lag, by_place }) => {
        p.frame({ x: [-1, context], y: together(by_lag, by_place), xTicks });
        change(by_place, (back) => back === 12 || back === 24);
        others(by_place, (back) => back !== 12 && back !== 24);
      };
    },
  };
}

function headsPanel({ network: { heads } }) {
  return {
    title: "Weight on lags 12, 24 and 36 over all months ahead, by head",
    make(host) {
      const draw = shareBars(host, { label: "Weight on lags 12, 24 and 36" });
      const names = [...upTo(heads).map((h) => `head ${h + 1}`), "chance"];
      const none = host.appendChild(element("p", {}, "No month ahead hears the lags 12, 24 and 36: they are deleted."));
      return ({ masses, head, usual }) => {
        none.hidden = usual > 0;
        draw(names, usual > 0 && [...masses, usual], shareText, head - 1);
      };
    },
  };
}

const print = (key) => (state) => formatResult(state[key]);
const both = (words) => (words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

// What a head gives to the lags 12, 24 and 36, for the month that asks: which of them it hears.
function seasonWords({ context }, { horizon, heard, mass }) {
  const there = [12, 24, 36].filter((lag) => lag <= context + horizon - 1 && lag >= horizon);
  const [kept, gone] = [true, false].map((wanted) => there.filter((lag) => heard[context + horizon - 1 - lag] === wanted));
  if (!kept.length) return "hears none of the lags 12, 24 and 36";
  const deleted = gone.length ? ` (${both(gone)} deleted)` : "";
  const lags = `${kept.length > 1 ? "lags" : "lag"} ${both(kept)}${deleted}`;
  return `gives ${percent(mass)} of its weight to ${lags}`;
}

// What a deletion does to the curve: to its lowest month, and to its mean.
function movedWords({ context }, { dates, before, median }) {
  const lowest = (path) => MONTHS[Number(dates[context + path.indexOf(Math.min(...path))].slice(5)) - 1];
  const [was, is] = [lowest(before), lowest(median)];
  const change = sum(median) / sum(before) - 1;
  const level = Math.abs(change) < 0.002 ? "hardly moves" : `${change > 0 ? "rises" : "falls"} by ${(100 * Math.abs(change)).toFixed(1)}\u00a0%`;
  return `the low ${was === is ? `stays in ${is}` : `moves from ${was} to ${is}`}, the mean ${level}`;
}

const render = explorer({
  name: "ForecastExplorer",
  longest: 200,
  prepare: forecastProblem,
  compute: forecastState,
  panels(problem, view) {
    const { show } = view;
    view.show = (values) => { // what is deleted is seen in the pictures: More need not be opened for it
      const [open, before] = [view.more.open, view.now()];
      show(values);
      const seen = ({ name }) => ["deleted", "lag"].includes(name) || before[name] === view.model.get(name);
      if (!open && view.specs.every((spec) => spec.first || seen(spec))) view.more.open = false;
    }; // prettier-ignore
    const { last } = problem;
    const rest = () => {
      last.resting = true;
      view.update();
    };
    view.refreshers.push(() => {
      clearTimeout(last.timer);
      if (!last.resting) last.timer = setTimeout(rest, 120);
    });
    return { fan: fanPanel(problem), weights: weightsPanel(problem), errors: errorsPanel(problem, view), costs: costsPanel(problem), lags: lagsPanel(problem), places: placesPanel(problem), heads: headsPanel(problem) };
  },
  texts: (problem, view) => ({
    horizon: (h) => monthName(problem.dates[view.model.get("query") + problem.context + h - 1]),
    head: (h) => `${h} of ${problem.network.heads}${roleOf(problem, h)}`,
  }),
  hint: ({ dates, horizon }, { context }) => `for ${monthName(dates[context + horizon - 1])}; arrow keys read the months, Enter lets one ask or deletes it, with those a year apart`,
  cursor: (problem, view) => ({
    count: () => problem.context + problem.steps,
    text(k, { dates, read, came, weights, heard, median }) {
      const h = k - problem.context;
      if (h < 0) return `${isolate(dates[k])}: ${formatNumber(read[k], 4)}\n${heard[k] ? `weight ${formatResult(weights[k])}` : "deleted"}`;
      return `${isolate(dates[k])}: came ${formatNumber(came[h], 4)}\nmedian ${formatNumber(median[h], 4)}`;
    },
    pick: (k) => asPlace(k, problem, view.now()),
    start: ({ horizon }) => problem.context + horizon - 1,
  }),
  numbers: ({ steps, rival, shares }) => [
    ["mase", "MASE here", print("mase")],
    ["mase-before", "MASE, nothing deleted", print("mase_before")],
    ...(rival ? [["mase-rival", "MASE, linear map", print("mase_rival")]] : []),
    ["mase-naive", "MASE, last year with drift", print("mase_naive")],
    ["covered", `inside the ${percent(shares[0])} band`, ({ covered }) => `${covered} of ${steps}`],
    ["mass", "weight on lags 12, 24, 36", ({ mass }) => shareText(mass)],
    ["chance", "by chance", ({ chance }) => shareText(chance)],
    ["change", "weight one and two years before the last month read", ({ change }) => shareText(change)],
  ],
  say(state, problem) {
    const { context } = problem;
    const { dates, head, horizon, mass, change, mase, mase_before: before, deleted, lag, start, length } = state;
    const until = Math.min(context - 1, context - start + length - 1);
    const span = `${isolate(dates[context - start])} to ${isolate(dates[until])}`;
    const gone = { nothing: "Nothing deleted", lags: `Without lags ${both([lag, lag + 12, lag + 24])}`, span: `Without ${span}` }[deleted];
    const moved = deleted === "nothing" ? `is ${formatResult(mase, 2)}` : `goes from ${formatResult(before, 2)} to ${formatResult(mase, 2)}, ${movedWords(problem, state)}`;
    const earlier = [12, 24].filter((back) => back < context).map((back) => monthName(dates[context - 1 - back]));
    const moved_on = `gives ${percent(change)} of its weight to ${earlier.join(" and ")}`;
    const lags = change > Math.max(mass, 0.1) ? moved_on : seasonWords(problem, state);
    return [gone, `: the error ${moved}. For ${monthName(dates[context + horizon - 1])}, head ${head} ${lags}.`];
  },
  result: ({ quantiles, before, sceptic, weights, by_lag, by_place, masses, mase, mase_before, mase_rival, mase_naive, covered, mass, change, chance }) => ({
    quantiles: quantiles.map((row) => Array.from(row)),
    before: Array.from(before),
    sceptic,
    weights: Array.from(weights),
    by_lag, by_place, masses, mase, mase_before, mase_rival, mase_naive, covered, mass, change, chance, // prettier-ignore
  }),
});

export default { render };
