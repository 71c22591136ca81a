// Filters the ledger in the page. The choice stands in the address, so that it can be shared and reloaded.
(() => {
  const form = document.querySelector(".ledger-filter");
  const entries = [...document.querySelectorAll("ul.ledger > .ledger-entry")];
  const status = form.querySelector("[role=status]");
  const kinds = ["source", "verdict", "chapter"];
  const texts = new Map(entries.map((entry) => [entry, entry.textContent.toLowerCase()]));

  const matches = (entry, choice, text) =>
    kinds.every((kind) => !choice[kind] || entry.classList.contains(`${kind}-${choice[kind]}`)) &&
    texts.get(entry).includes(text);

  function apply() {
    const choice = Object.fromEntries([...new FormData(form)].filter(([, value]) => value.trim()));
    const text = (choice.text ?? "").trim().toLowerCase();
    let shown = 0;
    for (const entry of entries) {
      entry.hidden = !matches(entry, choice, text);
      shown += !entry.hidden;
    }
    status.textContent = shown ? `${shown} of ${entries.length} entries` : "No entry fits. Widen the choice.";
    const query = new URLSearchParams(choice).toString();
    try {
      history.replaceState(null, "", (query ? `?${query}` : location.pathname) + location.hash);
    } catch { /* a page opened in a frame without an address of its own */ }
  }

  function reveal() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target?.hidden) return;
    form.reset();
    target.scrollIntoView();
  }

  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  window.addEventListener("hashchange", reveal);
  for (const [name, value] of new URLSearchParams(location.search)) {
    const control = form.elements.namedItem(name);
    if (control) control.value = value;
    if (control instanceof HTMLSelectElement && control.selectedIndex < 0) control.value = "";
  }
  form.hidden = false;
  apply();
  reveal();
})();
