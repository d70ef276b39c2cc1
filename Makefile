# Two commands do everything: `make demo` and `make test`.

DEMO_PROGRAMS = echo basename sum
# Bitwuzla takes two minutes to compile, and the demo asks nothing that needs it.
DEMO_FEATURES = --no-default-features

# What is tested is built with MPI, overflow checks and debug assertions, all in one. Programs are built together with
# the tests: dependencies of tests switch features of other people's crates on, and all that uses these would be
# compiled a second time.
FEATURES = --features cleave/mpi
CHECKED = --profile checked --locked --workspace
TARGET = $(or $(CARGO_TARGET_DIR),$(CURDIR)/target)

# Lints once, for the widest set of features. Examples are seen here and not linked.
LINTS = cargo clippy $(CHECKED) --all-targets $(FEATURES) -- -D warnings
KINDS = --lib --bins --tests
TESTS = cargo nextest run --cargo-profile checked --locked --workspace $(FEATURES) $(KINDS)

# Tests load thousands of programs, which are not to fill the user's cache.
export CLEAVE_CACHE = $(TARGET)/cache

.PHONY: help setup build install deb image tarball docs sysroot cxx rust coreutils grep programs evaluate demo test test-quick test-some spelling testcov deny fresh-machine clean

help:
	@echo "make demo   build Cleave and what it needs, explore a coreutils program, show a bug"
	@echo "make test   build everything and run all tests"
	@echo "make test-quick   what a change is tried with: format, lints, the quick tests; \`make test\` has run before"
	@echo "make test-some TESTS_OF='test(oracles::)'   tests that a filter of nextest chooses"
	@echo "make spelling   look for misspelled words (a part of make test)"
	@echo "make deny   check licences and sources of what Cleave is built from"
	@echo "make testcov   let Test-Comp's judge measure exported suites"
	@echo "make fresh-machine   both in a minimal Debian 12, and the package in another, as root"
	@echo "make install   put Cleave, its C library, completions and manual pages under PREFIX (/usr/local)"
	@echo "make deb    make a Debian package"
	@echo "make image  make a container image of it, and try it (needs root)"
	@echo "make tarball   make an archive with checksums and a bill of materials"
	@echo "make docs   make the book in HTML, and look for dead links in it"
	@echo "make cxx    build the C++ library, which the first \`cleave c++\` does too"
	@echo "make rust   fetch the Rust compiler, which the first \`cleave rustc\` does too"
	@echo "make build  build Cleave whole, with Bitwuzla for hard conditions"
	@echo "make programs [NAMES='sed tar']   build some 140 programs of Debian with cleave cc (40 minutes on two cores)"
	@echo "make evaluate [TIME=60] [TABLE=ranged,depth,...] [NAMES='sed tar']   the papers' tables, and our own (hours)"

# Where it goes: PREFIX, /usr/local where nobody says, below DESTDIR.
install:
	@DESTDIR=$(DESTDIR) PREFIX=$(or $(PREFIX),/usr/local) scripts/install.sh

# A Debian package in target/debian.
deb: build sysroot cxx
	@scripts/package.sh deb

# A container image of the package, in target/image, and a look at a container of it. Needs root, and a network.
image: deb
	@CLEAVE_FRESH_MUST=1 scripts/image.sh

# An archive with checksums and a bill of materials, in target/tarball.
tarball: build sysroot cxx
	@scripts/package.sh tarball

# The book in HTML, in target/book, with a look for dead links. Compiles mdBook, where it is not there: some minutes.
MDBOOK = $(TARGET)/tools/bin/mdbook
docs:
	@[ -x $(MDBOOK) ] || cargo install --quiet --locked --root $(TARGET)/tools --no-default-features --features search mdbook@0.4.52
	@scripts/book.py $(MDBOOK)

setup:
	@scripts/setup.sh

build: setup
	cargo build --release --locked -p cleave

sysroot: setup
	@scripts/build-sysroot.sh

# libc++ and its unwinder, a minute and a half; the first `cleave c++` does this too.
cxx: sysroot
	@scripts/build-cxx.sh

# Debian's rustc 1.85, for explored programs; the first `cleave rustc` does this too.
rust: cxx
	@scripts/build-rust.sh

coreutils: build sysroot
	@scripts/build-coreutils.sh $(PROGRAMS)

grep: build sysroot
	@scripts/build-grep.sh

# Debian's programs of programs/debian/programs.toml, or NAMES of them, in build/programs/bin.
programs: build sysroot
	@scripts/setup.sh also python3
	@scripts/programs.py $(NAMES)

# Tables in bench/results: docs/evaluation.md. What is measured is kept: after an interruption the same line goes on.
evaluate: programs
	@bench/evaluate --time $(or $(TIME),60) $(if $(TABLE),--table $(TABLE)) $(if $(NAMES),--programs "$(NAMES)")

demo:
	@[ -x $(TARGET)/release/cleave ] || echo "make demo: on two cores five to seven minutes; packages, then Cleave, its C library, three programs"
	@scripts/setup.sh
	cargo build --release --locked -p cleave $(DEMO_FEATURES)
	@scripts/build-sysroot.sh
	@scripts/build-coreutils.sh $(DEMO_PROGRAMS)
	@scripts/demo.sh

test:
	@scripts/setup.sh tests
	cargo fmt --all --check
	cargo build $(CHECKED) $(FEATURES) $(KINDS)
	@scripts/build-sysroot.sh
	@scripts/build-cxx.sh
	@scripts/build-rust.sh
	@scripts/build-sysroot-i386.sh
	@CLEAVE=$(TARGET)/checked/cleave scripts/build-coreutils.sh
	@CLEAVE=$(TARGET)/checked/cleave scripts/build-grep.sh
	@python3 bench/evaluation/test.py --quiet
	@bench/figures --check
	@codespell
	$(LINTS)
	cargo clippy --profile checked --locked --no-deps -p cleave -p cleave-solver --no-default-features -- -D warnings
	$(TESTS) --profile default
	@scripts/test-times.py
	cargo test $(CHECKED) --doc $(FEATURES)

# What a change is tried with before `make test`: the part of the tests that .config/nextest.toml chooses.
test-quick:
	cargo fmt --all --check
	@scripts/build-sysroot.sh
	@scripts/build-cxx.sh
	@scripts/build-rust.sh
	@scripts/build-sysroot-i386.sh
	$(LINTS)
	$(TESTS) --profile quick

# Tests that a filter of nextest chooses, such as TESTS_OF='test(oracles::)', with what is built for all.
test-some:
	$(TESTS) -E '$(or $(TESTS_OF),$(error name tests by TESTS_OF, such as TESTS_OF="test(oracles::)"))'

# Words that are spelled wrong in sources and documents: .codespellrc.
spelling:
	@scripts/setup.sh also codespell
	@codespell

# Licences and sources of what Cleave is built from. Compiles cargo-deny, where it is not there: some minutes.
deny:
	@cargo deny --version >/dev/null 2>&1 || cargo install --locked cargo-deny
	cargo deny check licenses bans sources

# Test-Comp's judge measures suites that Cleave exports: 150 MB from PyPI and Debian, so no part of `make test`.
testcov:
	@scripts/setup.sh tests
	cargo build $(CHECKED) $(FEATURES) $(KINDS)
	@scripts/build-sysroot.sh
	@scripts/testcov.sh

fresh-machine: deb
	@CLEAVE_FRESH_MUST=1 scripts/try-package.sh
	@CLEAVE_FRESH_MUST=1 scripts/image.sh
	@CLEAVE_FRESH_MUST=1 scripts/fresh-machine.sh

clean:
	rm -rf build
	cargo clean
