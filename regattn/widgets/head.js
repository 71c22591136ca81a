// HeadExplorer: one head's weights on a sentence, and all heads' weights on one pair of words.
import { explorer } from "./explorer.js";
import { slider } from "./controls.js";
import { isolate } from "./plot.js";
import { numberTable } from "./tables.js";

function headState({ weights }, { layer, head, query, key }) {
  const chosen = weights[layer][head];
  const row = chosen[query];
  return {
    chosen,
    row,
    strongest: row.indexOf(Math.max(...row)),
    heads: weights.map((heads) => heads.map((map) => map[query][key])),
  };
}

// Two decimals; nothing where there is nothing, so that what matters stands out.
function weightText(weight) {
  if (weight < 0.005) return "";
  return weight > 0.995 ? "1" : weight.toFixed(2).slice(1);
}

function headControls(view, { weights, words }) {
  const places = { min: 0, max: words.length - 1, text: (k) => `${k + 1}: ${isolate(words[k])}` };
  slider(view, "layer", { label: "Layer", min: 0, max: weights.length - 1, text: (k) => String(k + 1) });
  slider(view, "head", { label: "Head", min: 0, max: weights[0].length - 1, text: (k) => String(k + 1) });
  slider(view, "query", { label: "Word that looks", ...places });
  slider(view, "key", { label: "Word looked at", ...places });
}

function headMessage({ row, strongest }, words, { layer, head, query, key }) {
  const [from, to, most] = [words[query], words[key], words[strongest]].map(isolate);
  const where = `Layer ${layer + 1}, head ${head + 1}: ${from} (word ${query + 1})`;
  if (strongest === key) return `${where} looks most at ${to} (word ${key + 1}), with weight ${row[key].toFixed(3)}.`;
  return `${where} puts ${row[key].toFixed(3)} on ${to} (word ${key + 1}) and most, ${row[strongest].toFixed(3)}, on ${most} (word ${strongest + 1}).`;
}

function render({ model, el }) {
  const view = explorer({ model, el, name: "HeadExplorer" });
  const data = model.get("data");
  const { words, weights } = data;
  headControls(view, data);
  view.live.dataset.output = "message";
  const table = (key, title, pick, wide) => {
    const box = view.panel(key, { title, wide });
    return numberTable(view.host(box), { label: title, pick, signal: view.signal });
  };
  const map = table("map", "This head: rows look, columns are looked at", (query, key) => view.set({ query, key }), true);
  const grid = table("heads", "Every head on this pair of words", (layer, head) => view.set({ layer, head }), true);
  const layers = weights.map((_, k) => `layer ${k + 1}`);
  const heads = weights[0].map((_, k) => `head ${k + 1}`);
  const chosen = () => Object.fromEntries(["layer", "head", "query", "key"].map((name) => [name, model.get(name)]));
  const only = (count, place) => Array.from({ length: count }, (_, k) => k === place);

  view.start({
    traits: ["layer", "head", "query", "key"],
    compute: () => headState(data, chosen()),
    draw(state) {
      const now = chosen();
      const marked = (i, j) => (i !== now.query ? "" : j === now.key ? "ra-row ra-picked" : "ra-row");
      const look = { text: weightText, most: 1 };
      const picked = [only(words.length, now.query), only(words.length, now.key)];
      map(words, words, state.chosen, { ...look, marked, chosen: picked });
      const here = (i, j) => (i === now.layer && j === now.head ? "ra-picked" : "");
      const own = [only(layers.length, now.layer), only(heads.length, now.head)];
      grid(layers, heads, state.heads, { ...look, marked: here, chosen: own });
      const said = headMessage(state, words, now);
      if (view.live.textContent !== said) view.live.textContent = said;
    },
    result: ({ chosen: map, row, strongest, heads: all }) => ({
      weights: map,
      row,
      strongest: words[strongest],
      heads: all,
    }),
  });
  return view.done;
}

export default { render };
