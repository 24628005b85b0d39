#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sanitizers' build, in the environment of its tests, ends programs that are wrong with status 86: sanitizers_test.sh COMPILER FLAG...
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
while IFS='!' read -r status said statements; do
  printf '#include <vector>\nint main(int one, char**) { %s }\n' "$statements" >"$work/program.cpp"
  "$@" "$work/program.cpp" -o "$work/program"
  ended=0
  "$work/program" 2>"$work/said" || ended=$?
  if ((ended != status)) || [[ ! $(<"$work/said") =~ $said ]]; then
    printf '%s: status %d, %s\n' "$statements" "$ended" "$(<"$work/said")"
    exit 1
  fi
done <<'PROGRAMS'
0!!std::vector<int> items(8); return items[one];
86!heap-buffer-overflow!std::vector<int> items(8); return items.data()[one + 7];
86!heap-use-after-free!auto* items = new int[8]; delete[] items; return items[one];
86!detected memory leaks!(new std::vector<int>(8))->at(one) = 1;
86!ILL|integer overflow!int items = 2147483647; items += one; return items == 0;
86!ILL|out of bounds!int items[2] = {0, 0}; return items[one + 1];
PROGRAMS
