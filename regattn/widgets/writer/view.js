// WriterExplorer: sentences written word by word, each word copied from where the same few words stand in a text.
import { controlRow, element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { writerState, writerText } from "./numbers.js";

const SUGGESTED = "to be or not to be that is the question whether to be is to be or to do"; // to paste, or to type
const MOST_SHADE = 48; // per cent, of a word that had one place only

// A line that takes a text of many lines.
function pastedBox(view, { name, label, most, help }) {
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

const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

function writtenPanel() {
  return {
    title: "What it writes; a word stands out where the text had few places to copy it from",
    wide: true,
    make(host) {
      const row = host.appendChild(element("div", { class: "ra-pieces", dir: "auto" }));
      return ({ words, places, agree }) => {
        const chips = words.map((word, k) => {
          const title = `${plural(agree[k], "word")} before ${agree[k] === 1 ? "agrees" : "agree"}, in ${plural(places[k], "place")}`;
          const chip = element("span", { class: "ra-piece", title }, word);
          chip.style.setProperty("--ra-shade", `${Math.round(MOST_SHADE / places[k])}%`);
          return chip;
        });
        row.replaceChildren(...chips);
      };
    },
  };
}

const render = explorer({
  name: "WriterExplorer",
  own: { pasted: pastedBox },
  valid: {
    pasted: (value, { most }) => typeof value === "string" && value.isWellFormed?.() !== false && Array.from(value).length <= most,
  },
  prepare({ text }) {
    const [page, kept] = [writerText(text), { of: null, text: null }];
    return (own) => {
      if (kept.of !== own) Object.assign(kept, { of: own, text: writerText(own) });
      return kept.text.words.length ? kept.text : page;
    };
  },
  compute: (textOf, { order, seed, own }) => writerState(textOf(own), { order, seed }),
  panels: () => ({ written: writtenPanel() }),
  answers: () => ["forced", "longest"],
  numbers: () => [
    ["forced", "words with one place to copy from", ({ forced, words }) => `${forced} of ${words.length}`],
    ["longest", "longest run copied, in words", ({ longest }) => String(longest)],
  ],
  say: ({ forced, longest, words }) => [
    `${forced} of ${words.length} words`,
    ` had one place only to be copied from; ${plural(longest, "word")} in a row stand in the text like that.`,
  ],
  result: ({ words, places, agree, forced, longest }) => ({ words, places, agree, forced, longest }),
});

export default { render };
