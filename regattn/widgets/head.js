// HeadExplorer: one head's weights on a sentence, and all heads' weights on one pair of words.
import { explorer } from "./explorer.js";
import { isolate, shareText } from "./format.js";
import { numberTable } from "./tables.js";

function headState({ weights }, { layer, head, query, key }) {
  const chosen = weights[layer][head];
  const row = chosen[query];
  return {
    layer, head, query, key, chosen, row, // prettier-ignore
    strongest: row.indexOf(Math.max(...row)),
    heads: weights.map((heads) => heads.map((map) => map[query][key])),
  };
}

// Two decimals; nothing where there is nothing, so that what matters stands out.
function weightText(weight) {
  if (weight < 0.005) return "";
  return weight > 0.995 ? "1" : weight.toFixed(2).slice(1);
}

function headMessage({ layer, head, query, key, row, strongest }, { words }) {
  const [from, to, most] = [words[query], words[key], words[strongest]].map(isolate);
  const where = `Layer ${layer + 1}, head ${head + 1}: ${from} (word ${query + 1})`;
  if (strongest === key) return `${where} looks most at ${to} (word ${key + 1}), with weight ${shareText(row[key])}.`;
  return `${where} puts ${shareText(row[key])} on ${to} (word ${key + 1}) and most, ${shareText(row[strongest])}, on ${most} (word ${strongest + 1}).`;
}

const only = (count, place) => Array.from({ length: count }, (_, k) => k === place);

function mapPanel(view, { words }) {
  const title = "This head: rows look, columns are looked at";
  const pick = (query, key) => view.set({ query, key });
  return {
    title,
    wide: true,
    make(host) {
      const draw = numberTable(host, { label: title, pick, signal: view.signal });
      return ({ chosen, query, key }) => {
        const marked = (i, j) => (i !== query ? "" : j === key ? "ra-row ra-picked" : "ra-row");
        const both = [only(words.length, query), only(words.length, key)];
        draw(words, words, chosen, { text: weightText, most: 1, marked, chosen: both });
      };
    },
  };
}

function headsPanel(view, { weights }) {
  const title = "Every head on this pair of words";
  const layers = weights.map((_, k) => `layer ${k + 1}`);
  const all = weights[0].map((_, k) => `head ${k + 1}`);
  const pick = (layer, head) => view.set({ layer, head });
  return {
    title,
    wide: true,
    make(host) {
      const draw = numberTable(host, { label: title, pick, signal: view.signal });
      return ({ heads, layer, head }) => {
        const marked = (i, j) => (i === layer && j === head ? "ra-picked" : "");
        const both = [only(layers.length, layer), only(all.length, head)];
        draw(layers, all, heads, { text: weightText, most: 1, marked, chosen: both });
      };
    },
  };
}

const render = explorer({
  name: "HeadExplorer",
  compute: headState,
  texts({ words }) {
    const [number, place] = [(k) => String(k + 1), (k) => `${k + 1}: ${isolate(words[k])}`];
    return { layer: number, head: number, query: place, key: place };
  },
  panels: (data, view) => ({ map: mapPanel(view, data), heads: headsPanel(view, data) }),
  say: headMessage,
  result: ({ chosen, row, strongest, heads }, { words }) => ({
    weights: chosen,
    row,
    strongest: words[strongest],
    heads,
  }),
});

export default { render };
