#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Files of messages that wait for others: times worked out by hand on every engine, and what is wrong with files.
#   traffic_file_test.sh ECUBE
# shellcheck source=tests/command/script.sh
source "$(dirname -- "$0")/script.sh" "$1"
cd -- "$work"

# The edges are worked out in tests/testbench/traffic/dependent_traffic_test.cpp: the last message arrives at 476, and the
# latencies are 127, 119, 119, 112, 115, 115, 112 and 112 of 8 messages, their mean 116.375.
cat >by_hand.txt <<'TEXT'
# source destination bytes cycle
4 0 1 3 after own          # a message may stand before what it waits for
0 1 16 0 as a
1 3 8 20 as b after a      # 20 cycles after node 1 has received a
0 4 8 1 as c after a       # one cycle after node 0 has sent a
3 7 1 1 after b
1 0 4 5 after a b
4 4 8 2 as own after c
2 0 1 30
TEXT
for engine in event clocked rtl; do
  "$program" run traffic --pattern ./by_hand.txt --dim 3 --engine "$engine" --json >out
  for text in '"cycles": 476,' '"mean": 116.375,' '"dependencies": 7' '"steady_state": null' '"max": 127'; do
    grep -qF -- "$text" out || fail "$engine: no '$text' in $(cat out)"
  done
done
# Node 7 is the last one of a cube of three dimensions.
"$program" run traffic --pattern ./by_hand.txt --json >out
grep -qF '"dim": 3,' out || fail "not the smallest cube that has the nodes: $(cat out)"
"$program" run traffic --pattern ./by_hand.txt --dim 3 --circuits -o run >out
grep -q '8 messages, 7 dependencies' out || fail "$(cat out)"
# A delay of one cycle more at the last message, and the run is a cycle longer: the comparison can say no.
sed 's/^4 0 1 3/4 0 1 4/' by_hand.txt >longer.txt
"$program" run traffic --pattern ./longer.txt --dim 3 --json >out
grep -qF '"cycles": 477,' out || fail "a cycle more is not seen"
# What waits for a node that has failed never leaves.
expect 3 run traffic --pattern ./by_hand.txt --dim 3 --fail 4@300cycles


# In a study the file's words are shown to nobody.
cat >wrong.txt <<'TEXT'
0 1 8 5 after secret
TEXT
cat >study.toml <<'TEXT'
run = "traffic"
[workload]
dim = 3
[[axis]]
key = "pattern"
values = ["./by_hand.txt", "./longer.txt", "./wrong.txt"]
TEXT
"$program" sweep study.toml -o results >out 2>&1 || true
! grep -rq secret out results || fail "words of a file: $(cat out)"
"$program" sweep export results -o results.csv >out 2>&1 || fail "$(cat out)"
grep -q 476 results.csv || fail "$(cat results.csv)"
grep -q 477 results.csv || fail "$(cat results.csv)"
echo passed
