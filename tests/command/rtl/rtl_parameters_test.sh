#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A wrong parameter of a module is an error of Verilator and of yosys that says what is allowed; a right one is none.
set -euo pipefail
cd -- "$(dirname -- "$0")/../../../hw/rtl"
status=0
mapfile -t sources < <(grep '\.sv$' ecube.f)
for tool in verilator yosys; do
  command -v "$tool" >/dev/null || { printf '%s is missing: cmake/packages/install base test\n' "$tool"; exit 2; }
done

# elaborate TOOL MODULE KEY VALUE...
elaborate() {
  local tool=$1 module=$2 verilator=() yosys=
  shift 2
  while (($#)); do
    verilator+=("-G$1=$2")
    yosys+=" -set $1 $2"
    shift 2
  done
  if [[ $tool == verilator ]]; then
    verilator --lint-only -Wno-UNUSEDPARAM "${verilator[@]}" --top-module "$module" -F ecube.f
  else
    yosys -q -p "read_verilog -sv ${sources[*]}; chparam $yosys $module; hierarchy -top $module"
  fi 2>&1
}

# refused TEXT MODULE KEY VALUE...
refused() {
  local text=$1 tool said code
  shift
  for tool in ${only:-verilator yosys}; do
    code=0
    said=$(elaborate "$tool" "$@") || code=$?
    if ((code == 0)) || ! grep -qF -- "$1: $text" <<<"$said"; then
      printf '%s of %s: exit status %d, or not "%s":\n%s\n' "$tool" "$*" "$code" "$text" "$said"
      status=1
    fi
  done
}

taken() {
  local tool
  for tool in verilator yosys; do
    elaborate "$tool" "$@" >/dev/null || { printf '%s refuses %s\n' "$tool" "$*"; status=1; }
  done
}

# Verilator elaborates all 256 nodes before it says so.
only=yosys refused 'DIM has to be 1 to 6' ecube_fabric DIM 8
refused 'DIM has to be 1 to 6' ecube_node DIM 7
refused 'DIM has to be 1 to 6' ecube_router DIM 7
refused 'PORTS has to be 1 or DIM' ecube_node DIM 3 PORTS 2
refused 'PORTS has to be 1 or DIM' ecube_worm_router DIM 3 PORTS 4
refused 'WIDTH has to be 2 DIM + 21 at least' ecube_interface_port DIM 3 WIDTH 26
refused 'WIDTH has to be 2 DIM + 2 at least' ecube_router DIM 3 WIDTH 7
refused 'TIME has to be 2 to 32' ecube_worm_port TIME 33
refused 'TIME has to be 2 to 32' ecube_router TIME 1
refused 'BUFFER has to be 1 to 8' ecube_worm_router BUFFER 9
refused 'WORMS has to be 0 or 1' ecube_node WORMS 2
refused 'INPUTS has to be 2 at least' ecube_arbiter INPUTS 1
refused 'INPUT has to be less than DIM + PORTS' ecube_route INPUT 4
taken ecube_router DIM 3 WIDTH 8 TIME 2
taken ecube_worm_router DIM 6 PORTS 6 BUFFER 8
taken ecube_interface_port DIM 3 WIDTH 27 TIME 32
taken ecube_arbiter INPUTS 2
exit "$status"
