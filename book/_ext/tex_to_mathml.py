"""TeX, as far as the book writes it, as MathML, which browsers show without a script.

One pass from left to right: `Reader.row` reads up to what closes it, `Reader.atom` one symbol, group or command, and
`Reader.scripts` hangs indices on it. What neither `tex_symbols` nor the table at the end knows raises an error that
names it. A test compares every formula of the book with what MathJax makes of it.
"""

from __future__ import annotations

import re
from functools import partial
from html import escape

from tex_symbols import (
    ACCENTS,
    ALPHABETS,
    BRACES,
    FENCES,
    SIGNS,
    SIZES,
    WIDE,
    Node,
    element,
    fence,
    letter,
    limit,
    pairs,
    symbols,
    thin,
    word,
)

TOKEN = re.compile(r"\\(?:begin|end)\{[a-z]+\*?\}|\\[A-Za-z]+\*?|\\.|\s+|.", re.DOTALL)
NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+")
NAMES = {"munder": ("munder", "mover", "munderover"), "msub": ("msub", "msup", "msubsup")}
TABLES = {"matrix": "", "pmatrix": "()", "bmatrix": "[]", "vmatrix": "||", "cases": "{"}
ALIGNED = ("aligned", "split", "align", "align*")
BRACKETS = {"<": "⟨", ">": "⟩", ".": ""} | {f"\\{name}": sign for name, sign in pairs(FENCES).items()}


def row(nodes: list[Node]) -> str:
    """Return nodes as one element."""
    return nodes[0].xml if len(nodes) == 1 else element("mrow", "".join(node.xml for node in nodes))


class Reader:
    """Reads one formula, which a brace closes."""

    def __init__(self, tex: str):
        self.tex = tex
        self.tokens = TOKEN.findall(tex + "}")
        self.place = 0

    def wrong(self, what: str) -> ValueError:
        """Return an error that says what is wrong with which formula."""
        return ValueError(f"{what}, in the formula {self.tex.strip()!r}")

    def peek(self) -> str:
        """Return the next token that is no space, or nothing at the end."""
        while self.place < len(self.tokens) and self.tokens[self.place].isspace():
            self.place += 1
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        """Return the next token that is no space, and pass it."""
        token = self.peek()
        self.place += 1
        return token

    def verbatim(self) -> str:
        """Return what stands in braces, as it is written."""
        if (first := self.take()) != "{":
            raise self.wrong(f"a word in braces should stand where {first!r} does")
        start, depth = self.place, 1
        while depth and self.place < len(self.tokens):
            depth += {"{": 1, "}": -1}.get(self.tokens[self.place], 0)
            self.place += 1
        return "".join(self.tokens[start : self.place - 1])

    def row(self, *stops: str) -> list[Node]:
        """Read up to one of the tokens, which is not passed; thin spaces follow functions."""
        nodes: list[Node] = []
        while (token := self.peek()) not in stops:
            if not token:
                raise self.wrong(f"{' or '.join(stops)!r} is missing")
            node = self.scripts()
            if nodes and nodes[-1].function and not (node.opens or node.space or node.xml.startswith("<mo")):
                nodes.append(thin(nodes[-1]))
            nodes.append(node)
        return nodes

    def whole(self) -> list[Node]:
        """Read all of the formula."""
        nodes = self.row("}")
        if self.place < len(self.tokens) - 1:
            raise self.wrong("a brace too many")
        return nodes

    def group(self) -> str:
        """Read up to the brace that closes what a brace has opened."""
        nodes = self.row("}")
        self.take()
        return row(nodes)

    def argument(self) -> str:
        """Read what a command or an index takes: a group, a command, or one sign."""
        token = self.take()
        return element("mn", token) if token.isdigit() else self.atom(token).xml

    def scripts(self) -> Node:
        """Read one symbol with its indices."""
        base = Node(element("mrow", "")) if self.peek() in ("_", "^") else self.atom(self.take())
        low, high = "", []
        while (token := self.peek()) in ("_", "^", "'"):
            self.take()
            if token == "_" and low:
                raise self.wrong("two indices below one symbol")
            if token == "_":
                low = self.argument()
            else:
                high.append(Node(element("mo", "′") if token == "'" else self.argument()))
        if not (low or high):
            return base
        names = NAMES["munder" if base.limits else "msub"]
        tag = names[2 if low and high else 0 if low else 1]
        return Node(element(tag, base.xml + low + (row(high) if high else "")), function=base.function)

    def atom(self, token: str) -> Node:
        """Read one group, command, number or sign, whose first token is read."""
        if token == "{":
            return Node(self.group())
        if token.startswith("\\begin"):
            return Node(self.environment(token[len("\\begin{") : -1]))
        if token.startswith("\\"):
            return self.command(token[1:])
        if token.isdigit() or token == ".":
            return self.number(token)
        return Node(element("mi", token)) if token.isalpha() else self.sign(token)

    def number(self, token: str) -> Node:
        """Read a number whose first sign is read."""
        found = NUMBER.match("".join(self.tokens[self.place - 1 :]))
        if found is None:
            return Node(element("mo", token))
        self.place += len(found[0]) - 1
        return Node(element("mn", found[0]))

    def sign(self, token: str) -> Node:
        """Return a sign that is neither letter nor digit."""
        if token in "}&_^#$%" or not token:
            raise self.wrong(f"{token!r} stands where it may not")
        if token in "()[]|":
            return fence(token, stretchy="false")
        if token == "/":
            return Node(element("mo", token, lspace=0, rspace=0))
        return Node(element("mo", escape(SIGNS.get(token, token))))

    def command(self, name: str) -> Node:
        """Read a command whose name is read."""
        if name in SYMBOLS:
            return SYMBOLS[name]
        if name not in COMMANDS:
            raise self.wrong(f"\\{name} is not in book/_ext/tex_symbols.py")
        made = COMMANDS[name](self)
        return made if isinstance(made, Node) else Node(made)

    def fraction(self, style: str = "") -> str:
        """Read the two parts of a fraction."""
        written = element("mfrac", self.argument() + self.argument())
        return element("mstyle", written, displaystyle=style, scriptlevel=0) if style else written

    def binomial(self) -> str:
        """Read the two parts of a binomial coefficient."""
        inside = element("mfrac", self.argument() + self.argument(), linethickness=0)
        return element("mrow", element("mo", "(") + inside + element("mo", ")"))

    def root(self) -> str:
        """Read a root, with its degree where it has one."""
        if self.peek() != "[":
            return element("msqrt", self.argument())
        self.take()
        degree = row(self.row("]"))
        self.take()
        return element("mroot", self.argument() + degree)

    def text(self) -> str:
        """Read words; a space at either end stays."""
        said = re.sub(r"\\(.)", r"\1", self.verbatim())
        return element("mtext", escape(re.sub(r"^ | $|~", "\u00a0", said)))

    def operator(self, below: bool = False) -> Node:
        """Read the name of a function of our own."""
        said = re.sub(r"\\.|\s", "", self.verbatim())
        return limit(said) if below else Node(word(said), function=True)

    def roman(self) -> str:
        """Read upright letters: one word where nothing else stands among them."""
        said = self.verbatim() if self.peek() == "{" else self.take()
        return word(said) if said.isalnum() else row(Reader(said).whole()).replace("<mi>", '<mi mathvariant="normal">')

    def alphabet(self, name: str) -> str:
        """Read signs that stand in an alphabet of their own."""
        letters = re.compile(r"(?<=>)\w+(?=</m[in]>)")
        return letters.sub(lambda found: "".join(letter(sign, name) for sign in found[0]), self.argument())

    def accent(self, sign: str, stretchy: str) -> str:
        """Read what an accent stands on."""
        return element("mover", self.argument() + element("mo", sign, stretchy=stretchy), accent="true")

    def stacked(self, tag: str) -> str:
        """Read what stands below or above something, and that."""
        mark = self.argument()
        return element(tag, self.argument() + mark)

    def brace(self, tag: str, sign: str) -> Node:
        """Read what a brace stands below or above, and its legend."""
        return Node(element(tag, self.argument() + element("mo", sign, stretchy="true")), limits=True)

    def bracket(self) -> str:
        """Read a bracket, or a full stop for none."""
        token = self.take()
        if token.startswith("\\") and token not in BRACKETS:
            raise self.wrong(f"{token} is no bracket")
        return BRACKETS.get(token, token)

    def sized(self, height: float) -> Node:
        """Read a bracket of a given height."""
        return fence(self.bracket(), stretchy="true", symmetric="true", minsize=f"{height}em", maxsize=f"{height}em")

    def between(self) -> Node:
        """Read what stands between two brackets that grow with it."""
        opening = fence(self.bracket(), stretchy="true", fence="true").xml
        inside = "".join(node.xml for node in self.row("\\right"))
        self.take()
        closing = fence(self.bracket(), stretchy="true", fence="true").xml
        return Node(element("mrow", opening + inside + closing), opens=True)

    def environment(self, name: str) -> str:
        """Read a table: a matrix, cases, or lines that are aligned."""
        if name not in TABLES and name not in ALIGNED:
            raise self.wrong(f"the environment {name!r} is not in book/_ext/tex_to_mathml.py")
        end, lines = f"\\end{{{name}}}", [[]]
        token = ""
        while token != end:
            lines[-1].append("".join(node.xml for node in self.row("&", "\\\\", end)))
            token = self.take()
            lines += [[]] if token == "\\\\" else []
        return table(name, [cells for cells in lines if cells != [""]])


def table(name: str, lines: list[list[str]]) -> str:
    """Return the lines of an environment; columns of what is aligned stand right and left by turns."""
    sides = ("left", "left") if name == "cases" else ("right", "left") if name in ALIGNED else ("center", "center")
    style = "text-align: {}; padding-inline: 0" if name in ALIGNED else "text-align: {}"
    written = ""
    for cells in lines:
        if name in ALIGNED:  # a sign that opens a right side stands between two terms, as in TeX: the left one is empty
            cells = [element("mi", "") * (place % 2) + cell for place, cell in enumerate(cells)]
        made = [element("mtd", cell, style=style.format(sides[place % 2])) for place, cell in enumerate(cells)]
        written += element("mtr", "".join(made))
    marks = {"columnalign": " ".join(sides)}  # what MathJax and older browsers read instead of the style
    if name in ALIGNED:
        marks |= {"displaystyle": "true", "columnspacing": "0em 2em"}
    made = element("mtable", written, **marks)
    signs = [element("mo", sign, stretchy="true", fence="true") for sign in TABLES.get(name, "")]
    return element("mrow", signs[0] + made + "".join(signs[1:])) if signs else made


SYMBOLS = symbols() | dict.fromkeys(("displaystyle", "textstyle", "limits", "nonumber"), Node("", space=True))
COMMANDS = {
    "frac": Reader.fraction,
    "tfrac": partial(Reader.fraction, style="false"),
    "dfrac": partial(Reader.fraction, style="true"),
    "binom": Reader.binomial,
    "sqrt": Reader.root,
    "text": Reader.text,
    "operatorname": Reader.operator,
    "operatorname*": partial(Reader.operator, below=True),
    "mathrm": Reader.roman,
    "underset": partial(Reader.stacked, tag="munder"),
    "overset": partial(Reader.stacked, tag="mover"),
    "left": Reader.between,
    **{name: partial(Reader.alphabet, name=alphabet) for name, alphabet in ALPHABETS.items()},
    **{name: partial(Reader.accent, sign=sign, stretchy="false") for name, sign in ACCENTS.items()},
    **{name: partial(Reader.accent, sign=sign, stretchy="true") for name, sign in WIDE.items()},
    **{name: partial(Reader.brace, tag=tag, sign=sign) for name, (tag, sign) in BRACES.items()},
    **{
        f"{size}{side}": partial(Reader.sized, height=height) for size, height in SIZES.items() for side in ("", *"lrm")
    },
}


def mathml(tex: str, *, display: bool = False) -> str:
    """Return a formula as a MathML element that carries its TeX.

    Parameters
    ----------
    tex : str
        The formula, without what encloses it.
    display : bool, default False
        Whether it stands on a line of its own.

    Returns
    -------
    str
        An element `math`.

    Raises
    ------
    ValueError
        If the formula has a command that is not known, or a bracket that is not closed.

    Examples
    --------
    >>> mathml("x^2").partition("<annotation")[0]
    '<math><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>'
    """
    shown = element("mrow", "".join(node.xml for node in Reader(tex).whole()))
    source = element("annotation", escape(tex.strip(), quote=False), encoding="application/x-tex")
    return element("math", element("semantics", shown + source), **({"display": "block"} if display else {}))
