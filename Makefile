# Regression Is Attention: `make book` builds the book, `make test` runs every check, `make` lists the rest.
PYTHON ?= python3
PY     := .venv/bin/python
export PYTHONDONTWRITEBYTECODE := # set-up compiles nothing: Python keeps what it compiles itself

BENCHMARKS = $(filter-out %/measure.py %/gpu.py %/out_of_core.py, $(wildcard benchmarks/*.py))

.DEFAULT_GOAL := help
.PHONY: help setup setup-test setup-teach browser book serve zip students slides votes syllabus pdf lab test quick lint notebooks suite kit test-teach powerpoint assignments hub restarts elsewhere bench mutants strip pins links clean distclean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' Makefile | awk -F ':.*## ' '{printf "make %-11s %s\n", $$1, $$2}'

setup: .venv/.ready ## create .venv with what the book needs
.venv/.ready: requirements.txt pyproject.toml
	@$(PYTHON) -m tools.book setup

setup-test: .venv/.ready-test ## add what the tests need
.venv/.ready-test: .venv/.ready requirements-test.txt
	@$(PYTHON) -m tools.book setup-test

setup-teach: .venv/.ready-teach ## add what the teaching kit needs
.venv/.ready-teach: .venv/.ready teach/requirements.txt
	@$(PYTHON) -m tools.book setup-teach

browser: setup-test ## find a Chromium for the tests, or install one
	@$(PY) tools/browser.py

book: setup ## execute the notebooks and build the book, for students with AUDIENCE=students; prints where it is
	@$(PY) -m tools.book build --here

serve: setup ## build the book and serve it on this machine
	@$(PY) -m tools.book serve --here

zip: setup ## build the book and pack it into one file that opens anywhere; AUDIENCE=students too
	@$(PY) -m tools.book zip --here

students: setup ## pack a copy of this repository for students: the book and the package, no key, no test; FOLDER
	@$(PY) tools/students.py $(if $(FOLDER),--folder $(FOLDER))

slides: book setup-teach ## make a deck of slides of every chapter, with speaker's notes; CHAPTERS="masks panels" for some
	@$(PY) tools/slides.py $(CHAPTERS)

powerpoint: browser slides ## write the decks as PowerPoint files, whose words can be edited; CHAPTERS="9 panels" for some
	@$(PY) tools/powerpoint.py $(CHAPTERS)

votes: setup ## write the votes and quizzes for Moodle (GIFT) and other systems (QTI); CHAPTERS="3 masks" for some, FOLDER
	@$(PY) tools/votes.py $(if $(FOLDER),--folder $(FOLDER)) $(if $(CHAPTERS),--chapters $(CHAPTERS))

syllabus: setup ## print a course with dates for students: START=2026-11-30 COURSE=twelve-weeks, one-a-week, economists or five-weeks, or CHAPTERS="3 8" DAYS="Mon Wed" SKIP=2026-12-24
	@$(PY) -m tools.syllabus $(START) $(COURSE) $(if $(SKIP),--skip $(SKIP)) $(if $(CHAPTERS),--chapters "$(CHAPTERS)") $(if $(DAYS),--days "$(DAYS)")

pdf: book browser setup-teach ## print the book into one PDF with contents, page numbers and bookmarks
	@$(PY) tools/pdf.py

lab: setup ## open JupyterLab on the notebooks
	@$(PY) -m tools.book lab --here

test: browser ## run every check, to the end even when one fails; says what took longest
	@$(PY) tools/checks.py $(MAKE)

quick: lint ## check what differs from main, in a minute: style and tests, no book, no browser
	@OMP_NUM_THREADS=1 $(PY) tools/quick.py

lint: setup-test ## check style and format
	$(PY) -m ruff check . && $(PY) -m ruff format --check .

notebooks: setup-test ## run every notebook from top to bottom, in three processes: two cores are then seldom idle
	OMP_NUM_THREADS=1 $(PY) -m pytest --nbval -n 3 --dist loadfile -p no:cacheprovider -p tests.timings -p tests.executed_notebooks book

suite: browser setup-teach ## run the tests: package, book, pages, JupyterLab, Binder, the quick ones of the teaching kit
	OMP_NUM_THREADS=1 $(PY) -m pytest -n 3 -p no:nbval -p tests.timings

kit: browser setup-teach ## run the quick tests of the teaching kit alone: one deck, one assignment
	OMP_NUM_THREADS=1 $(PY) -m pytest -n 3 tests/teach

test-teach: browser setup-teach ## run every test of the teaching kit: all decks, assignments, the hub, the book as PDF
	REGATTN_TEACH=all REGATTN_NOTEBOOKS=all OMP_NUM_THREADS=1 $(PY) -m pytest -n 2 tests/teach

assignments: setup-teach ## write an assignment for every chapter, and those for marks; CHAPTERS=masks for one chapter
	@$(PY) -m tools.assignments $(CHAPTERS)

hub: setup-teach ## start a classroom hub on this machine and print the link for the class
	@$(PY) -m tools.hub

restarts: setup-test ## run every notebook as readers might: restarted half-way, each cell twice, from another folder
	REGATTN_NOTEBOOKS=all OMP_NUM_THREADS=1 $(PY) -m pytest -n 2 tests/test_notebooks.py

elsewhere: setup-test ## run every notebook as an older processor would, which rounds otherwise
	ATEN_CPU_CAPABILITY=default OPENBLAS_CORETYPE=Haswell MKL_CBWR=COMPATIBLE OMP_NUM_THREADS=1 $(PY) -m pytest --nbval -n 3 --dist loadfile -p no:cacheprovider book

bench: setup-test ## run the benchmarks, most of an hour; then BUSY=1 adds the ratios beside a busy core
	@for script in $(if $(BUSY),$(shell grep -lw alternate $(BENCHMARKS)),$(BENCHMARKS)); do echo $$script; REGATTN_BUSY=$(BUSY) $(PY) $$script || exit 1; done

strip: setup ## take the outputs out of every notebook, as they are committed
	@find book -name '*.ipynb' -not -path '*/.*' -exec $(PY) -m nbstripout {} +

pins: setup-test setup-teach ## rewrite the second half of every file of pins from what is installed
	@$(PY) tools/pins.py

links: setup ## check the links to other sites (needs the network)
	.venv/bin/jupyter-book build . --builder linkcheck

clean: ## remove what was built
	rm -rf _build .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

distclean: clean ## remove the environment as well
	rm -rf .venv *.egg-info

mutants: setup-test ## alter the package in 60 places, one at a time; list what the tests miss (an hour)
	@test -x _build/mutants/bin/cosmic-ray || { $(PY) -m venv _build/mutants && _build/mutants/bin/pip install --quiet cosmic-ray==8.7.0; }
	@_build/mutants/bin/python tools/mutants.py --python $(PY)
