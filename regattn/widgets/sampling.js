// SamplingExplorer: logits → temperature → top k → top p → the distribution a word is drawn from.
import { explorer } from "./explorer.js";
import { output, select, slider } from "./controls.js";
import { isolate } from "./plot.js";
import { softmax, sum } from "./maths.js";
import { shareBars } from "./tables.js";

const SHOWN = 12; // words with a bar of their own

// ---- numbers -------------------------------------------------------------------------------------------------------

// Places from the largest to the smallest value; of equals, the first comes first.
function descending(values) {
  return Array.from(values, (_, k) => k).sort((a, b) => values[b] - values[a] || a - b);
}

// The probabilities a word is drawn from; the same steps, in the same order, as regattn.transformer.generation.
function drawnFrom(logits, temperature, topK, topP) {
  const none = new Float64Array(logits.length);
  if (temperature === 0) {
    none[logits.indexOf(Math.max(...logits))] = 1;
    return none;
  }
  const top = Math.max(...logits);
  const p = softmax(logits.map((z) => (z - top) / temperature));
  if (topK === logits.length && topP === 1) return p;
  const order = descending(logits).slice(0, topK); // at a high temperature rounding ties p
  let kept = Float64Array.from(order, (k) => p[k]);
  let total = sum(kept);
  kept = kept.map((share) => share / total);
  let reached = 0;
  kept = kept.map((share) => {
    const before = reached;
    reached += share;
    return before < topP ? share : 0;
  });
  total = sum(kept);
  order.forEach((k, place) => (none[k] = kept[place] / total));
  return none;
}

function samplingState(logits, { temperature, topK, topP }) {
  const p = drawnFrom(logits, temperature, topK, topP);
  let entropy = 0;
  let possible = 0;
  for (const share of p) {
    if (share > 0) {
      entropy -= share * Math.log(share);
      possible += 1;
    }
  }
  return { p, entropy: entropy + 0, possible, best: p.indexOf(Math.max(...p)) };
}

// ---- the explorer --------------------------------------------------------------------------------------------------

function samplingControls(view, data) {
  select(view, "context", { label: "After", options: data.contexts.map((text) => [text, text]) });
  slider(view, "temperature", {
    label: "Temperature",
    min: 0,
    max: 60,
    position: (t) => Math.round(t * 20),
    value: (place) => place / 20,
    text: (t) => (t === 0 ? "0 (always the most probable)" : t.toFixed(2)),
  });
  const all = data.words.length;
  slider(view, "top_k", { label: "Top k", min: 1, max: all, text: (k) => (k === all ? `${k} (all words)` : String(k)) });
  slider(view, "top_p", {
    label: "Top p",
    min: 1,
    max: 20,
    position: (p) => Math.round(p * 20),
    value: (place) => place / 20,
    text: (p) => (p === 1 ? "1 (all the mass)" : p.toFixed(2)),
  });
}

function render({ model, el }) {
  const view = explorer({ model, el, name: "SamplingExplorer" });
  const data = model.get("data");
  samplingControls(view, data);
  const say = {
    entropy: output(view, "entropy", "entropy, nats"),
    choices: output(view, "choices", "a fair choice among"),
    possible: output(view, "possible", "words that can be drawn"),
  };
  view.live.dataset.output = "message";
  const bars = shareBars(view.host(view.panel("next", { title: "Which word comes next", wide: true })), {
    label: "Probability of the next word",
  });
  const orders = data.logits.map((row) => descending(row).slice(0, SHOWN));
  const now = (name) => model.get(name);
  const place = () => data.contexts.indexOf(now("context"));

  view.start({
    traits: ["context", "temperature", "top_k", "top_p"],
    compute: () =>
      samplingState(data.logits[place()], { temperature: now("temperature"), topK: now("top_k"), topP: now("top_p") }),
    draw({ p, entropy, possible, best }) {
      const shown = orders[place()];
      const shares = shown.map((k) => p[k]);
      const words = shown.map((k) => data.words[k]);
      if (data.words.length > shown.length) {
        words.push("all others");
        shares.push(Math.max(0, 1 - sum(shares)));
      }
      bars(words, shares, (share) => (share === 0 ? "0" : share.toFixed(3)), shown.indexOf(best));
      say.entropy(entropy.toFixed(3));
      say.choices(`${Math.exp(entropy).toFixed(1)} words`);
      say.possible(`${possible} of ${data.words.length}`);
      const said = `Most probable: ${isolate(data.words[best])}, with probability ${p[best].toFixed(3)}.`;
      if (view.live.textContent !== said) view.live.textContent = said;
    },
    result: ({ p, entropy, possible, best }) => ({
      probabilities: Array.from(p),
      entropy,
      possible,
      next_word: data.words[best],
    }),
  });
  return view.done;
}

export default { render };
