#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `verify prove`, `verify mutants` and others refuse what they cannot do with exit status 2 and say what is allowed; nothing that
# is refused looks like a proof that fails as expected.
# shellcheck source=tests/command/rtl/rtl.sh
. "$(dirname -- "$0")/rtl.sh"

# refused PATTERN COMMAND...: exit status 2, the pattern on the standard error, nothing on the standard output.
refused() {
  local pattern=$1 code=0
  shift
  "$@" >"$work/out" 2>"$work/err" || code=$?
  if ((code != 2)) || [[ -s $work/out ]] || ! grep -qE -- "$pattern" "$work/err"; then
    wrong "$*: exit status $code instead of 2, or not \"$pattern\":" "$work/out" "$work/err"
  fi
}

refused "no proof of 'ecube_ruter'; did you mean ecube_router" ./verify prove ecube_ruter DIM 2
refused "no parameter 'BUFER'; did you mean Buffer" ./verify prove ecube_worm_router DIM 2 BUFER 1
refused "no parameter 'bufer'; did you mean Buffer" ./verify prove ecube_worm_router dim 2 bufer 1
refused "DIM is 'two'" ./verify prove ecube_router DIM two
refused "DIM is ''" ./verify prove ecube_router DIM
refused "no mutant 'forward_nothing'; did you mean forwards_nothing" ./verify mutants forward_nothing
refused "no mutant 'forward_nothing'; did you mean forwards_nothing" ./verify compare forward_nothing
refused "no register or input 'ecube_output.wire_p'; did you mean ecube_output.wire_" ./verify widths ecube_output.wire_p
refused "'rooter 3 32' is no part: give 'router DIM TIME'" ./verify area 'rooter 3 32'
refused "'router 9 32' is no part" ./verify area 'router 9 32'
refused "bound needs DIM PORTS R A C N" ./verify bound 2 1
refused 'ports are 2; they have to be 1 or 3' ./verify bound 3 2 1 1 1 1
refused "'no' is no number" ./verify bound 3 1 no 1 1 1
refused "no bench for 'vcs'; there are icarus and systemc" ./verify bench vcs

refused "no parameter 'BUFER'; did you mean Buffer" ./verify prove ecube_own_worm_router DIM 2 BUFER 1
# A router whose register has no reset begins with any value.
cp -r . "$work/rtl"
sed 's/delay_q.* <= .0;/;/' ecube_router.sv >"$work/rtl/ecube_router.sv"
refused 'ecube_router has registers without a reset, which would begin with any value: delay_q' "$work/rtl/verify" prove ecube_own_router DIM 1 PORTS 1 WIDTH 4 TIME 2

# A proof under assumptions that contradict each other says nothing.
cp ecube_router.sv "$work/rtl"
sed -i 's/ECUBE_ENVIRONMENT(route_delay_i != .0 &&/ECUBE_ENVIRONMENT(1\x27b0 \&\&/' "$work/rtl/properties/ecube_router_checked.sv"
refused 'what the proof of ecube_router assumes cannot happen' "$work/rtl/verify" prove ecube_router DIM 1 PORTS 1 WIDTH 4 TIME 2

# Everything but z3, and what packages beyond those of tests have.
tools bash sh awk sed grep cut uniq tr sort mktemp rm cat dirname yosys yosys-smtbmc
refused 'z3 is missing' env PATH="$work/bin" ./verify prove ecube_arbiter INPUTS 4
refused 'z3 is missing' env PATH="$work/bin" ./verify mutants forwards_nothing
refused 'nextpnr-ice40 is missing: cmake/packages/install extra' env PATH="$work/bin" ./verify area
refused 'iverilog is missing: cmake/packages/install extra' env PATH="$work/bin" ./verify diagrams

# A property that is not in the list, or not found, makes a proof fail.
cp -r ./*.sv ./*.f ./*.sh ./*.txt verify properties "$work"
sed -i '/winner_asked/d' "$work/ecube_arbiter.sv"
if "$work/verify" prove ecube_arbiter INPUTS 4 >"$work/out" 2>&1 || ! grep -q 'winner_asked: 0 found, 1 in' "$work/out"; then
  wrong 'a proof without one of its assertions:' "$work/out"
fi

# A register without a reset begins with any value: a fabric with one is not proved.
cp ecube_arbiter.sv "$work"
sed -i 's/granted_q <= 1.b0;//' "$work/ecube_output.sv"
refused 'registers without a reset, which would begin with any value: .*granted' "$work/verify" prove ecube_end_to_end DIM 1
# Nor one with a register that follows another, which is reset.
sed "s/granted_q <= 1.b0;/& first <= 1'b0;/; s/granted_q <= grant_o != .0;/granted_q <= follows; first <= grant_o != '0;/
  0,/^  always_ff/s/^  always_ff/  logic first, follows;\n  always_ff @(posedge clk_i) follows <= first;\n  always_ff/" ecube_output.sv >"$work/ecube_output.sv"
refused 'registers without a reset, which would begin with any value: .*follows' "$work/verify" prove ecube_end_to_end DIM 1
exit "$status"
