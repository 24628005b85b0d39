#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What has passed does not run again before a file, the command or the expectation changes; what has failed does.
set -euo pipefail
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tests" "$tree/part"
cp "$(dirname -- "$0")/kept" "$tree/tests"
export XDG_CACHE_HOME=$tree/cache
fail() {
  printf 'kept_test: %s\n' "$1"
  exit 1
}
# A test that notes that it ran, and ends with the status in a file.
cat >"$tree/test" <<'END'
#!/bin/sh
echo ran >>"$(dirname "$0")/log"
echo "size and speed of $1"
exit "$(cat "$(dirname "$0")/part/status")"
END
chmod +x "$tree/test"
runs() { [[ $(wc -l <"$tree/log") == "$1" ]] || fail "$2"; }
kept() { "$tree/tests/kept" "$@" >"$tree/out"; }

echo 0 >"$tree/part/status"
kept part -- "$tree/test" a || fail "a good test fails"
kept part -- "$tree/test" a || fail "a good test fails the second time"
runs 1 "a test runs again though nothing changed"
grep -q 'size and speed of a' "$tree/out" || fail "what a kept test printed is lost"
kept part -- "$tree/test" b
runs 2 "another command has the result of the first"
touch "$tree/part/more"
kept part -- "$tree/test" a
runs 3 "a new file is not noticed"
ECUBE_ANEW=1 kept part -- "$tree/test" a
runs 4 "ECUBE_ANEW is not heard"

echo 1 >"$tree/part/status"
for run in 5 6; do
  if kept part -- "$tree/test" a; then fail "a test that fails passes"; fi
  runs "$run" "what failed is kept"
done
kept --expect 'speed of a' part -- "$tree/test" a || fail "an expected line is not found"
kept --expect 'speed of a' part -- "$tree/test" a
runs 7 "what is expected is not kept"
if kept --expect 'speed of b' part -- "$tree/test" a; then fail "the result of another expectation is taken"; fi

chmod 770 "$tree/cache/ecube/passed"
if kept --expect 'speed of a' part -- "$tree/test" a 2>/dev/null; then fail "results are taken from where others can write"; fi
echo "what has passed is kept"
