#!/bin/sh
# Installs the build tree $1 into a new directory and builds the consumer against it, with find_package and with
# pkg-config. The consumer packs, reads, and looks whose malloc it got. $2: C++ compiler.
set -eu

build=$1
compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/log" || { cat "$work/log"; exit 1; }
for wanted in bin/packfs include/packfs/packfs.h share/man/man1/packfs.1; do
  test -e "$work/prefix/$wanted" || { echo "not installed: $wanted"; exit 1; }
done
"$work/prefix/bin/packfs" --help >/dev/null

cmake -S "$here/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  >"$work/log" && cmake --build "$work/build" >>"$work/log" || { cat "$work/log"; exit 1; }
"$work/build/consumer" "$work/a.pack"

LD_LIBRARY_PATH=$(dirname "$(find "$work/prefix" -name 'libpackfs.*' | head -n 1)")
export LD_LIBRARY_PATH
pc_dir=$(dirname "$(find "$work/prefix" -name packfs.pc)")
export PKG_CONFIG_PATH="$pc_dir"
# The prefix was chosen when installing: pkg-config is told, as for any tree that was moved.
flags=$(pkg-config --define-variable=prefix="$work/prefix" --cflags --libs packfs)
# shellcheck disable=SC2086 # several words
"$compiler" -std=c++23 "$here/consumer/consumer.cpp" $flags -o "$work/consumer"
"$work/consumer" "$work/b.pack"
echo "installed, found by find_package and pkg-config, malloc is libc's"
