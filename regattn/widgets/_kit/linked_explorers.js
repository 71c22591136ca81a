// What one explorer of a page hands to another: a ModelExplorer says after which words it predicts, and its scores of
// the next one; a SamplingExplorer listens. Every explorer is a module of its own, so they meet at the document.
import { controlRow, element } from "./controls.js";
import { same } from "./link.js";

const SAID = "regattn-said";
const ASKED = "regattn-asked";
const FEEDER = /^model(-\d{1,3})?$/; // what a ModelExplorer is called in the page's address

// Let an explorer say what it found after every change and to whoever asks, and take its leave at its end.
export function feeds(view, found) {
  const say = (said) => document.dispatchEvent(new CustomEvent(SAID, { detail: { by: view, said } }));
  view.refreshers.push(() => say(found()));
  view.listen(document, ASKED, () => say(found()));
  view.signal.addEventListener("abort", () => say(null));
}

// Whether what was said is a prediction of the words of this explorer.
function isPrediction(said, words) {
  if (!said || typeof said.read !== "string" || !same(said.words, words)) return false;
  const logits = Array.from(said.logits ?? []);
  return logits.length === words.length && logits.every(Number.isFinite);
}

// The beginnings that Python gave, and below them those of the ModelExplorers that are there: which of these is
// followed is the trait `follows`, and what it said last is `fed`.
export function beginnings(view, { name, label, options, help }) {
  const heard = new Map();
  const { model } = view;
  const input = element("select", {}, ...options.map(([value, words]) => element("option", { value }, words)));
  const group = element("optgroup", { label: "The sentence of the ModelExplorer" });
  controlRow(view, name, label, input, { help });
  const fedBy = (from) => heard.get(from)?.fed;
  const show = () => {
    const [from, fed] = [model.get("follows"), model.get("fed")];
    const offered = new Map([...(from && fed ? [[from, fed]] : []), ...[...heard].map(([key, one]) => [key, one.fed])]);
    const made = [...offered].map(([key, { read }]) => element("option", { "data-from": key }, read || "(the start)"));
    if (made.map((one) => one.outerHTML).join("") !== group.innerHTML) group.replaceChildren(...made);
    if (!made.length) group.remove();
    else if (!group.isConnected) input.append(group);
    const chosen = [...input.options].find((one) => one.dataset.from === from && offered.has(from));
    const own = [...input.options].find((one) => !("from" in one.dataset) && one.value === model.get(name));
    const now = chosen ?? own;
    if (!now.selected) now.selected = true;
  };
  const follow = () => {
    show();
    const fed = fedBy(model.get("follows"));
    if (fed && !same(fed, model.get("fed"))) view.set({ fed });
  };
  view.listen(input, "change", () => {
    const { from } = input.selectedOptions[0].dataset;
    view.set(from ? { follows: from, fed: fedBy(from) ?? model.get("fed") } : { [name]: input.value, follows: "" });
  });
  view.listen(document, SAID, ({ detail }) => {
    const { by, said } = detail ?? {};
    const from = String(by?.called);
    if (FEEDER.test(from) && isPrediction(said, model.get("data").words)) {
      heard.set(from, { by, fed: { read: said.read, logits: Array.from(said.logits) } });
    } else if (heard.get(from)?.by === by) heard.delete(from);
    follow();
  });
  view.refreshers.push(follow);
  // a link to what is shown has the ModelExplorer's part as well
  view.before = (hash) => heard.get(model.get("follows"))?.by.written?.(hash) ?? hash;
  document.dispatchEvent(new CustomEvent(ASKED));
}

export const followsFits = { follows: (value) => value === "" || (typeof value === "string" && FEEDER.test(value)) };
