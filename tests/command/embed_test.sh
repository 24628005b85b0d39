#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs a foreign design with the installed libraries:
# embed_test.sh PREFIX SOURCE [OPTION OF CMAKE...]
# shellcheck source=tests/command/installed_example.sh
source "$(dirname -- "$0")/installed_example.sh" "$@"
output=$("$work/build/embed" 2>/dev/null)
printf '%s\n' "$output"
# By hand from hw/README.md: three zero-byte exchanges over one link, start-up 100, (1 + 1)(1 + 3) + 1 + 3 = 12 cycles each;
# 336 cycles of 25 ns after the 10 ns at which the program was loaded.
[[ $output == "barrier of 8 nodes: 336 cycles, ended at 8410 ns" ]]
