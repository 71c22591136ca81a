# Regression Is Attention: `make book` builds the book, `make test` runs every check, `make` lists the rest.
PYTHON ?= python3
PINS   ?= requirements.txt# binder/requirements.txt asks for PyTorch without CUDA
PY     := .venv/bin/python
BOOK   := _build/html/index.html
CHECK  := import sys; v = sys.version.split()[0]; sys.exit(None if sys.version_info >= (3, 11) else \
          f"Python 3.11 or newer is needed, but this is {v}: name another one, as in `make PYTHON=python3.13 setup`")

.DEFAULT_GOAL := help
.PHONY: help setup browser book serve lab test quick lint notebooks suite timed restarts bench strip pins links clean distclean

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' Makefile | awk -F ':.*## ' '{printf "make %-10s %s\n", $$1, $$2}'

setup: .venv/.ready ## create .venv with the pinned packages
.venv/.ready: requirements.txt pyproject.toml
	@$(PYTHON) -c '$(CHECK)'
	@echo "Installing the packages of $(PINS) into .venv: a few minutes and 2 GB, the first time only."
	@test -x .venv/bin/pip || $(PYTHON) -m venv .venv
	$(PY) -m pip install --quiet $$(grep -h '^--extra-index-url' $(PINS)) $$(grep -h '^torch==' requirements.txt)
	$(PY) -m pip install --quiet -r $(PINS)
	$(PY) -m pip install --quiet --no-deps --no-build-isolation -e .
	@! git rev-parse --git-dir >/dev/null 2>&1 || git config diff.notebook.textconv ".venv/bin/jupytext --quiet --to md:myst --output -"
	@touch $@

browser: setup ## find a Chromium for the tests, or install one
	@$(PY) tools/browser.py

book: setup ## execute the notebooks and build the book; prints where it is
	@.venv/bin/jupyter-book build . -W --keep-going
	@test -s $(BOOK) && test -s _build/html/book/index.html
	@echo $(BOOK)

serve: book ## serve the built book on this machine
	@echo "http://127.0.0.1:8000/  (Ctrl-C stops)" && $(PY) -m http.server 8000 --bind 127.0.0.1 --directory _build/html

lab: setup ## open JupyterLab on the notebooks
	@$(PY) -m jupyterlab --notebook-dir=. --LabApp.default_url=/lab/tree/book

test: setup browser ## run every check, to the end even when one fails; says what took longest
	@$(PY) tools/checks.py $(MAKE)

quick: lint ## check what differs from main, in a minute: style and tests, no book, no browser
	@OMP_NUM_THREADS=1 $(PY) tools/quick.py

lint: setup ## check style and format
	$(PY) -m ruff check . && $(PY) -m ruff format --check .

notebooks: setup ## run every notebook from top to bottom, in two processes
	OMP_NUM_THREADS=1 $(PY) -m pytest --nbval -n 2 --dist loadfile -p no:cacheprovider -p tests.timings book

suite: setup browser ## run the tests: package, book, pages, JupyterLab, Binder
	OMP_NUM_THREADS=1 $(PY) -m pytest -n 2 -p tests.timings -m "not timed"

timed: setup browser ## run the tests that measure a time, one after the other
	OMP_NUM_THREADS=1 $(PY) -m pytest -p tests.timings -m timed

restarts: setup ## run every notebook as readers might: restarted half-way, each cell twice, from another folder
	REGATTN_NOTEBOOKS=all OMP_NUM_THREADS=1 $(PY) -m pytest -n 2 tests/test_notebooks.py

bench: setup ## run the benchmarks, about a quarter of an hour
	@for script in $(filter-out %/measure.py, $(wildcard benchmarks/*.py)); do echo $$script; $(PY) $$script || exit 1; done

strip: setup ## take the outputs out of every notebook, as they are committed
	@find book -name '*.ipynb' -not -path '*/.*' -exec $(PY) -m nbstripout {} +

pins: setup ## rewrite the second half of requirements.txt from what is installed
	@$(PY) tools/pins.py

links: setup ## check the links to other sites (needs the network)
	.venv/bin/jupyter-book build . --builder linkcheck

clean: ## remove what was built
	rm -rf _build .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

distclean: clean ## remove the environment as well
	rm -rf .venv *.egg-info

.PHONY: mutants
mutants: setup ## alter the package in 60 places, one at a time; list what the tests miss (an hour)
	@test -x _build/mutants/bin/cosmic-ray || { $(PY) -m venv _build/mutants && _build/mutants/bin/pip install --quiet cosmic-ray==8.7.0; }
	@_build/mutants/bin/python tools/mutants.py --python $(PY)
