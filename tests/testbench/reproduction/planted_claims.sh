#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# planted_claims.sh CLAIMS PROGRAM...: of each claim that tests alone decide, one of its tests is among the programs',
# and fails when what is wrong of the claim is planted in it (tests/planted.h).
set -u
ulimit -c 0 # a test ends by its first failure
claims=$1
shift
failed=0
said_no() { # whether a test fails, with the claim's planted or with nothing
  for program in "$@"; do
    ECUBE_PLANTED=$claim "$program" --gtest_filter="$test" --gtest_throw_on_failure 2>&1 | grep -q ': Failure$' && return
  done
  return 1
}
while read -r claim tests; do
  no=
  for test in $tests; do said_no "$@" && no=$test; done
  [ -n "$no" ] && continue
  echo "$claim: nothing that is planted makes $tests fail"
  failed=1
done <<END
$(awk -F '\t' '{ all = $4 } gsub(/(^|;)test:/, " ", all) == split($4, parts, ";") { print $1 all }' "$claims")
END
exit $failed
