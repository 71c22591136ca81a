"""Sphinx extension: the equations of a chapter are numbered (3.1), (3.2), … by the number in the chapter's file name.

Sphinx numbers them through the whole book, since chapters carry their numbers in their titles. Labels, references and
the links from docstrings read their numbers where they are replaced here.
"""

from __future__ import annotations

from copy import deepcopy

from chapters import chapter_of

EQUATION = "displaymath"  # what Sphinx calls an equation where it counts


def restore(app, env) -> list[str]:
    """Give Sphinx its own numbers back before it counts again, so that it sees which pages change."""
    env.toc_fignumbers = getattr(env, "own_fignumbers", env.toc_fignumbers)
    return []


def number(app, env) -> list[str]:
    """Replace the numbers of the equations of each chapter, which Sphinx has counted in reading order.

    Where one has changed since the last build, any page may refer to it: all are written again.
    """
    env.own_fignumbers, env.toc_fignumbers = env.toc_fignumbers, deepcopy(env.toc_fignumbers)
    for docname, counted in env.toc_fignumbers.items():
        chapter = chapter_of(docname) if docname.startswith("book/part") else None
        if chapter and EQUATION in counted:
            names = sorted(counted[EQUATION], key=counted[EQUATION].get)
            counted[EQUATION] = {name: (chapter.number, place) for place, name in enumerate(names, start=1)}
    before = getattr(env, "equation_numbers", None)
    env.equation_numbers = {docname: counted.get(EQUATION) for docname, counted in env.toc_fignumbers.items()}
    return sorted(env.found_docs) if before not in (None, env.equation_numbers) else []


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("env-get-updated", restore, priority=100)
    app.connect("env-get-updated", number, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
