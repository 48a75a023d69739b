# Every target makes its own virtual environment; only Python, make and a C++ compiler are needed.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
NATIVE := $(shell find core bind -name '*.?pp') CMakeLists.txt pyproject.toml
# A folder changes when a module comes or goes: the editable install must then learn of it.
FOLDERS := $(shell find src -type d -not -name __pycache__)
SANITIZED := .venv-sanitize
JOBS   ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help build demo test quick lint format stubs map notebook bench papers sanitize clean

help:
	@echo "make demo      a model trained, tuned and looked into in half a minute: demo/model.html"
	@echo "make build     the environment .venv, with the command .venv/bin/rosewood"
	@echo "make test      all tests, on all cores   make quick    without slow ones"
	@echo "make lint      ruff, mypy, clang-format   make format   apply the formatting"
	@echo "make bench     benchmarks          make sanitize  native tests under sanitizers"
	@echo "make papers CORPUS=tatoeba-zh-en   the tables of all papers on a corpus: hours"
	@echo "make stubs     regenerate the typed stub of the native module"
	@echo "make map       regenerate docs/modules.md, reference.md, errors.md and tables in guides"
	@echo "make notebook  run the notebook of examples/ and store what it shows"

$(VENV)/tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --group build
	@touch $@

$(VENV)/built: $(VENV)/tools $(NATIVE) $(FOLDERS)
	$(BIN)/pip install --quiet --no-build-isolation --editable . \
	  --config-settings=cmake.define.ROSEWOOD_WERROR=ON
	@touch $@

$(VENV)/tests: $(VENV)/built
	$(BIN)/pip install --quiet --group test
	@touch $@

# The program of the tests in C++: compiled here, on all cores, before the first test starts.
$(VENV)/native-tests: $(VENV)/tests $(wildcard tests/native/*.?pp) tests/native/CMakeLists.txt
	$(BIN)/python -m tests.native.test_native
	@touch $@

$(VENV)/lint: $(VENV)/tools
	$(BIN)/pip install --quiet --group lint
	@touch $@

build: $(VENV)/built

demo: $(VENV)/built
	$(BIN)/rosewood demo --output demo

# Whoever has nothing left to do takes tests from the others.  Compiled modules are kept, whatever
# the environment says: tests start hundreds of processes.
test quick: export PYTHONDONTWRITEBYTECODE =
PYTEST := $(BIN)/pytest --numprocesses=$(JOBS) --dist=worksteal

test: $(VENV)/native-tests
	$(PYTEST)

quick: $(VENV)/tests
	$(PYTEST) -m "not slow"

lint: $(VENV)/built $(VENV)/lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $$(find core bind tests -name '*.?pp')

format: $(VENV)/lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $$(find core bind tests -name '*.?pp')

stubs: $(VENV)/tests
	$(BIN)/python -m nanobind.stubgen --quiet -m rosewood._core -o src/rosewood/_core.pyi

map: $(VENV)/built
	$(BIN)/python docs/generate.py

notebook: $(VENV)/tests
	$(BIN)/python -m tests.notebook examples/first-model.ipynb

bench: $(VENV)/built
	$(BIN)/python -m benchmarks.forest
	$(BIN)/python -m benchmarks.metrics
	$(BIN)/python -m benchmarks.tune
	$(BIN)/python -m benchmarks.oscar
	$(BIN)/python -m benchmarks.text
	$(BIN)/python -m benchmarks.cluster
	$(BIN)/python -m benchmarks.align
	$(BIN)/python -m benchmarks.lm
	$(BIN)/python -m benchmarks.rules
	$(BIN)/python -m benchmarks.reordering
	$(BIN)/python -m benchmarks.decode
	$(BIN)/python -m benchmarks.sparse
	$(BIN)/python -m benchmarks.boost --rows 1000000
	$(BIN)/python -m benchmarks.minrisk --forests 2500
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.system

# What is finished is kept in WORK; the same command goes on after it.
WORK ?= papers.work
papers: $(VENV)/built
	@test -n "$(CORPUS)" || { echo "which corpus? make papers CORPUS=tatoeba-zh-en"; exit 2; }
	$(BIN)/python -m experiments $(CORPUS) --work $(WORK) --threads $(JOBS)

# A second environment, so that the sanitized library never mixes with the ordinary one.
$(SANITIZED)/built: $(NATIVE)
	$(PYTHON) -m venv $(SANITIZED)
	$(SANITIZED)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(SANITIZED)/bin/pip install --quiet --group build --group test
	$(SANITIZED)/bin/pip install --quiet --no-build-isolation . \
	  --config-settings=cmake.define.ROSEWOOD_SANITIZE=ON \
	  --config-settings=build-dir=build/sanitize
	@touch $@

sanitize: $(SANITIZED)/built
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	$(SANITIZED)/bin/pytest --numprocesses=$(JOBS) --dist=worksteal -p no:cacheprovider tests

clean:
	rm -rf $(VENV) $(SANITIZED) build demo
