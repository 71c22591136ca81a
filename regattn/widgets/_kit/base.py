"""What every explorer shares in Python: its controls, the panels a chapter hides, and the page it leaves behind."""

from __future__ import annotations

import html
import inspect
import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import anywidget
import pandas as pd
import traitlets

from regattn._files import atomic_write
from regattn._text import check_text
from regattn.widgets._kit.controls import Control
from regattn.widgets._kit.frontend import WIDGET_VIEW, has_editor
from regattn.widgets._kit.page import assemble, document, own_style, plain, safe_json, scope_name, scoped, style

__all__ = ["Explorer", "check_labels", "label_place", "name_of"]

MORE = "more"  # by this name a page hides the line More, all that stands behind it, and the numbers
EVERY = """hide : sequence of str, default ()
    Controls and panels that this page does not use; "more" is the line "More", all that stands behind
    it, and the numbers.
presets : mapping of str to mapping, optional
    Buttons: a name, and the controls that it sets; all others go where they stood at the start. With ``"lock": True``
    among them the axes stay as they were there, so that sizes can be compared.
alt : str, optional
    The explorer in words.
"""
COMMON = {
    "hide": ((), "Sequence[str]"),
    "presets": (None, "Mapping[str, Mapping[str, Any]] | None"),
    "alt": (None, "str | None"),
}
"""What every explorer takes: its default and its type."""


class Text(traitlets.TraitType):
    """A text that a page can hold, whatever it says."""

    def validate(self, obj: Any, value: Any) -> str:
        """Return ``value`` or raise a ValueError that names it."""
        return check_text(value, self.name)


class Explorer(anywidget.AnyWidget):
    """A widget that also lives in a page without a kernel.

    In a notebook it is an ipywidget: its controls are live both ways. Elsewhere its ``text/html`` form carries the same
    JavaScript, its values as JSON and a small model, and computes in the reader's browser, from a file, offline.

    A subclass declares its controls, hands arrays over in :attr:`data`, and has a folder of its own: in
    ``kernel/__init__.py``, ``class KernelExplorer(Explorer, panels=["curve", "weights"])`` reads
    ``kernel/view.js``, which calls ``explorer`` of explorer.js. The controls enter the docstring before "Raises", and
    the signature.

    Attributes
    ----------
    data : dict
        What Python prepared for the browser, in lists and numbers at full precision.
    alt : str
        What the explorer shows, in words: read aloud, and shown where JavaScript is off.
    kit : dict
        What the browser builds: controls, what is hidden, presets.
    """

    controls: ClassVar[tuple[str, ...]] = ()
    panels: ClassVar[tuple[str, ...]] = ()
    hides_unused: ClassVar[bool] = False
    """Whether a control in More is not shown, rather than off, where it means nothing."""
    hands_script_on: ClassVar[bool] = False
    """Whether it writes pages with its script, of which a page of the book must then leave nothing out."""
    _css = style()
    _own_style = ""
    data = traitlets.Dict(read_only=True).tag(sync=True)
    kit = traitlets.Dict(read_only=True).tag(sync=True)
    alt = Text("").tag(sync=True)

    def __init_subclass__(cls, *, panels: Sequence[str] = (), **kwargs: Any) -> None:
        if panels:
            folder = cls.__module__.rpartition(".")[2]
            cls._esm, cls._own_style = assemble(f"{folder}/view.js"), own_style(folder)
            cls._css = style() + cls._own_style
        super().__init_subclass__(**kwargs)
        declared = {name: part for name, part in vars(cls).items() if isinstance(part, Control)}
        cls.controls, cls.panels = (*cls.controls, *declared), tuple(panels) or cls.panels
        _document(cls, declared)

    def __init__(
        self,
        *,
        data: dict[str, Any],
        alt: str,
        hide: Sequence[str] = (),
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        **traits: Any,
    ) -> None:
        for name in traits:
            if name not in self.controls:
                raise TypeError(f"{type(self).__name__} got an unexpected keyword argument {name!r}")
        self.hidden = self._check_hidden(hide)
        super().__init__()
        self.set_trait("data", plain(data))
        self.alt = alt
        for name, value in traits.items():
            if value is not None:  # else the default stays
                setattr(self, name, value)
        declared = self.traits()
        specs = [declared[name].spec(self) for name in self.controls]
        kit = {"controls": specs, "hide": self.hidden, "presets": self._check_presets(presets)}
        self.set_trait("kit", plain(kit | {"hides_unused": self.hides_unused}))

    def _check_hidden(self, hide: Sequence[str]) -> list[str]:
        known = [*self.controls, *self.panels, MORE]
        wrong = hide if isinstance(hide, str) else next((name for name in hide if name not in known), None)
        if wrong is not None:
            raise ValueError(f"hide must be a list of some of {', '.join(known)}, got {wrong!r}")
        return list(hide)

    def _check_presets(self, presets: Mapping[str, Mapping[str, Any]] | None) -> list[list[Any]]:
        checked, known = [], self.traits()
        start = {name: getattr(self, name) for name in self.controls}
        for label, given in (presets or {}).items():
            values = {name: value for name, value in given.items() if name != "lock"}
            for name in values:
                if name not in self.controls:
                    raise ValueError(f"the preset {label!r} sets {name!r}; controls are {', '.join(self.controls)}")
            values = start | {name: known[name].validate(self, value) for name, value in values.items()}
            checked.append([check_text(label, "a preset"), values, bool(given.get("lock", False))])
        return checked

    def state(self) -> dict[str, Any]:
        """Return the traits that the browser needs, by name."""
        names = self.trait_names(sync=True)
        # ipywidgets' own traits (layout, tooltip, ...) and the code are no business of a page without a kernel
        return {n: getattr(self, n) for n in names if n not in anywidget.AnyWidget.class_trait_names() and n[0] != "_"}

    def to_html(self, path: str | os.PathLike | None = None, *, title: str | None = None) -> str:
        """Return the explorer as HTML that needs neither kernel nor network: a piece of a page, or a page of its own.

        Parameters
        ----------
        path : path, optional
            Where to write a page of its own, in a folder that exists.
        title : str, optional
            Title of that page; by default the name of the class. With a title alone the page is only returned.

        Raises
        ------
        ValueError
            If the title cannot be written as UTF-8.
        FileNotFoundError
            If the folder of ``path`` does not exist.
        """
        if path is None and title is None:
            return self._piece(self._page_state())
        piece = self._piece(self.state())
        page = document(piece, check_text(type(self).__name__ if title is None else title, "title"))
        if path is not None:
            with atomic_write(path) as file:
                file.write(page.encode())
        return page

    def _page_state(self) -> dict[str, Any]:
        """Return what a piece of a page holds; without ``data`` it reads those of the page's first of its kind."""
        return self.state()

    def _piece(self, state: dict[str, Any]) -> str:
        """Return the explorer as a piece of HTML."""
        name, alt = type(self).__name__, html.escape(self.alt)
        page, own = "_kit/page.js", scope_name("_kit/page.js")
        styles = "".join(f"<style>\n{rules}</style>\n" for rules in (style(), self._own_style) if rules)
        there = f"const {own} = " in self._esm  # of an explorer that imports it
        code = f'{self._esm}\n{"" if there else scoped(page, assemble(page))}{own}.wake("{name}", render);\n'
        return (
            f'<figure class="regattn" data-widget="{name}" aria-label="{alt}">\n'
            f"<noscript><p>{alt} This explorer moves with JavaScript, which is switched off here.</p></noscript>\n"
            f"{styles}"
            f'<script type="application/json">{safe_json(state)}</script>\n'
            f'<script type="module"{" data-whole" * self.hands_script_on}>\n{code}</script>\n'
            "</figure>"
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        content, metadata = bundle
        if not has_editor():
            content = {kind: value for kind, value in content.items() if kind != WIDGET_VIEW}
        return {**content, "text/plain": f"{type(self).__name__}: {self.alt}", "text/html": self.to_html()}, metadata


def _document(cls: type, declared: Mapping[str, Control]) -> None:
    """Put the controls into the docstring of an explorer and into the signature that editors show."""
    own = inspect.signature(cls.__init__).parameters
    rest = {name: part for name, part in declared.items() if name not in own}
    entries = "".join(part.documentation(name) for name, part in rest.items())
    if "\n    Raises\n" in (cls.__doc__ or ""):
        head, raises, tail = inspect.cleandoc(cls.__doc__).partition("\nRaises\n")
        begun = "" if "\nParameters\n" in head else "\nParameters\n----------\n"  # an explorer may have controls alone
        cls.__doc__ = f"{head}{begun}{entries}{EVERY}{raises}{tail}"
    kept = [part for name, part in own.items() if name != "self" and part.kind is not inspect.Parameter.VAR_KEYWORD]
    more = {name: (None, f"{part.annotation()} | None") for name, part in rest.items()}
    more |= {name: entry for name, entry in COMMON.items() if name not in own}
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (default, annotation) in more.items()
    ]
    cls.__signature__ = inspect.Signature([*kept, *added], return_annotation="None")


def check_labels(
    labels: Sequence[Any] | None, count: int, name: str, *, rows: str, first: int = 1, table: Any = None
) -> list[str]:
    """Return ``count`` labels as texts; raise if their number is wrong.

    Where none are given they are those of the pandas ``table``, if it has any, else "row 1" and so on. Times of which
    none is within a day are days, and months where all are first days.
    """
    index = getattr(table, "index", None)
    if labels is None and isinstance(index, pd.Index) and not isinstance(index, pd.RangeIndex):
        labels = index
    if labels is None:
        return [f"row {first + i}" for i in range(count)]
    if len(labels) != count:
        raise ValueError(f"{name} has {len(labels)} entries but there are {count} {rows}")
    labels = list(labels)
    if labels and all(isinstance(label, pd.Timestamp) and label == label.normalize() for label in labels):
        months = count > 1 and all(label.day == 1 for label in labels)
        labels = [label.strftime("%Y-%m" if months else "%Y-%m-%d") for label in labels]
    texts = [", ".join(map(str, label)) if isinstance(label, tuple) else str(label) for label in labels]
    return [check_text(text, f"an entry of {name}") for text in texts]


def name_of(x: Any, other: str) -> str:
    """Return what pandas calls a column, or ``other`` where it has no name."""
    name = getattr(x, "name", None)
    return other if name is None or callable(name) else str(name)


def label_place(label: Any, labels: Sequence[str], name: str = "query") -> int:
    """Return where a label stands, as a text or as what it was before; raise a ValueError that names it."""
    (text,) = check_labels([label], 1, name, rows="label")
    months = [label.strftime("%Y-%m")] if isinstance(label, pd.Timestamp) and label.day == 1 else []
    for found in (text, *months):
        if found in labels:
            return labels.index(found)
    raise ValueError(f"{name} must be a row or a label, and no row is called {label!r}")
