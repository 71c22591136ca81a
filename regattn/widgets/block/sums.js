// What one number is made of, factor by factor: whose row, times which weight, is how much.
import { element } from "../_kit/controls.js";
import { formatNumber, isolate } from "../_kit/format.js";
import { numberTable } from "../_kit/tables.js";

const MOST = 8; // columns; of more terms the largest
const NAMES = {
  queries: (word) => [word, "weight"],
  keys: (word) => [word, "weight"],
  values: (word) => [word, "weight"],
  scores: (word, other) => [`${word} asks`, `key: ${other}`],
  average: () => ["weight", "value"],
  output: () => ["averages", "weight"],
  hidden: (word) => [word, "weight"],
  back: () => ["hidden", "weight"],
}; // prettier-ignore

const sized = (value) => (Number.isNaN(value) ? "" : value === 0 ? "0" : value.toFixed(2).replace("-", "−").replace(/^(−?)0\./, "$1."));

// The places of the terms to show, in order, and what the others come to.
function largest(given) {
  const places = Array.from(given.keys());
  if (given.length <= MOST) return [places, null];
  const kept = [...places].sort((i, j) => Math.abs(given[j]) - Math.abs(given[i])).slice(0, MOST - 1).sort((i, j) => i - j);
  const rest = places.filter((k) => !kept.includes(k)).reduce((sum, k) => sum + given[k], 0);
  return [kept, rest];
}

// Returns draw(state, columns) → a sentence about the number, or null where it is no such sum; then the table is hidden.
export function factorTable(host, signal) {
  const frame = host.appendChild(element("div", { class: "ra-factors" }));
  const draw = numberTable(frame, { label: "What this number is made of", signal });
  const show = (names, rows, most, lit) => {
    const marked = (i, j) => (Number.isNaN(rows[i][1][j]) ? "" : rows[i][1][j] < 0 ? "ra-below" : "ra-above");
    const chosen = [rows.map((_, i) => i === rows.length - 1), names.map((_, j) => j === lit)];
    draw(rows.map(([name]) => name), names, rows.map(([, values]) => values), { text: sized, most, marked, chosen }); // prettier-ignore
  };
  return ({ words, shown: { key, values, terms, rows, scores, how, more }, at: [i, j] }, columns) => {
    const value = values[i][j];
    if (key === "weights") {
      const seen = Array.from(scores[i], (score, k) => (k > i ? NaN : score));
      const powers = seen.map(Math.exp);
      const made = [["score", seen], ["exp", powers], ["share", seen.map((_, k) => (k > i ? NaN : values[i][k]))]]; // prettier-ignore
      show(words, made, Math.max(...powers.slice(0, i + 1)), j);
      if (j > i) return `${isolate(words[i])} may not look at ${isolate(words[j])}: it comes later.`;
      const written = how(i, j).map((piece) => (typeof piece === "number" ? formatNumber(piece) : piece)).join("");
      return `${isolate(words[i])} on ${isolate(words[j])}: ${written} = ${formatNumber(value)}`;
    }
    if (key === "mask") {
      draw(null);
      return `${isolate(words[i])} may ${value ? "" : "not "}look at ${i === j ? "itself" : isolate(words[j])}${value ? "" : ": it comes later"}`;
    }
    if (rows) {
      const made = rows(i).map(([name, row]) => [name === "reads" || name === "stream" ? words[i] : name, Array.from(row)]);
      show(columnsOf(made[0][1]), made, Math.max(...made.flatMap(([, row]) => row.map(Math.abs))), j);
      return null;
    }
    if (!terms) return draw(null) ?? null;
    const [a, b] = terms(i, j).map((factors) => Array.from(factors));
    const given = a.map((x, k) => x * b[k]);
    const [kept, rest] = largest(given);
    const pick = (list, last) => [...kept.map((k) => list[k]), ...(rest === null ? [] : [last])];
    const own = key === "average" ? words : columnsOf(a);
    const names = pick(own, "rest");
    const [first, second] = NAMES[key](words[i], columns[j]);
    const products = pick(given, rest);
    const most = Math.max(...products.map(Math.abs)) || 1;
    const top = given.map(Math.abs).indexOf(Math.max(...given.map(Math.abs)));
    show(names, [[first, pick(a, NaN)], [`× ${second}`, pick(b, NaN)], ["=", products]], most, kept.indexOf(top)); // prettier-ignore
    const part = (Math.sign(value) * given[top]) / given.reduce((sum, term) => sum + Math.abs(term), 0);
    const from = key === "average" ? isolate(words[top]) : `number ${own[top]}`;
    const end = key === "hidden" && value === 0 ? ", which is below zero" : key === "scores" ? ` / √${a.length}${more(i, j) ? signed(more(i, j)) : ""}` : "";
    return `${isolate(words[i])}, ${columns[j]} = ${formatNumber(value)}: the sum below${end}, ${part > 0.5 ? "mostly" : "largest term:"} ${from}`;
  };
}

const signed = (value) => (value < 0 ? ` − ${-value}` : ` + ${value}`);
const columnsOf = (a) => a.map((_, k) => String(k + 1));
