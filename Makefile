# Everything here is a short name for cmake, ctest or a script in tools/.
PREFIX ?= /usr/local

.PHONY: all help demo check quickcheck check-long check-interop check-asan check-tsan bench install format lint clean deps

all: deps build/build.ninja ## build/cuzk and build/cuzk-bench, optimised
	@cmake --build build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

demo: all ## from a fresh clone to a verified proof
	@tools/demo

check: ## all that CI runs
	@tools/check

quickcheck: all ## the tests that take seconds
	@ctest --test-dir build -L quick -j 2 --output-on-failure

check-long: all ## the tests that take longer
	@ctest --test-dir build -L long --output-on-failure

check-interop: all ## a Go client against the daemon
	@tools/install-deps interop
	@ctest --test-dir build -R '^e2e_interop$$' --output-on-failure --no-tests=error

check-asan: ## tests marked quick or asan, under address and undefined behaviour sanitizers
	@tools/check asan

check-tsan: ## tests marked tsan, under the thread sanitizer
	@tools/check tsan

bench: all ## measure this machine; PEERS=1 also runs blst and the reference (needs cargo)
	@tools/bench $(if $(PEERS),--peers)

install: all ## into DESTDIR/PREFIX
	@cmake --install build --prefix "$(PREFIX)"

format: ## rewrite the sources in the house's layout
	@git ls-files -z '*.c' '*.h' | xargs -0r clang-format-14 -i

lint: ## rooms and layout, changing nothing
	@tools/check lint

clean: ## remove build/
	@rm -rf build

deps:
	@tools/install-deps build

build/build.ninja:
	@cmake --preset release
