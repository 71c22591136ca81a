// WriterExplorer: sentences written word by word, each word copied from where the same few words stand in a text.
import { element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { pastedBox, textFits } from "../_kit/typed_text.js";
import { writerState, writerText } from "./numbers.js";

const MOST_SHADE = 48; // per cent, of a word that had one place only

const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

function writtenPanel() {
  return {
    title: "What it writes; a word stands out where the text had few places to copy it from, and the longest copy is underlined",
    wide: true,
    make(host) {
      const row = host.appendChild(element("div", { class: "ra-pieces", dir: "auto" }));
      return ({ words, places, agree, longest, from }) => {
        const chips = words.map((word, k) => {
          const title = `${plural(agree[k], "word")} before ${agree[k] === 1 ? "agrees" : "agree"}, in ${plural(places[k], "place")}`;
          const chip = element("span", { class: "ra-piece", title }, word);
          chip.style.setProperty("--ra-shade", `${Math.round(MOST_SHADE / places[k])}%`);
          if (k >= from && k < from + longest) chip.style.textDecoration = "underline";
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
  valid: { pasted: textFits },
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
    ` had one place only to be copied from. The longest run that stands in the text, underlined, has ${plural(longest, "word")}.`,
  ],
  result: ({ words, places, agree, forced, longest, from }) => ({ words, places, agree, forced, longest, from }),
});

export default { render };
