#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a router assumes itself, that no probe ever comes, does not hide its fault from the proof at its pins.
set -euo pipefail
cd -- "$(dirname -- "$0")/../../../hw/rtl"
copy=$(mktemp -d)
trap 'rm -rf -- "$copy"' EXIT
cp -R . "$copy"
cd -- "$copy"
sed -i 's/^endmodule/always_ff @(posedge clk_i) assume (probe == 0);\n&/' ecube_router.sv
MUTANT=fault_hop ./verify prove ecube_own_router DIM 2 PORTS 1 WIDTH 6 TIME 2
