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
