// DirectionExplorer: a sentence in any order, its scores with and without positions, and what the order changes.
import { explorer } from "./explorer.js";
import { directionProblem, directionState } from "./direction-numbers.js";
import { orderBox, orderFits } from "./direction-order.js";
import { cellText, formatNumber, isolate, shareText } from "./format.js";
import { shareBars, tablePanel } from "./tables.js";

const shareCell = (share) => (share === 0 ? "0" : share.toFixed(2).replace("-", "−"));
const changeCell = (by) => (by === 0 ? "0" : `${by > 0 ? "+" : ""}${formatNumber(by, 2)}`);
const largestOf = (rows) => Math.max(...rows.map((row) => Math.max(...row.map(Math.abs)))) || 1;

// A table of the words on the words; the row of the word that is held is marked.
function wordsTable(view, title, words, rows, text, place) {
  const look = (state) => {
    const [names, values] = [words(state), rows(state)];
    const at = state.held ? place(state) : -1;
    const sign = (value) => (value < 0 ? "ra-below" : "");
    const marked = (i, j) => `${sign(values[i][j])}${i === at ? " ra-held" : ""}`.trim();
    return [names, names, values, { text, most: largestOf(values), marked, chosen: [names.map((_, i) => i === at), []] }];
  };
  return tablePanel(view, title, look);
}

function directionPanels({ words, sentence }, view) {
  const order = (state) => state.order;
  const place = ({ held }) => held - 1;
  const first = ({ held, places }) => places.indexOf(held - 1);
  const next = (host) => {
    const draw = shareBars(host, { label: "Probability of each word to come next" });
    return ({ chances, best }) => draw(words, chances, shareText, best);
  };
  return {
    scores: wordsTable(view, "M: scores of the words in this order", order, (state) => state.scores, cellText, place),
    weights: wordsTable(view, "Weights: each row of M, shared out", order, (state) => state.weights, shareCell, place),
    changed: wordsTable(view, "What the order changed in the weights, word by word", () => sentence, (state) => state.changed, changeCell, first), // prettier-ignore
    next: { title: "p: the next word (beside, if S is symmetric)", make: next },
  };
}

function largestChange({ changed, largest }, { sentence }) {
  const cells = changed.flatMap((row, a) => row.map((by, b) => [Math.abs(by), a, b, by]));
  const [, a, b, by] = cells.find(([size]) => size >= largest * (1 - 1e-9));
  return `${isolate(sentence[a])} on ${isolate(sentence[b])}, by ${changeCell(by)}`;
}

function said(state, problem, { model }) {
  const { order, held, weights, scores, chances, best, differ, start } = state;
  const { words, sentence, cells } = problem;
  if (held) return [isolate(order[held - 1]), " is held, and its row is marked. Choose another word to swap the two."];
  const kind = model.get("table") === "directed" ? "next" : "beside";
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
