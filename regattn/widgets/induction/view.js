// InductionExplorer: two layers built by hand continue a pattern in a text that the reader types.
import { element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { isolate, shareText } from "../_kit/format.js";
import { shareBars, tied } from "../_kit/tables.js";
import { textBox, textFits } from "../_kit/typed_text.js";
import { inductionState } from "./numbers.js";

const SURE = 0.5; // of what was fetched: below it no single word is named
const weightText = (weight) => (!(weight >= 0.005) ? "" : weight > 0.995 ? "1" : weight.toFixed(2).slice(1));
const largest = (shares) => shares.indexOf(Math.max(...shares));

// Three lines below the text: its words, what layer 1 has fetched for each, and where the last token looks.
function slotsPanel() {
  return {
    title: "Slots of every token, and where the last one looks",
    wide: true,
    make(host) {
      const table = element("table", { class: "ra-table", "aria-label": "Slots of every token" });
      host.append(element("div", { class: "ra-scroll", tabindex: "0", role: "region", "aria-label": "Slots of every token" }, table));
      return ({ words, vocabulary, fetched, looks }) => {
        const line = (name, texts, shades) => {
          const cells = texts.map((text, t) => {
            const cell = element("td", { dir: "auto" }, text);
            if (shades) cell.style.setProperty("--ra-shade", `${Math.round(45 * shades[t])}%`);
            return cell;
          });
          return element("tr", {}, element("th", { scope: "row" }, name), ...cells);
        };
        const before = fetched.map((shares) => (Math.max(...shares) > SURE ? vocabulary[largest(shares)] : "·"));
        const rows = [line("its word", words), line("fetched by layer 1", before), line("weight in layer 2", looks.map(weightText), looks)];
        table.replaceChildren(element("tbody", {}, ...rows));
      };
    },
  };
}

function nextPanel() {
  return {
    title: "Which word it expects next",
    make(host) {
      const draw = shareBars(host, { label: "Shares of the next word" });
      return ({ vocabulary, shares }) => draw(vocabulary, shares, shareText, largest(shares));
    },
  };
}

const render = explorer({
  name: "InductionExplorer",
  own: { text: textBox },
  valid: { text: textFits },
  compute: (_, settings) => inductionState(settings),
  panels: () => ({ slots: slotsPanel(), next: nextPanel() }),
  answers: () => ["right"],
  numbers: () => [
    ["right", "mean share of the word that did come, where a word came again", ({ right }) => (right === null ? "–" : shareText(right))],
  ],
  say({ words, vocabulary, shares, looks }) {
    const last = isolate(words.at(-1));
    if (!Math.max(...looks)) return ["Nothing", ` is written into the slot for the word after ${last}: there is no layer 2.`];
    const best = largest(shares);
    if (tied(shares, best).length > 1) return ["No word", ` is expected more than another after ${last}.`];
    return [isolate(vocabulary[best]), ` is expected after ${last}, with a share of ${shareText(shares[best])}.`];
  },
  result: ({ words, vocabulary, fetched, looks, shares, right }) => ({ words, vocabulary, fetched, looks, shares, right }),
});

export default { render };
