"""What every explorer shares: traits that check themselves, the JavaScript it runs, and the page it leaves behind."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from regattn._text import check_text
from regattn._validation import check_count, check_real

__all__ = ["Choice", "Count", "Explorer", "Real", "Text", "assemble", "plain", "safe_json"]

FOLDER = Path(__file__).parent
LOCAL_IMPORT = re.compile(r'^import\s[^;]*?from\s+"\./([\w.-]+\.js)";\n', re.MULTILINE)


@cache
def assemble(name: str) -> str:
    """Return ``<name>.js`` as one module: the local modules it imports come before it, each once, imports dropped."""
    parts: dict[str, str] = {}

    def visit(module: str) -> None:
        source = (FOLDER / module).read_text(encoding="utf-8")
        for imported in LOCAL_IMPORT.findall(source):
            if imported not in parts:
                visit(imported)
        parts[module] = LOCAL_IMPORT.sub("", source)

    visit(f"{name}.js")
    return "\n".join(parts.values())


def plain(value: Any) -> Any:
    """Return ``value`` with its arrays and NumPy numbers turned into lists and numbers, no digit lost; check texts."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist() if value.dtype.kind in "biuf" else plain(value.tolist())
    if isinstance(value, str):
        return check_text(value, "a label")
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def safe_json(value: Any) -> str:
    r"""Return compact JSON that may stand inside a ``<script>`` element, whatever its texts say.

    Examples
    --------
    >>> safe_json({"label": "</script>", "weight": 0.1})
    '{"label":"\\u003c/script\\u003e","weight":0.1}'
    """
    text = json.dumps(plain(value), separators=(",", ":"), allow_nan=False)  # ASCII: other signs are escaped already
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


class Real(traitlets.TraitType):
    """A finite number of at least ``least``, and at most ``most``."""

    def __init__(self, default: float, *, least: float = -np.inf, most: float = np.inf) -> None:
        super().__init__(default)
        self.least, self.most = least, most

    def validate(self, obj: Any, value: Any) -> float:
        """Return ``value`` as a float or raise a ValueError that names it."""
        return check_real(value, self.name, least=self.least, most=self.most)


class Count(traitlets.TraitType):
    """A whole number from ``least`` to what ``most`` answers for the explorer; ``bound`` says what that is."""

    def __init__(self, default: int, *, least: int = 0, most: Callable[[Any], int], bound: str = "") -> None:
        super().__init__(default)
        self.least, self.most, self.bound = least, most, bound

    def validate(self, obj: Any, value: Any) -> int:
        """Return ``value`` as an int or raise a ValueError that names it."""
        return check_count(value, self.name, least=self.least, most=self.most(obj), bound=self.bound)


class Choice(traitlets.TraitType):
    """One of a few words."""

    def __init__(self, *choices: str) -> None:
        super().__init__(choices[0])
        self.choices = choices

    def validate(self, obj: Any, value: Any) -> str:
        """Return ``value`` or raise a ValueError that names it."""
        if value not in self.choices:
            raise ValueError(f"{self.name} must be one of {', '.join(self.choices)}, got {value!r}")
        return value


class Text(traitlets.TraitType):
    """A text that a page can hold, whatever it says."""

    def validate(self, obj: Any, value: Any) -> str:
        """Return ``value`` or raise a ValueError that names it."""
        return check_text(value, self.name)


class Explorer(anywidget.AnyWidget):
    """A widget that also lives in a page without a kernel.

    In a notebook it is an ipywidget: its traits are live both ways. Elsewhere its ``text/html`` form carries the same
    JavaScript, its traits as JSON and a small model, and computes in the reader's browser, from a file, offline.

    A subclass declares its traits with ``.tag(sync=True)``, hands arrays over in :attr:`data`, and is written with
    its JavaScript beside it: ``class KernelExplorer(Explorer, module="kernel")`` reads ``kernel.js``, which must define
    a function ``render`` and end with ``export default { render };``.

    Attributes
    ----------
    data : dict
        What Python prepared for the browser, in lists and numbers at full precision.
    alt : str
        What the explorer shows, in words: read aloud, and shown where JavaScript is off.
    """

    _css = FOLDER / "explorer.css"
    data = traitlets.Dict(read_only=True).tag(sync=True)
    alt = Text("").tag(sync=True)

    def __init_subclass__(cls, *, module: str | None = None, **kwargs: Any) -> None:
        if module:
            cls._esm = assemble(module)
        super().__init_subclass__(**kwargs)

    def __init__(self, *, data: dict[str, Any], alt: str, **traits: Any) -> None:
        super().__init__()
        self.set_trait("data", plain(data))
        self.alt = alt
        for name, value in traits.items():
            setattr(self, name, value)

    def state(self) -> dict[str, Any]:
        """Return the traits that the browser needs, by name."""
        names = self.trait_names(sync=True)
        # ipywidgets' own traits (layout, tooltip, ...) and the code are no business of a page without a kernel
        return {n: getattr(self, n) for n in names if n not in anywidget.AnyWidget.class_trait_names() and n[0] != "_"}

    def to_html(self) -> str:
        """Return the explorer as a piece of HTML that needs neither kernel nor network."""
        name = type(self).__name__
        code = f'{self._esm}\n{assemble("page")}\nwake("{name}", render);\n'
        return (
            f'<figure class="regattn" data-widget="{name}" aria-label="{html.escape(self.alt)}">\n'
            f"<noscript><p>{html.escape(self.alt)} This explorer moves with JavaScript, which is switched off here; "
            "the figure beside it shows the same picture, standing still.</p></noscript>\n"
            f"<style>\n{self._css}</style>\n"
            f'<script type="application/json">{safe_json(self.state())}</script>\n'
            f'<script type="module">\n{code}</script>\n'
            "</figure>"
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        content, metadata = bundle
        return {**content, "text/plain": f"{type(self).__name__}: {self.alt}", "text/html": self.to_html()}, metadata


def check_labels(labels: Sequence[Any] | None, count: int, name: str, *, rows: str, first: int = 1) -> list[str]:
    """Return ``count`` labels as texts, or "row 1" and so on where none are given; raise if their number is wrong."""
    if labels is None:
        return [f"row {first + i}" for i in range(count)]
    if len(labels) != count:
        raise ValueError(f"{name} has {len(labels)} entries but there are {count} {rows}")
    return [check_text(str(label), f"an entry of {name}") for label in labels]
