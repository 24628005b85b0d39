#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The mutation tester on a sample whose survivors are known: it names them, and refuses false proofs.
set -euo pipefail
cd -- "$(dirname -- "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "mutation: $*" >&2
  cat "$work/out" >&2
  exit 1
}
mutate() {
  ./run --root sample --sources code --tests tests --build "$work/build" --equivalents "$work/equivalents" --survivors "$work/survivors" "$@" \
    >"$work/out" 2>&1
}

: >"$work/equivalents"
: >"$work/survivors"
if mutate --only sample; then fail "a score below 85 % is a failure"; fi
grep -A1 'number. becomes\|1 becomes 1 + 1: survived' "$work/out" | grep -q 'constexpr unsigned rounding = 1;' || fail "half_up(3) does not see 2 in place of 1"
grep -A1 '> becomes >=: survived' "$work/out" | grep -q 'if (a > b) return a;' || fail "of equals either is the larger one"
grep -A1 '\* becomes +: not run by any test' "$work/out" | grep -q 'number \* 3' || fail "what no test runs is no survivor"
if grep -q 'condition of if negated: ' "$work/out"; then fail "a negated condition survives its test"; fi
grep -q 'seed 1: ' "$work/out" || fail "the seed is not printed"
cp "$work/out" "$work/first"
if mutate --only sample; then fail "the second run passes"; fi
diff <(grep -E '^seed|survived|not run' "$work/first") <(grep -E '^seed|survived|not run' "$work/out") || fail "the same seed, another verdict"

printf 'code/sample.h | > becomes >= | if (a > b) return a; | a and b are equal numbers: either is returned\n' >"$work/equivalents"
if mutate --only sample; then fail "a score below 85 % is a failure, with a proof too"; fi
grep -q ' 1 proved equivalent' "$work/out" || fail "the proof does not count"
printf 'code/sample.h | > becomes <= | if (a > b) return a; | not so\n' >"$work/equivalents"
if mutate --only sample; then fail "a false proof is taken"; fi
grep -q 'a test kills what is said to change nothing' "$work/out" || fail "a false proof is not named"
printf 'code/sample.h | > becomes >= | if (a > c) return a; | of a line that is gone\n' >"$work/equivalents"
if mutate --only sample; then fail "a proof of nothing is taken"; fi
grep -q 'no mutant is called' "$work/out" || fail "a proof of nothing is not named"
: >"$work/equivalents"

# Survivors are listed with a reason; a reason for what a test kills, or for what is no mutant, is named.
printf 'code/sample.h | > becomes >= | if (a > b) return a; | either of equals will do\ncode/sample.h | > becomes <= | if (a > b) return a; | not so\n' >"$work/survivors"
if mutate --only sample; then fail "a listed survivor counts as killed"; fi
grep -A2 '> becomes >=: survived' "$work/out" | grep -q '    either of equals will do' || fail "a reason is not printed"
grep -A2 '\* becomes +: not run by any test' "$work/out" | grep -q '    no reason is listed' || fail "a survivor without a reason is not named"
grep -q 'a test kills what is listed as a survivor: code/sample.h | > becomes <= ' "$work/out" || fail "a survivor that a test kills is not named"
printf 'code/sample.h | > becomes >= | if (a > c) return a; | of a line that is gone\n' >"$work/survivors"
if mutate --only sample; then fail "a score below 85 % is a failure, whatever is listed"; fi
grep -q 'survivors: no mutant is called: code/sample.h | > becomes >= | if (a > c) return a;$' "$work/out" || fail "a survivor that is no mutant is not named"
: >"$work/survivors"

mutate --only 'nothing' && fail "no mutant is a score"
mutate --only sample --least 20 || fail "a score above the one that is wanted"
# An endless loop ends by its CPU time, and is killed.
mutate --only loop --count 8 || fail "a mutant of the loop survives"

# --keep takes kills of the same sources and tests only.
cp -r sample "$work/sample"
keep() {
  ./run --root "$work/sample" --sources code --tests tests --build "$work/kept" --equivalents "$work/equivalents" \
    --survivors "$work/survivors" --only sample --least 20 "$@" >"$work/out" 2>&1
}
if keep --keep; then fail "--keep without a run before"; fi
grep -q 'there is no run before' "$work/out" || fail "--keep does not say that there is no run before"
keep || fail "the sample's own score"
echo 'TEST(Sample, IsAddedSince) { SUCCEED(); }' >>"$work/sample/tests/sample_test.cpp"
keep --keep || fail "--keep after a test was added"
sed -i 's/a > b/b < a/' "$work/sample/code/sample.h"
if keep --keep; then fail "--keep takes kills of other sources"; fi
grep -q 'changed since the run before.*: code/sample.h$' "$work/out" || fail "--keep does not name the source that changed"
sed -i 's/b < a/a > b/' "$work/sample/code/sample.h"
sed -i '/IsAddedSince/d' "$work/sample/tests/sample_test.cpp"
if keep --keep; then fail "--keep takes kills of tests that are gone"; fi
grep -q 'that are gone: .*IsAddedSince' "$work/out" || fail "--keep does not name the test that is gone"
