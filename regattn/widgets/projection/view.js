// ProjectionExplorer: M = Z S Z', E = g(M) Z S, p = softmax(mean of E), while the sentence and the table change.
import { element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { cellText, isolate, shareText } from "../_kit/format.js";
import { openCounts, projectionState } from "./numbers.js";
import { cellSlider, projectionMessage, shownBox } from "./words.js";
import { sentenceBox, sentenceFits, shownFits, tableFits } from "./words.js";
import { shareBars, tablePanel } from "../_kit/tables.js";

// How the weights of a row and a column of the table make one cell of E, written out.
function cellSum({ words, picked, weights, table, mixed }, [i, j]) {
  const terms = picked.map((row, k) => `${cellText(weights[i][k])} × ${cellText(table[row][j])}`);
  return `${isolate(words[picked[i]])}, ${isolate(words[j])}: ${terms.join(" + ")} = ${cellText(mixed[i][j])}`;
}

// The panel of the table, and below the table the slider that edits the cell that was clicked.
function editedBelow(view, panel) {
  const make = (host) => {
    const draw = panel.make(host);
    const slider = view.rows.get("count");
    if (slider) host.append(element("div", { class: "ra-controls ra-cell" }, slider));
    return draw;
  };
  return { ...panel, make };
}

function projectionPanels({ countsOf }, view) {
  const largest = (rows) => rows.reduce((most, row) => Math.max(most, ...row), 0) || 1;
  const sentence = (state) => state.picked.map((k) => state.words[k]);
  const share = (value) => (value === 0 ? "0" : value < 0.995 ? value.toFixed(2).slice(1) : "1"); // .57
  // The cell of E that a hand or the keyboard is at, or that a click holds: what it is made of is lit.
  let [hovered, held] = [null, null];
  const lit = ({ mixed }) => [hovered, held].find((at) => at && mixed?.[at[0]]) ?? null;
  const light = (at) => {
    hovered = at;
    view.update();
  };
  const hold = (...at) => {
    held = String(held) === String(at) ? null : at;
    view.update();
  };
  const small = (state, rows, columns, text, marked) =>
    rows ? [sentence(state), columns ?? sentence(state), rows, { text, most: largest(rows), marked }] : [null];
  const litRow = (state) => (i) => (lit(state)?.[0] === i ? "ra-lit" : "");
  function table(state) {
    const { words } = state;
    if (!words.length) return [null];
    const chosen = words.map((_, k) => state.picked.includes(k));
    const [row, column] = [view.model.get("row"), view.model.get("column")];
    const here = (i, j) => !countsOf && ((i === row && j === column) || (j === row && i === column));
    const marks = (i, j) => [
      here(i, j) && "ra-picked",
      chosen[i] && chosen[j] && "ra-block",
      chosen[i] && lit(state)?.[1] === j && "ra-lit",
    ];
    const marked = (i, j) => marks(i, j).filter(Boolean).join(" ");
    const look = { text: cellText, most: largest(state.table), marked, chosen: [chosen, chosen] };
    return [words, words, state.table, look];
  }
  const scores = (state) => small(state, state.scores, null, cellText, litRow(state));
  const weightText = (state) => (state.weights === state.scores ? cellText : share);
  const weights = (state) => small(state, state.weights, null, weightText(state), litRow(state));
  const picked = (state) => (i, j) => (String(lit(state)) === String([i, j]) ? "ra-picked" : "");
  const mixed = (state) => small(state, state.mixed, state.words, cellText, picked(state));
  const invitation =
    "Point at a cell, or go to it with the arrow keys: " +
    "the row of weights and the column of counts that make it light up.";
  const below = (state) => (!state.mixed ? "" : lit(state) ? cellSum(state, lit(state)) : invitation);
  const beside = (host) => {
    const draw = shareBars(host, { label: "Probability of each word to stand beside them" });
    return (state) => draw(state.words, state.chances, shareText, state.best);
  };
  const pick = (row, column) => countsOf || view.set({ row, column }); // of a larger vocabulary nothing is edited
  const pickWords = (i, j) => {
    if (countsOf) return;
    const { words } = view.model.get("data");
    const places = view.model.get("sentence").map((word) => words.indexOf(word));
    pick(places[i], places[j]);
  };
  return {
    next: { title: "p: which word stands beside them", make: beside },
    table: editedBelow(view, tablePanel(view, countsOf || !view.rows.get("count") ? "S: how often two words meet" : "S: how often two words meet (click a count to edit it below)", table, { pick, beside: true })),
    scores: tablePanel(view, "M = ZSZ′: scores, read off the table", scores, { pick: pickWords }),
    weights: tablePanel(view, "Weights of each word on the words of the sentence", weights, { pick: pickWords }),
    mixed: tablePanel(view, `E = weights × ZS: scores over ${countsOf ? "the words shown" : "the whole vocabulary"}`, mixed, {
      wide: !view.hides("scores") || view.model.get("data").words.length > 8, light, pick: hold, below, // prettier-ignore
    }),
  };
}

const lists = (rows) => rows && rows.map((row) => Array.from(row));

const render = explorer({
  name: "ProjectionExplorer",
  longest: 128,
  own: { words: sentenceBox, shown: shownBox, table: cellSlider },
  valid: { words: sentenceFits, shown: shownFits, table: tableFits },
  prepare: (data) => ({ words: data.words, countsOf: openCounts(data) }),
  compute: projectionState,
  panels: projectionPanels,
  say: (state, _, view) =>
    projectionMessage(state, view.typed?.() ?? { unknown: [], dropped: 0 }, view.model.get("normaliser")),
  result: ({ words, table, scores, weights, mixed, chances, best }) => ({
    words,
    counts: lists(table),
    scores: lists(scores),
    weights: lists(weights),
    vocabulary_scores: lists(mixed),
    probabilities: chances && Array.from(chances),
    next_word: best === null ? null : words[best],
  }),
});

export default { render };
