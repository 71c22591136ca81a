// The row of one word on its way: what enters, what each part adds, what leaves, and what it would say on the way.
import { element } from "../_kit/controls.js";
import { isolate } from "../_kit/format.js";
import { numberTable } from "../_kit/tables.js";

const ON_THE_WAY = ["embedding", "norm_1", "output", "add_1", "norm_2", "back", "add_2"];
const CALLED = { embedding: "enters", norm_1: "normalised (1)", output: "+ attention", add_1: "= stream", norm_2: "normalised (2)", back: "+ feed-forward", add_2: "= leaves" }; // prettier-ignore
const STOPS = ["enters", "after attention", "leaves"];
export const WATCHED = ["are", "is"]; // the words whose shares have a colour

// A share in two decimals, and never one or nothing where it is not.
export const shareShort = (share) => (share > 0.995 ? "> .99" : share < 0.005 ? "< .01" : share.toFixed(2).slice(1));
const short = (value) => (value === 0 ? "0" : value.toFixed(2).replace("-", "−").replace(/^(−?)0\./, "$1."));

// The most of a list of shares: its word and its share.
export function topOf(shares, known) {
  const top = Math.max(...shares);
  return [known[shares.indexOf(top)], shareShort(top)];
}

// The last stop that a step has passed: of its numbers the stream has as much.
export function standsAt(steps, key) {
  const passed = steps.slice(0, steps.findIndex((step) => step.key === key) + 1);
  return passed.filter((step) => ["add_1", "add_2"].includes(step.key)).length;
}

// Shares of the next word at each stop, one bar each. Returns draw(word, stops: shares of all words, known, out, the stops to light).
function stopBars(host) {
  const lines = STOPS.map((name) => {
    const parts = ["positive", "negative"].map((role) => element("span", { class: `ra-stop-part ra-${role}` }));
    const bar = element("span", { class: "ra-stop-bar", "aria-hidden": "true" }, ...parts);
    const [head, value] = [element("th", { scope: "row" }, name), element("td")];
    return { head, parts, value, row: element("tr", {}, head, element("td", { class: "ra-share-track" }, bar), value) };
  });
  const body = element("tbody", {}, ...lines.map(({ row }) => row));
  const table = host.appendChild(element("table", { class: "ra-shares ra-stops" }, body));
  return (word, stops, known, out, now) => {
    table.setAttribute("aria-label", `The next word, asked at ${isolate(word)}`);
    lines[0].head.textContent = `${isolate(word)} enters`;
    lines[1].head.textContent = out === "attention" ? "no attention" : STOPS[1];
    stops.forEach((shares, k) => {
      lines[k].row.classList.toggle("ra-now", now.includes(k));
      WATCHED.forEach((watched, n) => (lines[k].parts[n].style.width = `${(100 * (shares[known.indexOf(watched)] ?? 0)).toFixed(2)}%`));
      lines[k].value.textContent = topOf(shares, known).join(" ");
    });
  };
}

export const LEGEND = [["positive", "bar", "are"], ["negative", "bar", "is"], ["neutral", "bar", "another"]]; // prettier-ignore

// What a word of the trained block would say on the way, where the drawing that also has it stands further down.
export function saysPanel({ known }) {
  return {
    title: "The next word",
    legend: LEGEND,
    make(host) {
      const draw = stopBars(host);
      return ({ words, at: [row], says, out, lit }) => draw(words[row], says.map((stop) => stop[row]), known, out, lit); // prettier-ignore
    },
  };
}

export function rowPanel(view, problem) {
  const title = "One word’s row: click a line";
  return {
    title,
    beside: true,
    make(host) {
      let [keys, number] = [[], 0];
      const pick = (i, j) => {
        problem.hand.pressed = [problem.hand.row, j, keys[i]];
        view.set({ step: keys[i] });
      };
      const draw = numberTable(host, { label: title, pick, hint: "The table scrolls sideways.", signal: view.signal });
      view.listen(host, "click", ({ target }) => {
        const line = target.closest("tbody th")?.parentElement;
        if (line) pick([...line.parentElement.children].indexOf(line), number);
      });
      return ({ steps, shown, words, at }) => {
        const [row] = at;
        problem.hand.row = row;
        number = Math.max(0, at[1]);
        const passed = steps.filter(({ key }) => ON_THE_WAY.includes(key));
        keys = passed.map(({ key }) => key);
        const values = passed.map((step) => Array.from(step.values[row]));
        const most = Math.max(...values.flat().map(Math.abs)) || 1;
        const here = keys.indexOf(shown.key);
        const lit = (i, j) => (i === here && j === at[1] ? " ra-lit" : "");
        const marked = (i, j) => (values[i][j] < 0 ? "ra-below" : "ra-above") + (/norm/.test(keys[i]) ? " ra-read" : "") + lit(i, j);
        const columns = values[0].map((_, j) => String(j + 1));
        const named = keys.map((key) => (key === "embedding" ? `enters: ${words[row]}` : CALLED[key]));
        const column = here < 0 ? -1 : at[1];
        draw(named, columns, values, { text: short, most, marked, chosen: [keys.map((_, i) => i === here), columns.map((_, j) => j === column)] });
      };
    },
  };
}
