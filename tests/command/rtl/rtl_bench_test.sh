#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The RTL's own benches deliver all messages; a machine that loses acknowledges stalls there, one that loses the source of a
# message delivers messages that were not sent.
set -euo pipefail
cd -- "$(dirname -- "$0")/../../../hw/rtl"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# ends CODE PATTERN COMMAND...
ends() {
  local wanted=$1 pattern=$2 code=0
  shift 2
  "$@" >"$work/out" 2>&1 || code=$?
  if ((code != wanted)) || ! grep -qE -- "$pattern" "$work/out"; then
    printf '%s: exit status %d instead of %d, or not "%s":\n' "$*" "$code" "$wanted" "$pattern"
    cat "$work/out"
    status=1
  fi
}

for simulator in icarus systemc; do
  ends 0 '^100[0-9] messages arrived' ./verify bench "$simulator"
  ends 1 '^stalled: [0-9]+ of 1000' env MUTANT=fault_acknowledge ./verify bench "$simulator"
  ends 1 '^wrong: ' env MUTANT=source_lost ./verify bench "$simulator"
done
ends 2 "no bench for 'iccarus'; there are icarus and systemc" ./verify bench iccarus
mkdir "$work/bin"
for tool in bash mktemp rm dirname sed grep; do ln -s "$(command -v "$tool")" "$work/bin"; done
ends 2 'iverilog is missing: cmake/packages/install extra' env PATH="$work/bin" ./verify bench icarus
exit "$status"
