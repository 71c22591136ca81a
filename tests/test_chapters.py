"""A chapter is begun among the others with one command: files, links, exercises and what texts say follow."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.built import ROOT, copy_checkout, read_notebook
from tools.chapters import begin, files, renumber, texts, wrong

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import chapter_numbers
from chapters import chapter_of, chapters

AFTER, NEW, NEXT = "panels", "made_up", "cooccurrence_projection"


def contents(root: Path) -> dict[str, str]:
    """Return every text in which a number may stand."""
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in texts(root)}


def dead_links(root: Path) -> list[str]:
    """Return the links between files below the book, the guide and the root that lead nowhere."""
    pages = [*(root / "book").rglob("*.ipynb"), *(root / "book").rglob("*.md"), *(root / "teach").rglob("*.md")]
    found = []
    for path in [*pages, root / "README.md"]:
        targets = re.findall(r"\]\(([\w./-]+\.(?:ipynb|md))", path.read_text(encoding="utf-8"))
        found += [f"{path.name}: {target}" for target in targets if not (path.parent / target).exists()]
    return found


def test_the_table_of_letters_names_chapters_by_links():
    """A bare number in it would not follow when a chapter is begun among the others."""
    letters = (ROOT / "book" / "notation.md").read_text(encoding="utf-8").split("## Letters that change")[1]
    assert letters.count(".ipynb)") > 100
    assert re.findall(r"\(\d+(?:, \d+)*[,)]", letters) == []


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> tuple[Path, dict[str, str]]:
    """Return a copy of the checkout in which a chapter was begun, and its texts as they were."""
    root = copy_checkout(tmp_path_factory.mktemp("copy"))
    before = contents(root)
    begin(root, NEW, AFTER, "A state that moves")
    return root, before


def test_every_number_that_a_page_says_is_that_of_the_chapter_it_leads_to():
    assert wrong(ROOT) == []


def test_a_new_chapter_moves_those_after_it_by_one_and_no_other(copy):
    root, _ = copy
    before, after = chapters(ROOT), chapters(root)
    place = [chapter.slug for chapter in before].index(AFTER) + 1
    assert [chapter.number for chapter in after] == list(range(1, len(before) + 2))
    assert [chapter.slug for chapter in after] == [
        *(chapter.slug for chapter in before[:place]),
        NEW,
        *(chapter.slug for chapter in before[place:]),
    ]
    assert all((root / file).exists() for chapter in after for file in files(chapter))


def test_links_and_numbers_follow_a_new_chapter(copy):
    root, _ = copy
    assert dead_links(ROOT) == []  # as many as before
    assert dead_links(root) == []
    assert wrong(root) == []
    moved = next(chapter.number for chapter in chapters(root) if chapter.slug == NEXT)
    old = moved - 1
    assert f"| {moved} | [The co-occurrence projection](" in (root / "README.md").read_text(encoding="utf-8")
    figures = "regattn/figures/cooccurrence.py"
    assert f"Figures of chapter {old}:" in (ROOT / figures).read_text(encoding="utf-8")
    assert f"Figures of chapter {moved}:" in (root / figures).read_text(encoding="utf-8")


def test_what_a_page_says_of_itself_follows_its_file(copy):
    root, _ = copy
    chapter = next(chapter for chapter in chapters(root) if chapter.slug == NEXT)
    cells = [
        cell.source for cell in read_notebook(root / f"{chapter.page}.ipynb").cells if cell.cell_type == "markdown"
    ]
    assert f"# {chapter.number} · The co-occurrence" in chapter_numbers.title(cells[0], chapter)
    shown = chapter_numbers.exercises("\n".join(cells), chapter)
    assert f"> **Exercise {chapter.number}.1**" in shown
    assert f'<a id="open-question-{chapter.number}"></a>' in shown


@pytest.mark.weekly("tools/chapters.py", "regattn/exercises/", "book/_ext/chapter", "tests/test_chapters.py")
def test_an_answer_is_checked_under_the_name_it_had_before(copy):
    root, _ = copy
    code = f"from regattn.exercises import check, exercises; print(sorted(exercises())); check('{NEXT}.1', 0)"
    said = [
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for folder in (ROOT, root)
    ]
    assert said[0] == said[1]


def test_when_the_new_chapter_is_taken_away_every_text_is_as_it_was(copy):
    root, before = copy
    (mine,) = [chapter for chapter in chapters(root) if chapter.slug == NEW]
    for file in (*files(mine), f"regattn/exercises/{NEW}.py"):
        (root / file).unlink()
    toc = root / "_toc.yml"
    toc.write_text(re.sub(rf".*{mine.name}\n", "", toc.read_text(encoding="utf-8")), encoding="utf-8")
    renumber(root)
    after = contents(root)
    assert after.keys() == before.keys()
    assert [name for name in before if after[name] != before[name]] == []


@pytest.mark.parametrize(("slug", "after"), [("masks", AFTER), ("State", AFTER), (NEW, "nowhere")])
def test_a_chapter_that_cannot_be_begun_is_refused(slug, after):
    with pytest.raises(ValueError, match=repr(after if after == "nowhere" else slug)):
        begin(ROOT, slug, after, "A title")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[chapter 7](", "[chapter 8](", "leads to chapter 7"),
        ("{ref}`chapter 4 <", "{ref}`chapter 5 <", "leads to chapter 4"),
        ("[chapter 3](", "chapter 3 (", "'chapter 3' is no link"),
    ],
)
def test_a_wrong_number_on_a_page_is_named(tmp_path, old, new, said):
    root = copy_checkout(tmp_path)
    path = next(
        p for p in sorted((root / "book").rglob("*.*")) if p.suffix in (".md", ".ipynb") and old in p.read_text()
    )
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    (line,) = wrong(root)
    assert line.startswith(path.relative_to(root).as_posix())
    assert said in line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("> **Exercise 2**", "> **Exercise 3.2**"),
        ("Exercises 4 and 5 by hand", "Exercises 3.4 and 3.5 by hand"),
        ("exercise 14.5", "exercise 14.5"),
        ("[Exercise 1](a/03_ols_proximity.ipynb#ex-1)", "[Exercise 3.1](a/03_ols_proximity.ipynb#ex-03-1)"),
        ("[1](a/03_ols_proximity.ipynb#ex-1), [2](#ex-2)", "[3.1](a/03_ols_proximity.ipynb#ex-03-1), [3.2](#ex-03-2)"),
        ("[it](05_attention.ipynb#open-question)", "[it](05_attention.ipynb#open-question-05)"),
        ("[x](#ex-ante)", "[x](#ex-ante)"),
    ],
)  # fmt: skip
def test_exercises_get_the_number_of_their_chapter(text, shown):
    assert chapter_numbers.exercises(text, chapter_of("book/solutions/03_ols_proximity")) == shown
