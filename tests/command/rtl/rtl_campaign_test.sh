#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `verify campaign` counts what it has compared, goes on where it was, finds a planted fault, and refuses what it cannot do
# and the file of another campaign.
# shellcheck source=tests/command/rtl/rtl.sh
. "$(dirname -- "$0")/rtl.sh"

# at_least CIRCUITS: the last campaign has compared so many.
at_least() {
  local circuits
  circuits=$(sed -n 's/^\([0-9]*\) circuits of .*/\1/p' "$work/out")
  ((${circuits:-0} >= $1)) || wrong "$circuits circuits, fewer than $1"
}

# A part ends with the program in which it has its circuits.
ends 0 '^[0-9]+ circuits of [0-9]+ messages in [0-9]+ programs, each on a random machine, in 1 parts: no difference' \
  ./verify campaign 500 7 "$work/seven"
at_least 500
cp "$work/seven" "$work/before"
# A line that was not finished when the campaign was killed is dropped.
printf 'part 0 1 one 1: acce' >>"$work/seven"
ends 0 '^[0-9]+ circuits of .* in 2 parts' ./verify campaign 3000 7 "$work/seven"
at_least 3000
if ! cmp -s "$work/before" <(head -n 2 "$work/seven") || ! grep -q '^  circuits, buffers of 1: ' "$work/out"; then
  wrong 'a campaign does not go on where it was:' "$work/seven"
fi
ends 2 'is another campaign' ./verify campaign 600 8 "$work/seven"
ends 2 "the number of circuits is '0'" ./verify campaign 0
ends 2 "the number of circuits is 'many'" ./verify campaign many
ends 2 "the seed is 'x'" ./verify campaign 10 x
ends 2 'cannot be written' ./verify campaign 10 1 "$work/none/file"
for fault in fault_hop fault_release; do
  ends 1 'part 0 3 one 0 differs: program [0-9]+, machine .*' env MUTANT=$fault ./verify campaign 20000 7 "$work/$fault"
done
exit "$status"
