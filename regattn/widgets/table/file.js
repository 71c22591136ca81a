// A file that the page hands to its reader, and a page of its own made from the explorer as it stands.
import { element } from "../_kit/controls.js";

export function save(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

const safeJson = (value) => JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// The explorer on a page of its own, with its table and settings; null where the page does not hold its code.
export function pageOf(root, state, title) {
  const code = root.querySelector('script[type="module"]'), styles = [...document.querySelectorAll("figure.regattn > style")];
  if (!code || !styles.length) return null;
  const alt = escaped(state.alt);
  return (
    `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>${escaped(title)}</title>\n` +
    `<meta name="viewport" content="width=device-width, initial-scale=1">\n</head>\n<body>\n<main>\n` +
    `<figure class=${JSON.stringify("regattn")} data-widget="TableExplorer" aria-label="${alt}">\n<noscript><p>${alt}</p></noscript>\n<style>${styles.map((style) => style.textContent).join("")}</style>\n` +
    `<script type="application/json">${safeJson(state)}<\/script>\n<script type="module">${code.textContent}<\/script>\n</figure>\n</main>\n</body>\n</html>\n`
  );
}
