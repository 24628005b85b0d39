#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the example with two kinds of routers against an installation, and runs it into the deadlock:
# router_example_test.sh PREFIX SOURCE [OPTION OF CMAKE...]
# shellcheck source=tests/command/installed_example.sh
source "$(dirname -- "$0")/installed_example.sh" "$@"
output=$("$work/build/router" 2>/dev/null)
printf '%s\n' "$output"
# By hand: 0 and 3 take dimension 0 first, 1 and 2 take dimension 1 first. Each circuit has its first link, and its second
# is the first of another circuit.
expected='stalled
0->3 waits for link 1:1 held by 1->2
1->2 waits for link 3:0 held by 3->0
2->1 waits for link 0:0 held by 0->3
3->0 waits for link 2:1 held by 2->1'
[[ $(head -n 1 <<<"$output"; tail -n +2 <<<"$output" | sort) == "$expected" ]]
