#!/bin/sh
# run.sh BUILD SECONDS: runs every fuzz target of BUILD for so long, two at a time, from its corpus in tests/corpus.
# What it finds anew stays in BUILD/found; an input that fails stays in BUILD/failed, and belongs into the corpus.
set -eu

build=$1
seconds=$2
corpus=$(cd "$(dirname "$0")/../corpus" && pwd)
mkdir -p "$build/failed"

fuzz_one='
name=$(basename "$0" _fuzz)
mkdir -p "$1/found/$name"
echo "fuzz: $name, $2 s"
"$0" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
  -artifact_prefix="$1/failed/$name-" "$1/found/$name" "$3/$name" >"$1/$name.log" 2>&1 || {
  tail -n 60 "$1/$name.log"; echo "fuzz: $name failed; see $1/$name.log"; exit 1; }
grep -E "stat::(number_of_executed_units|average_exec_per_sec)" "$1/$name.log" | sed "s/^/fuzz: $name /"'

find "$build" -maxdepth 1 -name '*_fuzz' -type f | sort | xargs -P 2 -I '{}' sh -c "$fuzz_one" '{}' "$build" "$seconds" "$corpus"
