#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs a program that runs experiments with ecube::testbench; it has to measure the
# same as the installed command: experiment_test.sh PREFIX SOURCE [OPTION OF CMAKE...]
# shellcheck source=tests/command/installed_example.sh
source "$(dirname -- "$0")/installed_example.sh" "$@"
output=$("$work/build/experiment" 2>/dev/null)
printf '%s\n' "$output"
prefix=$1
total_of() {
  "$prefix/bin/ecube" run exchange --dim 3 --bytes 32 --partition "$1" |
    awk '/^total/ { print "predicted " $2 " us, measured " $3 " us, data in place" }'
}
[[ $output == "{3}: $(total_of 3)"$'\n'"{2,1}: $(total_of 2,1)" ]]
