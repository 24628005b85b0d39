#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The applications among the example programs as a user runs them: verified, within 0.5 % of their prediction on an
# iPSC/860, refused where a matrix does not fit; and with --large, the largest of them within its bounds of time and
# memory and within 2 % of its prediction.
#   applications_test.sh ECUBE EXAMPLES [--large]
# shellcheck source=tests/command/script.sh
source "$(dirname -- "$0")/script.sh" "$1"
examples=$(realpath -- "$2")
cd -- "$work"

# Measured and predicted time differ by at most so many percent.
near() {
  awk -v most="$1" '/^predicted us/ { getline; error = $3 + 0; found = 1 }
    END { exit !(found && error <= most && error >= -most) }' "$work/out" ||
    fail "not within $1 % of the prediction: $(cat "$work/out")"
}

if [[ ${3-} == --large ]]; then
  # 2^24 points on 256 nodes: within 60 s of processor time and 2 GB, carried and verified.
  (ulimit -v $((2 * 1024 * 1024)) -t 60 && expect 0 run program "$examples/fft.cpp" --dim 8 --machine ipsc860 --step-limit 60 \
    --param rows=4096 --param columns=4096)
  says 'verified by the program' 'nodes that exchange by {8}  256'
  near 2
  echo passed
  exit
fi

for application in fft transpose adi conjugate_gradient; do
  for machine in ideal ipsc860; do
    expect 0 run program "$examples/$application.cpp" --dim 4 --machine "$machine"
    says 'verified by the program' ' 0 blocked'
    if [[ $machine == ideal ]]; then near 0; else near 0.5; fi
  done
done
# The clocked engine carries the same bytes in the same time.
expect 0 run program "$examples/fft.cpp" --dim 2 --param pieces=2
cycles=$(grep ^measured out)
expect 0 run program "$examples/fft.cpp" --dim 2 --param pieces=2 --engine clocked
says "$cycles"

# On small blocks in pieces the best partition of the application is not that of the exchange alone.
expect 0 run program "$examples/fft.cpp" --dim 6 --machine ipsc860 --param pieces=1 --param rows=256 --param columns=256 --param partition=alone
says '{6}  64'
expect 0 run program "$examples/fft.cpp" --dim 6 --machine ipsc860 --param pieces=2 --param rows=256 --param columns=256
says '{3,3}  64'

# Bad input: exit 2, and what would fit.
expect 2 run program "$examples/fft.cpp" --dim 3 --param rows=100
says '100 rows are no power of two' 'valid: 64 or 128'
expect 2 run program "$examples/fft.cpp" --dim 3 --param rows=1048576 --param columns=1048576
says 'MiB are available' 'valid: '
expect 2 run program "$examples/adi.cpp" --dim 3 --param n=60
says 'cannot be divided into 8 equal parts' 'valid: 56 or 64'
expect 2 run program "$examples/transpose.cpp" --dim 3 --param partition=2,2
expect 2 run program "$examples/conjugate_gradient.cpp" --dim 3 --param n=22
says 'valid: 20 or 24'
# Numbers with which nothing can be computed.
expect 2 run program "$examples/conjugate_gradient.cpp" --dim 2 --param most=4294967296
says 'valid: 1 .. 1073741824'
expect 2 run program "$examples/conjugate_gradient.cpp" --dim 2 --param tolerance=1e-15
says 'valid: 1e-13 or more'
expect 2 run program "$examples/adi.cpp" --dim 2 --param ratio=1e308
says 'valid: 1e-300 .. 1e+300'
for ratio in 1e-300 1e300; do expect 0 run program "$examples/adi.cpp" --dim 2 --param "ratio=$ratio"; done
expect 0 run program "$examples/adi.cpp" --dim 2 --param n=512 --param ratio=1e6
# An iteration that gives up has no result.
expect 1 run program "$examples/conjugate_gradient.cpp" --dim 2 --param most=3
says 'wrong results: the residual is'
echo passed
