#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Schedules in GOAL's text: written by hand with times worked out by hand, written down from runs, and wrong ones.
#   goal_test.sh ECUBE
# shellcheck source=tests/command/script.sh
source "$(dirname -- "$0")/script.sh" "$1"
cd -- "$work"

# Takes the schedule from standard input; the run has to take so many cycles.
takes() {
  cat >by_hand.goal
  local found
  found=$(cycles goal by_hand.goal) # of four ranks or fewer
  [[ $found == "$1" ]] || fail "$found cycles in place of $1: $(cat by_hand.goal err)"
}
refused() { # STATUS TEXT: the schedule from standard input ends with this status and message
  cat >wrong.goal
  expect "$1" run goal wrong.goal --dim 2
  says "$2"
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

# By hand: the first is sent at 179 - 4, the second has 100 cycles of start-up and 12 + 4 + 1 on its way.
# A receive of any tag takes what comes first, where that does not depend on who else receives.
takes 292 <<'GOAL'
num_ranks 4
rank 0 {
s1: send 64b to 3 tag 5
s2: send 2b to 3 tag 9
s2 requires s1
}
rank 3 {
r1: recv 64b from 0 tag -1
r2: recv 2b from 0 tag -1
r2 requires r1
}
GOAL

# Receives of one rank and tag take messages in the order in which they begin, which dependencies may turn round.
takes 292 <<'GOAL'
num_ranks 4
rank 0 {
s1: send 64b to 3
s2: send 2b to 3
s2 requires s1
}
rank 3 {
second: recv 2b from 0
first: recv 64b from 0
second requires first
}
GOAL
# Where time decides which receive begins first, the run finds out.
refused 3 'message of 64 bytes from node 0 is longer than the receive of 2 bytes' <<'GOAL'
num_ranks 4
rank 0 {
send 64b to 3
send 2b to 3
}
rank 3 {
a: recv 64b from 0
b: recv 2b from 0
d: calc 50
c: calc 5000
a requires c
b requires d
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
says '  2 nodes have finished: 2, 3'
expect 3 run exchange --machine ipsc860 --dim 2 --bytes 40 --fail 0:0
says 'waits for a message from node 0 (barrier, step 1, since cycle'
says '  no node has finished'

# A ring of four, with comments as Schedgen writes them. In the order of the gray code every message passes one link, and
# by number two of the four pass two: 100 + 1 x 4 + 4 + 63 cycles and 4 more.
cat >ring.goal <<'GOAL'
/* a ring
   of four */ num_ranks 4
rank 0 {
send 64b /* bytes // */ to 1
recv 64b from 3
}
rank 1 {
send 64b to 2 // # /*
recv 64b from 0
}
rank 2 {
send 64b to 3
recv 64b from 1
}
rank 3 {
send 64b to 0
recv 64b from 2 /* */ # the end
}
GOAL
printf '0\n1\n# after 1\n3\n2\n' >map.txt
for map in gray map.txt; do
  expect 0 run goal ring.goal --map $map
  says 'measured  175 cycles'
  says 'hops      1.00 a message, 1.50 with rank r on node r'
done
expect 0 run goal ring.goal
says 'measured  179 cycles'
printf '0\n1\n3\n3\n' >map.txt
expect 2 run goal ring.goal --map map.txt
says 'node 3 has a rank already'
printf '0\n1\n3\n' >map.txt
expect 2 run goal ring.goal --map map.txt
says 'has nodes for 3 of 4 ranks'
printf 'num_ranks 1\0' >binary.goal
expect 2 run goal binary.goal
says 'txt2bin -i TEXT -o BINARY'

# In a study, by the schedule's contents.
mkdir study
cat >study/short.goal <<'GOAL'
num_ranks 2
rank 0 {
send 64b to 1
}
rank 1 {
recv 64b from 0
}
GOAL
sed 's/64b/8b/' study/short.goal >study/shorter
cat >study/study.toml <<'TOML'
run = "goal"
[workload]
dim = 2
[[axis]]
key = "file"
values = ["short.goal", "shorter"]
TOML
expect 0 sweep study/study.toml -o results
expect 0 sweep export results -o results.csv
# One link: 100 + 2 x 4 + 4 + n - 1 cycles.
grep -q 'short.goal.*,175,' results.csv || fail "$(cat results.csv)"
grep -q 'shorter.*,119,' results.csv || fail "$(cat results.csv)"
sed -i 's/64b/65b/' study/short.goal
"$program" sweep study/study.toml -o results >out 2>&1 && fail "a changed schedule is the same point: $(cat out)"
echo passed
