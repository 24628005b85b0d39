#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The sanitizers' build, in the environment of its tests, ends programs that are wrong with status 86: sanitizers_test.sh COMPILER FLAG...
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# What a program does: the statements of its main().
status_of() {
  printf '#include <vector>\nint main(int one, char**) { %s return 0; }\n' "$1" >"$work/program.cpp"
  "${compiler[@]}" "$work/program.cpp" -o "$work/program"
  status=0
  "$work/program" 2>"$work/said" || status=$?
}

compiler=("$@")
status_of 'std::vector<int> items(8); return items[one];'
((status == 0))
while IFS='|' read -r said statements; do
  status_of "$statements"
  if ((status != 86)) || ! grep -q "$said" "$work/said"; then
    printf '%s: status %d, %s\n' "$statements" "$status" "$(<"$work/said")"
    exit 1
  fi
done <<'WRONG'
heap-buffer-overflow|std::vector<int> items(8); return items.data()[one + 7];
heap-use-after-free|auto* items = new int[8]; delete[] items; return items[one];
detected memory leaks|(new std::vector<int>(8))->at(one) = 1;
ILL|int items = 2147483647; items += one; return items == 0;
ILL|int items[2] = {0, 0}; return items[one + 1];
WRONG
