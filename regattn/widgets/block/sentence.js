// The sentence as words to press, where every word of a place goes with every word of the others.
import { element } from "../_kit/controls.js";
import { isolate } from "../_kit/format.js";

// For each place its words; null where the sentences are not all that these words make.
function choicesOf(sentences) {
  const choices = sentences[0].map((_, k) => [...new Set(sentences.map((words) => words[k]))]);
  const made = choices.reduce((product, words) => product * words.length, 1);
  return sentences.every((words) => words.length === choices.length) && made === sentences.length && made > 1 ? choices : null;
}

let groups = 0;

// Puts such words in the place of the list, whose control they then are.
export function sentenceWords(view, { sentences }) {
  const list = view.rows.get("sentence");
  const choices = list && choicesOf(sentences);
  if (!choices) return;
  const now = () => sentences[view.model.get("sentence")];
  const row = element("div", { class: "ra-control ra-slots", role: "group", "aria-label": "Sentence" });
  let fixed = []; // the words before a choice
  const standing = () => (fixed.length ? [element("span", {}, fixed.map(isolate).join(" "))] : []);
  choices.forEach((words, k) => {
    if (words.length === 1) return void fixed.push(words[0]);
    const name = `ra-slot-${(groups += 1)}`;
    const take = (word) => sentences.findIndex((some) => some.every((other, l) => other === (l === k ? word : now()[l])));
    const inputs = words.map((word) => element("input", { type: "radio", name, value: word, "data-control": "sentence", "data-lm-suppress-shortcuts": "" }));
    const keys = words.map((word, n) => element("label", {}, inputs[n], element("span", {}, isolate(word))));
    const slot = element("div", { class: "ra-slot", role: "radiogroup", "aria-label": `Word ${k + 1}` }, ...keys);
    row.append(element("div", { class: "ra-choice" }, ...standing(), slot));
    fixed = [];
    for (const input of inputs) view.listen(input, "change", () => input.checked && view.set({ sentence: take(input.value) }));
    view.refreshers.push(() => inputs.forEach((input) => (input.checked = input.value === now()[k])));
  });
  row.append(...standing());
  list.replaceWith(row);
  view.rows.set("sentence", row);
  const walk = element("div", { class: "ra-controls ra-walk" }); // which alone keeps to the edge of a phone
  row.after(walk);
  while (walk.nextSibling) walk.append(walk.nextSibling);
}
