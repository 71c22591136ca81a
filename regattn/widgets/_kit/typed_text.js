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

const written = (text, most) => text.slice(0, most).toWellFormed?.() ?? text.slice(0, most);

// A box for a text of many lines, which stay as they are.
export function pageBox(view, { name, label, most, help, sets = {} }) {
  const plain = { spellcheck: "false", autocomplete: "off", autocapitalize: "none", dir: "auto" };
  const input = element("textarea", { rows: 2, maxlength: most, placeholder: "Paste a page of your own here.", ...plain });
  controlRow(view, name, label, input, { wide: true, help });
  view.listen(input, "input", () => view.set({ [name]: written(input.value, most), ...sets }));
  const show = () => {
    const now = view.model.get(name);
    if (input.value !== now) input.value = now;
  };
  view.refreshers.push(show);
  show();
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
    input.setRangeText(written(text, room), input.selectionStart, input.selectionEnd, "end");
    take();
  });
  view.refreshers.push(() => {
    const now = view.model.get(name);
    if (input.value !== now) input.value = now;
  });
}
