// Filters the ledger in the page. The choice stands in the address, so that it can be shared and reloaded.
(() => {
  const form = document.querySelector(".ledger-filter");
  const entries = [...document.querySelectorAll("ul.ledger > .ledger-entry")];
  const status = form.querySelector("[role=status]");
  const kinds = ["source", "verdict", "chapter"];

  // One spelling for a formula, however it is typed: X'X, XᵀX and X^\top X; \beta, β̂ and beta; ^{-1} and ⁻¹.
  const greek = {
    α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", ζ: "zeta", η: "eta", θ: "theta", κ: "kappa",
    λ: "lambda", μ: "mu", ν: "nu", ξ: "xi", π: "pi", ρ: "rho", σ: "sigma", ς: "sigma", τ: "tau", φ: "phi", χ: "chi",
    ψ: "psi", ω: "omega",
  };
  const silent = /\\(left|right|math\w+|text\w*|boldsymbol|operatorname|hat|tilde|bar|quad|[,;:!])(?![a-z])/g;
  const commands = {
    top: "'", prime: "'", intercal: "'", sqrt: "√", sum: "sigma", cdot: "·", times: "×", infty: "∞", Vert: "‖",
    lVert: "‖", rVert: "‖", langle: "⟨", rangle: "⟩", le: "≤", leq: "≤", ge: "≥", geq: "≥", approx: "≈", to: "→",
    varepsilon: "epsilon", varphi: "phi",
  };
  const spelled = (text) =>
    text
      .replace(silent, "")
      .replace(/\\\|/g, "‖")
      .replace(/\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, "$1/$2")
      .replace(/\\([A-Za-z]+)/g, (_, name) => commands[name] ?? name)
      .replace(/\^\s*(?:\{\s*['Tt⊤]\s*\}|['Tt⊤])/g, "'")
      .replace(/['’′ᵀ⊤]/g, "'")
      .normalize("NFKD")
      .replace(/\p{Mn}/gu, "")
      .toLowerCase()
      .replace(/[α-ω]/g, (letter) => greek[letter] ?? letter)
      .replace(/∑/g, "sigma")
      .replace(/\bsqrt\b/g, "√")
      .replace(/[−–]/g, "-")
      .replace(/⁄/g, "/")
      .replace(/[_^{}$\\]/g, "")
      .replace(/\s*([=+·×/≤≥<>|‖-])\s*/g, "$1")
      .replace(/([a-z)])'\s+(?=[a-z(]\b)/g, "$1'")
      .replace(/\s+/g, " ");
  const bare = (text) => text.replace(/[()[\]]/g, "");
  const texts = new Map(
    entries.map((entry) => {
      const text = spelled(entry.textContent);
      return [entry, [text, bare(text), bare(text).replace(/ /g, "")]];
    }),
  );
  // Every word must be there, in any order. In a formula brackets and spaces may be left out.
  const contains = ([text, open, closed], word) =>
    text.includes(word) ||
    (/[a-z]/.test(word) && open.includes(bare(word))) ||
    (/[a-z]/.test(word) && /[^a-z]/.test(word) && closed.includes(bare(word)));

  const matches = (entry, choice, words) =>
    kinds.every((kind) => !choice[kind] || entry.classList.contains(`${kind}-${choice[kind]}`)) &&
    words.every((word) => contains(texts.get(entry), word));

  function apply() {
    const choice = Object.fromEntries([...new FormData(form)].filter(([, value]) => value.trim()));
    const words = spelled(choice.text ?? "").trim().split(" ");
    let shown = 0;
    for (const entry of entries) {
      entry.hidden = !matches(entry, choice, words);
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
