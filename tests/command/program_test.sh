#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs a design in which SystemC threads are the programs of two nodes:
# program_test.sh PREFIX SOURCE [OPTION OF CMAKE...]
# shellcheck source=tests/command/installed_example.sh
source "$(dirname -- "$0")/installed_example.sh" "$@"
# By hand from hw/README.md: a message of 64 bytes takes a start-up of 100 cycles and 3 x 4 + 4 + 63 = 79 over two links, and
# leaves its port 4 cycles before. A question that node 0 sends at edge t arrives at t + 179, the second is sent at 175. A
# request of a thread 40 cycles of 25 ns later takes effect at the edge after: 179 + 41 + 179 and 354 + 41 + 179.
expected='cycle 399: an answer from node 5
cycle 574: an answer from node 6
ended after 574 cycles'
for arguments in event 'event reversed' clocked 'clocked reversed'; do
  # shellcheck disable=SC2086 # words
  output=$("$work/build/program" $arguments 2>/dev/null)
  if [[ $output != "$expected" ]]; then
    printf '%s:\n%s\n' "$arguments" "$output"
    exit 1
  fi
done
# Without a module for a node in the cube, nothing can be bound to the node.
for arguments in 'event 15' 'clocked 2'; do
  status=0
  # shellcheck disable=SC2086 # words
  output=$("$work/build/program" $arguments 2>&1 >/dev/null) || status=$?
  if [[ $status != 2 || $output != *"node 5"* ]]; then
    printf '%s: exit %d, %s\n' "$arguments" "$status" "$output"
    exit 1
  fi
done
