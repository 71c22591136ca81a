// Native inputs tied to the traits of a model: visible label, visible value, usable by keyboard.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children); // strings become text nodes, never markup
  return made;
}

function labelled(view, name, label, input, value = null) {
  input.dataset.control = name;
  // In JupyterLab its keys are its own. It must stand on the input itself: the notebook looks there before its parents.
  input.dataset.lmSuppressShortcuts = "";
  input.setAttribute("aria-label", label);
  const row = element("label", { class: "ra-control" }, element("span", { class: "ra-control-name" }, label));
  if (value) row.append(value);
  row.append(input);
  view.controls.append(row);
  return row;
}

// A range over the trait `name`. `position` and `value` translate between the trait and the slider's place (a log
// scale, for instance); `text` says the value in words; `also` names traits that a move sets besides.
export function slider(view, name, options) {
  const { label, min, max, step = 1, text = String, also = {}, wide = false } = options;
  const { position = (v) => v, value = (p) => p } = options;
  const input = element("input", { type: "range", min, max, step });
  const output = element("span", { class: "ra-control-value", "data-output": name });
  labelled(view, name, label, input, output).classList.toggle("ra-wide", wide);
  view.listen(input, "input", () => view.set({ [name]: value(Number(input.value)), ...also }));
  view.refreshers.push(() => {
    const now = view.model.get(name);
    const place = position(now);
    // a slider that already stands for this value is left where the hand put it
    if (value(Number(input.value)) !== now) input.value = String(place);
    const words = text(now);
    if (output.textContent !== words) output.textContent = words;
    input.setAttribute("aria-valuetext", words);
  });
}

// A drop-down list over the trait `name`; options are pairs [value, words].
export function select(view, name, { label, options }) {
  const input = element("select", {}, ...options.map(([value, words]) => element("option", { value }, words)));
  labelled(view, name, label, input);
  view.listen(input, "change", () => view.set({ [name]: input.value }));
  view.refreshers.push(() => {
    if (input.value !== view.model.get(name)) input.value = view.model.get(name);
  });
}

// A box to tick over the trait `name`.
export function checkbox(view, name, { label }) {
  const input = element("input", { type: "checkbox" });
  labelled(view, name, label, input).classList.add("ra-tickbox");
  view.listen(input, "change", () => view.set({ [name]: input.checked }));
  view.refreshers.push(() => (input.checked = Boolean(view.model.get(name))));
}

// A printed number with its name; returns the function that prints it.
export function output(view, name, label) {
  const value = element("dd", { "data-output": name });
  view.numbers.append(element("div", {}, element("dt", {}, label), value));
  return (words) => {
    if (value.textContent !== words) value.textContent = words;
  };
}
