"""What the book has to vote on and to ask, read from its chapters, its pages for teachers and the keys of quizzes.

The votes are those of a page for teachers of which one option is right, each wrong one with its reply; each step to
predict of its chapter is among them. One whose options are letters of a picture stays in class. A question of a quiz
has its key, and its options where it has some, from teach/quizzes or, where the private folder that REGATTN_PRIVATE
names has keys for the chapter, from there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "book" / "_ext")]
from chapters import Chapter  # noqa: E402, where the extensions of the book are

from teach.slides.guide import BEFORE, VOTE, parts  # noqa: E402

QUOTED = re.compile(r"^> \*\*(Predict|Answer) (\d+)(?:\.|: (.+?)\.)\*\*(.*(?:\n>.*)*)", re.MULTILINE)
REPLY = re.compile(r"To ((?:\*[^*]+\*(?:, | and )?)+): (.+?)(?=To \*|$)", re.DOTALL)
ASKED = re.compile(r"^\d+\. (.+) \((\d)\)$", re.MULTILINE)
WORDS = re.compile(r"[^\s,]+")
LETTER = re.compile(r"[A-Z]")


class Option(NamedTuple):
    """An answer that can be chosen, and what is said to whoever chose it."""

    text: str
    reply: str = ""


class Question(NamedTuple):
    """A question in Markdown: one with options, of which `right` is one, or, without, one for a number or for words.

    `why` is what is said to everybody afterwards: the answer of a vote, the key of a quiz where it is known. `sheet`
    has what else the keys say: `accept`, `half`, and `number` where the answer is one.
    """

    name: str
    text: str
    options: tuple[Option, ...] = ()
    right: int = 0
    why: str = ""
    marks: int = 1
    sheet: Mapping[str, str] = MappingProxyType({})

    @property
    def number(self) -> Fraction | None:
        """The answer as a number, or None where words are asked for."""
        return Fraction(self.sheet["number"]) if "number" in self.sheet else None


def predicted(chapter: str, text: str) -> list[Question]:
    """Return the steps to predict of a chapter, given the text of its cells.

    Raises
    ------
    ValueError
        If a step has no answer, or an answer that is none of its options.
    """
    asked, told = {}, {}
    for kind, number, option, rest in QUOTED.findall(text):
        body = re.sub(r"(?m)^> ?", "", rest).strip()
        if kind == "Predict":
            asked[number] = body
        else:
            told[number] = option, body
    found = []
    for number, body in asked.items():
        options = re.findall(r"(?m)^- (.+)$", body)
        right, why = told.get(number, ("", ""))
        low = [option.casefold() for option in options]
        if right.casefold() not in low:
            raise ValueError(f"step {number} of chapter {chapter!r} has the answer {right!r}, options {options}")
        words = body.partition("\n")[0]
        choices = tuple(map(Option, options))
        found.append(Question(f"{chapter} predict {number}", words, choices, low.index(right.casefold()), why))
    return found


def replied(options: Sequence[str], text: str) -> tuple[Option, ...]:
    """Return options with the replies of a text: "To *first* and *third*: what is said to both"."""
    replies = {}
    for names, reply in REPLY.findall(text):
        for name in re.findall(r"\*([^*]+)\*", names):
            words = set(WORDS.findall(name))
            fit = [o for o in options if o == name] or [o for o in options if words <= set(WORDS.findall(o))]
            if len(fit) != 1:
                raise ValueError(f"the reply to {name!r} fits {fit} of the options {list(options)}")
            replies[fit[0]] = sentence(" ".join(reply.split()))
    return tuple(Option(option, replies.get(option, "")) for option in options)


def sentence(text: str) -> str:
    """Return a text with a capital where it begins with a word."""
    return text[:1].upper() + text[1:]


def lettered(options: Sequence[str]) -> bool:
    """Return whether options are the letters of parts of a picture, without which nobody can choose."""
    return all(map(LETTER.fullmatch, options))


def in_class(chapter: str, text: str) -> list[Question]:
    """Return the votes of a page for teachers of which one option is right: the one without a reply."""
    found = []
    for number, (asked, _, shares, reply) in enumerate(VOTE.findall(text), start=1):
        names = [share.rsplit(" ", 1)[0].replace("*", "") for share in shares.split(" · ")]
        options = replied(names, reply)
        right = [at for at, option in enumerate(options) if not option.reply]
        if len(right) == 1 and not lettered(names):
            why = BEFORE.sub("", reply.strip() + " ").partition("To *")[0].strip()
            found.append(Question(f"{chapter} vote {number}", asked, options, right[0], why))
    return found


def choices(item: Mapping[str, object], place: str) -> tuple[tuple[Option, ...], int]:
    """Return the options of a question of a quiz by the alphabet, and the place of the right one; none where none are.

    Raises
    ------
    ValueError
        If `right` or `wrong` is there without the other, an option is in both, or a wrong one has no reply.
    """
    right, wrong = str(item.get("right") or "").strip(), item.get("wrong") or {}
    if not right and not wrong:
        return (), 0
    if not right or not isinstance(wrong, Mapping) or not wrong:
        raise ValueError(f"{place}: `right` is {right!r} and `wrong` {wrong!r}; give both, `wrong` with replies")
    replies = {str(text): str(reply or "").strip() for text, reply in wrong.items()}
    if mute := [text for text, reply in replies.items() if not reply]:
        raise ValueError(f"{place}: the wrong options {mute} have no reply")
    if right in replies:
        raise ValueError(f"{place}: {right!r} is both right and wrong")
    options = sorted([Option(right), *(Option(*one) for one in replies.items())], key=lambda one: one.text.casefold())
    return tuple(options), options.index(Option(right))


def quiz(chapter: str, text: str, *keys: Path) -> list[Question]:
    """Return the quiz of a page for teachers, with the keys that the first file there is has to the same questions."""
    there = next((path for path in keys if path.is_file()), None)
    items = yaml.safe_load(there.read_text(encoding="utf-8"))["quiz"] if there else []
    known = {item["question"]: item for item in items}
    found = []
    for number, (asked, marks) in enumerate(ASKED.findall(text), start=1):
        item = known.get(asked, {})
        options, right = choices(item, f"{there}, question {number} ({asked!r})")
        sheet = {name: str(said) for name, said in item.items() if name not in ("right", "wrong")}
        name = f"{chapter} quiz {number}"
        found.append(Question(name, asked, options, right, sheet.get("key", ""), int(marks), sheet))
    return found


def questions(chapter: Chapter, root: Path = ROOT, private: Path | None = None) -> dict[str, list[Question]]:
    """Return what a chapter has to vote on and to ask: its votes in class, its quiz."""
    page = parts((root / "teach" / "guide" / f"{chapter.name}.md").read_text(encoding="utf-8"))
    keys = [folder / "quizzes" / f"{chapter.slug}.yml" for folder in (private, root / "teach") if folder]
    return {
        "votes": in_class(chapter.name, page["Predictions"]),
        "quiz": quiz(chapter.name, page["Quiz"], *keys),
    }


def delimited(tex: str, display: bool) -> str:
    r"""Return a formula as TeX between the marks of MathJax, \( and \)."""
    return rf"\[{escape(tex)}\]" if display else rf"\({escape(tex)}\)"


def html(text: str, formula: Callable[[str, bool], str] = delimited) -> str:
    """Return a line of Markdown as HTML, its formulas as `formula` writes them, its links as their words."""
    parser = MarkdownIt("commonmark").use(dollarmath_plugin, renderer=lambda tex, _: tex, double_inline=True)
    for name in ("link_open", "link_close", "softbreak"):
        parser.add_render_rule(name, lambda _, tokens, at, *__: " " if tokens[at].type == "softbreak" else "")
    parser.add_render_rule("math_inline", lambda _, tokens, at, *__: formula(tokens[at].content, False))
    parser.add_render_rule("math_inline_double", lambda _, tokens, at, *__: formula(tokens[at].content, True))
    return " ".join(parser.renderInline(text).split())


def escape(text: str) -> str:
    """Return text as HTML that shows it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
