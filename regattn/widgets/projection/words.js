// The words of the ProjectionExplorer: a sentence, typed or picked, a cell of the table, and what is said of them.
import { controlRow, element } from "../_kit/controls.js";
import { cellText, formatNumber, isolate, shareText } from "../_kit/format.js";
import { tied } from "../_kit/tables.js";
import { ROOM, tableWords } from "./numbers.js";

const LONGEST = 12; // words of a sentence that are used
const COMPLETED = 20; // words that a list offers

// What was typed: the words that are in the table, and the others.
function readSentence(text, words, most = LONGEST) {
  const found = { known: [], unknown: [], dropped: 0 };
  for (const typed of text.split(/\s+/).filter(Boolean)) {
    const bare = typed.replace(/^[\p{P}\p{S}]+|[\p{P}\p{S}]+$/gu, "");
    const word = [typed, bare, bare.toLowerCase()].find((form) => words.includes(form));
    if (word === undefined) found.unknown.push(typed);
    else if (found.known.length < most) found.known.push(word);
    else found.dropped += 1;
  }
  return found;
}

// The box to type in, and the words as buttons; view.typed() is what was last typed and could not be used.
export function sentenceBox(view, { name, label }) {
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

// One button for each word of the table: it joins the end of the sentence, or leaves it.
function wordButtons(view, words) {
  const toggle = (word) => {
    const sentence = view.model.get("sentence");
    const without = sentence.filter((other) => other !== word);
    const longer = sentence.length < LONGEST ? [...sentence, word] : sentence;
    view.set({ sentence: without.length < sentence.length ? without : longer });
  };
  const host = element("div", { class: "ra-words ra-wide", role: "group", "aria-label": "Words of the table" });
  const buttons = Array.from({ length: Math.min(words.length, ROOM) }, (_, k) => {
    const button = element("button", { type: "button", class: "ra-word", dir: "auto", "data-control": `word-${k}` });
    view.listen(button, "click", () => toggle(button.textContent));
    return button;
  });
  const many = words.length > ROOM;
  const show = () => {
    const sentence = view.model.get("sentence");
    const table = many ? tableWords(view.model.get("shown"), sentence) : words;
    const used = buttons.slice(0, table.length);
    used.forEach((button, k) => {
      if (button.textContent !== table[k]) button.textContent = table[k];
      button.setAttribute("aria-pressed", String(sentence.includes(table[k])));
    });
    if (host.childElementCount !== used.length) host.replaceChildren(...used);
  };
  view.controls.append(host);
  view.refreshers.push(show);
  show();
}

// The box for the words of the table, of a larger vocabulary; its list completes the word that is being typed.
export function shownBox(view, { name, label, help }) {
  const { words } = view.model.get("data");
  const list = element("datalist", { id: `ra-words-${Math.random().toString(36).slice(2)}` });
  const value = view.model.get(name).join(" ");
  const plain = { spellcheck: "false", autocomplete: "off", autocapitalize: "none", dir: "auto" };
  const input = element("input", { type: "text", value, list: list.id, ...plain });
  controlRow(view, name, label, input, { wide: true, help }).append(list);
  const read = () => [...new Set(readSentence(input.value, words, Infinity).known)].slice(0, ROOM);
  view.listen(input, "input", () => {
    const [, before, begun] = input.value.match(/^(.*?)(\S*)$/s);
    const fits = begun ? words.filter((word) => word.startsWith(begun) && word !== begun).slice(0, COMPLETED) : [];
    list.replaceChildren(...fits.map((word) => element("option", { value: `${before}${word}` })));
    view.set({ [name]: read() });
  });
  view.refreshers.push(() => {
    const shown = view.model.get(name);
    if (shown.join(" ") !== read().join(" ")) input.value = shown.join(" ");
  });
}

// The slider that edits the chosen cell and its mirror image.
export function cellSlider(view, { label }) {
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
export function sentenceFits(value, { options }) {
  return Array.isArray(value) && value.length <= LONGEST && value.every((word) => options.includes(word));
}

export function shownFits(value, { options }) {
  const fits = (word, k) => options.includes(word) && value.indexOf(word) === k;
  return Array.isArray(value) && value.length <= ROOM && value.every(fits);
}

export function tableFits(value, { size }) {
  const long = (list) => Array.isArray(list) && list.length === size;
  const fits = (count, mirrored) => Number.isFinite(count) && count >= 0 && count === mirrored;
  return long(value) && value.every(long) && value.every((row, i) => row.every((count, j) => fits(count, value[j][i])));
}

// The mean scores that the probabilities come from, of the first word and the next, where the first is nearly certain.
function meansText({ words, means, chances, best }) {
  if (chances[best] < 0.95) return "";
  const next = means.reduce((most, mean, k) => (k !== best && (most < 0 || mean > means[most]) ? k : most), -1);
  if (next < 0) return "";
  return ` (mean of E: ${formatNumber(means[best], 3)}, next ${isolate(words[next])} ${formatNumber(means[next], 3)})`;
}

export function projectionMessage(state, typed, normaliser) {
  const [{ words }, parts] = [state, []];
  if (!state.scores) {
    parts.push("There is no word of the table in the sentence yet: choose one or type it.");
  } else if (!state.weights) {
    const alone = state.picked.filter((_, k) => !state.scores[k].some((count) => count > 0));
    const names = [...new Set(alone)].map((k) => isolate(words[k]));
    const [they, them] = names.length > 1 ? ["they have", "them"] : ["it has", "it"];
    parts.push(`${names.join(", ")} met none of these words: add a word ${they} met, or take ${them} out.`);
  } else if (normaliser === "counts" && !state.scores.some((row) => row.some((count) => count > 0))) {
    const so = "every score is 0, and every word is equally probable beside them";
    parts.push(`No two words of this sentence have met: ${so}.`);
  } else {
    const chance = shareText(state.chances[state.best]);
    const first = tied(state.chances, state.best).map((k) => isolate(words[k]));
    parts.push(
      first.length > 1
        ? `${first.length} words are equally probable beside them: ${first.join(", ")}, with probability ${chance} each.`
        : `Most probable beside them: ${first[0]}, with probability ${chance}${meansText(state)}.`,
    );
  }
  const unknown = typed.unknown.slice(0, 5).map(isolate).join(", ");
  if (unknown) parts.push(`Not in the table: ${unknown}${typed.unknown.length > 5 ? ", …" : ""}.`);
  if (typed.dropped) parts.push(`Only the first ${LONGEST} words are used.`);
  return parts.join(" ");
}
