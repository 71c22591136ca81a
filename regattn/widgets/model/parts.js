// The parts of the model as buttons, and the words of the sentence above them, shaded by what one head looks at.
import { element } from "../_kit/controls.js";
import { isolate } from "../_kit/format.js";
import { END } from "./controls.js";
import { weightText } from "./panels.js";

const TITLES = {
  silence: "Point: where a head looks. Click: silence it",
  exchange: "Point: where a head looks. Click: exchange it",
};

// Nats with two decimals.
function centsOf(cost) {
  const size = Math.abs(cost).toFixed(2);
  return Number(size) ? `${cost < 0 ? "−" : ""}${size.replace(/^0/, "")}` : "0";
}

// What a word is called: a sentence begins after a full stop, which a head may look at.
const nameOf = (words, k) => (words[k] !== "." ? words[k] : k ? "full stop" : "start");

// The words of a sentence. Returns what shades them by weights, frames the one at a place, and pales those after it.
function wordsRow(view, host, pick) {
  const row = host.appendChild(element("div", { class: `ra-looks${pick ? " ra-pick" : ""}`, dir: "auto" }));
  const chips = [];
  if (pick) view.listen(row, "click", ({ target }) => chips.some((chip) => chip.contains(target)) && pick(chips.findIndex((chip) => chip.contains(target))));
  return (words, weights, at) => {
    row.hidden = !words;
    while (words && chips.length < words.length) chips.push(row.appendChild(element("span", { class: "ra-look" }, element("span"), element("small"))));
    chips.splice(words?.length ?? 0).forEach((chip) => chip.remove());
    chips.forEach((chip, k) => {
      chip.firstChild.textContent = nameOf(words, k);
      chip.lastChild.textContent = weightText(weights[k]);
      chip.style.setProperty("--ra-shade", `${Math.round(60 * (weights[k] ?? 0))}%`);
      chip.classList.toggle("ra-asked", k === at);
      chip.classList.toggle("ra-after", k > at);
    });
  };
}

// What is said above the words: who looks, from where, and what becomes of it.
function saidOf(part, pressed, exchanges, from) {
  const [layer, head] = part.split(".");
  const silent = pressed && !exchanges ? " is silent; it" : "";
  return `${part} (layer ${layer}, head ${head})${silent} looks from ${isolate(from)} at`;
}

export function partsPanel(view, { model }, pointed) {
  const pick = view.hides("place") ? null : (k, known) => view.set({ place: k < known ? k : END });
  const costs = new Map(); // of parts that were silent alone, as long as the same is asked
  let asked = "";
  return {
    title: TITLES.silence,
    make(host) {
      let state = null;
      const said = host.parentElement.querySelector(".ra-title");
      const line = () => host.appendChild(element("p", { class: "ra-looks-said" }));
      const [who, here] = [line(), wordsRow(view, host, pick && ((k) => pick(k, state.known.length)))];
      const [other, there] = [line(), wordsRow(view, host, null)];
      function look() {
        const part = pointed.part ?? state.head;
        const [layer, head] = part.split(".").map((number) => number - 1);
        const pressed = state.silenced.includes(part);
        const far = state.looksThere?.[layer][head];
        who.textContent = saidOf(part, pressed, Boolean(far), nameOf(state.words, state.at));
        here(state.words, state.looks[layer][head].weights, state.at);
        other.textContent = pressed ? "Now it writes what it gathers in the other sentence:" : "and in the other sentence at";
        other.hidden = !far;
        there(far && state.wordsThere, far?.weights, far && far.weights.length - 1);
      }
      function point(part) {
        pointed.part = part;
        look();
        pointed.moved?.();
      }
      // A button for each part: what it looks at most, and whether it is silent. Pointed at, it shades the words.
      const button = (part, name) => {
        const looks = element("span");
        const own = { type: "button", class: "ra-part", "data-control": `silence-${part.replace(".", "-")}` };
        const price = element("small");
        const made = element("button", own, element("bdi", {}, element("strong", {}, name), " ", price), looks);
        const heads = !part.endsWith("ff");
        view.listen(made, "click", () => {
          const now = view.model.get("silenced");
          const silenced = (now.includes(part) ? now.filter((each) => each !== part) : [...now, part]).sort();
          view.set({ silenced, ...(heads && { head: part }) });
        });
        for (const event of ["pointerenter", "focus"]) view.listen(made, event, () => heads && point(part));
        for (const event of ["pointerleave", "blur"]) view.listen(made, event, () => point(null));
        return { part, made, looks, price };
      };
      const rows = model.layers.map((_, l) => {
        const heads = Array.from({ length: model.heads }, (_, h) => button(`${l + 1}.${h + 1}`, `${l + 1}.${h + 1}`));
        const row = [...heads, button(`${l + 1}.ff`, "feed-forward")];
        host.append(element("div", { class: "ra-part-row", role: "group", "aria-label": `layer ${l + 1}` }, ...row.map(({ made }) => made)));
        return row;
      });
      const most = (found, words, without) => (found ? `${nameOf(words, found.most)} ${weightText(found.weights[found.most])}` : without);
      return (now) => {
        state = now;
        const exchanges = now.donor.length > 0;
        said.textContent = (exchanges ? TITLES.exchange : TITLES.silence) + (pick ? ". A word: ask there" : "");
        const key = `${now.at} ${now.known.join(" ")}`;
        if (key !== asked) costs.clear();
        asked = key;
        const alone = now.apart ?? (now.silenced.length === 1 && !exchanges && now.cost !== null ? [now.cost] : []);
        alone.forEach((cost, k) => costs.set(now.silenced[k], cost));
        rows.forEach((row, l) =>
          row.forEach(({ part, made, looks, price }, h) => {
            price.textContent = costs.has(part) && !exchanges ? `costs ${centsOf(costs.get(part))}` : "";
            const pressed = now.silenced.includes(part);
            made.setAttribute("aria-pressed", String(pressed));
            made.classList.toggle("ra-swapped", pressed && exchanges);
            const off = exchanges ? `← ${most(now.looksThere?.[l][h], now.wordsThere, "swapped")}` : "silent";
            looks.textContent = pressed ? off : most(now.looks[l][h], now.words, "writes");
            const brought = pressed ? now.looksThere?.[l][h] : now.looks[l][h]; // a word that only one of the two sentences has
            const only = (words, others) => Boolean(exchanges && brought && !others.includes(words[brought.most]));
            made.classList.toggle("ra-from-here", !pressed && only(now.words, now.wordsThere));
            made.classList.toggle("ra-from-there", pressed && only(now.wordsThere, now.words));
          }),
        );
        look();
      };
    },
  };
}
