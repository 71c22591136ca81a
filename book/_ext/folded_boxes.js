// A link to a part of what is in depth opens it: its address is on the section around, which is not closed.
const openPart = () => {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const part = place?.closest("section")?.querySelector(":scope > details.in-depth");
  if (part) part.open = true;
};
addEventListener("DOMContentLoaded", openPart);
addEventListener("hashchange", openPart);
addEventListener("click", ({ target }) => target.closest?.("a[href^='#']") && setTimeout(openPart));
