"""Banks of statements: what holds and what does not, of which each student judges five.

The file of a question may have a cell of Markdown tagged `statements`, with eight items or more such as

    - Holds: a causal mask hides later values.
      Because: the weights of later rows are zero.

Five are drawn for each student, two or three of which hold, in an order drawn too; without a salt all get the first
five. `{statements}` in the text is their list, `{letters}` in the model answer the set of the letters of those that
hold. The test tagged `statements` is the expression that picks the student's set. It becomes two tests of one point
each, and both name every letter that was judged wrong, with the reason.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

LETTERS = "ABCDE"
LEAST, OF_A_KIND = 8, 3  # statements of a bank, and of those that hold or do not
HOLDING = (2, 3)  # of the five
POINTS = 2
LIST, SET = "{statements}", "{letters}"  # as the file of a question says it
PLACE = re.compile(r'\{"statements": "(\w+)"\}')  # as text and tests say it until they are drawn
ITEM = re.compile(r"- (Holds|Fails): (.+?) Because: (.+)")
LIMITS = ((1, "at most one letter judged wrong"), (0, "no letter judged wrong"))  # of the two tests
TEST = """\
from regattn.exercises._letters import judged_wrong

wrong = judged_wrong(lambda: {expression}, {place})
assert len(wrong) <= {most}, f"judged wrong: {{', '.join(wrong)}}"
"""


class Statement(NamedTuple):
    """A statement, whether it holds, and because of what."""

    holds: bool
    words: str
    because: str


Bank = Sequence[Statement]
Pick = Callable[[str, Bank], Bank]  # of a question's name and its bank: the five that are asked


def place(name: str) -> str:
    """Return what stands for the statements of a question until they are drawn."""
    return json.dumps({"statements": name})


def read_item(lines: str, name: str) -> Statement:
    """Return a statement from its lines in the question's file `name`.

    Raises
    ------
    ValueError
        If it lacks its truth or its reason.
    """
    item = " ".join(line.strip() for line in lines.splitlines()).strip()
    if re.match("- (Holds|Fails): ", item) is None:
        raise ValueError(f"{name}: a statement begins with '- Holds: ' or '- Fails: '; this does not: {item!r}")
    if (found := ITEM.fullmatch(item)) is None:
        raise ValueError(f"{name}: this statement has no 'Because: ' with a reason: {item!r}")
    return Statement(found[1] == "Holds", ended(found[2]), ended(found[3]))


def read_bank(source: str, name: str) -> list[Statement]:
    """Return the bank of the question's file `name` from the source of its cell.

    Raises
    ------
    ValueError
        If a statement lacks something, there are too few, or not two or three of the first five hold.
    """
    bank = [read_item(lines, name) for lines in re.split(r"\n(?=\S)", source.strip())]
    words = [each.words for each in bank]
    if twice := [each for each in words if words.count(each) > 1]:
        raise ValueError(f"{name} has this statement twice: {twice[0]!r}")
    if len(bank) < LEAST:
        raise ValueError(f"{name} has {len(bank)} statements; a bank has {LEAST} or more")
    for holds, said in ((True, "hold"), (False, "do not hold")):
        if (count := sum(each.holds == holds for each in bank)) < OF_A_KIND:
            raise ValueError(f"{name} has {count} statements that {said}; a bank has {OF_A_KIND} or more")
    if (count := sum(each.holds for each in bank[: len(LETTERS)])) not in HOLDING:
        raise ValueError(f"{name}: of the first five statements two or three hold; here {count} do")
    return bank


def ended(sentence: str) -> str:
    """Return a sentence without its full stop: a list and a message put their own signs behind it."""
    return sentence.strip().removesuffix(".")


def check_form(name: str, text: str, answer: str, tests: Sequence[tuple[str, int, bool]], *, banked: bool) -> None:
    """Refuse a question whose places do not go with a bank; `tests` has source, points and hidden of the tagged ones.

    Raises
    ------
    ValueError
        If text, answer or test lack what a bank needs, or a test needs a bank that is not there.
    """
    if not banked:
        if tests:
            raise ValueError(f"{name} has a test tagged 'statements' and no bank: no cell of Markdown has that tag")
        return
    if text.split("\n").count(LIST) != 1 or text.count(LIST) != 1:
        raise ValueError(f"{name} has a bank, so its text has one line {LIST}")
    if SET not in answer:
        raise ValueError(f"{name} has a bank, so its model answer has {SET} between the marks of the solution")
    if len(tests) != 1:
        raise ValueError(f"{name} has a bank, so one of its tests is tagged 'statements'; here {len(tests)} are")
    ((source, points, hidden),) = tests
    if points != POINTS or not hidden:
        raise ValueError(f"the test tagged 'statements' of {name} is hidden and has {POINTS} points")
    try:
        ast.parse(source, mode="eval")
    except SyntaxError:
        said = f"the test tagged 'statements' of {name} is one expression, the student's set of letters: {source!r}"
        raise ValueError(said) from None


def as_tests(source: str, name: str) -> list[tuple[str, str]]:
    """Return the tests that an expression becomes, each as its code and what it asks."""
    picked = ast.unparse(ast.parse(source, mode="eval"))
    return [(TEST.format(expression=picked, place=place(name), most=most).strip(), asked) for most, asked in LIMITS]


def first(name: str, bank: Bank) -> Bank:
    """Return the first five statements, which everybody has where there is no salt."""
    return bank[: len(LETTERS)]


def drawn(bank: Bank, number: Callable[..., int]) -> Bank:
    """Return five statements of a bank in an order of their own, two or three of which hold.

    `number` returns a large number that is drawn by the words it is given, such as `tools.variants.variant`.
    """
    hold = HOLDING[number("how many hold") % len(HOLDING)]
    places = sorted(range(len(bank)), key=lambda at: (number("which", str(at)), at))
    kept = [at for at in places if bank[at].holds][:hold] + [at for at in places if not bank[at].holds]
    order = sorted(kept[: len(LETTERS)], key=lambda at: (number("order", str(at)), at))
    return [bank[at] for at in order]


def as_list(five: Bank) -> str:
    """Return statements as the list that a student reads."""
    signs = ";" * (len(five) - 1) + "."
    return "\n".join(f"- {letter}: {each.words}{sign}" for letter, each, sign in zip(LETTERS, five, signs, strict=True))


def as_key(five: Bank) -> str:
    """Return statements as the dictionary that a test reads: for each letter whether it holds and because of what."""
    lines = [f"{letter!r}: {(each.holds, each.because)!r}," for letter, each in zip(LETTERS, five, strict=True)]
    return "{\n" + indent("\n".join(lines), " " * 8) + "\n    }"


def as_set(five: Bank) -> str:
    """Return the set of the letters of those that hold."""
    return "{" + ", ".join(f'"{letter}"' for letter, each in zip(LETTERS, five, strict=True) if each.holds) + "}"


def as_rows(bank: Bank) -> list[str]:
    """Return a whole bank as a table of the rubric."""
    cells = [(each.words, "holds" if each.holds else "does not hold", each.because) for each in bank]
    rows = [" | ".join(cell.replace("|", r"\|") for cell in row) for row in cells]
    return ["| statement | truth | because |", "|---|---|---|", *(f"| {row} |" for row in rows)]


def banks_file(course: Path, assignment: str) -> Path:
    """Return the file of a course that keeps the banks of an assignment, from which each student's are drawn."""
    return course / "statements" / f"{assignment}.json"


def write_banks(course: Path, assignment: str, banks: dict[str, Bank]) -> None:
    """Keep the banks of an assignment by the names of their questions, or what was kept before no longer."""
    path = banks_file(course, assignment)
    path.unlink(missing_ok=True)
    if banks:
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(banks, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def kept_banks(course: Path, assignment: str) -> dict[str, Bank]:
    """Return the banks of an assignment, none where a course keeps none."""
    path = banks_file(course, assignment)
    if not path.is_file():
        return {}
    kept = json.loads(path.read_text(encoding="utf-8"))
    return {name: [Statement(*each) for each in bank] for name, bank in kept.items()}
