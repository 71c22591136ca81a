"""Sphinx extension: the library reference, made from the docstrings of the package.

A docstring links to the equation it implements by ``:eq:`label```; a label that leads nowhere fails the build.
"""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

from docutils import nodes
from sphinx.util.nodes import make_refnode

PAGE = "book/reference/library"
SETTINGS = {
    "autodoc_typehints": "none",
    "autodoc_preserve_defaults": True,
    "autodoc_member_order": "bysource",
    "napoleon_google_docstring": False,
    "napoleon_use_ivar": True,
    "napoleon_use_rtype": False,
    "add_module_names": False,
}


def settle(app, config) -> None:
    """Set the options of autodoc and napoleon, which concern this page alone."""
    for name, value in SETTINGS.items():
        setattr(config, name, value)


def skip(app, kind, name, member, options, arguments) -> bool | None:
    """Leave out the fields of named tuples, which their class describes, and what scikit-learn adds to estimators."""
    field = type(member).__name__ == "_tuplegetter"
    return True if field or re.fullmatch(r"set_\w+_request|get_metadata_routing", name) else None


def find_home(app, env, node, contnode) -> nodes.Node | None:
    """Link a name to the module that lists it, as `regattn.attend` to `regattn.attention.attend`."""
    if node.get("refdomain") != "py":
        return None
    domain, name = env.get_domain("py"), node["reftarget"].rpartition(".")[2]
    homes = [known for known in domain.objects if known.rpartition(".")[2] == name]
    if len(homes) != 1:
        return None
    target = domain.objects[homes[0]]
    return make_refnode(app.builder, node["refdoc"], target.docname, target.node_id, contnode, homes[0])


def stored_signature(name: str, value: object) -> str | None:
    """Return the arguments of a function that a record holds as a default, all of them: it is not a method."""
    module, _, rest = name.rpartition(".")
    home, _, record = module.rpartition(".")
    kind = getattr(sys.modules.get(home), record, None)
    if not is_dataclass(kind) or rest not in {field.name for field in fields(kind)} or not inspect.isfunction(value):
        return None
    return f"({', '.join(inspect.signature(value).parameters)})"


def shorten(app, *about) -> tuple[str, str | None] | None:
    """Put an ellipsis for a default value that fills a paragraph, and all arguments for a function that is stored."""
    _, name, value, *_, signature, returned = about
    stored = stored_signature(name, value)
    if stored is not None:
        return stored, returned
    return None if signature is None else (re.sub(r"=\w+\(.{60,}\)(?=\)$)", "=…", signature), returned)


def add_style(app, pagename, templatename, context, doctree) -> None:
    """Put the style of the library into its page."""
    if pagename == PAGE:
        style = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
        context["metatags"] = context.get("metatags", "") + f"<style>\n{style}</style>"


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.napoleon")
    app.connect("config-inited", settle)
    app.connect("autodoc-skip-member", skip)
    app.connect("missing-reference", find_home)
    app.connect("autodoc-process-signature", shorten)
    app.connect("html-page-context", add_style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
