#!/bin/sh
# Installs the build tree $1 into a new directory and builds the consumer against it, with find_package and with
# pkg-config. The consumer packs, reads, keeps a store, and looks whose malloc it got. $2: C++ compiler. With $3, `shared`,
# the build tree is made first: libpackfs.so and the command, compiled in as little time as can be.
set -eu

build=$1
compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Fails when the program $1 loads a library that PackFS may not bring, or one that is not found.
loads_only_its_own() {
  ldd "$1" >"$work/loaded"
  if grep -v -E '^\s*(linux-vdso|\S*/ld-linux|lib(packfs|xxhash|zstd|urcu-bp|urcu-common|mimalloc|stdc\+\+|gcc_s|c|m)\.so)' \
    "$work/loaded" || grep 'not found' "$work/loaded"; then
    echo "$1 loads what it should not, or does not find what it should"
    exit 1
  fi
}

if [ "${3:-}" = shared ]; then
  # In few large files, without optimizing. One at a time: other tests run meanwhile.
  cmake -S "$here/../.." -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=24 -DBUILD_SHARED_LIBS=ON \
    -DPACKFS_TESTS=OFF >"$work/log" && cmake --build "$build" -j 1 >>"$work/log" || { cat "$work/log"; exit 1; }
fi

cmake --install "$build" --prefix "$work/prefix" >"$work/log" || { cat "$work/log"; exit 1; }
for wanted in bin/packfs include/packfs/packfs.h share/man/man1/packfs.1; do
  test -e "$work/prefix/$wanted" || { echo "not installed: $wanted"; exit 1; }
done
"$work/prefix/bin/packfs" --help >/dev/null

cmake -S "$here/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  >"$work/log" && cmake --build "$work/build" >>"$work/log" || { cat "$work/log"; exit 1; }
"$work/build/consumer" "$work/a.pack"
loads_only_its_own "$work/build/consumer"

LD_LIBRARY_PATH=$(dirname "$(find "$work/prefix" -name 'libpackfs.*' | head -n 1)")
export LD_LIBRARY_PATH
pc_dir=$(dirname "$(find "$work/prefix" -name packfs.pc)")
export PKG_CONFIG_PATH="$pc_dir"
# The prefix was chosen when installing: pkg-config is told, as for any tree that was moved.
flags=$(pkg-config --define-variable=prefix="$work/prefix" --cflags --libs packfs)
# shellcheck disable=SC2086 # several words
"$compiler" -std=c++23 "$here/consumer/consumer.cpp" $flags -o "$work/consumer"
"$work/consumer" "$work/b.pack"
loads_only_its_own "$work/consumer"
echo "installed, found by find_package and pkg-config, malloc is libc's"
