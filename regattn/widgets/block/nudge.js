// The scores that a hand moves: a strip of what then leaves the block, with a mark to drag, and those moved as chips.
import { element } from "../_kit/controls.js";
import { isolate } from "../_kit/format.js";
import { blockSteps, saidBy } from "./numbers.js";
import { topOf, WATCHED } from "./row.js";

const [MOST, STEP] = [6, 0.5];
const PLACES = Array.from({ length: (2 * MOST) / STEP + 1 }, (_, k) => k * STEP - MOST);
const MOVED = ["scores", "weights"]; // the steps whose cells can be moved

const signed = (by) => (by < 0 ? `−${(-by).toFixed(1)}` : by > 0 ? `+${by.toFixed(1)}` : "0");
const named = (word) => `“${isolate(word)}”`;

// All that is added to scores, with one of them put where a hand wants it; 0 takes it away.
function withOne(nudges, key, by) {
  const others = Object.fromEntries(Object.entries(nudges).filter(([other]) => other !== key));
  return by ? { ...others, [key]: by } : others;
}

// Whether what came from outside is such a list.
export function nudgesFit(value, { most }) {
  const fit = ([key, by]) => /^[1-4] [1-8] [1-8]$/.test(key) && key[4] <= key[2] && Math.abs(by) <= most;
  return value !== null && value?.constructor === Object && Object.entries(value).every(fit);
}

// Those that act: of a head that there is, on words that there are.
export function acting({ nudges, n_heads }, words) {
  const all = Object.entries(nudges).map(([key, by]) => [key, by, ...key.split(" ").map(Number)]);
  return all.filter(([, , head, asks]) => head <= n_heads && asks <= words.length).map(([key, by, head, asks, found]) => ({ key, by, head, row: asks - 1, column: found - 1 })); // prettier-ignore
}

// What the row of a word says where it leaves, for every place of the mark; computed once for what it depends on.
function leavesAt(problem) {
  let [kept, shares] = ["", []];
  return (now, key, row) => {
    const nudges = withOne(now.nudges, key, 0);
    const depends = JSON.stringify([now.sentence, now.n_heads, now.out, nudges, key]);
    if (depends !== kept) {
      const leaving = (by) => {
        const moved = { ...now, nudges: withOne(nudges, key, by) };
        return saidBy(problem, moved, blockSteps(problem, moved)).at(-1)[row];
      };
      [kept, shares] = [depends, PLACES.map(leaving)];
    }
    return shares;
  };
}

// Where what leaves becomes another word, in words: seen from the score as it is trained.
function tipping(shares, known) {
  const said = shares.map((row) => topOf(row, known)[0]);
  const middle = PLACES.indexOf(0);
  const below = said.findLastIndex((word, k) => k < middle && word !== said[middle]);
  const above = said.findIndex((word, k) => k > middle && word !== said[middle]);
  if (below < 0 && above < 0) return `says ${named(said[middle])} all along`;
  const turns = [below >= 0 && `${named(said[below])} from ${signed(PLACES[below])} down`, above >= 0 && `${named(said[above])} from ${signed(PLACES[above])} up`]; // prettier-ignore
  return `says ${turns.filter(Boolean).join(", ")}`;
}

// Puts the strip and the chips at the end of `host`; returns draw(state).
export function nudgeRow(host, view, problem) {
  const { known } = problem;
  const leaves = leavesAt(problem);
  const columns = PLACES.map(() => element("span"));
  const input = element("input", { type: "range", min: -MOST, max: MOST, step: STEP, "data-control": "nudges", "data-lm-suppress-shortcuts": "" });
  const strip = element("div", { class: "ra-strip" }, ...columns, input);
  const ends = element("div", { class: "ra-strip-ends", "aria-hidden": "true" }, ...["−6", "0: as trained", "+6"].map((end) => element("span", {}, end)));
  const buttons = ["− less", "+ more"].map((words) => element("button", { type: "button", class: "ra-tool ra-nudge" }, words));
  const chips = element("div", { class: "ra-chips" });
  const row = element("div", { class: "ra-nudges" }, buttons[0], element("div", {}, strip, ends), buttons[1]);
  host.append(row, chips);

  let key = "";
  const at = () => view.model.get("nudges")[key] ?? 0;
  const move = (by) => view.set({ nudges: withOne(view.model.get("nudges"), key, Math.max(-MOST, Math.min(MOST, by))) });
  view.listen(input, "input", () => move(Number(input.value)));
  buttons.forEach((button, k) => view.listen(button, "click", () => move(at() + (k ? 1 : -1))));
  view.listen(chips, "click", ({ target }) => {
    const chip = target.closest("button");
    if (!chip) return;
    view.set({ nudges: withOne(view.model.get("nudges"), chip.dataset.key, 0) });
    (chips.querySelector("button") ?? buttons[0]).focus();
  });

  const drawChips = ({ words, nudged }, hint) => {
    const written = nudged.map(({ key: one, by, head, row: i, column: j }) => [one, `head ${head}: ${isolate(words[i])} on ${isolate(words[j])} ${signed(by)}`]);
    const wanted = JSON.stringify([written, hint]);
    if (chips.dataset.drawn === wanted) return;
    chips.dataset.drawn = wanted;
    const chip = ([one, text]) => element("button", { type: "button", class: "ra-chip", "data-key": one, "aria-label": `${text}: take it back`, title: "take it back" }, text, element("span", { "aria-hidden": "true" }, " ×")); // prettier-ignore
    chips.replaceChildren(...(written.length ? written.map(chip) : [hint]));
  };

  return (state) => {
    const { words, shown, stay, nudged } = state;
    const head = Math.min(state.head, state.n_heads);
    const [i, j] = stay;
    const there = MOVED.includes(shown.key) && words.length > 1;
    row.classList.toggle("ra-gone", !there);
    chips.classList.toggle("ra-gone", !there && !nudged.length);
    if (!there) return drawChips(state, "");
    const masked = j > i;
    key = masked ? "" : `${head} ${i + 1} ${j + 1}`;
    for (const part of [input, ...buttons]) part.disabled = masked;
    row.classList.toggle("ra-masked", masked);
    const shares = masked ? [] : leaves(state, key, i);
    const now = PLACES.indexOf(Math.round(at() / STEP) * STEP);
    columns.forEach((column, k) => {
      const [are, is] = WATCHED.map((word) => 100 * (shares[k]?.[known.indexOf(word)] ?? 0));
      column.style.setProperty("--are", `${are.toFixed(1)}%`);
      column.style.setProperty("--both", `${(are + is).toFixed(1)}%`);
      column.classList.toggle("ra-on", !masked && k === now);
    });
    const pair = `${isolate(words[i])} on ${isolate(words[j])}`;
    input.value = String(masked ? 0 : at());
    input.setAttribute("aria-label", `Added to the score of ${pair}, head ${head}`);
    input.setAttribute("aria-valuetext", masked ? "masked" : `${signed(at())}: ${isolate(words[i])} says ${topOf(shares[now], known).join(" ")}`);
    buttons.forEach((button, k) => button.setAttribute("aria-label", `${pair}: ${["less", "more"][k]}`));
    const turns = masked ? "" : tipping(shares, known);
    const told = `on ${isolate(words[j])}, ${named(words[i])} ${turns}.`;
    const hint = masked ? `Masked: ${named(words[i])} does not see ${named(words[j])}, which comes later.` : turns.includes(",") ? told.replace("on", "On") : `Drag the mark: ${told}`; // of two turns there is room for no more
    drawChips(state, hint);
  };
}
