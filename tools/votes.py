"""Write the votes and quizzes of the book for Moodle (GIFT), for other systems (QTI 2.1) and for paper: `make votes`.

Below _build/votes there is one file of GIFT for each chapter, one package of QTI for all, and in the folder `print` the
quiz of each chapter as a sheet for students and as a key. What is asked, `tools.asked` reads. The system marks every
question of the book: a choice, or a `number`. On paper, and where a private key has neither, a quiz asks for words.
Formulas stay formulas of TeX between the marks of MathJax. `make votes CHAPTERS="3 masks" FOLDER=here` writes those of
some chapters elsewhere.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "book" / "_ext")]
from chapters import Chapter, chapters  # noqa: E402, where the extensions of the book are

from regattn._files import write_whole  # noqa: E402
from tools import sheets  # noqa: E402
from tools.archive import write_zip  # noqa: E402
from tools.asked import Question, html, questions  # noqa: E402
from tools.choice import chosen  # noqa: E402
from tools.qti import members  # noqa: E402

TARGET = ROOT / "_build" / "votes"


def gift_text(text: str) -> str:
    """Return Markdown as GIFT writes it: HTML, in which backslashes and the signs of GIFT are escaped.

    Braces are entities: some readers of GIFT take an escaped one in an option for the end of the question.
    """
    return re.sub(r"([\\~=#:])", r"\\\1", html(text).replace("{", "&#123;").replace("}", "&#125;"))


def number(right: Fraction) -> str:
    """Return a number as the answer that GIFT expects: a whole one as it is, another within half a hundredth."""
    return f"#{right}:0" if right.denominator == 1 else f"#{float(right):.4f}:0.005"


def gift(question: Question) -> str:
    """Return a question in GIFT."""
    lines = [number(question.number)] if question.number is not None else []
    lines += [
        f"{'=' if at == question.right else '~'}{gift_text(option.text)}"
        + (f"#{gift_text(option.reply)}" if option.reply else "")
        for at, option in enumerate(question.options)
    ]
    lines += [f"####{gift_text(question.why)}"] if question.why else []
    told = "" if question.marks == 1 else f" ({question.marks} marks)"
    told += " Give a number, as a decimal." if question.number is not None else ""
    return f"::{question.name}::[html]{gift_text(question.text + told)}{{{chr(10).join(lines)}}}\n"


def gift_file(chapter: Chapter, asked: dict[str, list[Question]]) -> str:
    """Return the file of a chapter: a category for each kind of question."""
    groups = [
        "\n".join([f"$CATEGORY: $course$/regattn/{chapter.name}/{kind}\n", *map(gift, group)])
        for kind, group in asked.items()
        if group
    ]
    return "\n".join(groups)


def write(folder: Path, root: Path = ROOT, private: Path | None = None, only: Iterable[Chapter] = ()) -> dict[str, int]:
    """Write votes and quizzes below a folder, all or `only` those of some; return how many there are of each kind."""
    folder.mkdir(parents=True, exist_ok=True)
    counts, every = {}, []
    for chapter in list(only) or chapters(root):
        asked = questions(chapter, root, private)
        write_whole(folder / f"{chapter.name}.gift.txt", gift_file(chapter, asked))
        sheets.write(folder / "print", chapter, asked["quiz"], root)
        for kind, group in asked.items():
            counts[kind] = counts.get(kind, 0) + len(group)
            every += group
    write_zip(folder / "regattn-qti.zip", members(every))
    return counts


def main() -> None:
    """Write everything and say what there is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=TARGET, help="where they go")
    parser.add_argument("--chapters", nargs="+", default=[], help="numbers, names or parts of names; all without one")
    given = parser.parse_args()
    place = os.path.relpath(given.folder)
    named = os.environ.get("REGATTN_PRIVATE")
    counts = write(given.folder, private=Path(named) if named else None, only=chosen(given.chapters))
    print(f"{place}: " + ", ".join(f"{count} of {kind}" for kind, count in counts.items()))
    print(f"{place}/print: the quizzes for the printer, and their keys")
    print("The quizzes hold their keys" + (": give these files to no student." if named else ", which are public."))


if __name__ == "__main__":
    try:
        main()
    except ValueError as error:
        sys.exit(str(error))
