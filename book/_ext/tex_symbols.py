"""The symbols of TeX that the book may use, each as an element of MathML."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from html import escape

SPACES = {
    ",": 0.167,
    ":": 0.222,
    ">": 0.222,
    ";": 0.278,
    " ": 0.333,
    "enspace": 0.5,
    "quad": 1,
    "qquad": 2,
    "!": -0.167,
}
FUNCTIONS = "log ln exp sin cos tan sinh cosh tanh arcsin arccos arctan dim ker deg arg hom"
LIMITS = "max min sup inf lim det gcd Pr limsup liminf"
LARGE = {"sum": "∑", "prod": "∏", "bigcup": "⋃", "bigcap": "⋂", "bigoplus": "⨁"}
INTEGRALS = {"int": "∫", "iint": "∬", "oint": "∮"}
GREEK = (
    "alpha α beta β gamma γ delta δ zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau "
    "τ upsilon υ chi χ psi ψ omega ω epsilon ϵ varepsilon ε phi ϕ varphi φ vartheta ϑ varrho ϱ varsigma ς ell ℓ hbar ℏ"
)
UPRIGHT = (
    "Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω infty ∞ nabla ∇ top ⊤ bot ⊥ "
    "emptyset ∅ forall ∀ exists ∃ partial ∂ dagger † % % # # $ $ & & _ _"
)
OPERATORS = (
    "cdot ⋅ times × pm ± mp ∓ odot ⊙ otimes ⊗ oplus ⊕ circ ∘ div ÷ ast ∗ star ⋆ bullet ∙ cup ∪ cap ∩ setminus ∖ "
    "wedge ∧ vee ∨ land ∧ lor ∨ neg ¬ le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ ll ≪ gg ≫ approx ≈ equiv ≡ sim ∼ simeq ≃ cong ≅ "
    "propto ∝ perp ⊥ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ succ ≻ prec ≺ succeq ⪰ preceq ⪯ to → "
    "rightarrow → leftarrow ← gets ← mapsto ↦ Rightarrow ⇒ Leftarrow ⇐ leftrightarrow ↔ Leftrightarrow ⇔ uparrow ↑ "
    "downarrow ↓ longrightarrow ⟶ implies ⟹ iff ⟺ colon : dots … ldots … cdots ⋯ vdots ⋮ ddots ⋱ dotsc … dotsb ⋯ "
    "prime ′"
)
RELATIONS = {"mid": "∣", "parallel": "∥"}
FENCES = (
    "lVert ‖ rVert ‖ Vert ‖ | ‖ lvert | rvert | vert | langle ⟨ rangle ⟩ { { } } lbrace { rbrace } lfloor ⌊ rfloor ⌋ "
    "lceil ⌈ rceil ⌉ lbrack [ rbrack ]"
)
ACCENTS = {"hat": "^", "bar": "¯", "tilde": "~", "dot": "˙", "ddot": "¨", "vec": "→", "check": "ˇ", "acute": "´"}
WIDE = {"widehat": "^", "widetilde": "~", "overline": "¯", "overrightarrow": "→"}
BRACES = {"underbrace": ("munder", "⏟"), "overbrace": ("mover", "⏞")}
SIZES = {"big": 1.2, "Big": 1.623, "bigg": 2.047, "Bigg": 2.47}
ALPHABETS = {
    "mathbf": "BOLD",
    "mathcal": "SCRIPT",
    "mathscr": "SCRIPT",
    "mathbb": "DOUBLE-STRUCK",
    "mathfrak": "FRAKTUR",
    "boldsymbol": "BOLD ITALIC",
    "mathsf": "SANS-SERIF",
    "mathtt": "MONOSPACE",
}
SIGNS = {"-": "−", "*": "∗", ":": ":"}
OPENING = set("([{⟨⌊⌈")


@dataclass(frozen=True)
class Node:
    """One element: its MathML, and what the reader of the next symbol must know."""

    xml: str
    limits: bool = False  # indices stand below and above
    function: bool = False  # a thin space follows, unless a bracket does
    opens: bool = False  # a bracket
    space: bool = False


def element(tag: str, content: str, **attributes: object) -> str:
    """Return an element of MathML."""
    written = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<{tag}{written}>{content}</{tag}>"


def space(name: str) -> Node:
    """Return the space that a command leaves."""
    return Node(element("mspace", "", width=f"{SPACES[name]}em"), space=True)


def word(said: str) -> str:
    """Return upright letters; several are upright of themselves."""
    return element("mi", escape(said), **({"mathvariant": "normal"} if len(said) == 1 else {}))


def thin(after: Node) -> Node:
    """Return the thin space behind a function: what MathJax leaves of itself is a matter of style for browsers."""
    return space(",") if "movablelimits" in after.xml else Node('<mspace class="thin"></mspace>')


def limit(said: str) -> Node:
    """Return a function with its index below it."""
    return Node(element("mo", escape(said), movablelimits="true", lspace=0, rspace=0), limits=True, function=True)


def fence(sign: str, **attributes: object) -> Node:
    """Return a bracket; no space stands beside one that is the same on both sides."""
    beside = {"lspace": 0, "rspace": 0} if sign in "|‖" else {}
    return Node(element("mo", sign, **attributes, **beside) if sign else "", opens=sign in OPENING)


def pairs(table: str) -> dict[str, str]:
    """Return the names of a table with their signs."""
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def symbols() -> dict[str, Node]:
    """Return every command without arguments."""
    return {
        **{name: Node(element("mi", sign)) for name, sign in pairs(GREEK).items()},
        **{name: Node(word(sign)) for name, sign in pairs(UPRIGHT).items()},
        **{name: Node(element("mo", sign)) for name, sign in pairs(OPERATORS).items()},
        **{name: Node(element("mo", sign, stretchy="false")) for name, sign in RELATIONS.items()},
        **{name: fence(sign, stretchy="false") for name, sign in pairs(FENCES).items()},
        **{name: Node(element("mo", sign, movablelimits="true"), limits=True) for name, sign in LARGE.items()},
        **{name: Node(element("mo", sign)) for name, sign in INTEGRALS.items()},
        **{name: Node(word(name), function=True) for name in FUNCTIONS.split()},
        **{name: limit(name.replace("lim", "lim ", 1).strip() if len(name) > 3 else name) for name in LIMITS.split()},
        **{name: space(name) for name in SPACES},
    }


def letter(sign: str, alphabet: str) -> str:
    """Return a letter or digit of an alphabet of Unicode, or the sign itself where that has none such."""
    said = unicodedata.name(sign)
    for part in ("LATIN ", "GREEK ", "LETTER "):
        said = said.replace(part, "")
    kinds = (
        f"MATHEMATICAL {alphabet}",
        f"MATHEMATICAL {alphabet.split()[0]}",
        alphabet.replace("FRAKTUR", "BLACK-LETTER"),
    )
    for kind in kinds:
        try:
            return unicodedata.lookup(f"{kind} {said}")
        except KeyError:
            continue
    return sign
