// DirectionExplorer: a sentence in any order, its scores with and without positions, and what the order changes.
import { explorer } from "../_kit/explorer.js";
import { directionProblem, directionState } from "./numbers.js";
import { orderBox, orderFits } from "./order.js";
import { cellText, formatNumber, isolate, shareText } from "../_kit/format.js";
import { shareBars, tablePanel } from "../_kit/tables.js";

const shareCell = (share) => (share === 0 ? "0" : share.toFixed(2).replace("-", "−"));

// A difference in few digits; what rounds to zero says that it is none, but nearly.
function changeText(by, decimals) {
  if (by === 0) return "0";
  if (Math.abs(by) < 0.5 * 10 ** -decimals) return "≈ 0";
  return `${by > 0 ? "+" : ""}${Math.abs(by) < 10 ? by.toFixed(decimals).replace("-", "−") : formatNumber(by, 2)}`;
}

const changeCell = (by) => changeText(by, 2); // a phone has no room for more

const largestOf = (rows) => Math.max(...rows.map((row) => Math.max(...row.map(Math.abs)))) || 1;

// A table of the words on the words; the row of the word that is held is marked, and what a mask hides.
function wordsTable(view, title, words, rows, text, place, hidden = () => false, options = {}) {
  const look = (state) => {
    const [names, values] = [words(state), rows(state)];
    const at = state.held ? place(state) : -1;
    const sign = (value) => (value < 0 ? "ra-below" : "");
    const marks = (i, j) => [hidden(state, i, j) ? "ra-masked" : sign(values[i][j]), i === at ? "ra-held" : ""];
    const marked = (i, j) => marks(i, j).join(" ").trim();
    return [names, names, values, { text, most: largestOf(values), marked, chosen: [names.map((_, i) => i === at), []] }];
  };
  return tablePanel(view, title, look, options);
}

function directionPanels({ words, sentence }, view) {
  const order = (state) => state.order;
  const place = ({ held }) => held - 1;
  const ahead = ({ masked }, i, j) => masked && j > i;
  const first = ({ held, places }) => places.indexOf(held - 1);
  const next = (host) => {
    const title = host.parentElement.querySelector(".ra-title");
    const draw = shareBars(host, { label: "Probability of each word" });
    return ({ chances, best, table }) => {
      title.textContent = `p: ${table === "symmetric" ? "which word stands beside them" : "the next word"}`;
      draw(words, chances, shareText, best);
    };
  };
  return {
    scores: wordsTable(view, "M: scores in this order", order, (state) => state.scores, cellText, place, ahead),
    changed: wordsTable(view, "Change of each weight, word by word", () => sentence, (state) => state.changed, changeCell, first, () => false, { beside: true }), // prettier-ignore
    weights: wordsTable(view, "Weights of each word, from M", order, (state) => state.weights, shareCell, place, ahead),
    next: { title: "", make: next },
  };
}

function largestChange({ changed, largest }, { sentence }) {
  const cells = changed.flatMap((row, a) => row.map((by, b) => [Math.abs(by), a, b, by]));
  const [, a, b, by] = cells.find(([size]) => size >= largest * (1 - 1e-9));
  return `${isolate(sentence[a])} on ${isolate(sentence[b])}, by ${changeText(by, 3)}`;
}

function said(state, problem, { model }) {
  const { order, held, places, weights, scores, chances, best, changed, differ, start } = state;
  const { words, sentence, cells } = problem;
  if (held) {
    const count = changed[places.indexOf(held - 1)].filter((by) => by !== 0).length;
    const row = `in its row, marked below, ${count} of ${order.length} shares differ from the start`;
    return [isolate(order[held - 1]), ` is held; ${row}. Choose another word to swap the two.`];
  }
  const kind = model.get("table") === "symmetric" ? "beside" : "next";
  const parts = [`Most probable ${kind}: ${isolate(words[best])}, ${shareText(chances[best])}`];
  const moved = !sentence.every((word, k) => word === order[k]);
  if (moved) parts[0] += state.shifted ? `, before ${isolate(words[start.best])}, ${shareText(start.chances[start.best])}.` : ", as before.";
  else parts[0] += ".";
  const alone = order.filter((_, k) => weights[k].every((weight) => weight === 0));
  if (alone.length) parts.push(`Nothing to share out for ${[...new Set(alone)].map(isolate).join(", ")}: the scores sum to 0.`);
  const mixed = model.get("kernel") === "identity" && scores.some((row) => row.some((score) => score < 0));
  if (mixed) parts.push("Some scores are negative, so shares need not lie between 0 and 1.");
  if (!moved) return ["", `The order of the start. ${parts.join(" ")} Move a word: which row shares change?`];
  const from = `those of “${isolate(sentence.join(" "))}”, word by word`;
  if (!differ) return [`None of ${cells} row shares`, ` differs from ${from}. ${parts.join(" ")}`];
  const most = largestChange(state, problem);
  return [`${differ} of ${cells} row shares`, ` differ from ${from}, most that of ${most}. ${parts.join(" ")}`];
}

const lists = (rows) => rows.map((row) => Array.from(row));

const render = explorer({
  name: "DirectionExplorer",
  prepare: directionProblem,
  compute: directionState,
  own: { order: orderBox, held: () => {} },
  valid: { order: orderFits },
  panels: directionPanels,
  answers: () => ["differ", "total"],
  numbers: ({ cells }) => [
    ["differ", "row shares that differ", ({ differ }) => `${differ} of ${cells}`],
    ["largest", "largest difference", ({ largest }) => formatNumber(largest, 2)],
    ["shifted", "largest change of p", ({ shifted }) => formatNumber(shifted, 2)],
    ["total", "sum of M (at the start)", ({ total, before }) => `${formatNumber(total)} (${formatNumber(before)})`],
    ["lost", "of S lost by the rank", ({ lost }) => formatNumber(lost, 2)],
  ],
  say: said,
  result: ({ scores, weights, chances, best, changed, differ, largest, shifted, total, before, lost }, { words }) => ({
    scores: lists(scores),
    weights: lists(weights),
    probabilities: Array.from(chances),
    next_word: words[best],
    total_at_start: before,
    changed, differ, largest, shifted, total, lost, // prettier-ignore
  }),
});

export default { render };
