// Marks, in the side bar, the section that is read.
addEventListener("DOMContentLoaded", () => {
  const links = new Map([...document.querySelectorAll(".nav-sections a")].map((link) => [link.hash.slice(1), link]));
  const heads = [...links.keys()].map((id) => document.getElementById(decodeURIComponent(id))).filter(Boolean);
  let last = null;
  const look = () => {
    const now = heads.filter((section) => section.getBoundingClientRect().top < innerHeight * 0.3).at(-1);
    if (now === last) return;
    last = now;
    for (const [id, link] of links) {
      if (now && decodeURIComponent(id) === now.id) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
  };
  let asked = false;
  addEventListener("scroll", () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; look(); });
  }, { passive: true });
  look();
});
