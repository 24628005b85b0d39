#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What holds for all commands: -d, sizes with units, suggestions, units in exports: conventions_test.sh ECUBE
# shellcheck source=tests/command/script.sh
source "$(dirname -- "$0")/script.sh" "$1"
cd -- "$work"

measured() { "$program" run "$@" --json 2>err | sed -n '/"measured"/,/}/p'; }
same() { # two lists of words, with / between them
  local first=()
  while [[ $1 != / ]]; do
    first+=("$1")
    shift
  done
  shift
  local here there
  here=$(measured "${first[@]}")
  there=$(measured "$@")
  [[ -n $here && $here == "$there" ]] || fail "${first[*]} is not $*: $here, $there, $(cat err)"
}
same exchange -d 3 --bytes 1KB / exchange --dim 3 --bytes 1024
same exchange -d 3 --bytes '2 KiB' / exchange --dim 3 --bytes 2048
same traffic -d 2 --bytes 1KB --messages 3 / traffic -d 2 --bytes 1024 --messages 3
same pingpong -d 2 --bytes 1KB,8 / pingpong -d 2 --bytes 1024,8
longer=$(measured exchange -d 3 --bytes 1KB)
shorter=$(measured exchange -d 3 --bytes 1000)
[[ -n $longer && -n $shorter && $longer != "$shorter" ]] || fail "1 KB is 1,000 B"
common=$("$program" run exchange --help | sed -n '/^Common options:/,/^$/p' | grep -o -- '--[a-z]*[ =]' | tr -d '= \n')
[[ $common == *--bytes*--machine*--dim*--output* && $common != *--seed* ]] || fail "help does not begin with the common options: $common"
"$program" run exchange --help | tr -s ' \n' ' ' | grep -qF '1 KB = 1,024 B' || fail "help does not say what 1 KB is"

# A hidden command is never suggested, a near one is.
expect 2 sweep-worke
says "unknown command 'sweep-worke'"
! grep -q 'sweep-worker' out || fail "a hidden command in $(cat out)"

cat >study.toml <<'TOML'
run = "barrier"
[[axis]]
key = "library.signal_send"
values = ["1 us", "0.5 us"]
[[axis]]
key = "repeats"
values = [1]
TOML
"$program" sweep study.toml --quiet -o results >out
"$program" sweep export results -o all.csv
[[ $(head -n 1 all.csv) == number,id,seed,repetition,wall_s,'library.signal_send [us],repeats,measured_cycles,'* ]] || fail "$(head -n 1 all.csv)"
"$program" sweep export results -o all.jsonl
(($(grep -c '"units":{"library.signal_send":"us"}' all.jsonl) == 2)) || fail "$(cat all.jsonl)"
# The study grows: one point more runs, and only that.
sed -i 's/\["1 us"/["2 us", "1 us"/' study.toml
"$program" sweep study.toml --quiet -o results >out
grep -q '1 point ran' out || fail "$(cat out)"
(($("$program" sweep export results | wc -l) == 4)) || fail "the grown study has not all points"
echo passed
