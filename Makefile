# `make help` lists the targets. Options: JOBS=2, FUZZ_SECONDS=60 (for each fuzz target), CRASH_STATES=100000, KILLS=1000,
# BENCH_GROUPS="store-creates store-replay" (all groups when empty), PREFIX=/usr/local, DESTDIR=,
# SHARED=ON (make install: libpackfs.so), WERROR=ON (warnings are errors), NO_DEPS=1 (install nothing, trust what is there).

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
CRASH_STATES ?= 100000
KILLS ?= 1000
PREFIX ?= /usr/local
SHARED ?= OFF
WERROR ?= OFF
CONFIGURE = cmake -DPACKFS_WERROR=$(WERROR) --preset

BUILD_PACKAGES = g++ cmake ninja-build make pkg-config libxxhash-dev libzstd-dev liburcu-dev libmimalloc-dev libcli11-dev libfmt-dev \
  nlohmann-json3-dev
TEST_PACKAGES = catch2 rsync
LINT_PACKAGES = clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev
BENCH_PACKAGES = libbenchmark-dev liblmdb-dev libleveldb-dev librocksdb-dev libsqlite3-dev tar zip unzip squashfs-tools erofs-utils e2fsprogs mount

# Installs what is missing of the packages in $(1). Where it may not, it names them and fails.
define install_packages
@test -z "$(NO_DEPS)" || exit 0; missing=; \
for package in $(1); do \
  dpkg-query -W -f='$${db:Status-Abbrev}' $$package 2>/dev/null | grep -q '^.i' || missing="$$missing $$package"; \
done; \
test -n "$$missing" || exit 0; \
as_root=; \
if [ "$$(id -u)" != 0 ]; then as_root='sudo -n'; fi; \
if ! command -v apt-get >/dev/null || ! $$as_root true 2>/dev/null; then \
  echo "Missing packages, which only root may install:$$missing" >&2; exit 1; \
fi; \
echo "Installing$$missing"; \
$$as_root apt-get -qq update || true; \
$$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $$missing >/dev/null || { \
  echo "Could not install:$$missing" >&2; exit 1; }
endef

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do \
	  printf '%-12s %s\n' "$$name" "$$text"; done

.PHONY: deps deps-lint deps-bench
deps: ## installs (Debian) what building and testing need
	$(call install_packages,$(BUILD_PACKAGES) $(TEST_PACKAGES))
deps-lint: ## installs what lint, asan, tsan and fuzz need besides
	$(call install_packages,$(BUILD_PACKAGES) $(TEST_PACKAGES) $(LINT_PACKAGES))
deps-bench: ## installs what the benchmarks need besides
	$(call install_packages,$(BUILD_PACKAGES) $(BENCH_PACKAGES))

.PHONY: all demo test
all: deps ## builds library, command and tests (build/release)
	$(CONFIGURE) release
	cmake --build --preset release -j $(JOBS)
demo: deps ## packs a real tree, reads it, unpacks it, compares
	$(CONFIGURE) release
	cmake --build --preset release -j $(JOBS) --target packfs_command
	sh tests/demo/run.sh build/release/packfs
test: all ## builds everything in release and runs all tests
	ctest --preset release -j $(JOBS)

.PHONY: lint asan tsan fuzz bench
lint: deps-lint deps-bench ## formatting and static analysis of every file
	$(CONFIGURE) lint
	sh tests/house/lint.sh build/lint $(JOBS)
asan: deps-lint ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(CONFIGURE) asan-ubsan
	cmake --build --preset asan-ubsan -j $(JOBS)
	ctest --preset asan-ubsan -j $(JOBS)
tsan: deps-lint ## the tests under ThreadSanitizer
	$(CONFIGURE) tsan
	cmake --build --preset tsan -j $(JOBS)
	ctest --preset tsan -j $(JOBS)
fuzz: deps-lint ## FUZZ_SECONDS of each fuzz target
	$(CONFIGURE) fuzz
	cmake --build --preset fuzz -j $(JOBS)
	sh tests/fuzz/run.sh build/fuzz/tests/fuzz $(FUZZ_SECONDS)
bench: deps-bench ## the measured record: prints the table, writes BENCH.md
	$(CONFIGURE) bench
	cmake --build --preset bench -j $(JOBS) --target benchmarks
	sh bench/run.sh build/bench/bench $(BENCH_GROUPS)

.PHONY: crash kill
crash: all ## the crash test on CRASH_STATES states
	PACKFS_CRASH_STATES=$(CRASH_STATES) build/release/tests/crash/crash_tests
kill: all ## kills KILLS writers of stores and looks at what they leave
	PACKFS_KILLS=$(KILLS) build/release/tests/kill/kill_tests

.PHONY: install clean
install: deps ## library, headers, command: PREFIX, DESTDIR, SHARED
	cmake --preset release -B build/install -DPACKFS_TESTS=OFF -DBUILD_SHARED_LIBS=$(SHARED) -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	cmake --build build/install -j $(JOBS)
	DESTDIR=$(DESTDIR) cmake --install build/install
clean: ## removes what was built
	rm -rf build
