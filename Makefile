# `make help` lists every target: the text behind `##`.
PYTHON ?= python3
UV_VERSION := 0.13.9
BIN := .venv/bin
READY := .venv/ready
MUSEUM := build/museum
RECORDS := 2000
SEED := 2023
STORE := store
WEIGHTS := examples/museum/weights/figures.onnx
# Pictures of different works, and a museum that nobody has looked at
PEOPLEART := ../shared/data/peopleart
PAINTINGS := $(PEOPLEART)/JPEGImages
MODELS := ../shared/data/weights
LISTS := ../shared/data/wikiart_style_lists/Style
UNSEEN := 61007

export PREFECT_SERVER_ANALYTICS_ENABLED := false
export PREFECT_HOME := $(CURDIR)/.venv/prefect
export DO_NOT_TRACK := 1
# Tests start hundreds of commands: with bytecode each starts a second earlier.
unexport PYTHONDONTWRITEBYTECODE

CHROMIUM := /usr/bin/chromium
IMAGEMAGICK := /usr/bin/convert

.PHONY: help setup setup-browser setup-postgres setup-imagemagick build serve test check lint types imports tests coverage test-live test-readers test-contracts unit licences docs-settings docs-screenshots weights wheel lock lock-readers lock-datumaro lock-contract-tools clean \
  campaign-sameness campaign-faults campaign-kills campaign-server-faults campaign-hostile campaign-rebuilds campaign-million campaign-formats campaign-dedup-quality \
  campaign-dedup-families campaign-overlap bench-overhead bench-fetch bench-dedup bench-choose bench-detect-cpu bench-detect-gpu bench-detectors bench-generation bench-knn bench-raters \
  bench-train bench-release bench-release-growth bench-dedup-growth bench-release-diff bench-pages bench-overlap bench-catalogue bench-idle bench-serve bench-formats

help: ## list every target
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-24s %s\n", $$1, $$2 }' Makefile

setup: $(READY) ## make .venv from requirements.lock

# Bytecode is written now, once: it halves the time in which every command starts.
$(READY): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes --compile-bytecode requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	mkdir -p $(PREFECT_HOME)
	@echo "compiling the inner loops of a build, once: some twenty seconds"
	$(BIN)/python -m tasks.core.compile_ahead
	touch $(READY)

# Tools and readers that need versions of their own have environments of their own.
.venv/%/ready: tests/environments/%.lock | $(READY)
	test -x .venv/$*/bin/python || $(PYTHON) -m venv .venv/$*
	$(BIN)/uv pip sync --quiet --python .venv/$*/bin/python --require-hashes tests/environments/$*.lock
	touch $@

setup-browser: ## install Debian's chromium for the tests of the report's page (needs root)
	test -x $(CHROMIUM) || { apt-get update && apt-get install -y --no-install-recommends chromium; }

setup-postgres: ## install Debian's PostgreSQL for the tests of a team's server (needs root)
	ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || { apt-get update && apt-get install -y --no-install-recommends postgresql; }

setup-imagemagick: ## install Debian's ImageMagick for the tests of reduced copies (needs root)
	test -x $(IMAGEMAGICK) || { apt-get update && apt-get install -y --no-install-recommends imagemagick; }

$(MUSEUM)/works.csv: | $(READY)
	$(BIN)/bilderatlas museum paint $(MUSEUM) --records $(RECORDS) --seed $(SEED)

build: $(READY) $(MUSEUM)/works.csv ## build and check a release of the pretend museum
	$(BIN)/bilderatlas build deployments/recipes/museum.yaml --store $(STORE) --bind images=$(MUSEUM) --bind weights=$(WEIGHTS)
	$(BIN)/bilderatlas verify $(STORE)/releases/museum/latest
	$(BIN)/bilderatlas museum grade $(MUSEUM) $(STORE)/releases/museum/latest

serve: $(READY) ## Prefect's server with its web page, a worker and all deployments, until Ctrl-C (docs/operate.md)
	$(BIN)/bilderatlas serve --store $(STORE)

test: $(READY) ## every check, and every test but test-live, test-readers and test-contracts (about 9 minutes)
	$(MAKE) --no-print-directory --jobs=2 lint types imports tests

check: $(READY) ## the quick checks: lint, types, imports and unit tests (two and a half minutes, the first time four)
	$(MAKE) --no-print-directory --jobs=2 lint types imports unit

lint: $(READY) ## ruff's rules and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## mypy --strict
	$(BIN)/mypy

imports: $(READY) ## which room may import which (import-linter)
	$(BIN)/lint-imports

TESTS = $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not server and not live and not readers and not contract_tools"

tests: $(READY) ## all tests but those of test-live, test-readers and test-contracts
	$(TESTS)

coverage: $(READY) ## the same tests, and the lines and branches that none of them reaches: takes twice as long
	$(TESTS) --cov --cov-report=term-missing:skip-covered

test-live: $(READY) ## whole commands with Prefect servers, workers, a Dask cluster, signals, a browser, the wheel, trainings, purges, damages, histories, museums on localhost, hostile samples
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m "server or live" tests/integration tests/unit

test-readers: $(READY) .venv/readers/ready .venv/datumaro/ready ## docs/reading.md's lines, each with its reader, on the museum's and People-Art's release
	$(BIN)/python -m pytest -n 0 -m readers tests/integration/test_reading.py

test-contracts: $(READY) .venv/contract-tools/ready ## datacontract-cli lints the contracts, and tests a release by them
	$(BIN)/python -m pytest -n 0 -m contract_tools tests/integration/test_contract_tools.py

unit: $(READY) ## unit tests and doctests of flows, tasks and schemas: without Prefect servers and the slowest, 20 examples each
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m "not server and not slow" --hypothesis-profile=quick \
		--ignore=tests/unit/museum --ignore=tests/unit/benchmarks tests/unit tests/contracts tasks/core

licences: $(READY) ## the licence of every run-time dependency, held against licences.yaml (a unit test does so too)
	$(BIN)/python -m tests.support.licences

docs-settings: $(READY) ## write docs/settings.md and the schema of recipes from the settings' own descriptions
	$(BIN)/bilderatlas settings --markdown > docs/settings.md
	$(BIN)/bilderatlas schema recipe > deployments/recipes/recipe.schema.json

docs-screenshots: $(READY) ## take the pictures of Prefect's web page in docs/images anew
	BILDERATLAS_SCREENSHOTS=$(CURDIR)/docs/images $(BIN)/python -m pytest -n 0 tests/integration/test_web_page.py

# What takes longer than a test may. Each leaves its figures in benchmarks/results/.
campaign-sameness: $(READY) $(MUSEUM)/works.csv ## the same release whatever the part size, workers and interruptions
	$(BIN)/python -m benchmarks.sameness deployments/recipes/museum.yaml --bind images=$(MUSEUM) --bind weights=$(WEIGHTS)

campaign-faults: $(READY) ## builds from a server that fails in every way it can
	$(BIN)/python -m benchmarks.faults

campaign-kills: $(READY) ## a fetch that is killed again and again
	$(BIN)/python -m benchmarks.fetch_kills

campaign-server-faults: $(READY) $(MUSEUM)/works.csv ## builds whose server, database, worker or process fails (needs root, PostgreSQL)
	$(BIN)/python -m benchmarks.server_faults --museum $(MUSEUM)

campaign-hostile: $(READY) ## thousands of odd files, recipes, stores, damages and kills, each with its right ending
	$(BIN)/python -m benchmarks.hostile

campaign-rebuilds: $(READY) ## 200 rebuilds after twelve images more, each in a fresh process: none crashes
	$(BIN)/python -m benchmarks.rebuilds

campaign-million: $(READY) ## a million records: time and memory
	$(BIN)/python -m benchmarks.million

campaign-formats: $(READY) ## unpack in every layout, killed again and again: the same files (an hour and more)
	$(BIN)/python -m benchmarks.formats_kills --work build/formats

bench-overhead: $(READY) ## the share of a build's time that is Prefect's
	$(BIN)/python -m benchmarks.overhead

bench-fetch: $(READY) ## fetch beside img2dataset
	$(BIN)/python -m benchmarks.fetch

bench-dedup: $(READY) ## near hashes and hashing beside faiss and imagededup
	$(BIN)/python -m benchmarks.dedup $(PAINTINGS)

bench-choose: $(READY) ## sample and split on 81,446 and on ten million works
	$(BIN)/python -m benchmarks.choose $(LISTS)

bench-release-growth: $(READY) ## how a build grows with records that bring no new images
	$(BIN)/python -m benchmarks.release_growth

bench-dedup-growth: $(READY) ## how the search for copies grows, up to 400,000 images (hours)
	$(BIN)/python -m benchmarks.dedup_growth

bench-idle: $(READY) ## what a build and a plan cost that have nothing to do
	$(BIN)/python -m benchmarks.idle

bench-serve: $(READY) ## how long a person waits at Prefect's web page
	$(BIN)/python -m benchmarks.serve

bench-catalogue: $(READY) ## plan and build of a catalogue that is one JSON file of 1 GB: time and memory
	$(BIN)/python -m benchmarks.catalogue

bench-release: $(READY) ## write a release's files beside pyarrow alone; one style; what stays after 1 % new
	$(BIN)/python -m benchmarks.release

bench-detect-cpu: $(READY) ## detect on a CPU beside a plain loop
	$(BIN)/python -m benchmarks.detect_cpu $(PAINTINGS)

# Where make can't set .venv up, but torch is there: python -m benchmarks.detect_gpu
bench-detect-gpu: $(READY) ## detect on a GPU beside its forward pass alone
	$(BIN)/python -m benchmarks.detect_gpu

bench-raters: $(READY) ## a consensus of raters beside each of them, on the museum, where the truth is known
	$(BIN)/python -m benchmarks.raters

bench-detectors: $(READY) ## detectors scored on People-Art's test split
	$(BIN)/python -m benchmarks.detectors $(PEOPLEART) --models $(MODELS)

bench-generation: $(READY) ## FID beside numpy and scipy, on 2 x 50,000 x 2,048 features
	$(BIN)/python -m benchmarks.generation

bench-train: $(READY) ## training beside a reference loop
	$(BIN)/python -m benchmarks.train

bench-knn: $(READY) ## exact nearest neighbours beside the bare matrix product
	$(BIN)/python -m benchmarks.knn

bench-formats: $(READY) ## pictures reduced to 32 and 256 px beside ImageMagick: differences and time (needs ImageMagick)
	$(BIN)/python -m benchmarks.formats $(PAINTINGS)

campaign-overlap: $(READY) ## verify --against on People-Art's release: copies found, and strangers taken for them
	$(BIN)/python -m benchmarks.overlap_copies $(PEOPLEART) --weights $(MODELS)/yolox_nano/yolox_nano.onnx

bench-overlap: $(READY) ## verify --against: two datasets of up to a million images by their fingerprints
	$(BIN)/python -m benchmarks.overlap

bench-release-diff: $(READY) ## diff of two releases of up to a million records: time and memory
	$(BIN)/python -m benchmarks.release_diff

bench-pages: $(READY) ## what a release of 100,000 images says of itself: seconds and memory of each page
	$(BIN)/python -m benchmarks.pages

campaign-dedup-quality: $(READY) ## copies found and works joined wrongly, on real and painted pictures
	$(BIN)/python -m benchmarks.dedup_quality $(PAINTINGS) --one-each
	$(BIN)/python -m benchmarks.dedup_quality $(PAINTINGS); first=$$?; \
	  $(BIN)/python -m benchmarks.dedup_quality --museum 20000 --seed $(UNSEEN) && exit $$first

campaign-dedup-families: $(READY) ## every kind of copy, and different works that look alike
	$(BIN)/python -m benchmarks.dedup_quality --families $(PAINTINGS) --originals 40

weights: $(READY) ## train the museum's own detector again
	$(BIN)/python -m examples.museum.train_detector --out $(WEIGHTS)

wheel: $(READY) ## build the wheel into dist
	rm -rf dist
	$(BIN)/uv build --quiet --wheel --no-build-isolation --python $(BIN)/python

lock: ## resolve requirements.lock again
	$(BIN)/uv pip compile --quiet pyproject.toml --all-extras --generate-hashes --no-header \
	  --python-version 3.11 --output-file requirements.lock

lock-readers: ## resolve tests/environments/readers.lock again
	$(BIN)/uv pip compile --quiet tests/environments/readers.txt --generate-hashes --no-header \
	  --python-version 3.11 --output-file tests/environments/readers.lock

lock-datumaro: ## resolve tests/environments/datumaro.lock again
	$(BIN)/uv pip compile --quiet tests/environments/datumaro.txt --generate-hashes --no-header \
	  --python-version 3.11 --output-file tests/environments/datumaro.lock

lock-contract-tools: ## resolve tests/environments/contract-tools.lock again
	$(BIN)/uv pip compile --quiet tests/environments/contract-tools.txt --generate-hashes --no-header \
	  --python-version 3.11 --output-file tests/environments/contract-tools.lock

clean: ## remove what the other targets made, but for .venv
	rm -rf build dist store .coverage* $(READY)
