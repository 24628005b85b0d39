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
    if ((code == 0)) || ! grep -qF -- "$text" <<<"$said"; then
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

# Verilator elaborates all 512 nodes before it says so.
only=yosys refused 'Dim has to be 1 to 8' ecube_fabric Dim 9
refused 'Dim has to be 1 to 8' ecube_node Dim 9
refused 'Dim has to be 1 to 8' ecube_router Dim 9
refused 'Ports has to be 1 or Dim' ecube_node Dim 3 Ports 2
refused 'Ports has to be 1 or Dim' ecube_worm_router Dim 3 Ports 4
refused 'with interface ports 2 Dim + 21' ecube_interface_port Dim 3 Width 26
refused 'Width has to be 2 Dim + 2 at least' ecube_router Dim 3 Width 7
refused 'Time has to be 2 to 32' ecube_worm_port Time 33
refused 'Time has to be 2 to 32' ecube_router Time 1
refused 'Buffer has to be 1 to 8' ecube_worm_router Buffer 9
refused 'Worms has to be 0 or 1' ecube_node Worms 2
refused 'Inputs has to be 2 at least' ecube_arbiter Inputs 1
refused 'Input has to be less than Dim + Ports' ecube_route Input 4
taken ecube_router Dim 3 Width 8 Time 2
taken ecube_worm_router Dim 8 Ports 8 Buffer 8
taken ecube_interface_port Dim 3 Width 27 Time 32
taken ecube_arbiter Inputs 2
exit "$status"
