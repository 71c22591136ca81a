"""Fold, in JupyterLab, the cells that the pages fold too: imports, data, the styling of figures, and checks.

    python -m tools.fold_cells

A cell tagged `hide-input` or `checks` opens as one line; the reader unfolds it with a click. Cells of other kinds stay
open. The tests hold every notebook to this.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from regattn._files import write_whole

BOOK = Path(__file__).resolve().parents[1] / "book"
FOLDED = {"hide-input", "checks"}


def fold(notebook: dict[str, Any]) -> bool:
    """Fold the cells of a notebook that are to be folded, and no others; return whether that changed anything."""
    changed = False
    for cell in notebook["cells"]:
        metadata = cell["metadata"]
        settings = metadata.get("jupyter", {})
        wanted = cell["cell_type"] == "code" and bool(FOLDED & set(metadata.get("tags", ())))
        if settings.get("source_hidden", False) == wanted:
            continue
        changed = True
        settings = (
            {**settings, "source_hidden": True}
            if wanted
            else {k: v for k, v in settings.items() if k != "source_hidden"}
        )
        metadata.pop("jupyter", None)
        if settings:
            metadata["jupyter"] = settings
        cell["metadata"] = dict(sorted(metadata.items()))
    return changed


def main() -> None:
    """Write every notebook whose cells are folded otherwise."""
    for path in sorted(BOOK.rglob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if fold(notebook):
            write_whole(path, json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
            print(path.relative_to(BOOK.parent).as_posix())


if __name__ == "__main__":
    main()
