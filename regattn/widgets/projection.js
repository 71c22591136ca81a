// ProjectionExplorer: M = Z S Z', E = g(M) Z S, p = softmax(mean of E), while the sentence and the table change.
import { explorer } from "./explorer.js";
import { controlRow, element } from "./controls.js";
import { formatNumber, isolate, shareText } from "./format.js";
import { multiply, softmax } from "./maths.js";
import { numberTable, shareBars } from "./tables.js";

const LONGEST = 12; // words of a sentence that are used

// ---- numbers -------------------------------------------------------------------------------------------------------

// The weights of a sentence's words on each other, or null where a row of counts has nothing to share out.
function projectionWeights(scores, normaliser) {
  if (normaliser === "counts") return scores;
  if (normaliser === "softmax") return scores.map((row) => softmax(row));
  if (scores.some((row) => !row.some((count) => count > 0))) return null;
  return scores.map((row) => softmax(Array.from(row, (count) => (count > 0 ? Math.log(count) : -Infinity))));
}

// The first of the largest; what rounding alone sets apart counts as equal.
function firstLargest(values) {
  const bound = Math.max(...values) * (1 - 1e-9);
  return values.findIndex((value) => value >= bound);
}

// Everything shown for one table, sentence, normaliser and unit.
function projectionState({ words, counts, sentence, normaliser, unit }) {
  const table = counts.map((row) => Float64Array.from(row, (count) => count / unit));
  const picked = sentence.map((word) => words.indexOf(word));
  const state = { table, picked, scores: null, weights: null, mixed: null, chances: null, best: null };
  if (!picked.length) return state;
  state.scores = picked.map((i) => Float64Array.from(picked, (j) => table[i][j]));
  state.weights = projectionWeights(state.scores, normaliser);
  if (!state.weights) return state;
  const profiles = picked.map((i) => table[i]);
  state.mixed = multiply(state.weights, profiles);
  const mean = words.map((_, j) => state.mixed.reduce((total, row) => total + row[j], 0) / picked.length);
  state.chances = softmax(mean);
  state.best = firstLargest(state.chances);
  return state;
}

// What was typed: the words that are in the table, and the others.
function readSentence(text, words) {
  const found = { known: [], unknown: [], dropped: 0 };
  for (const typed of text.split(/\s+/).filter(Boolean)) {
    const bare = typed.replace(/^[\p{P}\p{S}]+|[\p{P}\p{S}]+$/gu, "");
    const word = [typed, bare, bare.toLowerCase()].find((form) => words.includes(form));
    if (word === undefined) found.unknown.push(typed);
    else if (found.known.length < LONGEST) found.known.push(word);
    else found.dropped += 1;
  }
  return found;
}

// ---- controls ------------------------------------------------------------------------------------------------------

// The box to type in, and the words as buttons; view.typed() is what was last typed and could not be used.
function sentenceBox(view, { name, label }) {
  const { words } = view.model.get("data");
  const value = view.model.get(name).join(" ");
  const input = element("input", { type: "text", value, spellcheck: "false", autocomplete: "off", dir: "auto" });
  controlRow(view, name, label, input, { wide: true });
  let typed = { text: input.value, ...readSentence(input.value, words) };
  const same = (a, b) => a.length === b.length && a.every((word, k) => word === b[k]);
  view.listen(input, "input", () => {
    typed = { text: input.value, ...readSentence(input.value, words) };
    view.set({ sentence: typed.known });
  });
  view.refreshers.push(() => {
    const sentence = view.model.get("sentence");
    if (same(sentence, typed.known)) return; // left as the hand wrote it, unknown words and all
    typed = { text: sentence.join(" "), known: [...sentence], unknown: [], dropped: 0 };
    input.value = typed.text;
  });
  view.typed = () => typed;
  wordButtons(view, words);
}

// One button for each word: it joins the end of the sentence, or leaves it.
function wordButtons(view, words) {
  const buttons = words.map((word, k) => {
    const button = element("button", { type: "button", class: "ra-word", dir: "auto", "data-control": `word-${k}` }, word);
    view.listen(button, "click", () => {
      const sentence = view.model.get("sentence");
      const without = sentence.filter((other) => other !== word);
      const longer = sentence.length < LONGEST ? [...sentence, word] : sentence;
      view.set({ sentence: without.length < sentence.length ? without : longer });
    });
    return button;
  });
  view.controls.append(element("div", { class: "ra-words ra-wide", role: "group", "aria-label": "Words of the table" }, ...buttons));
  view.refreshers.push(() => {
    const sentence = view.model.get("sentence");
    buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(sentence.includes(words[k]))));
  });
}

// The slider that edits the chosen cell and its mirror image.
function cellSlider(view, { label }) {
  const { words } = view.model.get("data");
  const all = view.model.get("counts").flat();
  const whole = all.every(Number.isInteger);
  const top = whole ? Math.max(20, 2 * Math.max(...all)) : 2 * Math.max(...all) || 1;
  const input = element("input", { type: "range", min: 0, max: top, step: whole ? 1 : top / 200 });
  const said = element("span", { class: "ra-control-value", "data-output": "count" });
  controlRow(view, "count", label, input, { value: said, wide: true });
  const cell = () => [view.model.get("row"), view.model.get("column")];
  view.listen(input, "input", () => {
    const [i, j] = cell();
    const counts = view.model.get("counts").map((row) => [...row]);
    counts[i][j] = counts[j][i] = Number(input.value);
    view.set({ counts });
  });
  view.refreshers.push(() => {
    const [i, j] = cell();
    const count = view.model.get("counts")[i][j];
    if (Number(input.value) !== count) input.value = String(count);
    said.textContent = `${isolate(words[i])} and ${isolate(words[j])}: ${cellText(count)}`;
    input.setAttribute("aria-valuetext", said.textContent);
  });
}

// Whether a sentence or a table that came with a link is one that could have been made here.
function sentenceFits(value, { options }) {
  return Array.isArray(value) && value.length <= LONGEST && value.every((word) => options.includes(word));
}

function tableFits(value, { size }) {
  const square = Array.isArray(value) && value.length === size && value.every((row) => Array.isArray(row) && row.length === size);
  return square && value.every((row, i) => row.every((count, j) => Number.isFinite(count) && count >= 0 && count === value[j][i]));
}

// ---- words ---------------------------------------------------------------------------------------------------------

function projectionMessage(words, state, typed, normaliser) {
  const parts = [];
  if (!state.scores) {
    parts.push("There is no word of the table in the sentence yet: choose one or type it.");
  } else if (!state.weights) {
    const alone = state.scores.findIndex((row) => !row.some((count) => count > 0));
    const word = isolate(words[state.picked[alone]]);
    parts.push(`${word} meets no word of this sentence, so it has nothing to share out: 0/0. Take other weights, add a word, or raise a count.`);
  } else if (normaliser === "counts" && !state.scores.some((row) => row.some((count) => count > 0))) {
    parts.push("No two words of this sentence have met: every score is 0, and every word is equally probable beside them.");
  } else {
    parts.push(`Most probable beside them: ${isolate(words[state.best])}, with probability ${shareText(state.chances[state.best])}.`);
  }
  if (typed.unknown.length) parts.push(`Not in the table: ${typed.unknown.slice(0, 5).map(isolate).join(", ")}${typed.unknown.length > 5 ? ", …" : ""}.`);
  if (typed.dropped) parts.push(`Only the first ${LONGEST} words are used.`);
  return parts.join(" ");
}

// Counts short enough for a small cell; shares with two decimals.
function cellText(value) {
  if (value === 0) return "0";
  if (Number.isInteger(value) && Math.abs(value) < 1e5) return String(value);
  return formatNumber(value, Math.abs(value) >= 100 ? 3 : 2);
}

// ---- the explorer --------------------------------------------------------------------------------------------------

// A panel that is one table; look(state) → [rows, columns, values, look] as numberTable draws them, or [null].
function tablePanel(view, title, look, { pick = null, light = null, below = null, ...options } = {}) {
  return {
    title,
    ...options,
    make(host) {
      const draw = numberTable(host, { label: title, pick, light, signal: view.signal });
      const line = below && host.appendChild(element("p", { class: "ra-below", "aria-live": "polite" }));
      return (state) => {
        draw(...look(state));
        if (line && line.textContent !== below(state)) line.textContent = below(state);
      };
    },
  };
}

// How the weights of a row and a column of the table make one cell of E, written out.
function cellSum(words, { picked, weights, table, mixed }, [i, j]) {
  const terms = picked.map((row, k) => `${cellText(weights[i][k])} × ${cellText(table[row][j])}`);
  return `${isolate(words[picked[i]])}, ${isolate(words[j])}: ${terms.join(" + ")} = ${cellText(mixed[i][j])}`;
}

function projectionPanels({ words }, view) {
  const largest = (rows) => rows.reduce((most, row) => Math.max(most, ...row), 0) || 1;
  const sentence = (state) => state.picked.map((k) => words[k]);
  const share = (value) => (value === 0 ? "0" : value.toFixed(2));
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
    const chosen = words.map((_, k) => state.picked.includes(k));
    const [row, column] = [view.model.get("row"), view.model.get("column")];
    const here = (i, j) => (i === row && j === column) || (j === row && i === column);
    const marked = (i, j) =>
      [here(i, j) && "ra-picked", chosen[i] && chosen[j] && "ra-block", chosen[i] && lit(state)?.[1] === j && "ra-lit"].filter(Boolean).join(" ");
    return [words, words, state.table, { text: cellText, most: largest(state.table), marked, chosen: [chosen, chosen] }];
  }
  const scores = (state) => small(state, state.scores, null, cellText, litRow(state));
  const weights = (state) => small(state, state.weights, null, state.weights === state.scores ? cellText : share, litRow(state));
  const picked = (state) => (i, j) => (String(lit(state)) === String([i, j]) ? "ra-picked" : "");
  const mixed = (state) => small(state, state.mixed, words, cellText, picked(state));
  const below = (state) =>
    !state.mixed ? "" : lit(state) ? cellSum(words, state, lit(state)) : "Point at a cell, or go to it with the arrow keys: the row of weights and the column of counts that make it light up.";
  const beside = (host) => {
    const draw = shareBars(host, { label: "Probability of each word to stand beside them" });
    return (state) => draw(words, state.chances, shareText, state.best);
  };
  const pick = (row, column) => view.set({ row, column });
  const pickWords = (i, j) => {
    const places = view.model.get("sentence").map((word) => words.indexOf(word));
    pick(places[i], places[j]);
  };
  return {
    table: tablePanel(view, "S: how often two words meet (click a count to edit it)", table, { pick }),
    next: { title: "p: which word stands beside them", make: beside },
    scores: tablePanel(view, "M = ZSZ′: scores, read off the table", scores, { pick: pickWords }),
    weights: tablePanel(view, "Weights of each word on the others", weights, { pick: pickWords }),
    mixed: tablePanel(view, "E = weights × ZS: scores over the whole vocabulary", mixed, { wide: true, light, pick: hold, below }),
  };
}

const lists = (rows) => rows && rows.map((row) => Array.from(row));

const render = explorer({
  name: "ProjectionExplorer",
  own: { words: sentenceBox, table: cellSlider },
  valid: { words: sentenceFits, table: tableFits },
  compute: ({ words }, now) => projectionState({ words, ...now }),
  panels: projectionPanels,
  say: (state, { words }, view) =>
    projectionMessage(words, state, view.typed?.() ?? { unknown: [], dropped: 0 }, view.model.get("normaliser")),
  result: ({ table, scores, weights, mixed, chances, best }, { words }) => ({
    counts: lists(table),
    scores: lists(scores),
    weights: lists(weights),
    vocabulary_scores: lists(mixed),
    probabilities: chances && Array.from(chances),
    next_word: best === null ? null : words[best],
  }),
});

export default { render };
