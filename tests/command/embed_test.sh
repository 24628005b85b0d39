#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the libraries and builds and runs a foreign design with them: embed_test.sh BUILD SOURCE PROGRAM_FLAGS
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
build() {
  cmake --install "$1" --prefix "$work/prefix" &&
    cmake -S "$2" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_FLAGS="$3" &&
    cmake --build "$work/build"
}
if ! build "$@" >"$work/log" 2>&1; then
  cat -- "$work/log"
  exit 1
fi
output=$("$work/build/embed" 2>/dev/null)
printf '%s\n' "$output"
# By hand from hw/README.md: three zero-byte exchanges over one link, start-up 100, (1 + 1)(1 + 3) + 1 + 3 = 12 cycles each;
# 336 cycles of 25 ns after the 10 ns at which the program was loaded.
[[ $output == "barrier of 8 nodes: 336 cycles, ended at 8410 ns" ]]
