#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The table of sizes and speeds in hw/rtl/README.md has what `verify area` says; a router reaches 80 MHz and a node 60.
# shellcheck source=tests/command/rtl/rtl.sh
. "$(dirname -- "$0")/rtl.sh"

made=$(./verify area "$@") # A tool that is missing ends this test.
in_readme "$made"
awk -F '|' '/router|node/ { lines++; if ($7 < ($2 ~ /router/ ? 80 : 60)) { print "too slow: " $0; slow = 1 } } END { exit slow || !lines }' <<<"$made" || status=1
# A frequency below the bound is noticed.
if awk -F '|' '/router|node/ { if ($7 < ($2 ~ /router/ ? 80 : 60)) slow = 1 } END { exit slow }' <<<'| router | 3 | 32 | 1 | 1 | 64.54 | 1 | 1 | 1 |'; then
  wrong 'a router of 64.54 MHz passes'
fi
exit "$status"
