#!/bin/sh
# run.sh BIN_DIR [GROUP...]: runs the groups (all, when none is named), prints the table and writes BENCH.md. Results go
# to bench/results. Environment: PACKFS_BENCH_DIR (work directory, build/bench-work), PACKFS_BENCH_ROUNDS (7, at least
# 5), PACKFS_BENCH_SMOKE=1 (small data, one round, under a minute: shows that it works; BENCH.md stays as it is).
set -eu
bin=$1
shift
root=$(cd "$(dirname "$0")/.." && pwd)
work=${PACKFS_BENCH_DIR:-$root/build/bench-work}
mkdir -p "$work"
work=$(cd "$work" && pwd)
export PACKFS_BENCH_DIR="$work"
PACKFS_BENCH_COMMIT=$(git -C "$root" describe --always --dirty 2>/dev/null || echo unknown)
export PACKFS_BENCH_COMMIT

# Filesystems that a run which failed left mounted.
unmount_all() {
  sed -n 's/^[^ ]* \([^ ]*\) .*/\1/p' /proc/mounts | while read -r point; do
    case $point in
      "$work"/*) umount "$point" || true ;;
    esac
  done
}
trap unmount_all EXIT
unmount_all

if [ "${PACKFS_BENCH_SMOKE:-}" = 1 ]; then
  results=$work/results
  page=$work/BENCH.md
else
  results=$root/bench/results
  page=$root/BENCH.md
fi
mkdir -p "$results"
all=$("$bin/bench")
for group in ${*:-$all}; do
  "$bin/bench" "$group" "$results/$group.json"
  rm -f "$work"/*.pack "$work"/*.lmdb* "$work"/built.* "$work"/*.tar
done

# In the order of the groups, whichever ran now.
set --
for group in $all; do
  if [ -f "$results/$group.json" ]; then set -- "$@" "$results/$group.json"; fi
done
"$bin/bench_report" "$page" "$root/bench/notes.md" "$@"
