// The numbers behind the ForecastExplorer, pure: one window of a series, what is said of it, and how that turned out.
import { decoded, encoded, linear, openForecaster } from "./model.js";
import { mean, sum } from "../_numbers/maths.js";

const YEAR = 12;
const CHANGE = [YEAR, 2 * YEAR]; // months before the last one read: what they tell of it is what a year has added
const seasonal = (lag) => lag % YEAR === 0 && lag <= 3 * YEAR;
export const upTo = (length) => Array.from({ length }, (_, k) => k);

export function forecastProblem(data) {
  const { levels } = data;
  const bands = upTo(levels.length >> 1).map((k) => [k, levels.length - 1 - k]);
  const network = { ...openForecaster(data.model), layers: data.layers };
  const rival = data.rival && openForecaster(data.rival);
  return { ...data, network, rival, bands, shares: bands.map(([low, high]) => levels[high] - levels[low]), last: {}, drawn: new Set() };
}

// A function (h, t): whether month h ahead, from 0, hears month t of the past.
function hearing({ context }, { deleted, lag, start, length }) {
  const back = (t) => context - t;
  if (deleted === "span") return (_, t) => back(t) > start || back(t) <= start - length;
  if (deleted === "lags") return (h, t) => ![lag, lag + YEAR, lag + 2 * YEAR].includes(back(t) + h);
  return () => true;
}

// The past as the model reads it, and what it says in the units of the past.
function normalised(past) {
  const moves = (lag) => mean(past.slice(lag).map((value, t) => Math.abs(value - past[t])));
  const [level, size] = [past.at(-1), moves(YEAR) + moves(1) + 1e-4];
  return { x: past.map((value) => (value - level) / size), back: (row) => row.map((value) => value * size + level).sort() };
}

// What the whole model says of a window, kept until another is asked for, and what it says with some months deleted.
function passes({ network, rival, months, context, steps, last }, y, { series, query, deleted }, hears) {
  const [past, ahead] = [months.slice(query, query + context), months.slice(query + context, query + y.length)];
  const { x, back } = normalised(y.slice(0, context));
  const ask = (keep) => {
    const { outputs, cross } = decoded(network, last.memory, ahead, keep);
    return { fan: outputs.map(back), cross };
  };
  if (last.series !== series || last.query !== query) {
    Object.assign(last, { series, query, memory: encoded(network, x, past), tried: new Set(), costs: new Map(), resting: !last.all });
    last.whole = ask();
    last.rival = rival && linear(rival, x, ahead[0], steps).map(back);
  }
  return [deleted === "nothing" ? last.whole : ask(hears), last.whole, last.rival, ask];
}

// What deleting each lag costs in this window. First of lag 12 alone; of all once a hand has deleted another lag, and
// after that of each window where it rests.
function costsOf(problem, { deleted, lag }, error, costOf) {
  const { last } = problem;
  if (deleted === "lags") {
    last.tried.add(lag);
    last.costs.set(lag, error);
    last.all ||= lag !== YEAR;
  }
  const lags = upTo(2 * YEAR).map((k) => k + 1);
  if (last.all && last.resting) for (const other of lags) if (!last.costs.has(other)) last.costs.set(other, costOf(other));
  return { costs: lags.map((k) => last.costs.get(k) ?? null), tried: lags.map((k) => last.tried.has(k)), all: Boolean(last.all) };
}

// The lags that are deleted with the month at place t, as month h ahead (from 1) hears it: of those a year apart the first.
export const lagOf = ({ context }, t, h) => h + ((context - 1 - t) % YEAR);

// What a head listens to with most of its weight, whatever month asks and while nothing is deleted: its name, if any.
export function roleOf({ last, context: C }, head) {
  if (!last.whole) return ": the season"; // the longest name, for the room it takes
  const on = (wanted) => mean(last.whole.cross[head - 1].map((row, step) => sum(row.filter((_, t) => wanted(t, C + step - t)))));
  if (on((_, lag) => seasonal(lag)) > 0.5) return ": the season";
  return on((t) => CHANGE.includes(C - 1 - t)) > 0.5 ? ": the change" : "";
}

// Everything shown for one setting of the controls.
export function forecastState(problem, now) {
  const { logs, dates, names, scale, context: C, steps, levels } = problem;
  const { series, query, horizon, head } = now;
  const [k, window] = [names.indexOf(series), [query, query + C + steps]];
  const y = logs[k].slice(...window);
  const hears = hearing(problem, now);
  const [found, whole, rival, ask] = passes(problem, y, now, hears);
  const medians = (fan) => fan.map((row) => row[levels.length >> 1]);
  const [all, ahead, h] = [upTo(C), upTo(steps), horizon - 1];
  const mase = (path) => mean(path.map((value, step) => Math.abs(value - y[C + step]))) / scale[k];
  const massOf = (row, step) => sum(row.filter((_, t) => seasonal(C + step - t)));
  const chance = (step) => {
    const heard = all.filter((t) => hears(step, t));
    return heard.filter((t) => seasonal(C + step - t)).length / heard.length;
  };
  const by_lag = new Array(C + steps - 1).fill(0);
  found.cross[head - 1].forEach((row, step) => row.forEach((weight, t) => (by_lag[C + step - t - 1] += weight / steps)));
  const weights = found.cross[head - 1][h];
  const by_place = all.map((back) => mean(found.cross[head - 1].map((row) => row[C - 1 - back])));
  const sceptic = ahead.map((step) => y[C - YEAR + step] + y[C - 1] - y[C - 1 - YEAR]);
  const most = Math.max(...whole.cross.flat().map((row) => Math.max(...row)));
  const exact = y.map(Math.exp);
  const error = mase(medians(found.fan));
  const costOf = (lag) => mase(medians(ask(hearing(problem, { deleted: "lags", lag })).fan));
  return {
    ...now, weights, by_lag, by_place, ...costsOf(problem, now, error, costOf), // prettier-ignore
    dates: dates.slice(...window),
    read: exact.slice(0, C),
    came: exact.slice(C),
    quantiles: found.fan.map((row) => row.map(Math.exp)),
    median: medians(found.fan).map(Math.exp),
    before: medians(whole.fan).map(Math.exp),
    usual_fan: whole.fan.flatMap((row) => [Math.exp(row[0]), Math.exp(row.at(-1))]), // which the axis holds, whatever is deleted
    rival: rival && medians(rival).map(Math.exp),
    sceptic: sceptic.map(Math.exp),
    most: Math.max(most, ...weights),
    heard: all.map((t) => hears(h, t)),
    masses: found.cross.map((rows) => mean(rows.map(massOf))),
    usual: mean(ahead.map(chance)),
    mass: massOf(weights, h),
    change: sum(weights.filter((_, t) => CHANGE.includes(C - 1 - t))),
    chance: chance(h),
    mase: error,
    mase_before: mase(medians(whole.fan)),
    mase_rival: rival && mase(medians(rival)),
    mase_naive: mase(sceptic),
    covered: found.fan.filter((row, step) => row[0] <= y[C + step] && y[C + step] <= row.at(-1)).length,
  };
}
