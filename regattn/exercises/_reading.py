"""What an answer says: the numbers in a text, in any of the spellings a reader may use, and its words.

The page of the book reads the same spellings with ``book/_ext/exercise_reading.js``, from the same tables; the cases in
``tests/spellings.json`` are read by both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

LONGEST = 400  # characters of an answer that are read
DEEPEST = 20  # brackets in brackets

TABLES: dict[str, Any] = {
    "signs": {
        "≈": "=",
        "−": "-",
        "–": "-",
        "—": "-",
        "‐": "-",
        "‑": "-",
        "×": "*",
        "·": "*",
        "⋅": "*",
        "**": "^",
        "÷": "/",
        "⁄": "/",
        "’": "'",
        "²": "^2",
        "³": "^3",
        "√": " sqrt ",
        "π": " pi ",
        "σ(": " sigmoid (",
        "½": " (1/2) ",
        "⅓": " (1/3) ",
        "⅔": " (2/3) ",
        "¼": " (1/4) ",
        "¾": " (3/4) ",
        "per cent": "%",
        "percent": "%",
        "pct": "%",
    },
    "operators": {"minus": "-", "plus": "+", "times": "*", "over": "/"},
    "functions": ["sqrt", "root", "log", "ln", "exp", "sigmoid"],
    "constants": {
        "pi": math.pi,
        "e": math.e,
        "half": 1 / 2,
        "halves": 1 / 2,
        "third": 1 / 3,
        "thirds": 1 / 3,
        "quarter": 1 / 4,
        "quarters": 1 / 4,
        "fifth": 1 / 5,
        "fifths": 1 / 5,
        "sixth": 1 / 6,
        "sixths": 1 / 6,
        "eighth": 1 / 8,
        "eighths": 1 / 8,
        "tenth": 1 / 10,
        "tenths": 1 / 10,
    },
    "numerals": ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
}

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "root": math.sqrt,
    "log": math.log,
    "ln": math.log,
    "exp": math.exp,
    "sigmoid": lambda z: (1 + math.tanh(z / 2)) / 2,
}
TOKEN = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:e[-+]?[0-9]+)?|[^\W\d_][\w.]*|[-+*/^()%;]")
NAMED = re.compile(r"[^\W\d_][\w.]* *=")  # the name before an equals sign
AGREE = 0.02  # two numbers in one answer that differ by less say the same
Token = str | float


def numbers_in(text: str) -> list[list[float]]:
    """Return every way to read a text as numbers: a comma may stand before decimals, in thousands or between numbers.

    Examples
    --------
    >>> numbers_in("about 1/4")
    [[0.25]]
    >>> numbers_in("2,5")
    [[2.5], [2.0, 5.0]]
    """
    plain = _plain(text)
    parts = (plain.split("=")[-1], NAMED.sub(" ", plain))
    lines = [line for part in parts for comma in _commas(_bare(part)) for line in (comma, _apart(comma))]
    found: list[list[float]] = []
    for line in dict.fromkeys(lines):
        values = _expressions(_tokens(line))
        if values and all(map(math.isfinite, values)):
            found += [_agreed(values), values]
    return [reading for at, reading in enumerate(found) if reading not in found[:at]]


def words_in(text: str) -> list[str]:
    """Return the words of a text in lower case; a quarter such as "Q1 of 1980" is one word, "1980q1".

    Examples
    --------
    >>> words_in("The quarter 1980:Q1!")
    ['the', 'quarter', '1980q1']
    """
    text = text[:LONGEST].lower()
    for name, number in zip(("first", "second", "third", "fourth"), "1234", strict=True):
        text = re.sub(rf"\b{name} quarter\b", f"q{number}", text)
    text = re.sub(r"\bq([1-4])\W*(?:of\W*)?((?:19|20)[0-9]{2})\b", r"\2q\1", text)
    text = re.sub(r"\b((?:19|20)[0-9]{2})\W*q?([1-4])\b", r"\1q\2", text)
    return re.findall(r"[^\W_]+", text)


def _plain(text: str) -> str:
    text = re.sub(r"\s", " ", text[:LONGEST].lower())
    for sign, meaning in TABLES["signs"].items():
        text = text.replace(sign, meaning)
    text = re.sub(r"([^\W\d_])-(?=[^\W\d_])", r"\1 ", text)  # two-thirds
    text = re.sub(rf"({'|'.join(FUNCTIONS)})(?=[0-9])", r"\1 ", text)  # ln2
    return re.sub(r"[\[\]$]", " ", text)


def _bare(text: str) -> str:
    """Return a text without the brackets around all of its numbers, and without a name before these."""
    return re.sub(r"^(?:[^\W\d_][\w.]*)?\((.*[,;].*)\)$", r"\1", text.strip())


def _commas(text: str) -> list[str]:
    """Return a text with its commas (and gaps between digits) as decimal points, as thousands and as separators."""
    decimals = re.sub(r",(?=[0-9])", ".", re.sub(r"(?<=[0-9])\.(?=[0-9]{3},)", "", text))
    thousands = re.sub(r"(?<=[0-9])[,' ](?=[0-9]{3}(?![0-9]))", "", text)
    return [line.replace(",", ";") for line in (decimals, thousands, text)]


def _apart(text: str) -> str:
    """Return a text in which a sign with a gap before it and none behind it begins a new number."""
    return re.sub(r" ([-+])(?=[0-9.])", r";\1", text)


def _tokens(text: str) -> list[Token]:
    """Return numbers, operators and the names that mean something; every other word is passed over."""
    found: list[Token] = []
    for token in TOKEN.findall(text):
        name = re.sub(r"^(?:np|math|torch)\.", "", token).rstrip(".")
        if token[0] in "0123456789.":
            found.append(float(token))
        elif name in TABLES["numerals"]:
            found.append(float(TABLES["numerals"].index(name)))
        elif name in TABLES["operators"]:
            found.append(TABLES["operators"][name])
        elif name in FUNCTIONS or name in TABLES["constants"] or token in "-+*/^()%;":
            found.append(name or token)
    return found


def _agreed(values: list[float]) -> list[float]:
    """Return the first of several numbers when they all say the same, as in "1/3 (.33)"."""
    same = all(abs(value - values[0]) <= AGREE * abs(values[0]) for value in values)
    return values[:1] if same else values


def _expressions(tokens: list[Token]) -> list[float]:
    reader, values = _Reader(tokens), []
    while reader.at < len(tokens):
        value = reader.sum()
        if value is None:
            reader.at += 1
        else:
            values.append(value)
    return values


class _Reader:
    """Reads sums, products, powers and the functions of the table; what does not fit is passed over."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens, self.at, self.depth = tokens, 0, 0

    def next(self, *wanted: Token) -> Token | None:
        """Return the next token if it is one of those wanted, and step over it."""
        if self.at < len(self.tokens) and self.tokens[self.at] in wanted:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def sum(self) -> float | None:
        value = self.product()
        while value is not None and (sign := self.next("+", "-")):
            other = self.product()
            if other is None:
                break
            value = value + other if sign == "+" else value - other
        return value

    def product(self) -> float | None:
        value = self.signed()
        while value is not None:
            at = self.at
            operator = self.next("*", "/")
            if not operator and not self.named():
                break
            other = self.signed()
            if other is None:
                self.at = at
                break
            value = _divided(value, other) if operator == "/" else value * other
        return value

    def named(self) -> bool:
        """Return whether a function or a constant comes next: "2 log 2" and "two thirds" are products."""
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        return isinstance(token, str) and (token in FUNCTIONS or token in TABLES["constants"])

    def signed(self) -> float | None:
        at, minus = self.at, False
        while sign := self.next("+", "-"):
            minus ^= sign == "-"
        value = self.power()
        if value is None:
            self.at = at
            return None
        return -value if minus else value

    def power(self) -> float | None:
        value = self.atom()
        if value is not None and self.next("^"):
            minus = self.next("-")
            exponent = self.atom()
            if exponent is not None:
                value = _finite(math.pow, value, -exponent if minus else exponent)
        while value is not None and self.next("%"):
            value = value / 100
        return value

    def atom(self) -> float | None:
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        if token is None or self.depth > DEEPEST:
            return None
        at = self.at
        self.at, self.depth = at + 1, self.depth + 1
        value = self.meaning(token)
        self.depth -= 1
        if value is None:
            self.at = at
        return value

    def meaning(self, token: Token) -> float | None:
        if isinstance(token, float):
            return token
        if token == "(":
            value = self.sum()
            self.next(")")
            return value
        if token in FUNCTIONS:
            value = self.power()
            return None if value is None else _finite(FUNCTIONS[token], value)
        return TABLES["constants"].get(token)


def _divided(value: float, by: float) -> float:
    return value / by if by else math.nan


def _finite(function: Callable[..., float], *values: float) -> float:
    try:
        return function(*values)
    except (ValueError, OverflowError):
        return math.nan
