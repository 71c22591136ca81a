// A line of text that a reader types, and what of it a link may bring.
import { controlRow, element } from "./controls.js";

export function textBox(view, { name, label, most, help }) {
  const value = view.model.get(name);
  const plain = { spellcheck: "false", autocomplete: "off", autocapitalize: "none", dir: "auto" };
  const input = element("input", { type: "text", value, maxlength: most, ...plain });
  controlRow(view, name, label, input, { wide: true, help });
  view.listen(input, "input", () => view.set({ [name]: input.value }));
  view.refreshers.push(() => {
    const now = view.model.get(name);
    if (input.value !== now) input.value = now;
  });
}

export function textFits(value, { most }) {
  return typeof value === "string" && value.isWellFormed?.() !== false && Array.from(value).length <= most;
}
