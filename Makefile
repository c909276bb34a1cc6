# SPDX-License-Identifier: Apache-2.0
#
# The front door. CMake does the building (CMakeLists.txt, CMakePresets.json); this only strings commands together.
#   make         build            make test    ten minutes on two cores           make test-long  the other tests
#   make install, make uninstall  PREFIX=/usr/local DESTDIR=        make package  a .deb, a tarball, a wheel
#   make demo    see it work      make bench   side by side, ratios  make format, make lint
#   make fuzz    break parsers    make test-trust  kernels that attack assay    make campaign  the long ones, hours
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BUILD := build/default

.DEFAULT_GOAL := build
.PHONY: configure build deps deps-build demo test test-long test-trust campaign fuzz bench docs install uninstall package wheel test-packages format lint clean help

configure:
	@cmake --preset default --log-level=STATUS $(if $(wildcard $(BUILD)/build.ninja),> $(BUILD)/configure.log)

build: configure # configure and build the default preset
	@cmake --build --preset default -j $(JOBS)

deps: # install the Debian packages for building and testing
	@scripts/deps.sh build test

deps-build:
	@scripts/deps.sh build

demo: deps-build # the shipped simd kernel against tiled; builds the program alone, ends with one screen
	@$(MAKE) --no-print-directory configure
	@cmake --build --preset default -j $(JOBS) --target assay
	@scripts/demo.sh $(BUILD)

test: deps # all but the long ones; ends with the five slowest and 'N passed, N failed'
	@$(MAKE) --no-print-directory build
	@scripts/test.sh $(BUILD)

test-long: deps # the rest: emulated kernels, promises, clocks that settle, trials of the statistics
	@$(MAKE) --no-print-directory build
	@scripts/test.sh --long $(BUILD)

test-trust: # every kernel of tests/broken and tests/honest through fuzz and gate, TRUST="--unprivileged NAME ..."
	@$(MAKE) --no-print-directory build
	@ASSAY="$(CURDIR)/$(BUILD)/assay" tests/trust.py $(TRUST)

campaign: # for hours: 100 000 trials and 200 gates a promise, 500 kills, 100 gates of equal kernels with a kill in each, 200 stores that 16 processes create, 30 gates beside a load, all public exploits, 1000 candidates of a referee, ten minutes of hostile inputs for every parser, then the command line with sanitizers, and packages in bare roots
	@$(MAKE) --no-print-directory build
	@ASSAY_TRIALS=100000 ctest --test-dir $(BUILD) -L stats --output-on-failure -j $(JOBS)
	@ASSAY="$(CURDIR)/$(BUILD)/assay" PROMISES_GATES=200 BISECT_SEEDS=20 BISECT_COMMITS=16 tests/run.sh promises bisect/seeds bisect_cpu/real_repository tune/cpu_search tune/winners_curse fuzz/simd_default emulator/rungs emulator/mutants emulator/fp8_boundary gate/unique_symbols gate/measure_same gate/abi1_kernel faults/kill_and_resume explain/gate operators/gemm operators/honest_variants python/cpp_extension
	@ASSAY="$(CURDIR)/$(BUILD)/assay" tests/kills.py
	@ASSAY="$(CURDIR)/$(BUILD)/assay" tests/kills.py --same --count 100
	@ASSAY_NEW_STORES=200 $(BUILD)/tests/test_store_writers
	@ASSAY="$(CURDIR)/$(BUILD)/assay" tests/busy.py
	@ASSAY="$(CURDIR)/$(BUILD)/assay" tests/exploits/run.py
	@ASSAY="$(CURDIR)/$(BUILD)/assay" tests/referee_storm.py --count 1000
	@FUZZ_SECONDS=600 JOBS=$(JOBS) scripts/fuzz.sh
	@ASSAY="$(CURDIR)/$(BUILD)/assay" bench/serve_load.sh 60 1000000 50 50
	@scripts/deps.sh fuzz
	@CC=clang cmake --preset debug >/dev/null && cmake --build build/debug -j $(JOBS) && scripts/sanitized_cli.sh build/debug
	@[ "$$(id -u)" != 0 ] && echo "SKIPPED: test-packages needs root" || $(MAKE) --no-print-directory test-packages

fuzz: # hostile inputs against every parser, FUZZ_SECONDS=30 each
	@JOBS=$(JOBS) scripts/fuzz.sh

docs: build # the schemas of results and of assay.yaml, the tables of their pages and the module's classes, from the tables that read them
	@ASSAY_WRITE_DOCS=1 $(BUILD)/tests/test_schema
	@scripts/document_classes.py
	@ASSAY_WRITE_DOCS=1 $(BUILD)/tests/test_manifest_members
	@ASSAY_WRITE_DOCS=1 $(BUILD)/tests/test_referee_record

bench: # ratios against peers on this machine
	@scripts/deps.sh build bench
	@$(MAKE) --no-print-directory build
	@cmake --build --preset default -j $(JOBS) --target stats_bench
	@bench/run.sh

install: configure # builds what it installs: program, manual pages, completions, shipped kernels, below PREFIX (/usr/local)
	@cmake --build --preset default -j $(JOBS) --target installed
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"
	@cp $(BUILD)/install_manifest.txt $(BUILD)/installed.txt # the next to install or pack writes the former anew

uninstall: # removes what the last `make install` put there
	@DESTDIR="$(DESTDIR)" cmake -DMANIFEST="$(BUILD)/installed.txt" -DPREFIX="$(abspath $(PREFIX))" -P cmake/uninstall.cmake

package: # build/packages: a Debian package, and of the static preset a tarball to unpack anywhere and a wheel
	@scripts/deps.sh build package
	@JOBS=$(JOBS) scripts/package.sh

wheel: # build/packages/assay-*.whl, for pip install: program, module and pytest plugin
	@scripts/deps.sh build package
	@JOBS=$(JOBS) scripts/package.sh wheel

test-packages: package # as root: from the tarball, the package and a clone to a first verdict in roots of Debian's base alone, PARTS="tarball deb wheel clone"
	@scripts/deps.sh bare
	@tests/bare_root.sh $(PARTS)

format:
	@scripts/deps.sh lint
	@scripts/lint.sh --format

lint:
	@scripts/deps.sh build lint
	@scripts/lint.sh

clean:
	rm -rf build

help:
	@sed -n 's/^\([a-z-]*\):.*# /\1\t/p' Makefile
