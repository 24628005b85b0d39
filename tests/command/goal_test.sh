#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Schedules in GOAL's text: written by hand with times worked out by hand, written down from runs, and wrong ones.
#   goal_test.sh ECUBE
set -euo pipefail
program=$(realpath -- "$1")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd -- "$work"

fail() {
  printf 'failed: %s\n' "$*"
  exit 1
}
cycles() { "$program" run "$@" --json 2>err | sed -n '/"measured"/,/}/s/^ *"cycles": \([0-9]*\),$/\1/p'; }
# Takes the schedule from standard input; the run has to take so many cycles.
takes() {
  cat >by_hand.goal
  local found
  found=$(cycles goal by_hand.goal --dim 2)
  [[ $found == "$1" ]] || fail "$found cycles in place of $1: $(cat by_hand.goal err)"
}
refused() { # STATUS TEXT: the schedule from standard input ends with this status and message
  local status=0
  cat >wrong.goal
  "$program" run goal wrong.goal --dim 2 >out 2>&1 || status=$?
  [[ $status == "$1" ]] || fail "exit $status in place of $1: $(cat out)"
  grep -qF -- "$2" out || fail "no '$2' in: $(cat out)"
}

# By hand from hw/README.md on `ideal`, 25 ns a cycle: a start-up of 100 cycles, 3 x 4 + 4 + 63 = 79 for 64 bytes over two links.
# 1,000 ns of work are 40 cycles, 500 ns are 20.
takes 239 <<'GOAL'
num_ranks 4
rank 0 {
a: calc 1000
b: send 64b to 3 tag 7 cpu 0 nic 0
b requires a
}
rank 3 { // the rank in between has nothing to do
l1: recv 64b from 0 tag 7
l2: calc 500
l2 requires l1
}
GOAL
# The calculation waits for the begin of the receive, which is at once: it is done while the message travels.
takes 179 <<'GOAL'
num_ranks 4
rank 3 {
l1: recv 64b from 0 tag 7
l2: calc 500
l2 irequires l1
}
rank 0 {
send 64b to 3 tag 7
}
GOAL

# A run that is written down takes the same cycles as the run.
same() {
  local first second
  first=$(cycles "$@" --export-goal run.goal)
  second=$(cycles goal run.goal --dim 3)
  [[ -n $first && $first == "$second" ]] || fail "$*: $first cycles, its schedule $second"
}
same exchange --dim 3 --bytes 64 --partition direct
grep -q '^// not in this schedule: [0-9]* operations that wait for their partner to begin' run.goal || fail "no note of the rendezvous"
same exchange --dim 3 --bytes 64 --partition 2,1
same exchange --dim 3 --bytes 64 --partition direct --schedule shift
! grep -q 'not in this schedule' run.goal || fail "a note where nothing is lost"
same combine --dim 3 --items 100 --strategy 011
same shuffle --dim 3 --elements 8 --cycle p2,p1,p0,s0
# One calculation of 25 cycles more, and the cycles differ: the comparison can say no.
"$program" run exchange --dim 3 --bytes 64 --partition direct --export-goal run.goal >out
sed -i '0,/calc 0/s//calc 25/' run.goal
changed=$(cycles goal run.goal --dim 3)
unchanged=$(cycles exchange --dim 3 --bytes 64 --partition direct)
[[ -n $changed && -n $unchanged && $changed != "$unchanged" ]] || fail "a cycle more is not seen"

refused 2 'wrong.goal:5' <<'GOAL'
num_ranks 2
rank 0 {
a: calc 1
b: calc 1
a requires b
b requires a
}
GOAL
grep -q 'go in a circle' out || fail "$(cat out)"
refused 2 '1 messages go from rank 0 to rank 1 with tag 5, and 0 are received' <<'GOAL'
num_ranks 2
rank 0 {
send 8b to 1 tag 5
}
rank 1 {
recv 8b from 0 tag 6
}
GOAL
refused 2 'wrong.goal:5' <<'GOAL'
num_ranks 2
rank 0 {
a: calc 1
b: calc 1
b requirements a
}
GOAL
refused 2 'there is no rank 2' <<'GOAL'
num_ranks 2
rank 0 {
send 8b to 2
}
GOAL
refused 2 'has 8 ranks, and a cube of 2 dimensions has 4 nodes' <<'GOAL'
num_ranks 8
rank 7 {
calc 5
}
GOAL
refused 2 'tag -1' <<'GOAL'
num_ranks 2
rank 0 {
recv 8b from 1 tag -1
}
GOAL
refused 2 "no operation 'c'" <<'GOAL'
num_ranks 2
rank 0 {
a: calc 1
a requires c
}
GOAL
refused 3 'node 0 waits for a message from node 1' <<'GOAL'
num_ranks 2
rank 0 {
a: recv 8b from 1
b: send 8b to 1
b requires a
}
rank 1 {
a: recv 8b from 0
b: send 8b to 0
b requires a
}
GOAL
echo passed
