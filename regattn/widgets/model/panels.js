// What the ModelExplorer shows: next words beside the truth, the parts of the model, one head, the stream read early.
import { element } from "../_kit/controls.js";
import { shareText } from "../_kit/format.js";
import { descending } from "../_numbers/sampling.js";
import { numberTable } from "../_kit/tables.js";

const SHOWN = 9; // words with bars of their own
const SEEN = 0.005; // from which a frame is drawn
const SHOWN_WITH_OTHER = 5; // where each has three of them

const ONLY_THERE = "all words right only there, together"; // the sum over the words that may follow the other sentence and not this one

// A row of the next words: two bars, a number for each column, and a frame where the last bar ended before a part was
// pressed. Returns what fills it.
function sharesRow(body, columns, roles) {
  const bar = (role) => element("span", { class: `ra-share-bar ra-${role}`, "aria-hidden": "true" });
  const bars = roles.map(bar);
  const was = element("span", { class: "ra-share-bar ra-was", "aria-hidden": "true" });
  const [head, cells] = [element("th", { scope: "row" }), columns.map(() => element("td"))];
  const row = body.appendChild(element("tr", {}, head, element("td", { class: "ra-share-track" }, ...bars, was), ...cells));
  const write = (node, words) => node.textContent === words || (node.textContent = words);
  return (line, before) => {
    row.hidden = !line;
    if (!line) return;
    const [word, ...shares] = line;
    write(head, word);
    was.hidden = !(before >= SEEN);
    was.style.width = `${(100 * (before ?? 0)).toFixed(2)}%`;
    cells.forEach((cell, k) => write(cell, shares[k] === null ? "–" : shareText(shares[k])));
    bars.forEach((bar, k) => {
      bar.style.width = `${(100 * (shares[k] ?? 0)).toFixed(2)}%`;
      bar.style.visibility = shares[k] === null ? "hidden" : ""; // no truth, and none of 0
    });
  };
}

export const weightText = (weight) => (!(weight >= 0.005) ? "" : weight > 0.995 ? "1" : weight.toFixed(2).slice(1));

export function nextPanel({ words, states }, view) {
  const drawing = !["temperature", "top_k", "top_p"].every((name) => view.hides(name));
  const other = states && !view.hides("donor"); // the truth after the sentence to exchange with
  const true_of = other ? ["here", "there"] : ["true"];
  const columns = [...(states ? true_of : []), "model", ...(drawing ? ["drawn"] : [])];
  const roles = [...(states ? ["truth"] : []), ...(other ? ["neutral"] : []), "prediction"];
  const legend = {
    truth: other ? "true here" : "the grammar: true",
    neutral: "true there: after the other",
    prediction: "the model",
  };
  const listed = other ? SHOWN_WITH_OTHER : SHOWN;
  const title = states ? "Which word comes next" : "Which token comes next";
  return {
    title,
    legend: roles.map((role) => [role, "box", legend[role]]),
    make(host) {
      const said = host.parentElement.querySelector(".ra-title");
      const named = states && host.parentElement.querySelector(".ra-legend li").lastChild;
      const body = element("tbody");
      const heads = ["word", "", ...columns].map((name) => element("th", { scope: "col" }, name));
      const table = element("table", { class: "ra-shares ra-pairs", "aria-label": "Probability of the next word" });
      table.append(element("thead", {}, element("tr", {}, ...heads)), body);
      host.append(table);
      const rows = Array.from({ length: listed + (other ? 2 : 1) }, () => sharesRow(body, columns, roles));
      const lastColumn = table.querySelectorAll(":is(th, td):last-child");
      const trueColumn = states && !other ? table.querySelectorAll(":is(th, td):nth-child(3)") : [];
      return ({ p, q, qWhole, drawnQ, there, over }) => {
        if (named) named.textContent = p ? legend.truth : "the grammar has no answer here";
        said.textContent = qWhole ? `${title}; framed: before` : title;
        const moved = q.some((share, k) => Math.abs(share - drawnQ[k]) > 1e-9); // by temperature or a cut
        if (drawing) for (const cell of lastColumn) cell.hidden = !moved;
        for (const cell of trueColumn) cell.hidden = !p;
        const most = (share, k) => Math.max(share, p?.[k] ?? 0, other ? (there?.[k] ?? 0) : 0, qWhole?.[k] ?? 0);
        const order = descending(q.map(most)).slice(0, listed);
        const left = (shares) => shares && shares.reduce((sum, share, k) => (order.includes(k) ? sum : sum + share), 0);
        const shares = [...(states ? [p] : []), ...(other ? [there] : []), q, drawnQ];
        const lines = order.map((k) => [words[k], ...shares.map((each) => each && each[k])]);
        lines.push(["all others", ...shares.map(left)]);
        const before = [...order.map((k) => (qWhole ? qWhole[k] : null)), left(qWhole)];
        if (other) {
          const apart = (each) => (p && there ? each.reduce((sum, share, k) => (there[k] > 0 && !(p[k] > 0) ? sum + share : sum), 0) : null);
          lines.push(p && there ? [ONLY_THERE, 0, apart(there), over, null] : null);
          before.push(qWhole && apart(qWhole));
          body.lastElementChild.classList.add("ra-together");
        }
        lines.forEach((line, k) => rows[k](line, before[k]));
      };
    },
  };
}

// `pointed` is the head under the pointer, which stands in for the one chosen: { part, moved }.
export function mapPanel(view, pointed) {
  const title = "One head: rows look at columns, only back";
  return {
    title,
    make(host) {
      const pick = (i) => view.set({ place: i });
      const said = host.parentElement.querySelector(".ra-title");
      const draw = numberTable(host, { label: title, pick, signal: view.signal });
      let state = null;
      function show() {
        const { words, heads, at } = state;
        const part = pointed.part ?? state.head;
        const [layer, head] = part.split(".").map((number) => number - 1);
        said.textContent = title.replace("One head", part.replace(/(.+)\.(.+)/, view.hides("parts") ? "Layer $1, head $2" : "Head $&"));
        const cells = words.map((_, i) => words.map((_, j) => (j <= i ? heads[i][layer][head].weights[j] : NaN)));
        const marked = (i, j) => (j > i ? "ra-masked" : i === at ? "ra-row" : "");
        draw(words, words, cells, { text: weightText, most: 1, marked, chosen: [words.map((_, k) => k === at), []] });
      }
      pointed.moved = show;
      return (now) => {
        state = now;
        show();
      };
    },
  };
}

export function lensPanel(view, { words }) {
  const title = "The stream, read after each block as if the last";
  return {
    title,
    make(host) {
      const draw = numberTable(host, { label: title, signal: view.signal });
      return ({ lens }) => {
        const best = [...lens].reverse().flatMap((shares, k) => descending(shares).slice(0, k ? 2 : 5));
        const shown = [...new Set(best)].slice(0, 9);
        const names = lens.map((_, k) => (k ? `after block ${k}` : "at first"));
        const cells = lens.map((shares) => shown.map((k) => shares[k]));
        draw(names, shown.map((k) => words[k]), cells, { text: weightText, most: 1 });
      };
    },
  };
}
