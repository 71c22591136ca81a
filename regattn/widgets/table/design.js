// From a table and what is chosen to rows that a model can be fitted to: order, categories, lags, what is left out.
import { mean } from "../_numbers/maths.js";

export const limits = () => ({ rows: 5000, columns: 20, levels: 12, lags: 12, neighbours: 50 });
const HALF = 0.5;
const DATE_NAME = /^(date|day|week|month|quarter|year|period|time)s?$/i;
const ROW_NAME = /^(id|index|row|nr|no|#|unnamed: 0|column 1)$/i;
const TARGET_NAME = /^(y|target|outcome)$/i;

const isNumber = ({ kind }) => kind === "number";
const present = (values) => values.filter((value) => value !== null);

export function levelsOf({ values }) {
  return [...new Set(present(values))].sort((a, b) => (a < b ? -1 : Number(a > b)));
}

// Whether a column does nothing but number the rows.
const counts = ({ name, kind, values }) => kind === "number" && ROW_NAME.test(name) && values.every((value, i) => value === values[0] + i);
const varies = ({ values }) => new Set(present(values)).size > 1;
const usable = (column) => isNumber(column) || (column.kind === "text" && levelsOf(column).length <= limits().levels);

// Columns that may be a target, a predictor, a date.
export function rolesOf(columns) {
  return {
    target: columns.filter((column) => isNumber(column) && varies(column)).map(({ name }) => name),
    predictors: columns.filter((column) => usable(column)).map(({ name }) => name),
    date: columns.map(({ name }) => name),
  };
}

// What stands at the start: the date by its kind or name, the last numbers as target, all that is mostly there as
// predictors; the target too, in case another one is chosen.
export function guess(columns) {
  const date = (columns.find(({ kind }) => kind === "date") ?? columns.find(({ name }) => DATE_NAME.test(name)))?.name ?? "";
  const targets = rolesOf(columns).target.filter((name) => name !== date);
  const target = targets.find((name) => TARGET_NAME.test(name)) ?? targets.at(-1) ?? "";
  const predictors = [];
  let room = limits().columns;
  for (const column of columns) {
    const many = isNumber(column) ? 1 : levelsOf(column).length - 1;
    const mostly = present(column.values).length > HALF * column.values.length;
    if (column.name === date || !usable(column) || !varies(column) || !mostly || many > room || counts(column)) continue;
    predictors.push(column.name);
    if (column.name !== target) room -= many;
  }
  return { target, predictors, date, lags: predictors.some((name) => name !== target) ? 0 : 1 };
}

// Rows by date, those without one left out; the last 5,000.
function ordered(columns, date, notes) {
  const count = columns[0].values.length;
  let order = Array.from({ length: count }, (_, i) => i);
  const times = columns.find(({ name }) => name === date)?.values;
  if (times) {
    order = order.filter((i) => times[i] !== null);
    if (order.length < count) notes.push(`${count - order.length} of the rows have no ${date} and are left out.`);
    order.sort((a, b) => (times[a] < times[b] ? -1 : times[a] > times[b] ? 1 : a - b));
  }
  if (order.length > limits().rows) notes.push(`The page computes with ${limits().rows.toLocaleString("en")} rows: the last of ${order.length.toLocaleString("en")}.`);
  order = order.slice(-limits().rows);
  const repeats = times && order.some((i, k) => k > 0 && times[i] === times[order[k - 1]]);
  const ticks = order.map((i) => (times ? String(times[i]) : `row ${i + 1}`));
  return { order, ticks, labels: order.map((i) => [times && String(times[i]), (repeats || !times) && `row ${i + 1}`].filter(Boolean).join(", ")), repeats };
}

// A predictor as one column of numbers, or as one for each category but the first.
function coded(column, order) {
  const take = (value) => Float64Array.from(order, (i) => (column.values[i] === null ? NaN : value(column.values[i])));
  if (isNumber(column)) return [{ name: column.name, from: column.name, values: take(Number) }];
  return levelsOf(column).slice(1).map((level) => ({ name: `${column.name}: ${level}`, from: column.name, values: take((own) => Number(own === level)) }));
}

// The value so many rows before; the row after the last has a past as well.
function shifted({ name, from, values }, back) {
  const past = Float64Array.from({ length: values.length + 1 }, (_, t) => (t < back ? NaN : values[t - back]));
  return { name: `${name}, ${back} back`, from, values: past };
}

function withoutConstants(columns, notes) {
  const finite = ({ values }) => values.filter(Number.isFinite);
  const same = columns.filter((column) => new Set(finite(column)).size < 2);
  if (same.length) notes.push(`Left out, as ${same.length === 1 ? "it is" : "they are"} the same in every row: ${same.map(({ name }) => name).join(", ")}.`);
  return columns.filter((column) => !same.includes(column));
}

// What is said of rows that are left out: of each, the columns that are empty there; `free` may be left out.
function leftOut(gaps, free) {
  const alone = gaps.filter((names) => names.length === 1).map(([name]) => name).filter((name) => free.includes(name));
  const count = (name) => alone.filter((own) => own === name).length;
  const worst = free.reduce((a, b) => (count(b) > count(a) ? b : a), free[0]);
  const advice = free.length > 1 && alone.length ? `, ${count(worst)} of them only for ${worst}; leave that column out to keep ${count(worst) === 1 ? "it" : "them"}` : "";
  return `Left out, as a cell is empty: ${gaps.length} row${gaps.length === 1 ? "" : "s"}${advice}.`;
}

// Everything that a fit needs: `names` of the design's columns, `rows` of them (the last is the next row, or the one to
// be typed, whose empty cells are means), y, which rows are complete, which columns a row lacks, and what is to be said.
export function design(columns, { target, predictors, date, lags }) {
  const notes = [];
  const { order, ticks, labels, repeats } = ordered(columns, date, notes);
  const by = new Map(columns.map((column) => [column.name, column]));
  const y = coded(by.get(target), order)[0].values;
  const chosen = columns.filter(({ name }) => predictors.includes(name) && name !== target && name !== date);
  const own = chosen.flatMap((column) => coded(column, order));
  if (lags && repeats) notes.push(`Several rows share a ${date}, so that no row has one before it: lags are off.`);
  const depth = repeats ? 0 : Math.min(lags, order.length - 1);
  const past = Array.from({ length: depth }, (_, k) => [{ name: target, from: target, values: y }, ...own].map((column) => shifted(column, k + 1)));
  let used = withoutConstants(depth ? past.flat() : own, notes);
  if (used.length > limits().columns) {
    notes.push(`There is room for ${limits().columns} columns: ${used.length - limits().columns} of ${used.length} are left out, from ${used[limits().columns].name} on.`);
    used = used.slice(0, limits().columns);
  }
  const n = order.length;
  const rows = labels.map((_, t) => Float64Array.from(used, ({ values }) => values[t]));
  const whole = rows.map((row) => row.every(Number.isFinite));
  const train = [...rows.keys()].filter((t) => whole[t] && Number.isFinite(y[t]));
  const lacking = (t) => [...new Set(used.filter(({ values }) => !Number.isFinite(values[t])).map(({ from }) => from))];
  const gaps = [...rows.keys()].slice(depth).filter((t) => !whole[t] || !Number.isFinite(y[t])).map((t) => [...new Set([...lacking(t), ...(Number.isFinite(y[t]) ? [] : [target])])]);
  const free = [...new Set(used.map(({ from }) => from))].filter((name) => name !== target);
  if (gaps.length) notes.push(leftOut(gaps, free));
  const middle = used.map(({ values }) => mean(train.map((t) => values[t])));
  const next = used.map(({ values }, j) => (depth && Number.isFinite(values[n]) ? values[n] : middle[j]));
  return { names: used.map(({ name }) => name), labels, ticks, rows, y, whole, lacking, train, next, depth, notes };
}
