// The row of one word on its way: what enters, what each part adds, what leaves, and what it would say on the way.
import { element } from "../_kit/controls.js";
import { isolate } from "../_kit/format.js";
import { numberTable } from "../_kit/tables.js";

const ON_THE_WAY = ["embedding", "norm_1", "output", "add_1", "norm_2", "back", "add_2"];
const CALLED = { embedding: "enters", norm_1: "normalised", output: "+ attention", add_1: "= stream", norm_2: "normalised", back: "+ feed-forward", add_2: "= leaves" }; // prettier-ignore
const STOPS = ["enters", "after attention", "leaves"];
const WATCHED = ["are", "is"]; // the words whose shares have a colour

// A share in two decimals, and never one or nothing where it is not.
export const shareShort = (share) => (share > 0.995 ? "> .99" : share < 0.005 ? "< .01" : share.toFixed(2).slice(1));
const short = (value) => (value === 0 ? "0" : value.toFixed(2).replace("-", "−").replace(/^(−?)0\./, "$1."));

// Shares of the next word at each stop, one bar each. Returns draw(word, stops: shares of all words, known).
function stopBars(host) {
  const title = element("p", { class: "ra-title" });
  const items = [["positive", "are"], ["negative", "is"], ["neutral", "another"]]; // prettier-ignore
  const swatch = (role) => element("span", { class: `ra-swatch ra-swatch-bar ra-${role}`, "aria-hidden": "true" });
  const legend = element("ul", { class: "ra-legend" }, ...items.map(([role, words]) => element("li", {}, swatch(role), words)));
  host.append(element("div", { class: "ra-stops-head" }, title, legend));
  const lines = STOPS.map((name) => {
    const parts = ["positive", "negative"].map((role) => element("span", { class: `ra-stop-part ra-${role}` }));
    const bar = element("span", { class: "ra-stop-bar", "aria-hidden": "true" }, ...parts);
    const value = element("td");
    return { parts, value, row: element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "ra-share-track" }, bar), value) };
  });
  const body = element("tbody", {}, ...lines.map(({ row }) => row));
  const table = host.appendChild(element("table", { class: "ra-shares ra-stops" }, body));
  return (word, stops, known) => {
    title.textContent = `The next word, asked at ${isolate(word)}`;
    table.setAttribute("aria-label", title.textContent);
    stops.forEach((shares, k) => {
      WATCHED.forEach((watched, n) => (lines[k].parts[n].style.width = `${(100 * (shares[known.indexOf(watched)] ?? 0)).toFixed(2)}%`));
      const top = Math.max(...shares);
      lines[k].value.textContent = `${known[shares.indexOf(top)]} ${shareShort(top)}`;
    });
  };
}

export function rowPanel(view, problem) {
  const title = "One word’s row: click a line";
  return {
    title,
    beside: true,
    make(host) {
      let keys = [];
      const pick = (i, j) => {
        problem.hand.pressed = [problem.hand.row, j, keys[i]];
        view.set({ step: keys[i] });
      };
      const draw = numberTable(host, { label: title, pick, hint: "The table scrolls sideways.", signal: view.signal });
      const drawStops = problem.trained && stopBars(host);
      return ({ steps, shown, words, at, says }) => {
        const [row] = at;
        problem.hand.row = row;
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
        if (drawStops) drawStops(words[row], says.map((stop) => stop[row]), problem.known); // prettier-ignore
      };
    },
  };
}
