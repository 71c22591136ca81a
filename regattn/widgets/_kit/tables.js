// Tables of numbers with words on both sides, darker for larger. Made anew only when their shape changes; after that
// only texts, shades and marks move. Colours come from explorer.css.
import { element } from "./controls.js";
import { shorten } from "./format.js";

function setText(node, words) {
  if (node.textContent !== words) node.textContent = words;
}

export function setLabel(node, word) {
  setText(node, shorten(word));
  if (node.title !== word) node.title = word;
}

// Arrow keys move among the cells of a table that answers to a hand; Enter or a click picks, hover and focus light.
function handTable(table, { cells, pick, light, signal }) {
  table.classList.add("ra-pickable");
  table.setAttribute("role", "grid");
  let here = [0, 0];
  const place = ({ target }) => {
    const i = cells().findIndex((line) => line.includes(target));
    return i < 0 ? null : [i, cells()[i].indexOf(target)];
  };
  const on = (event, handler) => table.addEventListener(event, handler, { signal });
  const stand = (at) => {
    cells()[here[0]]?.[here[1]]?.setAttribute("tabindex", "-1");
    here = at;
    cells()[here[0]][here[1]].setAttribute("tabindex", "0");
  };
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  on("click", (event) => {
    const at = place(event);
    if (at) stand(at);
    if (at) pick?.(...at);
  });
  on("keydown", (event) => {
    const at = place(event);
    if (!at) return;
    if (event.key in steps) {
      const [i, j] = steps[event.key].map((by, k) => at[k] + by);
      const to = cells()[i]?.[j];
      if (to) stand([i, j]);
      to?.focus();
    } else if (event.key === "Enter" || event.key === " ") pick?.(...at);
    else return;
    event.preventDefault();
  });
  if (light) {
    on("pointerover", (event) => light(place(event)));
    on("focusin", (event) => light(place(event)));
    on("pointerleave", (event) => event.pointerType === "touch" || light(null));
    on("focusout", () => light(null));
  }
  return () => stand([0, 0]);
}

// A frame in which a table scrolls where it is too wide; then the keyboard reaches it, and a hint below says so. Returns
// the frame and what to call when the table may have changed.
export function scrollFrame(host, table, label, hint = "") {
  const frame = host.appendChild(element("div", { class: "ra-scroll" }, table));
  const note = hint && host.appendChild(element("p", { hidden: "", style: "margin: 4px 0 0; color: var(--ra-soft)" }, hint));
  const fitted = () => {
    const wide = frame.scrollWidth > frame.clientWidth + 1;
    if (note) note.hidden = !wide;
    if (wide === frame.hasAttribute("tabindex")) return;
    for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", label]]) {
      if (wide) frame.setAttribute(name, value);
      else frame.removeAttribute(name);
    }
  };
  return { frame, fitted };
}

// Options: label (spoken); pick(i, j): a click on a cell, or Enter; light([i, j] or null): a cell under the pointer or
// with the focus; hint: what is said below it where it scrolls. Returns draw(rows, columns, values, look) with look =
// { text(value), most, marked(i, j) → class or "", chosen: [row flags, column flags] }; draw() without rows hides it.
export function numberTable(host, { label, pick = null, light = null, hint = "", signal }) {
  const table = element("table", { class: "ra-table", "aria-label": label });
  const { frame, fitted } = scrollFrame(host, table, label, hint);
  let heads = { rows: [], columns: [] };
  let cells = [];
  const enter = (pick || light) && handTable(table, { cells: () => cells, pick, light, signal });

  function build(rows, columns) {
    const head = (scope) => element("th", { scope, dir: "auto" });
    heads = { rows: rows.map(() => head("row")), columns: columns.map(() => head("col")) };
    const hand = enter ? { tabindex: "-1", "data-lm-suppress-shortcuts": "" } : {};
    cells = rows.map(() => columns.map(() => element("td", hand)));
    const top = element("tr", {}, element("td", { class: "ra-corner" }), ...heads.columns);
    const body = cells.map((line, i) => element("tr", {}, heads.rows[i], ...line));
    table.replaceChildren(element("thead", {}, top), element("tbody", {}, ...body));
    if (enter) enter();
  }

  return (rows, columns, values, { text, most, marked = () => "", chosen = [[], []] } = {}) => {
    frame.hidden = !rows;
    if (!rows) return;
    if (cells.length !== rows.length || cells[0].length !== columns.length) build(rows, columns);
    rows.forEach((word, i) => setLabel(heads.rows[i], word));
    columns.forEach((word, j) => {
      setLabel(heads.columns[j], word);
      heads.columns[j].classList.toggle("ra-upright", /^\d{1,2}$/.test(word));
    });
    heads.rows.forEach((head, i) => head.classList.toggle("ra-chosen", Boolean(chosen[0][i])));
    heads.columns.forEach((head, j) => head.classList.toggle("ra-chosen", Boolean(chosen[1][j])));
    cells.forEach((line, i) =>
      line.forEach((cell, j) => {
        setText(cell, text(values[i][j]));
        const shade = `${Math.round(45 * Math.min(1, Math.abs(values[i][j]) / most) || 0)}%`;
        if (cell.style.getPropertyValue("--ra-shade") !== shade) cell.style.setProperty("--ra-shade", shade);
        const mark = marked(i, j);
        if (cell.className !== mark) cell.className = mark;
      }),
    );
    fitted();
  };
}

// A panel that is one table; look(state) → [rows, columns, values, look] as numberTable draws them, or [null].
export function tablePanel(view, title, look, { pick = null, light = null, below = null, ...options } = {}) {
  return {
    title,
    ...options,
    make(host) {
      const draw = numberTable(host, { label: title, pick, light, signal: view.signal });
      const line = below && host.appendChild(element("p", { class: "ra-below", "aria-live": "polite" }));
      return (state) => {
        draw(...look(state));
        if (line && line.textContent !== below(state)) line.textContent = below(state);
      };
    },
  };
}

// The places whose share is that of the largest, but for rounding: several are no winner.
export function tied(shares, best) {
  return Array.from(shares.keys()).filter((k) => shares[k] >= shares[best] * (1 - 1e-9));
}

// Shares of one, each a bar behind its number. Returns draw(words, shares, text, best); of a tie none is marked.
export function shareBars(host, { label }) {
  const table = host.appendChild(element("table", { class: "ra-shares", "aria-label": label }));
  let lines = [];
  return (words, shares, text, best) => {
    table.hidden = !shares;
    if (!shares) return;
    if (lines.length !== words.length) {
      lines = words.map(() => ({
        head: element("th", { scope: "row", dir: "auto" }),
        bar: element("span", { class: "ra-share-bar", "aria-hidden": "true" }),
        value: element("td"),
      }));
      const row = ({ head, bar, value }) => element("tr", {}, head, element("td", { class: "ra-share-track" }, bar), value);
      table.replaceChildren(element("tbody", {}, ...lines.map(row)));
    }
    const won = best !== null && best >= 0 && tied(shares, best).length === 1;
    lines.forEach(({ head, bar, value }, k) => {
      setLabel(head, words[k]);
      setText(value, text(shares[k]));
      bar.style.width = `${(100 * shares[k]).toFixed(2)}%`;
      head.parentElement.classList.toggle("ra-best", won && k === best);
    });
  };
}
