"""Who will show an explorer: an editor that has a kernel, or a page made from a notebook."""

from __future__ import annotations

import os
import sys

from IPython import get_ipython

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def has_editor() -> bool:
    """Return whether a reader's editor runs this cell: it names the cell, which nbconvert and its like do not.

    Without one nobody can move a trait, and the widget's own view would be an empty place in a page that has no
    network; the HTML form moves there.
    """
    request = getattr(get_ipython(), "get_parent", dict)()
    live = "google.colab" in sys.modules or os.environ.get("SERVER_SOFTWARE", "").startswith("voila/")
    return not request or live or "cellId" in request.get("metadata", {})
