// InductionExplorer: two layers built by hand, and two that were trained, continue a pattern in a text the reader types.
import { element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { isolate, shareText } from "../_kit/format.js";
import { scrollFrame, shareBars, tied } from "../_kit/tables.js";
import { textBox, textFits } from "../_kit/typed_text.js";
import { inductionProblem, inductionState, LONGEST } from "./numbers.js";

const SURE = 0.5; // of what was fetched: below it no single word is named
const OTHER = "another word";
const MOST_NAMED = 4; // words that are expected alike; more are counted
const PINNED = "position: sticky; inset-inline-start: 0; background: var(--ra-surface)"; // in sight while words scroll
const weightText = (weight) => (!(weight >= 0.005) ? "" : weight > 0.995 ? "1" : weight.toFixed(2).slice(1));
const largest = (shares) => shares.indexOf(Math.max(...shares));
const listed = (words) => `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
const scoreText = (score) => (score === null ? "–" : shareText(score));

// Lines below the words of the text: what layer 1 has fetched for each, and where the last token looks in layer 2.
function slotsPanel({ model }) {
  const kinds = model ? { hand: ", by hand", trained: ", trained" } : { hand: "" };
  return {
    title: "What layer 1 fetches for every token, and where the last one looks in layer 2",
    wide: true,
    make(host) {
      const table = element("table", { class: "ra-table", "aria-label": "Slots of every token" });
      const hint = "The table scrolls sideways: more words stand on the left.";
      const { frame, fitted } = scrollFrame(host, table, "Slots of every token", hint);
      let read = null; // the words for which the frame was last scrolled to the one that asks
      return (state) => {
        const line = (name, texts, shades) => {
          const cells = texts.map((text, t) => {
            const cell = element("td", { dir: "auto" }, text);
            if (shades) cell.style.setProperty("--ra-shade", `${Math.round(45 * shades[t])}%`);
            return cell;
          });
          return element("tr", {}, element("th", { scope: "row", style: PINNED }, name), ...cells);
        };
        const word = (shares) => (Math.max(...shares) > SURE ? state.vocabulary[largest(shares)] : "·");
        const rows = Object.entries(kinds).flatMap(([kind, name]) => [
          line(`layer 1${name}`, state[kind].fetched.map(word)),
          line(`layer 2${name}`, state[kind].looks.map(weightText), state[kind].looks),
        ]);
        table.replaceChildren(element("tbody", {}, line("its word", state.words), ...rows));
        fitted();
        const words = state.words.join(" ");
        if (words !== read && frame.clientWidth) {
          read = words;
          frame.scrollLeft = frame.scrollWidth;
        }
      };
    },
  };
}

function nextPanel(kind, title) {
  return {
    title,
    make(host) {
      const draw = shareBars(host, { label: title });
      return ({ vocabulary, [kind]: { shares, other } }) => {
        const all = other === undefined ? shares : [...shares, other];
        draw(other === undefined ? vocabulary : [...vocabulary, OTHER], all, shareText, largest(all));
      };
    },
  };
}

// What a pair of layers expects after the last word: [word or none, the rest of a sentence].
function expectation({ words, vocabulary }, { shares }) {
  const [last, best] = [isolate(words.at(-1)), largest(shares)];
  const level = tied(shares, best);
  if (level.length === shares.length && level.length > 1) return ["No word", ` is expected more than another after ${last}`];
  if (level.length > 1) {
    const named = level.length > MOST_NAMED ? `${level.length} words` : listed(level.map((k) => isolate(vocabulary[k])));
    return [named, ` are expected alike after ${last}, each with a share of ${shareText(shares[best])}`];
  }
  return [isolate(vocabulary[best]), ` is expected after ${last}, with a share of ${shareText(shares[best])}`];
}

// What both pairs expect: [word or none, the rest of a sentence].
function said(state) {
  const { words, hand, trained } = state;
  if (!Math.max(...hand.looks)) return ["Nothing", ` is fetched for the word after ${isolate(words.at(-1))}: there is no layer 2.`];
  const [word, rest] = expectation(state, hand);
  if (!trained) return [word, `${rest}.`];
  const [other, share] = [state.vocabulary[largest(trained.shares)], shareText(Math.max(...trained.shares))];
  if (trained.other > Math.max(...trained.shares)) return [word, `${rest} by hand; the trained layers expect a word that has not come yet.`];
  return [word, `${rest} by hand; the trained layers expect ${isolate(other)} with ${share}.`];
}

const render = explorer({
  name: "InductionExplorer",
  own: { text: textBox },
  valid: { text: textFits },
  prepare: inductionProblem,
  compute: inductionState,
  panels: (problem) => ({
    slots: slotsPanel(problem),
    next: nextPanel("hand", problem.model ? "By hand: which word is next" : "Which word it expects next"),
    ...(problem.model && { next_trained: nextPanel("trained", "Trained: which word is next") }),
  }),
  answers: () => ["score", "score-trained"],
  numbers({ model }) {
    const kinds = model ? [["", "hand", "by hand"], ["-trained", "trained", "trained"]] : [["", "hand", ""]]; // prettier-ignore
    const printed = (key, label) =>
      kinds.map(([end, kind, name]) => [`${key}${end}`, name ? `${label}, ${name}` : label, (state) => scoreText(state[kind][key])]);
    return [
      ...printed("score", "induction score"),
      ...printed("previous", "mean weight of layer 1 on the word before"),
      ...printed("right", "mean share of the word that did come, where a word came again"),
    ];
  },
  say(state) {
    const [word, rest] = said(state);
    return [word, state.dropped ? `${rest} Only the last ${LONGEST} words are read.` : rest];
  },
  result({ words, vocabulary, hand, trained }) {
    const named = Object.entries(trained ?? {}).map(([key, value]) => [`trained_${key}`, value]);
    return { words, vocabulary, ...hand, ...Object.fromEntries(named) };
  },
});

export default { render };
