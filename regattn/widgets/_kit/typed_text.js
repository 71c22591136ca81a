// A line of text that a reader types, and what of it a link may bring.
import { controlRow, element } from "./controls.js";

const SUGGESTED = "to be or not to be that is the question whether to be is to be or to do"; // to paste, or to type

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

// A line that takes a text of many lines.
export function pastedBox(view, { name, label, most, help }) {
  const value = view.model.get(name);
  const plain = { spellcheck: "false", autocomplete: "off", autocapitalize: "none", dir: "auto" };
  const input = element("input", { type: "text", value: value || SUGGESTED, maxlength: most, placeholder: `paste or type: ${SUGGESTED}`, ...plain });
  input.value = value;
  controlRow(view, name, label, input, { wide: true, help });
  const take = () => view.set({ [name]: input.value });
  view.listen(input, "input", take);
  view.listen(input, "paste", (event) => {
    event.preventDefault(); // a line would run the words at the ends of lines together
    const text = event.clipboardData.getData("text").replace(/[ \t\n\r\f\v]+/g, " ");
    const room = Math.max(0, most - input.value.length + input.selectionEnd - input.selectionStart);
    input.setRangeText(text.slice(0, room).toWellFormed?.() ?? text.slice(0, room), input.selectionStart, input.selectionEnd, "end");
    take();
  });
  view.refreshers.push(() => {
    const now = view.model.get(name);
    if (input.value !== now) input.value = now;
  });
}
