# Every target works from a fresh clone: what it needs is set up first.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?=
BIN := .venv/bin
# Tests start Python hundreds of times; without kept bytecode each of these compiles what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-15s %s\n", $$1, $$2}'

# The newest Python that can make an environment; a pyenv shim of a version that is not there does not count.
$(BIN)/python:
	@for python in $(PYTHON) python3.13 python3.12 python3.11 python3; do \
	  if $$python -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "using $$($$python --version) ($$(command -v $$python))"; \
	    exec $$python -m venv .venv; \
	  fi; \
	done; \
	echo "mqdiag needs Python 3.11 or newer with venv (Debian: apt-get install python3 python3-venv);" \
	  "name one with make setup PYTHON=/path/to/python" >&2; exit 1

# --group needs pip 25.1; the pip that comes with a distribution is often older.
.venv/installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev --editable '.[all]'
	@touch $@

# All that mqdiag itself needs, without the tools of development.
.venv/runnable: pyproject.toml | $(BIN)/python
	@test -e .venv/installed || $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

CATALOGUE := mqdiag/language/catalogues/zh/LC_MESSAGES/mqdiag

$(CATALOGUE).mo: $(CATALOGUE).po .venv/installed
	$(BIN)/python -m mqdiag.language.compile_catalogues

.PHONY: demo
demo: .venv/runnable ## Set up what mqdiag needs, and diagnose the dump of a consumer that ran out of memory
	$(BIN)/mqdiag heap fixtures/heap/oversized-oom-5.3.3/dump.hprof.gz --fail-on never

.PHONY: setup
setup: .venv/installed $(CATALOGUE).mo ## Make .venv with everything in it and compile the kernels
	$(BIN)/mqdiag warm

.PHONY: dev
dev: setup ## The same, and a look that it works
	$(BIN)/mqdiag --version

.PHONY: lint
lint: .venv/installed ## Style, types, import contracts, outputs that pages show
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/hadolint Containerfile docs/kubernetes/Containerfile
	$(BIN)/python docs/make --check

.PHONY: format
format: .venv/installed ## Bring the code into its format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Tests of one file share what it reads, so a file stays with one worker.
SHARED := -n auto --maxprocesses 4 --dist loadfile

.PHONY: test
test: .venv/installed $(CATALOGUE).mo ## Each rule, reader, format and attack once, in a random order (three minutes)
	$(BIN)/pytest $(SHARED)

.PHONY: check
check: .venv/installed $(CATALOGUE).mo ## Guides, browser, packaging, JVMs, Spark, further cases and whatever else takes long
	$(BIN)/pytest -m 'check and not nightly' $(SHARED) -p no:randomly  # a guide is tried in the order of its steps

.PHONY: nightly
nightly: .venv/installed $(CATALOGUE).mo ## What repeats a test over more cases, file by file, as far as it has not passed; PART=hostile
	$(BIN)/python -m tests.nightly $(PART)

# atheris has wheels for Linux on x86-64 only, so it is in a group of its own.
.PHONY: fuzz
fuzz: .venv/installed ## Fuzz the readers of text by coverage and the kernels with bounds checks; MINUTES=30
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group fuzz
	$(BIN)/python -m tests.fuzz --minutes $(or $(MINUTES),30) --page

.PHONY: mutation
mutation: .venv/installed $(CATALOGUE).mo ## See which small faults in the code the tests notice; SEED=1 MUTANTS=900 ONLY=rules,threads
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group mutation
	$(BIN)/python -m tests.mutation $(if $(SEED),--seed $(SEED)) $(if $(MUTANTS),--mutants $(MUTANTS)) $(if $(ONLY),--only $(ONLY)) $(if $(RETRY),--retry $(RETRY))

.PHONY: fixtures
fixtures: .venv/installed ## Make the committed dumps again, with real brokers and consumers (Java, Maven)
	$(BIN)/python fixtures/rig/make_heaps.py

.PHONY: fixtures-incidents
fixtures-incidents: .venv/installed ## Make the committed logs and stores again, with real brokers (Java, Maven, strace, root)
	$(BIN)/python fixtures/rig/incidents/make_incidents.py

.PHONY: drills
drills: .venv/installed ## Provoke the faults of fixtures/drills again, with their healthy twins (Java, Maven, root); DRILL=pool-leak
	$(BIN)/python fixtures/drills/make_drills.py $(if $(DRILL),--only '$(DRILL)') $(if $(PART),--part $(PART)) $(if $(RAW),--raw $(RAW))

.PHONY: example-ci-gate
example-ci-gate: .venv/installed ## Load test, dump, gate; fails before the fix, passes after it (Java, Maven)
	$(BIN)/python fixtures/rig/ci_gate.py $(if $(OUT),--out $(OUT))

.PHONY: docs
docs: .venv/installed ## Write the pages made from the code, and the outputs shown in README.md and guides
	$(BIN)/python docs/make
	$(BIN)/python -m tests.accuracy.public --pages

.PHONY: docs-check
docs-check: .venv/installed ## Fail when an output that a page shows is out of date
	$(BIN)/python docs/make --check

.PHONY: bench
bench: .venv/installed ## Time mqdiag against its peers on large dumps (Java, Maven, cargo); OBJECTS=1,12 MINUTES=30 MAT=/opt/mat
	$(BIN)/python -m tests.bench $(if $(OBJECTS),--objects $(OBJECTS)) $(if $(MANY),--many $(MANY)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(MAT),--mat $(MAT)) $(DUMPS)

.PHONY: accuracy
accuracy: .venv/installed ## Hold sizes against the JVM's and other readers' and write docs/measurements (Java, Maven); MAT=/opt/mat
	$(BIN)/python -m tests.accuracy $(if $(MAT),--mat $(MAT))

.PHONY: fleet-faults
fleet-faults: .venv/installed ## Break fleet runs on a real Spark cluster in every way we know (Java; half an hour)
	$(BIN)/python -m tests.nightly fleet

.PHONY: fleet-bench
fleet-bench: .venv/installed ## Time fleet runs against a plain process pool (Java); DUMPS=200 SMALL=100,1000 LOGS=0 LISTED=0 COMPARED=0
	$(BIN)/python -m tests.fleet.bench $(if $(DUMPS),--dumps $(DUMPS)) $(if $(SMALL),--small $(SMALL)) $(if $(LOGS),--logs $(LOGS)) $(if $(LISTED),--listed $(LISTED)) $(if $(COMPARED),--compared $(COMPARED))

# The time of the last commit goes into both archives, so that whoever builds this commit gets the same bytes.
.PHONY: package
package: .venv/installed ## Build sdist and wheel into dist/, reproducibly
	rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m build --outdir dist .

.PHONY: package-check
package-check: .venv/installed ## Build, install and run the package in fresh environments, as a user who is not root too
	$(BIN)/pytest -n 0 -m 'check or not check' tests/packaging

# Named after what the wheels of the libraries fit: mqdiag-VERSION-cpython-311-linux-x86_64.tar.gz.
.PHONY: bundle
bundle: .venv/runnable ## Write a file into dist/ that installs mqdiag on a host without a network; PYTHONS="3.11 3.12" MACHINE=aarch64 EXTRAS=query
	@MACHINE="$(MACHINE)" EXTRAS="$(EXTRAS)" SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 1767225600) sh .ci/make-bundle $(BIN)/python $(PYTHONS)

.PHONY: bundle-check
bundle-check: ## Install the bundles of dist/ on clean Debians without a network and rights (root, mmdebstrap, qemu); FOLDER=/srv/machines
	.ci/try-bundle $(or $(FOLDER),build/machines) dist/mqdiag-*-cpython-*.tar.gz

.PHONY: sbom
sbom: package ## Write dist/mqdiag.cdx.json, the bill of materials of a fresh installation (CycloneDX)
	rm -rf build/sbom
	$(BIN)/python -m venv --without-pip build/sbom
	$(BIN)/python -m pip --python build/sbom install --quiet --disable-pip-version-check dist/*.whl
	rm build/sbom/lib/python*/site-packages/mqdiag-*.dist-info/direct_url.json  # names a folder of this machine
	$(BIN)/cyclonedx-py environment --output-reproducible --output-file dist/mqdiag.cdx.json build/sbom/bin/python

.PHONY: site
site: .venv/installed ## Make build/site of all pages, and dist/mqdiag-VERSION-site.tar.gz, which opens from a disk
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python docs/make/site.py --out build/site \
	  --archive dist/mqdiag-$$($(BIN)/python -c 'import mqdiag; print(mqdiag.__version__)')-site.tar.gz

RELEASED_FOR := 3.11 3.12 3.13 3.14
RELEASED_FOR_ARM64 := 3.11

.PHONY: release
release: ## Make all files of a release from the commit that is checked out, into dist/
	rm -rf dist
	$(MAKE) --no-print-directory sbom bundle site PYTHONS="$(RELEASED_FOR)"
	$(MAKE) --no-print-directory bundle PYTHONS="$(RELEASED_FOR_ARM64)" MACHINE=aarch64
	$(BIN)/python .ci/provenance.py dist $$($(BIN)/python -c 'import mqdiag; print(mqdiag.__version__)')
	@cat dist/SHA256SUMS

.PHONY: versions
versions: ## Run tests with the lowest libraries that are allowed, and the newest; TESTS=tests/fleet HELD=pyspark==3.5.7 PYTHON=python3.12
	bash .ci/versions lowest-direct $(or $(PYTHON),python3.11) $(HELD) -- $(TESTS)
	bash .ci/versions highest $(or $(PYTHON),python3.11) $(HELD) -- $(TESTS)

.PHONY: clean
clean: ## Remove what was built and cached; .venv stays
	rm -rf dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis mqdiag/_kernel_cache
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

.PHONY: translations
translations: .venv/installed ## Take new texts into the Chinese catalogue, for somebody to translate
	$(BIN)/python -m mqdiag.language.update

.PHONY: translations-check
translations-check: .venv/installed $(CATALOGUE).mo ## Fail where a text has no translation
	$(BIN)/python -m mqdiag.language.update --check
	$(BIN)/pytest $(SHARED) -m translations tests/language
