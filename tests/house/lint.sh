#!/bin/sh
# lint.sh BUILD JOBS: clang-format on every file, house_check, and clang-tidy by BUILD's compile commands.
set -eu

build=$1
jobs=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"

sources() { find include src tests bench -name '*.h' -o -name '*.cpp'; }

failed=0
sources | xargs clang-format-19 --dry-run -Werror || failed=1
cmake --build "$build" --target house_check >/dev/null
"$build/tests/house/house_check" . || failed=1

# Eight files at a time, which saves reading other people's headers for each; what CMake writes to name the eight is no
# file of ours, and the analyzer has to be told to follow paths in what that includes. One line for each finding's file;
# what clang-tidy says of other people's headers is only a count.
tidy='config=.clang-tidy
case $1 in */tests/*) config=tests/.clang-tidy ;; esac
eight=
case $1 in */Unity/*) eight="--checks=-bugprone-suspicious-include --extra-arg=-Xclang --extra-arg=-analyzer-opt-analyze-headers" ;; esac
output=$(clang-tidy-19 -p "$0" --config-file=$config $eight --quiet "$1" 2>&1) || {
  printf "%s\n" "$output" | grep -v " warnings\{0,1\} generated\.$"; exit 1; }'
sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sort -u >"$build/tidy_files"
xargs -P "$jobs" -n 1 sh -c "$tidy" "$build" <"$build/tidy_files" || failed=1
[ "$failed" = 0 ] || { echo "lint: failed" >&2; exit 1; }
echo "lint: clean"
