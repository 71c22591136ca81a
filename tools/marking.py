"""What is done to a submission before and after it is run for marks: steps of nbgrader's, named in its settings."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbgrader.preprocessors import NbGraderPreprocessor

from regattn.exercises._marking import package_call

EMPTIED = "# This cell was emptied before marking. {why}; answers are to do without."


class RestoreCells(NbGraderPreprocessor):
    """Put back every cell that a student deleted, where it stood: a test as it was, an answer as it was given out.

    nbgrader's own `add_missing_cells` puts back tests alone, and fails where the answer above them is missing too.
    """

    def preprocess(self, nb: nbformat.NotebookNode, resources: dict) -> tuple[nbformat.NotebookNode, dict]:
        """Return the notebook with all the cells that its assignment has."""
        at = 0
        for cell in given_out(self, resources).cells:
            name = grade_id(cell)
            if name is None:
                continue
            known = [grade_id(each) for each in nb.cells]
            if name not in known:
                self.log.warning("Cell '%s' was deleted; it is put back", name)
                nb.cells.insert(at, cell)
            else:
                at = known.index(name)
            at += 1
        return nb, resources


class RefusePackage(NbGraderPreprocessor):
    """Empty every cell of a student's that calls the package, in an assignment for marks: its tests call the package.

    `c.RefusePackage.enabled = False` in the settings of a course lets answers call it.
    """

    def preprocess(self, nb: nbformat.NotebookNode, resources: dict) -> tuple[nbformat.NotebookNode, dict]:
        """Return the notebook without the cells that call the package and are a student's."""
        if not resources["nbgrader"]["assignment"].startswith("graded"):
            return nb, resources
        asked = given_out(self, resources).cells
        ours = {grade_id(cell) for cell in asked if not cell.metadata.get("nbgrader", {}).get("solution")} - {None}
        for cell in nb.cells:
            if cell.cell_type == "code" and grade_id(cell) not in ours and (why := package_call(cell.source)):
                self.log.warning("A cell is emptied. %s", why)
                cell.source = EMPTIED.format(why=why.capitalize())
        return nb, resources


class ForgetErrorStream(NbGraderPreprocessor):
    """Drop what a test printed to the standard error stream, which nbgrader takes for a failure."""

    def preprocess_cell(
        self, cell: nbformat.NotebookNode, resources: dict, index: int
    ) -> tuple[nbformat.NotebookNode, dict]:
        """Return the cell without it; an error stays one."""
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
        return cell, resources


def given_out(step: NbGraderPreprocessor, resources: dict) -> nbformat.NotebookNode:
    """Return the notebook that students were given, of which a submission is being prepared for marking."""
    place = resources["nbgrader"]
    folder = Path(step.parent.parent.coursedir.format_path("release", ".", place["assignment"]))
    return nbformat.read(folder / f"{place['notebook']}.ipynb", as_version=4)


def grade_id(cell: nbformat.NotebookNode) -> str | None:
    """Return the name under which nbgrader knows a cell, or None."""
    return cell.metadata.get("nbgrader", {}).get("grade_id")
