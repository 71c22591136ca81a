// What a ModelExplorer shows that writes: its text word by word, and where the luck of the last word fell.
import { element } from "../_kit/controls.js";
import { isolate, shareText } from "../_kit/format.js";
import { END } from "./controls.js";

const NAMED = 0.055; // of the strip, from which a word has its name on it
const SEEN = 0.0015; // of the strip, from which a word is drawn at all

// How the last word was drawn, or how the next would be.
export const lastOf = ({ drawn, next }) => next ?? drawn.at(-1);

const nameOf = (word) => (word === "." ? "full stop" : word);
const trueShare = ({ truth, token }) => (truth ? truth[token] : null);

export function writtenResult({ drawn }, { names }) {
  return {
    written: drawn.map(({ token }) => names[token]),
    luck: drawn.map(({ luck }) => luck),
    drawn_with: drawn.map(({ p, token }) => p[token]),
    possible: drawn.map(({ possible }) => possible),
    true_shares: drawn.map((word) => trueShare(word) ?? -1),
  };
}

const short = (share) => (share === 0 || share === 1 ? String(share) : share < 0.005 ? "< .01" : share > 0.995 ? "> .99" : share.toFixed(2).slice(1));
const luckText = (luck) => luck.toFixed(3).replace("0.", ".");

function faultText(drawn, words) {
  const wrong = drawn.filter((word) => trueShare(word) === 0).map(({ token }) => isolate(words[token]));
  if (!wrong.length) return " No impossible word so far.";
  if (wrong.length === 1) return ` The grammar cannot write ${wrong[0]} where it stands.`;
  return ` ${wrong.length} words the grammar cannot write where they stand, ${wrong[0]} first.`;
}

export function writingMessage({ text, unknown }, { words, states }) {
  const { p, q, luck, token } = lastOf(text);
  const moved = Math.abs(p[token] - q[token]) > 0.0005 ? ` (${shareText(q[token])} before)` : "";
  const fell = `the luck ${luckText(luck)} ${text.next ? "will fall" : "fell"} on it; it ${text.next ? "has" : "had"} ${shareText(p[token])} of the strip${moved}.`;
  const fault = states && text.drawn.length ? faultText(text.drawn, words) : "";
  const strange = unknown ? ` ${isolate(unknown)} is none of the ${words.length} words; what stands before it is read.` : "";
  return [nameOf(words[token]), `: ${fell}${fault}${strange}`];
}

// One strip from 0 to 1: a piece for each word, as wide as it is probable.
function stripOf(view, host, label, pick) {
  const bar = element("div", { class: `ra-strip${pick ? " ra-pick" : ""}`, "aria-hidden": "true" });
  host.append(element("div", { class: "ra-strip-row" }, element("span", {}, label), bar));
  const pieces = [];
  let shown = [];
  const at = ({ target }) => pieces.indexOf(target);
  if (pick) view.listen(bar, "click", (event) => at(event) >= 0 && pick(shown[at(event)]));
  return (strip, shares, words, token) => {
    const begins = new Map();
    let reached = 0;
    for (const k of shares ? strip : []) {
      begins.set(k, reached);
      reached += shares[k];
    }
    shown = shares ? strip.filter((k) => shares[k] >= SEEN || (k === token && shares[k] > 0)) : [];
    while (pieces.length < shown.length) pieces.push(bar.appendChild(element("span")));
    pieces.splice(shown.length).forEach((piece) => piece.remove());
    shown.forEach((k, i) => {
      const piece = pieces[i];
      piece.style.left = `${100 * begins.get(k)}%`;
      piece.style.width = `${100 * shares[k]}%`;
      piece.className = k === token ? "ra-fell" : "";
      const name = shares[k] >= NAMED ? words[k] : "";
      if (piece.textContent !== name) piece.textContent = name;
      piece.title = `${words[k]}: ${shareText(shares[k])}${pick ? ". Press to write it instead." : ""}`;
    });
  };
}

// The sentence up to a word, and another word in the place of the next: what a press on the strip asks for.
function instead({ drawn }, begun, words, chosen) {
  const before = drawn.slice(0, -1).map(({ token }) => words[token]);
  return [...begun, ...before, words[chosen]].join(" ");
}

export function textPanel(view, { words, states }) {
  const title = "What it writes" + (states ? "; below each word, how probable the grammar holds it there (–: it knows no such beginning)" : "");
  return {
    title,
    wide: true,
    make(host) {
      const text = host.appendChild(element("div", { class: "ra-written", role: "group", "aria-label": title, dir: "auto" }));
      const draws = host.appendChild(element("div", { class: "ra-draws" }));
      const said = draws.appendChild(element("p", { class: "ra-title" }));
      let now = null;
      const press = (chosen) => {
        view.set({ sentence: instead(now.text, now.begun, words, chosen), place: END, written: 0 });
      };
      const strips = [states && ["grammar", (last) => last.truth], ["model", (last) => last.q], ["drawn from", (last) => last.p, press]];
      const rows = strips.filter(Boolean).map(([label, shares, pick]) => [stripOf(view, draws, label, pick), shares]);
      const pointer = element("span", { class: "ra-luck" });
      draws.append(element("div", { class: "ra-strip-row" }, element("span", {}, "luck"), element("div", { class: "ra-lucky" }, pointer)));
      const buttons = [];
      const button = (k) => {
        const made = element("button", { type: "button", class: "ra-drawn", "data-word": String(k) }, element("span"), element("small"), element("small"));
        view.listen(made, "click", () => view.set({ written: k }));
        return made;
      };
      const begun = element("span", { class: "ra-begun" });
      text.append(begun);
      return ({ text: { drawn, next }, tokens, at }) => {
        now = { text: { drawn, next }, begun: tokens.slice(1, at + 1).map((token) => words[token]) };
        begun.textContent = now.begun.join(" ") || "(the start)";
        while (buttons.length < drawn.length) buttons.push(text.appendChild(button(buttons.length + 1)));
        const varies = new Set(drawn.map(({ possible }) => possible)).size > 1; // with top k it is always as many
        buttons.forEach((made, k) => {
          made.hidden = k >= drawn.length;
          if (made.hidden) return;
          const share = trueShare(drawn[k]);
          const word = words[drawn[k].token];
          made.firstChild.textContent = word;
          made.children[1].textContent = share === null ? "–" : short(share);
          made.lastChild.textContent = varies && drawn[k].possible < words.length ? `of ${drawn[k].possible}` : "";
          made.className = `ra-drawn${share === 0 ? " ra-lost" : ""}${k === drawn.length - 1 ? " ra-last" : ""}`;
          made.title = `Drawn with ${shareText(drawn[k].p[drawn[k].token])}, one of ${drawn[k].possible}. Press to go back to it.`;
          made.setAttribute("aria-label", `${word}, ${share === null ? "no truth" : `true ${short(share)}`}: go back to it`);
        });
        const last = lastOf({ drawn, next });
        const { strip, luck, token } = last;
        const how = next ? "How its first word will be drawn" : `How the last word, ${isolate(nameOf(words[token]))}, was drawn`;
        said.textContent = `${how}; hatched: words too thin to be shown${states && !last.truth ? "; the grammar has no answer here" : ""}`;
        for (const [draw, shares] of rows) draw(strip, shares(last), words, token);
        pointer.style.left = `${100 * luck}%`;
        pointer.textContent = luckText(luck);
      };
    },
  };
}
