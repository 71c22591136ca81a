"""What every explorer shares in Python: its controls, the panels a chapter hides, and the page it leaves behind."""

from __future__ import annotations

import html
import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import anywidget
import traitlets

from regattn._text import check_text
from regattn.widgets._kit.controls import Control
from regattn.widgets._kit.frontend import WIDGET_VIEW, has_editor
from regattn.widgets._kit.page import assemble, plain, safe_json, scoped, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Explorer", "check_labels"]

EVERY = """hide : sequence of str, default ()
    Controls and panels that this page does not use.
presets : mapping of str to mapping, optional
    Buttons: a name, and the controls that it sets.
alt : str, optional
    The explorer in words.
"""


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
    ``kernel/__init__.py``, ``class KernelExplorer(Explorer, panels=[["curve"], ["weights"]])`` reads
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
    picture_rows: ClassVar[Sequence[Sequence[str]]] = ()
    picture_height: ClassVar[float] = 2.9  # inches of each row
    _css = style()
    data = traitlets.Dict(read_only=True).tag(sync=True)
    kit = traitlets.Dict(read_only=True).tag(sync=True)
    alt = Text("").tag(sync=True)

    def __init_subclass__(cls, *, panels: Sequence[Sequence[str]] = (), **kwargs: Any) -> None:
        if panels:
            cls._esm = assemble(f"{cls.__module__.rpartition('.')[2]}/view.js")
        super().__init_subclass__(**kwargs)
        declared = {name: part for name, part in vars(cls).items() if isinstance(part, Control)}
        cls.controls, cls.picture_rows = (*cls.controls, *declared), panels or cls.picture_rows
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
        self.set_trait("kit", plain({"controls": specs, "hide": self.hidden, "presets": self._check_presets(presets)}))

    def _check_hidden(self, hide: Sequence[str]) -> list[str]:
        known = [*self.controls, *(panel for row in self.picture_rows for panel in row)]
        wrong = hide if isinstance(hide, str) else next((name for name in hide if name not in known), None)
        if wrong is not None:
            raise ValueError(f"hide must be a list of some of {', '.join(known)}, got {wrong!r}")
        return list(hide)

    def _check_presets(self, presets: Mapping[str, Mapping[str, Any]] | None) -> list[list[Any]]:
        checked = []
        for label, values in (presets or {}).items():
            for name in values:
                if name not in self.controls:
                    raise ValueError(f"the preset {label!r} sets {name!r}; controls are {', '.join(self.controls)}")
            known = self.traits()
            checked.append([check_text(label, "a preset"), {n: known[n].validate(self, v) for n, v in values.items()}])
        return checked

    def state(self) -> dict[str, Any]:
        """Return the traits that the browser needs, by name."""
        names = self.trait_names(sync=True)
        # ipywidgets' own traits (layout, tooltip, ...) and the code are no business of a page without a kernel
        return {n: getattr(self, n) for n in names if n not in anywidget.AnyWidget.class_trait_names() and n[0] != "_"}

    def picture(self) -> Figure:
        """Return a figure of what is shown now, drawn by the package from :meth:`result`."""
        from regattn.widgets._kit.still import figure_of  # matplotlib: only when there is something to draw

        return figure_of(self)

    def _draw(self, axes: dict[str, Any], found: dict[str, Any]) -> None:
        """Draw the panels in ``axes`` from the result; each explorer has its own."""
        raise NotImplementedError(f"{type(self).__name__} draws no picture")

    def to_html(self, *, picture: bool = True) -> str:
        """Return the explorer as a piece of HTML that needs neither kernel nor network.

        Parameters
        ----------
        picture : bool, default True
            Whether it holds the plain picture for paper and for pages without JavaScript.
        """
        name, alt = type(self).__name__, html.escape(self.alt)
        page = scoped("_kit/page.js", assemble("_kit/page.js"))
        code = f'{self._esm}\n{page}$_kit_page.wake("{name}", render);\n'
        return (
            f'<figure class="regattn" data-widget="{name}" aria-label="{alt}">\n'
            f"<noscript><p>{alt} This explorer moves with JavaScript, which is switched off here; "
            "the picture below stands still.</p></noscript>\n"
            f"{self._still(alt) if picture else ''}"
            f"<style>\n{self._css}</style>\n"
            f'<script type="application/json">{safe_json(self.state())}</script>\n'
            f'<script type="module">\n{code}</script>\n'
            "</figure>"
        )

    def _still(self, alt: str) -> str:
        from regattn.widgets._kit.still import encode

        try:
            drawn = encode(self.picture())
        except (ValueError, OverflowError):  # numbers beyond what axes can hold; the sentence still says what is shown
            return ""
        return f'<img class="ra-still" alt="{alt}" src="data:image/png;base64,{drawn}">\n'

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
    keyword = inspect.Parameter.KEYWORD_ONLY
    kept = [part for name, part in own.items() if name != "self" and part.kind is not inspect.Parameter.VAR_KEYWORD]
    more = [*rest, *(name for name in ("hide", "presets", "alt") if name not in own)]
    cls.__signature__ = inspect.Signature([*kept, *(inspect.Parameter(name, keyword, default=None) for name in more)])


def check_labels(labels: Sequence[Any] | None, count: int, name: str, *, rows: str, first: int = 1) -> list[str]:
    """Return ``count`` labels as texts, or "row 1" and so on where none are given; raise if their number is wrong."""
    if labels is None:
        return [f"row {first + i}" for i in range(count)]
    if len(labels) != count:
        raise ValueError(f"{name} has {len(labels)} entries but there are {count} {rows}")
    return [check_text(str(label), f"an entry of {name}") for label in labels]
