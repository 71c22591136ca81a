// The words of the DirectionExplorer in their order: places of equal size, so that nothing jumps while a word moves.
import { element } from "../_kit/controls.js";
import { shorten } from "../_kit/format.js";

const DRAGGED = 6; // pixels; a hand that moves less has tapped

// The order after the word at one place has moved to another, and after two have changed places.
function movedWord(order, from, to) {
  const rest = order.filter((_, k) => k !== from);
  return [...rest.slice(0, to), order[from], ...rest.slice(to)];
}

function swappedWords(order, a, b) {
  return order.map((word, k) => order[k === a ? b : k === b ? a : k]);
}

// The row of places. A tap holds a word and a tap on another swaps the two; a drag or the arrow keys move one.
export function orderBox(view, { name, label, options, help }) {
  const count = options.length;
  const words = options.map(() => element("span", { dir: "auto" }));
  const chips = words.map((word, k) => {
    const own = { type: "button", class: "ra-word ra-place", "data-control": `place-${k + 1}`, "data-lm-suppress-shortcuts": "" };
    return element("button", own, element("small", { "aria-hidden": "true" }, String(k + 1)), word);
  });
  const group = element("div", { class: "ra-order", role: "group", "aria-label": label }, ...chips);
  const row = element("div", { class: "ra-control ra-wide" }, element("span", { class: "ra-control-name", title: help }, label), group);
  view.controls.append(row);
  view.rows.set(name, row);

  const order = () => view.model.get(name);
  const held = () => view.model.get("held") - 1;
  const move = (from, to) => view.set({ [name]: movedWord(order(), from, to), held: 0 });
  const nearest = (x, y) => {
    const away = chips.map((chip) => {
      const box = chip.getBoundingClientRect();
      return Math.hypot(x - box.left - box.width / 2, y - box.top - box.height / 2);
    });
    return away.indexOf(Math.min(...away));
  };
  const steps = (chip, key) => {
    const on = getComputedStyle(chip).direction === "rtl" ? -1 : 1;
    return { ArrowRight: (k) => k + on, ArrowLeft: (k) => k - on, Home: () => 0, End: () => count - 1 }[key];
  };
  let grabbed = null; // { at, x, y, dragged }: the place under the hand that is down
  const mark = () => chips.forEach((chip, k) => chip.classList.toggle("ra-grabbed", Boolean(grabbed?.dragged) && grabbed.at === k));

  chips.forEach((chip, k) => {
    for (const event of ["pointerdown", "focus"]) view.listen(chip, event, () => view.use(row));
    view.listen(chip, "pointerdown", (event) => {
      grabbed = event.button === 0 ? { at: k, x: event.clientX, y: event.clientY, dragged: false } : null;
      if (grabbed && event.isTrusted) chip.setPointerCapture(event.pointerId);
    });
    view.listen(chip, "pointermove", (event) => {
      if (!event.buttons || !grabbed || grabbed.ended) return;
      grabbed.dragged ||= Math.hypot(event.clientX - grabbed.x, event.clientY - grabbed.y) > DRAGGED;
      const to = nearest(event.clientX, event.clientY);
      if (!grabbed.dragged || to === grabbed.at) return;
      const from = grabbed.at;
      grabbed.at = to;
      move(from, to);
    });
    const drop = () => {
      grabbed = grabbed?.dragged ? { ended: true } : null; // the click that ends a drag is no tap
      mark();
    };
    view.listen(chip, "pointerup", drop);
    view.listen(chip, "pointercancel", drop);
    view.listen(chip, "click", (event) => {
      const ends = grabbed?.ended && event.detail > 0;
      grabbed = null;
      if (ends) return;
      if (held() < 0) view.set({ held: k + 1 });
      else view.set({ [name]: swappedWords(order(), held(), k), held: 0 });
    });
    view.listen(chip, "keydown", (event) => {
      if (event.key === "Escape") view.set({ held: 0 });
      const to = steps(chip, event.key)?.(k);
      if (to === undefined) return;
      event.preventDefault();
      if (to < 0 || to >= count || to === k) return;
      move(k, to);
      chips[to].focus();
    });
  });
  view.refreshers.push(() => {
    order().forEach((word, k) => {
      if (words[k].textContent !== shorten(word)) words[k].textContent = shorten(word);
      if (chips[k].title !== word) chips[k].title = word;
      chips[k].setAttribute("aria-label", `${shorten(word)}, place ${k + 1} of ${count}`);
      chips[k].setAttribute("aria-pressed", String(held() === k));
    });
    mark();
  });
}

// Whether an order that came with a link is one of the words of the sentence.
export function orderFits(value, { options }) {
  const sorted = (list) => JSON.stringify([...list].sort());
  return Array.isArray(value) && sorted(value) === sorted(options);
}
