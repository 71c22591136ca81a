"""The lines of a function, shown as they run."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING

from regattn._extras import needed_by

if TYPE_CHECKING:
    from IPython.display import Markdown

__all__ = ["blackboard"]


def blackboard(*functions: Callable) -> Markdown:
    """Show the source of some functions, usually of :mod:`regattn.from_scratch`, as highlighted Python.

    What is shown is what runs: text and code cannot differ.

    Parameters
    ----------
    functions : functions
        Written in Python, in the order to show; methods too.

    Returns
    -------
    IPython.display.Markdown
        A block of code that notebooks and pages display.

    Raises
    ------
    ValueError
        If there is nothing to show, or something is not a function written in Python.

    Examples
    --------
    >>> from regattn import from_scratch
    >>> print(blackboard(from_scratch.identity).data)
    ```python
    def identity(scores):
        \"\"\"Return the scores as they are: the kernel of least squares.\"\"\"
        return scores
    ```
    """
    with needed_by("regattn.figures.blackboard"):
        from IPython.display import Markdown

    if not functions:
        raise ValueError("blackboard needs at least one function, got none")
    for function in functions:
        if not inspect.isfunction(function):
            raise ValueError(f"blackboard shows functions written in Python, got {function!r}")
    sources = [textwrap.dedent(inspect.getsource(function)).rstrip() for function in functions]
    return Markdown("```python\n" + "\n\n\n".join(sources) + "\n```")
