// Answer the search's questions for a page's text from what travelled with it, so that it works from a file.
const fetchElsewhere = window.fetch.bind(window);
window.fetch = (address, options) => {
  const root = new URL(document.documentElement.dataset.content_root ?? "./", document.baseURI);
  const url = new URL(address, document.baseURI);
  const page = decodeURIComponent(url.href.startsWith(root.href) ? url.href.slice(root.href.length) : "");
  const text = window.searchTexts[page.split(/[?#]/)[0]];
  if (text === undefined) return fetchElsewhere(address, options);
  const article = document.createElement("div");
  article.setAttribute("role", "main");
  article.textContent = text;
  return Promise.resolve(new Response(article.outerHTML, { headers: { "Content-Type": "text/html" } }));
};

// A heading that holds all the words as they were typed, three at least, comes first. The numbers are the search's own.
const typed = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().trim().replace(/\s+/g, " ");
const whole = (title) => typed.split(" ").length > 2 && title.toLowerCase().includes(typed);
window.Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([, title, , , score]) => score + (whole(title) ? 1000 : 0),
};
