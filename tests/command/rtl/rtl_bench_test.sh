#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The RTL's own benches deliver all messages; a machine that loses acknowledges stalls there, one that loses the source of a
# message delivers messages that were not sent.
# shellcheck source=tests/command/rtl/rtl.sh
. "$(dirname -- "$0")/rtl.sh"

for simulator in icarus systemc; do
  ends 0 '^100[0-9] messages arrived' ./verify bench "$simulator"
  ends 1 '^stalled: [0-9]+ of 1000' env MUTANT=fault_acknowledge ./verify bench "$simulator"
  ends 1 '^wrong: ' env MUTANT=source_lost ./verify bench "$simulator"
done
ends 2 "no bench for 'iccarus'; there are icarus and systemc" ./verify bench iccarus
tools bash mktemp rm dirname sed grep
ends 2 'iverilog is missing: cmake/packages/install extra' env PATH="$work/bin" ./verify bench icarus
exit "$status"
