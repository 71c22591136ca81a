// TokenExplorer: any text, cut by each tokeniser; what it costs, and how one of its words was put together.
import { controlRow, element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { formatNumber, isolate } from "../_kit/format.js";
import { textBox, textFits } from "../_kit/typed_text.js";
import { readable } from "../_numbers/tokens.js";
import { shownWords, tokenProblem, tokenState } from "./numbers.js";

const [LEAST_BITS, MOST_BITS] = [4, 16]; // between them the colour of a piece grows
const MOST_SHADE = 48; // per cent; the words on it keep a contrast of 4.5 in the dark theme

// A slider over the words of the text; its right end is the last, wherever that is.
function wordSlider(view, { name, label, help, max }) {
  const input = element("input", { type: "range", min: 1, max, step: 1 });
  const said = element("span", { "data-output": name });
  const room = element("span", { class: "ra-control-value" }, said);
  controlRow(view, name, label, input, { value: room, help });
  const words = () => {
    const { kind } = view.model.get("data").tokenizers.find((each) => each.name === view.model.get("tokenizer"));
    return shownWords(view.model.get("text"), kind).map((word) => readable(word, kind));
  };
  view.listen(input, "input", () => view.set({ [name]: Number(input.value) < words().length ? Number(input.value) : max }));
  const show = () => {
    const all = words();
    const at = Math.min(view.model.get(name), all.length);
    input.max = String(Math.max(2, all.length));
    if (Number(input.value) !== at) input.value = String(at);
    const named = (word, k) => `${k + 1} of ${all.length}: ${isolate(word)}`;
    const shown = at ? named(all[at - 1], at - 1) : "none";
    room.dataset.room = all.map(named).reduce((a, b) => (b.length > a.length ? b : a), "none");
    if (said.textContent !== shown) said.textContent = shown;
    input.setAttribute("aria-valuetext", shown);
  };
  view.refreshers.push(show);
  show();
}

// One row of pieces; the colour of a piece stands out more where it costs more.
function pieceRow(host) {
  const head = host.appendChild(element("p", { class: "ra-below ra-pieces-name" }));
  const row = host.appendChild(element("div", { class: "ra-pieces", dir: "auto" }));
  return (words, pieces) => {
    if (head.textContent !== words) head.textContent = words;
    const made = pieces.map(({ text, bits, lost, title }) => {
      const chip = element("span", { class: lost ? "ra-piece ra-lost" : "ra-piece", title }, text);
      const part = (Math.min(Math.max(bits, LEAST_BITS), MOST_BITS) - LEAST_BITS) / (MOST_BITS - LEAST_BITS);
      chip.style.setProperty("--ra-shade", `${Math.round(MOST_SHADE * part)}%`);
      return chip;
    });
    row.replaceChildren(...made);
  };
}

const fairRate = ({ lost, perByte }) => (lost ? null : perByte); // what is left of a text that lost characters is another one
const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
const costs = (problem, name) => problem.find((each) => each.name === name).bits;

function tokenPanels(problem) {
  const pieces = (host) => {
    const rows = problem.map(() => pieceRow(host));
    return ({ cuts }) =>
      cuts.forEach(({ name, kind, pieces: cut, lost, perByte }, k) => {
        const losses = lost ? `; ${plural(lost, "character")} lost` : "";
        const rate = `${formatNumber(fairRate({ lost, perByte }))} bits per byte`;
        const head = `${isolate(name)}: ${plural(cut.length, "token")}, ${rate}${losses}`;
        const chips = cut.map(({ id, text, lost: gone }) => {
          const bits = problem[k].bits[id];
          return { text: readable(text, kind), bits, lost: gone, title: `number ${id}, ${formatNumber(bits)} bits` };
        });
        rows[k](head, chips);
      });
  };
  const history = (host) => {
    const list = host.appendChild(element("ol", { class: "ra-history" }));
    return ({ drawn: lines, kind }) => {
      const made = ({ text, lost }) => element("span", { class: lost ? "ra-piece ra-lost" : "ra-piece" }, readable(text, kind));
      const chips = (line) => line.map(made);
      list.replaceChildren(...lines.map((line) => element("li", { class: "ra-pieces", dir: "auto" }, ...chips(line))));
    };
  };
  return {
    pieces: { title: "The text in pieces; ▁ is a space", wide: true, make: pieces },
    history: { title: "The word, merge by merge (unigram: the best cut of its beginnings)", wide: true, make: history },
  };
}

function said({ cuts, own, word, history, kind }) {
  if (!own.size) return ["", "Nothing to cut: type a text."];
  const counts = cuts.map(({ name, pieces }) => `${isolate(name)} ${pieces.length}`);
  const lossy = cuts.filter(({ lost }) => lost).map(({ name }) => isolate(name));
  const merges = plural(history.length - 1, "merge");
  const how = kind === "unigram" ? `was cut in ${plural(history.length, "step")}: its first character, its first two, and so on` : `took ${merges}`;
  const loss = lossy.length ? ` Not all of it comes back from ${lossy.join(" and ")}.` : "";
  return [`${plural(own.size, "byte")}`, `, in tokens: ${counts.join(", ")}. ${isolate(readable(word, kind))} ${how}.${loss}`];
}

const byName = (cuts, of) => Object.fromEntries(cuts.map((cut) => [cut.name, of(cut)]));

const render = explorer({
  name: "TokenExplorer",
  prepare: tokenProblem,
  compute: tokenState,
  own: { text: textBox, place: wordSlider },
  valid: {
    text: textFits,
    place: (value, { min, max }) => Number.isInteger(value) && value >= min && value <= max,
  },
  panels: tokenPanels,
  answers: () => ["count", "rate", "lost"],
  numbers: () => [
    ["count", "tokens", ({ own }) => String(own.pieces.length)],
    ["length", "bytes per token", ({ own }) => formatNumber(own.size / own.pieces.length)],
    ["bits", "bits", ({ own }) => formatNumber(own.bits)],
    ["rate", "bits per byte", ({ own }) => formatNumber(fairRate(own))],
    ["lost", "characters lost", ({ own }) => String(own.lost)],
  ],
  say: said,
  result: ({ cuts, word, history }) => ({
    tokens: byName(cuts, ({ pieces }) => pieces.map(({ token }) => token)),
    ids: byName(cuts, ({ pieces }) => pieces.map(({ id }) => id)),
    bits: byName(cuts, ({ bits }) => bits),
    bits_per_byte: byName(cuts, ({ perByte }) => perByte),
    lost: byName(cuts, ({ lost }) => lost),
    word,
    history: history.map((line) => line.join(" ")),
  }),
});

export default { render };
