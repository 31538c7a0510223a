# `make` lists the targets. Everything is written inside this checkout: .venv, data/, runs/.
PYTHON ?= python3
BIN := .venv/bin
SOURCES := simper_tf datasets trainers reproduce benchmarks docs examples tests setup.py

.PHONY: help quickstart test test-fast lint docs bench bench-peers recordings series smoke results parity clean
help:
	@echo "Begin with these two:"
	@echo "make quickstart  set up .venv and pre-train, evaluate and export on rotating digits (about 4 minutes, 2 of them set-up)"
	@echo "make test        set up .venv and run the whole test suite"
	@echo ""
	@echo "make test-fast   set up .venv and run the fast tests (about 80 seconds on two quiet cores)"
	@echo "make lint        check style and format"
	@echo "make docs        build the documentation site: site/index.html"
	@echo "make bench       measure speed and memory against plain references (long; BENCH='--only=views_*' for some)"
	@echo "make bench-peers measure encoders beside PyTorch in an environment of its own (about 5 minutes, half of it set-up)"
	@echo "make recordings  read real recordings as simper predict does, where they are at hand: docs/measured.md"
	@echo "make series      read heart rates beside other libraries: docs/series.md (about 10 minutes, 2 of them set-up)"
	@echo "make smoke       make every table of the paper of two steps a run, to see that all of it works"
	@echo "make results     make every table at the scale of two cores: docs/results (only runs that are not in rows.jsonl there are trained)"
	@echo "make parity      compare with tensorflow-addons in an environment of its own (needs Python 3.11)"
	@echo "make clean       delete .venv, .venv-parity, .venv-peers, .venv-series, site and caches; data/ and runs/ stay"

quickstart: .venv/ready
	$(BIN)/python -m trainers.pretrain --flagfile=flags/quickstart.cfg

# Two processes: much of a test is tracing, which takes one core. The tests of a file stay together, as they share runs.
test: .venv/ready
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

test-fast: .venv/ready
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow"

lint: .venv/ready
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)

docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "Documentation: site/index.html"

bench: .venv/ready
	$(BIN)/python -m benchmarks $(BENCH)

bench-peers: .venv-peers/ready
	.venv-peers/bin/python -m benchmarks.peers

recordings: .venv/ready
	$(BIN)/python -m benchmarks.real --document=docs/measured.md
	$(BIN)/python -m benchmarks.perturbed --document=docs/measured.md --figure=docs/reliability.png

smoke: .venv/ready
	$(BIN)/python -m reproduce --scale=smoke --jobs=2

results: .venv/ready
	$(BIN)/python -m reproduce --scale=small --rows=docs/results/rows.jsonl --out=docs/results \
	  --documents=README.md,docs/paper.md

series: .venv-series/ready
	.venv-series/bin/python -m benchmarks.series --document=docs/series.md

parity: .venv-parity/ready
	.venv-parity/bin/python -m pytest tests/parity

clean:
	rm -rf .venv .venv-parity .venv-peers .venv-series .pytest_cache .ruff_cache build site *.egg-info

# Files made last, so that an interrupted set-up is started again.
.venv/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; (3, 11) <= sys.version_info[:2] <= (3, 13) or sys.exit( \
	  f"simper_tf needs Python 3.11, 3.12 or 3.13; {sys.executable} is {v}. Name one: make PYTHON=python3.12 ...")'
	@echo "Setting up .venv: about 2 minutes and 3.5 GB ..."
	@rm -rf .venv && $(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test]'
	@touch $@

.venv/docs: .venv/ready
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	@touch $@

.venv-parity/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; sys.version_info[:2] == (3, 11) or sys.exit( \
	  f"tensorflow-addons ended with Python 3.11; {sys.executable} is {v}. Name one: make PYTHON=python3.11 parity")'
	@echo "Setting up .venv-parity: about 2 minutes and 3 GB ..."
	@rm -rf .venv-parity && $(PYTHON) -m venv .venv-parity
	@.venv-parity/bin/pip install --quiet --disable-pip-version-check --editable '.[addons]'
	@touch $@

# Where the package index has no build of PyTorch for CPUs, pip takes the one for CUDA, with several GB of its libraries.
.venv-peers/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; (3, 11) <= sys.version_info[:2] <= (3, 13) or sys.exit( \
	  f"simper_tf needs Python 3.11, 3.12 or 3.13; {sys.executable} is {v}. Name one: make PYTHON=python3.12 ...")'
	@echo "Setting up .venv-peers: about 2 minutes and 3.3 GB, with the build of PyTorch for CPUs ..."
	@rm -rf .venv-peers && $(PYTHON) -m venv .venv-peers
	@.venv-peers/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[peers]'
	@touch $@

# neurokit2 needs an older pandas than the other environments have.
.venv-series/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; (3, 11) <= sys.version_info[:2] <= (3, 13) or sys.exit( \
	  f"simper_tf needs Python 3.11, 3.12 or 3.13; {sys.executable} is {v}. Name one: make PYTHON=python3.12 ...")'
	@echo "Setting up .venv-series: about 2 minutes and 3 GB ..."
	@rm -rf .venv-series && $(PYTHON) -m venv .venv-series
	@.venv-series/bin/pip install --quiet --disable-pip-version-check --editable '.[series]'
	@touch $@
