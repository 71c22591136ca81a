// SamplingExplorer: logits → temperature → top k → top p → the distribution a word is drawn from.
import { element } from "../_kit/controls.js";
import { explorer } from "../_kit/explorer.js";
import { beginnings, followsFits } from "../_kit/linked_explorers.js";
import { isolate, shareText } from "../_kit/format.js";
import { mulberry32, sum } from "../_numbers/maths.js";
import { descending, drawnFrom, drawOne, entropyOf } from "../_numbers/sampling.js";
import { shareBars } from "../_kit/tables.js";

const SHOWN = 12; // words with a bar of their own
const DRAWN = 20; // words drawn at a time, here and in __init__.py

// ---- numbers -------------------------------------------------------------------------------------------------------

// Places of words drawn from p.
function draws(p, seed) {
  const uniform = mulberry32(seed);
  return Array.from({ length: DRAWN }, () => drawOne(p, uniform()));
}

// The words drawn, each once, the most frequent first.
function drawText(drawn, words) {
  const counts = new Map();
  for (const k of drawn) counts.set(k, (counts.get(k) ?? 0) + 1);
  const most = [...counts].sort((a, b) => b[1] - a[1]);
  return `${DRAWN} words drawn: ${most.map(([k, count]) => `${isolate(words[k])}${count > 1 ? ` ${count} times` : ""}`).join(", ")}.`;
}

function samplingState(logits, { temperature, topK, topP, seed }) {
  const p = drawnFrom(logits, temperature, topK, topP);
  return { p, entropy: entropyOf(p), possible: p.filter((share) => share > 0).length, drawn: draws(p, seed), best: p.indexOf(Math.max(...p)) };
}

// ---- the explorer --------------------------------------------------------------------------------------------------

function nextPanel({ words }) {
  return {
    title: "Which word comes next",
    wide: true,
    make(host) {
      const bars = shareBars(host, { label: "Probability of the next word" });
      const line = host.appendChild(element("p", { class: "ra-below", "data-output": "drawn" }));
      return ({ p, best, logits, drawn }) => {
        const shown = descending(logits).slice(0, SHOWN);
        const shares = shown.map((k) => p[k]);
        const names = shown.map((k) => words[k]);
        if (words.length > shown.length) {
          names.push("all others");
          shares.push(Math.max(0, 1 - sum(shares)));
        }
        bars(names, shares, shareText, shown.indexOf(best));
        const said = drawText(drawn, words);
        if (line.textContent !== said) line.textContent = said;
      };
    },
  };
}

const render = explorer({
  name: "SamplingExplorer",
  own: { choice: beginnings, follows: () => {} }, // the list of beginnings has both
  valid: followsFits,
  prepare: (data, view) => ({ ...data, fed: () => view.model.get("fed") }),
  compute({ logits: rows, contexts, fed }, { context, follows, temperature, top_k, top_p, seed }) {
    const { read, logits } = (follows && fed()) || { read: context, logits: rows[contexts.indexOf(context)] };
    return { read, logits, ...samplingState(logits, { temperature, topK: top_k, topP: top_p, seed }) };
  },
  panels: (data) => ({ next: nextPanel(data) }),
  answers: () => ["entropy", "choices", "possible"],
  numbers: ({ words }) => [
    ["entropy", "entropy, nats", ({ entropy }) => entropy.toFixed(3)],
    ["choices", "as open as a fair choice among", ({ entropy }) => `${Math.exp(entropy).toFixed(1)} words`],
    ["possible", "words that can be drawn", ({ possible }) => `${possible} of ${words.length}`],
  ],
  say: ({ p, entropy, best }, { words }) => [
    `${entropy.toFixed(3)} nats`,
    ` of entropy. Most probable: ${isolate(words[best])}, with probability ${shareText(p[best])}.`,
  ],
  result: ({ read, p, entropy, possible, drawn, best }, { words }) => ({
    read,
    probabilities: Array.from(p),
    entropy,
    possible,
    drawn,
    next_word: words[best],
  }),
});

export default { render };
