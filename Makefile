# make build: set everything up in .venv and build a release of the pretend museum.
# make test:  set up what is missing and pass every check and test.
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

.PHONY: setup build test lint types imports tests coverage weights wheel lock clean help campaign-sameness campaign-faults campaign-kills campaign-million bench-overhead bench-fetch bench-dedup bench-choose bench-detect-cpu bench-detect-gpu bench-detectors bench-train campaign-dedup-quality

help:
	@grep -E '^# make' Makefile

setup: $(READY)

# Bytecode is written now, once: it halves the time in which every command starts.
$(READY): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes --compile-bytecode requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	mkdir -p $(PREFECT_HOME)
	touch $(READY)

$(MUSEUM)/works.csv: | $(READY)
	$(BIN)/bilderatlas museum paint $(MUSEUM) --records $(RECORDS) --seed $(SEED)

build: $(READY) $(MUSEUM)/works.csv
	$(BIN)/bilderatlas build deployments/recipes/museum.yaml --store $(STORE) --bind images=$(MUSEUM) --bind weights=$(WEIGHTS)
	$(BIN)/bilderatlas verify $(STORE)/releases/museum/latest
	$(BIN)/bilderatlas museum grade $(MUSEUM) $(STORE)/releases/museum/latest

test: lint types imports tests

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

imports: $(READY)
	$(BIN)/lint-imports

tests: $(READY)
	$(BIN)/python -m pytest -n 2 --dist loadfile --cov --cov-report=term-missing:skip-covered

# What takes longer than a test may. Each leaves its figures in benchmarks/results/.
campaign-sameness: $(READY) $(MUSEUM)/works.csv
	$(BIN)/python -m benchmarks.sameness deployments/recipes/museum.yaml --bind images=$(MUSEUM) --bind weights=$(WEIGHTS)

campaign-faults: $(READY)
	$(BIN)/python -m benchmarks.faults

campaign-kills: $(READY)
	$(BIN)/python -m benchmarks.fetch_kills

campaign-million: $(READY)
	$(BIN)/python -m benchmarks.million

bench-overhead: $(READY)
	$(BIN)/python -m benchmarks.overhead

bench-fetch: $(READY)
	$(BIN)/python -m benchmarks.fetch

bench-dedup: $(READY)
	$(BIN)/python -m benchmarks.dedup $(PAINTINGS)

bench-choose: $(READY)
	$(BIN)/python -m benchmarks.choose $(LISTS)

bench-detect-cpu: $(READY)
	$(BIN)/python -m benchmarks.detect_cpu $(PAINTINGS)

# Where make can't set .venv up, but torch is there: python -m benchmarks.detect_gpu
bench-detect-gpu: $(READY)
	$(BIN)/python -m benchmarks.detect_gpu

bench-detectors: $(READY)
	$(BIN)/python -m benchmarks.detectors $(PEOPLEART) --models $(MODELS)

bench-train: $(READY)
	$(BIN)/python -m benchmarks.train

campaign-dedup-quality: $(READY)
	$(BIN)/python -m benchmarks.dedup_quality $(PAINTINGS) --one-each
	$(BIN)/python -m benchmarks.dedup_quality $(PAINTINGS); first=$$?; \
	  $(BIN)/python -m benchmarks.dedup_quality --museum 20000 --seed $(UNSEEN) && exit $$first

weights: $(READY)
	$(BIN)/python -m examples.museum.train_detector --out $(WEIGHTS)

wheel: $(READY)
	rm -rf dist
	$(BIN)/uv build --quiet --wheel --no-build-isolation --python $(BIN)/python

lock:
	$(BIN)/uv pip compile --quiet pyproject.toml --all-extras --generate-hashes --no-header \
	  --python-version 3.11 --output-file requirements.lock

clean:
	rm -rf build dist store .coverage* $(READY)
