// ProjectionExplorer: M = Z S Z', E = g(M) Z S, p = softmax(mean of E), while the sentence and the table change.
import { explorer } from "./explorer.js";
import { element, select, slider } from "./controls.js";
import { formatNumber, isolate } from "./plot.js";
import { multiply, softmax } from "./maths.js";
import { numberTable, shareBars } from "./tables.js";

const LONGEST = 12; // words of a sentence that are used
const STEPS = { low: 0.1, high: 100, places: 150 }; // units of counting, in equal ratios; place 50 is 1

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

function controlRow(view, words, ...children) {
  const row = element("label", { class: "ra-control" }, element("span", { class: "ra-control-name" }, words), ...children);
  view.controls.append(row);
  return row;
}

// The box to type in; returns what was last typed and could not be used.
function sentenceBox(view, words) {
  const input = element("input", {
    type: "text",
    value: view.model.get("sentence").join(" "),
    spellcheck: "false",
    autocomplete: "off",
    dir: "auto",
    "data-control": "sentence",
    "aria-label": "Sentence",
  });
  controlRow(view, "Sentence: type it, or choose words", input).classList.add("ra-wide");
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
  return () => typed;
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

// A list of the words over a trait that holds a word's number.
function wordList(view, name, label, words) {
  const options = words.map((word, k) => element("option", { value: k }, word));
  const input = element("select", { "data-control": name, "aria-label": label }, ...options);
  controlRow(view, label, input);
  view.listen(input, "change", () => view.set({ [name]: Number(input.value) }));
  view.refreshers.push(() => (input.value = String(view.model.get(name))));
}

// The slider that edits the chosen cell and its mirror image.
function cellSlider(view, words) {
  const all = view.model.get("counts").flat();
  const whole = all.every(Number.isInteger);
  const top = whole ? Math.max(20, 2 * Math.max(...all)) : 2 * Math.max(...all) || 1;
  const input = element("input", { type: "range", min: 0, max: top, step: whole ? 1 : top / 200, "data-control": "count" });
  const said = element("span", { class: "ra-control-value", "data-output": "count" });
  controlRow(view, "Their count", said, input).classList.add("ra-wide");
  input.setAttribute("aria-label", "Count of the chosen cell");
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

function projectionControls(view, words) {
  const typed = sentenceBox(view, words);
  wordButtons(view, words);
  const options = [["counts", "the counts themselves"], ["log softmax", "shares (softmax of log counts)"], ["softmax", "softmax of the counts"]]; // prettier-ignore
  select(view, "normaliser", { label: "Weights are", options });
  const ratio = Math.log10(STEPS.high / STEPS.low) / STEPS.places;
  slider(view, "unit", {
    label: "Unit of counting",
    min: 0,
    max: STEPS.places,
    position: (unit) => Math.round(Math.log10(unit / STEPS.low) / ratio),
    value: (place) => 10 ** (Math.log10(STEPS.low) + place * ratio),
    text: (unit) => (unit === 1 ? "1 (as counted)" : `${formatNumber(unit, 2)} (S is divided by it)`),
  });
  wordList(view, "row", "Edit how often this word …", words);
  wordList(view, "column", "… meets this one", words);
  cellSlider(view, words);
  return typed;
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
    parts.push("No two words of this sentence have met: every score is 0, and every word is equally probable to come next.");
  } else {
    parts.push(`Most probable next word: ${isolate(words[state.best])}, with probability ${chanceText(state.chances[state.best])}.`);
  }
  if (typed.unknown.length) parts.push(`Not in the table: ${typed.unknown.slice(0, 5).map(isolate).join(", ")}${typed.unknown.length > 5 ? ", …" : ""}.`);
  if (typed.dropped) parts.push(`Only the first ${LONGEST} words are used.`);
  return parts.join(" ");
}

function chanceText(chance) {
  return chance.toFixed(3);
}

// Counts short enough for a small cell; shares with two decimals.
function cellText(value) {
  if (value === 0) return "0";
  if (Number.isInteger(value) && Math.abs(value) < 1e5) return String(value);
  return formatNumber(value, Math.abs(value) >= 100 ? 3 : 2);
}

// ---- the explorer --------------------------------------------------------------------------------------------------

function projectionPanels(view, words) {
  const table = (key, title, options = {}) => {
    const box = view.panel(key, { title, ...options });
    const pick = options.pick ?? null;
    return numberTable(view.host(box), { label: title, pick, signal: view.signal });
  };
  const pick = (row, column) => view.set({ row, column });
  const draws = {
    table: table("table", "S: how often two words meet", { pick }),
    next: shareBars(view.host(view.panel("next", { title: "p: which word comes next" })), { label: "Probability of the next word" }),
    scores: table("scores", "M = ZSZ′: scores, read off the table"),
    weights: table("weights", "Weights of each word on the others"),
    mixed: table("mixed", "E: scores over the whole vocabulary", { wide: true }),
  };
  const largest = (rows) => rows.reduce((most, row) => Math.max(most, ...row), 0) || 1;
  return (state, cell) => {
    const sentence = state.picked.map((k) => words[k]);
    const chosen = words.map((_, k) => state.picked.includes(k));
    const here = (i, j) => (i === cell[0] && j === cell[1]) || (j === cell[0] && i === cell[1]);
    const marked = (i, j) => [here(i, j) && "ra-picked", chosen[i] && (chosen[j] ? "ra-block" : "ra-row")].filter(Boolean).join(" ");
    draws.table(words, words, state.table, { text: cellText, most: largest(state.table), marked, chosen: [chosen, chosen] });
    const small = (draw, columns, rows, text) =>
      rows ? draw(sentence, columns, rows, { text, most: largest(rows) }) : draw(null);
    const raw = state.weights === state.scores;
    small(draws.scores, sentence, state.scores, cellText);
    small(draws.weights, sentence, state.weights, raw ? cellText : (share) => (share === 0 ? "0" : share.toFixed(2)));
    small(draws.mixed, words, state.mixed, cellText);
    draws.next(words, state.chances, chanceText, state.best);
  };
}

function render({ model, el }) {
  const view = explorer({ model, el, name: "ProjectionExplorer" });
  const { words } = model.get("data");
  const typed = projectionControls(view, words);
  view.live.dataset.output = "message";
  const draw = projectionPanels(view, words);
  const now = (name) => model.get(name);

  view.start({
    traits: ["sentence", "counts", "normaliser", "unit", "row", "column"],
    compute: () =>
      projectionState({ words, counts: now("counts"), sentence: now("sentence"), normaliser: now("normaliser"), unit: now("unit") }),
    draw(state) {
      const said = projectionMessage(words, state, typed(), now("normaliser"));
      if (view.live.textContent !== said) view.live.textContent = said;
      draw(state, [now("row"), now("column")]);
    },
    result(state) {
      const lists = (rows) => rows && rows.map((row) => Array.from(row));
      return {
        counts: lists(state.table),
        scores: lists(state.scores),
        weights: lists(state.weights),
        vocabulary_scores: lists(state.mixed),
        probabilities: state.chances && Array.from(state.chances),
        next_word: state.best === null ? null : words[state.best],
      };
    },
  });
  return view.done;
}

export default { render };
