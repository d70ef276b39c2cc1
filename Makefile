# Two commands do everything: `make demo` and `make test`.

PROGRAMS = echo cat base64 basename cut uniq tr wc expand fold printf sum date ls stat
DEMO_PROGRAMS = echo basename sum

# What is tested is built with MPI, all in one: nothing is compiled twice.
FEATURES = --features cleave/mpi

.PHONY: help setup build sysroot coreutils grep demo test fresh-machine clean

help:
	@echo "make demo   build Cleave and what it needs, explore a coreutils program, show a bug"
	@echo "make test   build everything and run all tests"
	@echo "make fresh-machine   both in a minimal Debian 12, as root"
	@echo "make build  build Cleave alone"

setup:
	@scripts/setup.sh

build: setup
	cargo build --release --locked -p cleave

sysroot: setup
	@scripts/build-sysroot.sh

coreutils: build sysroot
	@scripts/build-coreutils.sh $(PROGRAMS)

grep: build sysroot
	@scripts/build-grep.sh

demo: build sysroot
	@scripts/build-coreutils.sh $(DEMO_PROGRAMS)
	@scripts/demo.sh

test:
	@scripts/setup.sh tests
	cargo fmt --all --check
	cargo build --release --locked --workspace $(FEATURES)
	@scripts/build-sysroot.sh
	@scripts/build-coreutils.sh $(PROGRAMS)
	@scripts/build-grep.sh
	cargo clippy --release --locked --workspace --all-targets $(FEATURES) -- -D warnings
	cargo nextest run --release --locked --workspace $(FEATURES)

fresh-machine:
	@CLEAVE_FRESH_MUST=1 scripts/fresh-machine.sh

clean:
	rm -rf build
	cargo clean
