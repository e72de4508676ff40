#!/bin/sh
# The demonstration of `make demo`: run.sh PACKFS [TREE] packs a real tree with the command PACKFS, looks into the pack,
# verifies it, unpacks it, and compares the copy with the original. Then it takes the tree into a store, changes the
# store, and compares.
set -eu

packfs=$1
tree=${2:-}
root=$(cd "$(dirname "$0")/../.." && pwd)
for candidate in /usr/include /usr/share/doc "$root/src"; do
  [ -n "$tree" ] || [ ! -d "$candidate" ] || tree=$candidate
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '\n== %s\n' "$*"; }
now_ms() { echo $(($(date +%s%N) / 1000000)); }
# timed WHAT COMMAND...: runs it and keeps its time for the summary.
timed() {
  what=$1
  shift
  begin=$(now_ms)
  "$@"
  printf '%-8s %6d ms\n' "$what" $(($(now_ms) - begin)) >>"$work/times"
}
bytes_of() { wc -c <"$1"; }

say "pack: $tree becomes one file"
timed pack "$packfs" pack "$tree" -o "$work/demo.pack"
timed "pack -3" "$packfs" pack "$tree" -o "$work/small.pack" --codec zstd:3

say "info: read from the pack's end, whatever its size"
timed info "$packfs" info "$work/demo.pack"

say "ls: the first ten of its root"
"$packfs" ls -l "$work/demo.pack" >"$work/list"
head -n 10 "$work/list"

file=$(cd "$tree" && find . -type f -size +0 -size -8k | LC_ALL=C sort | head -n 1)
file=${file#./}
say "cat: $file, its first lines"
timed cat "$packfs" cat "$work/demo.pack" "$file" >"$work/file"
cmp "$work/file" "$tree/$file"
head -n 5 "$work/file"

say "verify: every byte against its checksum"
timed verify "$packfs" verify "$work/demo.pack"

say "unpack, then compare with the original"
privileged=
[ "$(id -u)" != 0 ] || privileged=--privileged
# shellcheck disable=SC2086 # empty, or one word
timed unpack "$packfs" unpack $privileged "$work/demo.pack" -C "$work/copy"
diff -r --no-dereference "$tree" "$work/copy"
echo "diff -r: no difference"
if command -v rsync >/dev/null && [ -n "$privileged" ]; then
  differences=$(rsync -aHAXnic --delete "$tree/" "$work/copy/")
  [ -z "$differences" ] || { echo "$differences"; exit 1; }
  echo "rsync -aHAXnic --delete: no difference in owners, modes, times, links and attributes"
fi

say "store: the same tree as one that can be changed"
store=$work/demo.store
"$packfs" init "$store"
timed import "$packfs" import "$tree" "$store" tree
timed export "$packfs" export $privileged "$store" tree "$work/exported"
diff -r --no-dereference "$tree" "$work/exported"
echo "export, then diff -r: no difference"

say "store: each command is one transaction, durable when it ends"
echo "A note on $tree." | timed put "$packfs" put "$store" notes/first.txt
timed cp "$packfs" cp -r "$store" tree tree.before
timed mv "$packfs" mv "$store" "tree/$file" notes
"$packfs" cat "$store" notes/first.txt "notes/${file##*/}" | head -n 3
cp -r "$store" "$work/earlier.store"
"$packfs" rm -r "$store" tree.before
"$packfs" mv "$store" notes/first.txt notes/only.txt
echo "what changed since an earlier copy, but for what was in tree.before:"
"$packfs" diff "$work/earlier.store" "$store" | grep -v '^. tree.before/'
"$packfs" ls "$store" notes
timed check "$packfs" check "$store"

say "sizes and times"
printf '%-8s %10s bytes in files\n' tree "$(find "$tree" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')"
printf '%-8s %10s bytes\n' pack "$(bytes_of "$work/demo.pack")"
printf '%-8s %10s bytes with --codec zstd:3\n' small "$(bytes_of "$work/small.pack")"
printf '%-8s %10s bytes, the journal of all that was done\n' store "$(cat "$store"/segment-* | wc -c)"
cat "$work/times"
