// The one quiet menu of an explorer, and the buttons of its presets. Nothing here changes what a control means.
import { element } from "./controls.js";
import { csvOf, differences, readHash, same, writeHash } from "./link.js";

// All words of the menu, in one place.
function menuWords() {
  return {
    menu: "Menu of this explorer",
    reset: "Reset",
    link: "Copy link",
    copied: "Link copied",
    select: "Copy this link:",
    numbers: "Download numbers",
    lock: "Lock axes",
    locked: "axes locked",
    presets: "Ready-made settings",
  };
}

function save(name, text) {
  const address = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
  const link = element("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// Copy by the clipboard where the page may use it, else by the old command, which pages from disk still have.
async function copy(text, field) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    field.hidden = false;
    field.value = text;
    field.focus();
    field.select();
    return document.execCommand("copy");
  }
}

// `view.specs` are the controls. Gives view.restore(): take the state from the page's address, where it has one, and say
// whether the link was to this explorer. A link has the state in it, and in any case what the explorer `keeps`.
export function buildMenu(view, { live, plots, valid, keeps = [] }) {
  const words = menuWords();
  const { model, specs } = view;
  const settings = () => Object.fromEntries(specs.map(({ name }) => [name, model.get(name)]));
  const start = settings();
  const kind = view.root.dataset.widget;
  const alike = [...document.querySelectorAll(`figure.regattn[data-widget="${kind}"]`)].indexOf(view.root) + 1;
  const key = `regattn-${kind.replace(/Explorer$/, "").toLowerCase()}${alike > 1 ? `-${alike}` : ""}`;
  const kept = () => Object.fromEntries(Object.entries(settings()).filter(([name]) => keeps.includes(name)));
  const link = () => writeHash(location.hash, key, { ...kept(), ...differences(settings(), start) });
  const said = element("span", { class: "ra-said", role: "status" });
  const field = element("input", { type: "text", class: "ra-link", readonly: "", "aria-label": words.select });
  field.hidden = true;
  const box = element("div", { class: "ra-menu-box" });
  const summary = element("summary", { "aria-label": words.menu, title: words.menu }, "⋯");
  const details = element("details", { class: "ra-menu" }, summary, box);
  const say = (text) => (said.textContent = text);
  const button = (label, action) => {
    const made = box.appendChild(element("button", { type: "button", "data-menu": label }, label));
    view.listen(made, "click", () => action(made));
    return made;
  };
  const close = () => (details.open = false);

  button(words.reset, () => {
    view.set(start);
    close();
    summary.focus();
  });
  if (!live) {
    button(words.link, async () => {
      const address = location.href.split("#")[0] + link();
      say((await copy(address, field)) ? words.copied : words.select);
    });
  }
  button(words.numbers, () => {
    save(`${key}.csv`, csvOf(settings(), view.root.model.result()));
    close();
    summary.focus();
  });
  if (plots.length) {
    const badge = element("span", { class: "ra-badge" });
    view.bar.append(badge);
    const lock = button(words.lock, () => view.lock(lock.getAttribute("aria-pressed") !== "true"));
    lock.setAttribute("aria-pressed", "false");
    view.lock = (on) => {
      lock.setAttribute("aria-pressed", String(on));
      badge.textContent = on ? words.locked : "";
      for (const plot of plots) plot.lock(on);
      view.update();
    };
  }
  box.append(said, field);
  view.bar.append(details);
  view.listen(details, "toggle", () => details.open || (say(""), (field.hidden = true)));
  view.listen(details, "keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    close();
    summary.focus();
  });
  view.listen(document, "pointerdown", (event) => details.contains(event.target) || close());

  view.restore = () => {
    const found = live ? null : readHash(location.hash, key, specs, valid);
    if (found) view.show({ ...start, ...found });
    return found !== null && location.hash.replace(/^.*[#&]/, "").startsWith(`${key}=`);
  };
  if (!live) view.listen(window, "hashchange", () => view.restore() && view.root.scrollIntoView());
}

// Buttons that set every control at once, and run to its end what they leave at its start. One that locks the axes does
// so at the state of the start, where sizes are compared with; any other one that follows, or a hand, sets them free.
export function buildPresets(view, presets) {
  if (!presets.length) return;
  const start = view.now();
  let locked = false;
  view.free = () => {
    if (locked) view.lock?.(false);
    locked = false;
  };
  const buttons = presets.map(([label, values, lock]) => {
    const made = element("button", { type: "button", class: "ra-word", "data-preset": label }, label);
    view.listen(made, "click", () => {
      if (lock || locked) view.lock?.(false);
      if (lock) {
        view.set(start);
        view.lock?.(true);
      }
      locked = lock;
      view.show(values);
      if (view.run?.finishes) view.run.finish();
    });
    view.refreshers.push(() => {
      const ran = (name, value) => view.run?.finishes && name === view.run.name && value <= view.run.min;
      const on = Object.entries(values).every(([name, value]) => ran(name, value) || same(view.model.get(name), value));
      made.setAttribute("aria-pressed", String(on));
    });
    return made;
  });
  const group = { class: "ra-words ra-presets", role: "group", "aria-label": menuWords().presets };
  view.body.prepend(element("div", group, ...buttons));
}
