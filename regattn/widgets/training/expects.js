// What a model of a text expects: the next bytes beside those of counting, and what was held out, byte by byte.
import { element } from "../_kit/controls.js";
import { formatNumber, shareText } from "../_kit/format.js";

const ROWS = 5; // bytes whose bars are shown
const [FULL, SHADE] = [8, 42]; // bits from which a byte is as dark as can be, and per cent of the colour there
const OUTSIDE = 24; // characters of the part held out that one press writes on from

// The name of a byte: its letter, or of a part of a letter its number.
export function byteName(byte) {
  if (byte === 32) return "space";
  if (byte === 10) return "new line";
  return byte > 32 && byte < 127 ? String.fromCharCode(byte) : byte.toString(16).toUpperCase().padStart(2, "0");
}

// The bytes that the model or counting holds most probable, in the order of the model.
export function expectedRows(next, counted) {
  const tokens = next.map((_, token) => token).sort((a, b) => Math.max(next[b], counted[b]) - Math.max(next[a], counted[a]));
  return tokens.slice(0, ROWS).sort((a, b) => next[b] - next[a]);
}

// A table of bars. Returns draw(next, counted, names); without `next` it is empty.
export function expectsTable(host, order) {
  const head = ["next byte", "the model", `${order}-gram, counted`].map((words) => element("th", { scope: "col" }, words));
  const cells = (role) => {
    const [bar, said] = [element("span", { class: `ra-expected-bar ra-${role}` }), element("span")];
    return { bar, said, cell: element("td", {}, bar, said) };
  };
  const rows = Array.from({ length: ROWS }, () => ({ name: element("th", { scope: "row" }), model: cells("train"), count: cells("truth") }));
  const lines = rows.map(({ name, model, count }) => element("tr", {}, name, model.cell, count.cell));
  host.append(element("table", { class: "ra-expects" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...lines)));
  return (next, counted, bytes) => {
    const found = expectedRows(next, counted);
    rows.forEach(({ name, model, count }, k) => {
      const token = found[k];
      lines[k].style.visibility = token === undefined ? "hidden" : "";
      if (token === undefined) return;
      name.textContent = byteName(bytes[token]);
      for (const [{ bar, said }, share] of [[model, next[token]], [count, counted[token]]]) {
        bar.style.setProperty("--ra-share", share.toFixed(4));
        said.textContent = shareText(share);
      }
    });
  };
}

// The characters of some bytes, each with the places of its bytes.
export function charactersOf(bytes) {
  const found = [];
  bytes.forEach((byte, k) => (byte >= 0x80 && byte < 0xc0 && found.length ? found.at(-1).push(k) : found.push([k])));
  const read = (places) => new TextDecoder().decode(Uint8Array.from(places, (k) => bytes[k]));
  return found.map((places) => [read(places), places]);
}

// The first line held out that is long enough to begin with; the word in which it is cut off is left out.
function beginningOf(words) {
  const lines = words.replace(/^\S*\s+/, "").split("\n").map((line) => line.trim());
  return (lines.find((line) => line.length >= OUTSIDE) ?? words.replaceAll("\n", " ")).slice(0, OUTSIDE);
}

// What is held out, its first row in the colour of what each byte costs, and the button that writes on from there.
export function outsideBox(view, pick) {
  const title = element("span", { class: "ra-control-name" });
  const from = element("button", { type: "button", class: "ra-tool" }, "Write on from it");
  const words = element("p", { class: "ra-outside-words", role: "img" });
  const key = element("small", {}, " (redder: costs more bits)");
  const box = element("div", { class: "ra-outside" }, title, from, words);
  view.controls.append(box);
  let [shown, spans, begins] = [null, [], ""];
  view.listen(from, "click", () => view.set({ beginning: begins }));
  return ({ task, costs }) => {
    box.style.visibility = costs.length ? "" : "hidden";
    if (!costs.length) return;
    const { outside, bytes } = task;
    if (shown !== task) {
      shown = task;
      const read = charactersOf(Array.from(outside.subarray(0, costs.length + 1), (token) => bytes[token]));
      const said = read.map(([char]) => char).join("");
      begins = beginningOf(said);
      spans = read.map(([char, places]) => [element("span", {}, char === "\n" ? "↵" : char), places]);
      title.textContent = `Held out: its last ${outside.length.toLocaleString("en")} bytes`;
      words.replaceChildren(...spans.map(([span]) => span), outside.length > costs.length + 1 ? " …" : "", key);
      words.setAttribute("aria-label", `It never reads: “${said}”. Redder where a byte costs more bits.`);
      from.title = `Put “${begins}” below, under Write on from`;
    }
    for (const [span, places] of spans) {
      const bits = places.reduce((sum, k) => sum + (k ? costs[k - 1] : 0), 0);
      span.style.setProperty("--ra-shade", `${((SHADE * Math.min(FULL, bits)) / FULL).toFixed(0)}%`);
      span.title = places[0] ? `${formatNumber(bits, 2)} bits` : "";
    }
  };
}
