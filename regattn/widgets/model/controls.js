// What a reader of the ModelExplorer types, points at and presses.
import { controlRow, element } from "../_kit/controls.js";

export const END = 24; // a place beyond every sentence: its end

// The box to type in; its list completes the word that is being typed, where words are what is read.
export function typedBox(view, { name, label, most, help }) {
  const { words } = view.model.get("data");
  const list = element("datalist", { id: `ra-words-${Math.random().toString(36).slice(2)}` });
  const value = view.model.get(name);
  const plain = { spellcheck: "false", autocomplete: "off", autocapitalize: "none" };
  const input = element("input", { type: "text", value, maxlength: most, list: list.id, ...plain });
  const writes = !view.hides("written");
  if (writes) view.controls = view.first;
  if (writes) input.placeholder = "nothing: a new sentence";
  const row = controlRow(view, name, writes ? "It begins with" : label, input, { wide: true, help });
  row.append(list);
  if (words && name === "sentence") row.after(element("details", { class: "ra-wide ra-all-words" }, element("summary", {}, `the ${words.length} words`), words.join(" ")));
  let shown = null; // what the list completes
  const complete = () => {
    const [, before, begun] = input.value.match(/^(.*?)([^\s.,]*)$/s);
    const key = begun && input.value;
    if (key === shown) return;
    shown = key;
    const fits = begun && words ? words.filter((word) => word.startsWith(begun.toLowerCase()) && word !== begun) : [];
    list.replaceChildren(...fits.map((word) => element("option", { value: `${before}${word}` })));
  };
  view.listen(input, "input", () => view.set({ [name]: input.value, place: END }));
  view.refreshers.push(() => {
    const now = view.model.get(name);
    if (input.value !== now) input.value = now;
    complete();
  });
  complete();
}

// A slider over the words of the sentence; its right end is the end, wherever that is.
export function placeSlider(view, { name, label, help }, words) {
  const input = element("input", { type: "range", min: 0, max: END, step: 1 });
  const said = element("span", { class: "ra-control-value", "data-output": name });
  controlRow(view, name, label, input, { value: said, help });
  view.listen(input, "input", () => {
    const at = Number(input.value);
    view.set({ [name]: at < words().length ? at : END });
  });
  const show = () => {
    const read = words();
    const at = Math.min(view.model.get(name), read.length);
    input.max = String(Math.max(1, read.length));
    if (Number(input.value) !== at) input.value = String(at);
    said.textContent = at ? `${at}: ${read[at - 1]}` : "the start";
    input.setAttribute("aria-valuetext", said.textContent);
  };
  view.refreshers.push(show);
  show();
}

// The button that writes the drawn word behind the place asked, and forgets what stood there; of a model that writes by
// itself, the one that draws all anew.
export function drawButton(view, { name, label, min, max, help }, state, goneOn) {
  const made = element("button", { type: "button", class: "ra-tool", "data-control": name, title: help }, label);
  const row = element("div", { class: "ra-seed" }, made);
  (view.hides("written") ? view.controls : view.first).append(row);
  view.rows.set(name, row);
  view.listen(made, "click", () => {
    if (state().text) return view.set({ [name]: view.model.get(name) < max ? view.model.get(name) + 1 : min });
    if (state().full) return;
    const sentence = goneOn(state());
    const seed = view.model.get(name);
    view.set({ sentence, place: END, [name]: seed < max ? seed + 1 : min });
  });
}

// Whether values that came with a link are some that could have been set here.
export const modelFits = {
  text: (value, { most }) => typeof value === "string" && value.length <= most,
  place: (value) => Number.isInteger(value) && value >= 0 && value <= END,
  parts: (value, { options }) => Array.isArray(value) && value.every((part) => options.includes(part)),
  draw: (value, { min, max }) => Number.isInteger(value) && value >= min && value <= max,
};
