"""Sphinx extension: small repairs of what the tools write into a page.

- sphinx-thebe adds its settings to every page twice, a script error, for a live kernel this book does not offer.
- A list of citations has the role `list`, but its entries hold their back-links where only list items may stand.
- The theme prints a page in the colours of the screen, and so in the dark. Here what is printed is light.
"""

from __future__ import annotations

ON_PAPER = """\
(() => {
  const root = document.documentElement, paper = matchMedia("print");
  let before = null;
  const turn = () => {
    if (paper.matches && before === null) [before, root.dataset.theme] = [root.dataset.theme, "light"];
    if (!paper.matches && before !== null) [before, root.dataset.theme] = [null, before];
  };
  paper.addEventListener("change", turn);
})();
"""
THEBE = ("init_thebe_core", "update_thebe_context")


def drop_thebe(app, config) -> None:
    """Disconnect what sphinx-thebe would add to each page; its style sheet stays, which is harmless."""
    for listeners in app.events.listeners.values():
        for listener in list(listeners):
            if listener.handler.__module__ == "sphinx_thebe" and listener.handler.__name__ in THEBE:
                app.disconnect(listener.id)


def free_citations(app, pagename, templatename, context, doctree) -> None:
    """Take the role off each list of citations."""
    if "body" in context:
        context["body"] = context["body"].replace(
            '<div role="list" class="citation-list">', '<div class="citation-list">'
        )


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("config-inited", drop_thebe)
    app.connect("html-page-context", free_citations)
    app.add_js_file(None, body=ON_PAPER)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
