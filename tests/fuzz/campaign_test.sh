#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A campaign that was stopped or has failed goes on where it was; one of other programs begins anew.
set -euo pipefail
here=$(cd -- "$(dirname -- "$0")" && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
mkdir -p "$build/tests/fuzz" "$build/testbench"
echo program >"$build/testbench/ecube"

# A program that notes its seeds and cases; the case in the file `wrong` fails.
cat >"$build/tests/fuzz/fuzz_tests" <<'END'
#!/usr/bin/env bash
echo "$1 $ECUBE_SEED $ECUBE_CASES" >>"$(dirname "$0")/../../log"
wrong=$(cat "$(dirname "$0")/../../wrong" 2>/dev/null || echo 0)
if ((ECUBE_SEED <= wrong && wrong < ECUBE_SEED + ECUBE_CASES)); then
  echo "case $wrong is wrong"
  exit 1
fi
echo "x from seed $ECUBE_SEED, counts: $ECUBE_CASES cases 1 parts"
END
chmod +x "$build/tests/fuzz/fuzz_tests"

campaign() { "$here/run" --programs "$build" --count 100000 --kills 40 --seed 5 2>&1; }
fail() {
  printf 'campaign_test: %s\n%s\n' "$1" "$output"
  exit 1
}

# 19,600 texts of a reader are two parts, 100,000 run directories ten; the wrong case is in the second.
echo 12345 >"$build/wrong"
if output=$(campaign); then fail "a failure ended with 0"; fi
grep -q 'study failed, ECUBE_SEED=10005 ECUBE_CASES=9600' <<<"$output" || fail "the part is not named"
grep -q 'case 12345 is wrong' <<<"$output" || fail "what failed is not said"
grep -q 'commands from seed 5: 2000 cases 4 parts' <<<"$output" || fail "what follows was left out"
! grep -q 'no failure' <<<"$output" || fail "a failed campaign says that nothing failed"

rm "$build/wrong" "$build/log"
output=$(campaign) || fail "what was mended still fails"
grep -q 'study from seed 5: 19600 cases 2 parts' <<<"$output" || fail "parts do not add up"
grep -q 'no failure in 100000 executions, as many run directories and 40 kills from seed 5' <<<"$output" || fail "the end is not said"
[[ $(wc -l <"$build/log") == 14 && $(sort -u "$build/log" | grep -c ' 10005 9600$') == 5 ]] || fail "more was run than was missing: $(cat "$build/log")"

echo other >"$build/testbench/ecube"
: >"$build/log"
output=$(campaign) || fail "other programs fail"
[[ $(wc -l <"$build/log") == 29 ]] || fail "results of other programs were taken: $(cat "$build/log")"
echo "campaigns go on where they were"
