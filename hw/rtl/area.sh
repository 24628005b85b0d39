# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # `sources` and `work` are set by the file that sources this one.
# `verify area`, which sources this file: size and speed of routers and nodes between registers.

liberty=/usr/share/qflow/tech/osu035/osu035_stdcells.lib
seeds=5

# area ["PART DIM TIME"]...: a line of the table in README.md for each; a part is router or node.
area() {
  local part dim time one ice40 speed ecp5 gates
  (($#)) || set -- 'router 3 32' 'router 3 16' 'node 3 32' 'node 3 16'
  for one in "$@"; do
    [[ $one =~ ^(router|node)\ [1-8]\ ([2-9]|[12][0-9]|3[0-2])$ ]] ||
      bad_input "'$one' is no part: give 'router DIM TIME' or 'node DIM TIME', DIM from 1 to 8, TIME from 2 to 32"
  done
  need_of test yosys
  need_of extra nextpnr-ice40 icepack sta
  [[ -r $liberty ]] || bad_input "$liberty is missing: cmake/packages/install extra"
  # Without comments and blank lines: yosys names cells after their lines, and the order of names moves the figures.
  cp -r ./*.sv synthesis "$work"
  cd -- "$work" || exit 2
  sed -i "s://.*::; /^ *\$/d" ./*.sv synthesis/*.sv
  printf '| part | dimension | bits of a count | iCE40 LUTs | flip-flops | MHz | ECP5 LUTs | osu035 cells | ns |\n|---|---|---|---|---|---|---|---|---|\n'
  for one in "$@"; do
    read -r part dim time <<<"$one"
    ice40=$(size_of "$part" "$dim" "$time" synth_ice40 SB_LUT4 SB_DFF) || exit 2
    speed=$(speed_of "$part" "$dim" "$time") || exit 2
    ecp5=$(size_of "$part" "$dim" "$time" synth_ecp5 LUT4) || exit 2
    gates=$(gates_of "$part" "$dim" "$time") || exit 2
    printf '| %s | %d | %d | %s | %s | %s | %s |\n' "$part" "$dim" "$time" "$ice40" "$speed" "$ecp5" "$gates"
  done
}

# read_part PART DIM TIME [_top]: commands of yosys that read this module.
read_part() {
  printf 'read_verilog -sv %s synthesis/ecube_%s_top.sv; chparam -set Dim %d -set Time %d ecube_%s; hierarchy -top ecube_%s\n' \
    "${sources[*]}" "$1" "$2" "$3" "$1${4:-}" "$1${4:-}"
}

# size_of PART DIM TIME SYNTHESIS CELL...: the numbers of cells whose names begin so.
size_of() {
  local part=$1 dim=$2 time=$3 synthesis=$4 log=$work/size cell
  shift 4
  yosys -q -l "$log" -p "$(read_part "$part" "$dim" "$time"); $synthesis -top ecube_$part; tee -o $work/stat stat" >/dev/null 2>&1 || { tail -n 1 "$log" >&2; exit 2; }
  for cell in "$@"; do
    awk -v cell="$cell" 'index($1, cell) == 1 { sum += $2 } END { print sum + 0 }' "$work/stat"
  done | paste -s -d '|' | sed 's/|/ | /g'
}

# speed_of PART DIM TIME: the median frequency in MHz of placements with different seeds.
speed_of() {
  local seed
  yosys -q -p "$(read_part "$@" _top); synth_ice40 -top ecube_$1_top -json $work/top.json" >"$work/log" 2>&1 || { tail -n 1 "$work/log" >&2; exit 2; }
  for ((seed = 1; seed <= seeds; seed++)); do
    nextpnr-ice40 --hx8k --package ct256 --json "$work/top.json" --asc "$work/top.asc" --seed "$seed" --freq 120 --timing-allow-fail --pcf-allow-unconstrained -q --log "$work/log" 2>/dev/null ||
      { tail -n 1 "$work/log" >&2; exit 2; }
    icepack "$work/top.asc" "$work/top.bin" # A bit stream can be made of it.
    sed -n 's/.*Max frequency for clock[^:]*: \([0-9.]*\) MHz.*/\1/p' "$work/log" | tail -n 1
  done | sort -n | sed -n "$(((seeds + 1) / 2))p"
}

# gates_of PART DIM TIME: cells of the library, and its longest path in ns. What many cells read is buffered.
gates_of() {
  printf 'set_driving_cell INVX4\nset_load 50\n' >"$work/constraints"
  yosys -q -p "$(read_part "$@" _top); synth -flatten -top ecube_$1_top; dfflibmap -liberty $liberty; abc -liberty $liberty -constr $work/constraints; opt_clean
    write_verilog -noattr -noexpr -nohex -nodec $work/netlist.v; hierarchy -top ecube_$1_top; tee -o $work/stat stat" >"$work/log" 2>&1 || { tail -n 1 "$work/log" >&2; exit 2; }
  {
    printf 'set liberty %s\nset netlist %s\nset top ecube_%s_top\n' "$liberty" "$work/netlist.v" "$1"
    cat synthesis/slack.tcl
  } >"$work/slack.tcl"
  sta -exit "$work/slack.tcl" >"$work/log" 2>&1 || { tail -n 1 "$work/log" >&2; exit 2; }
  # The period is 10 ns; a path is 10 ns less its slack.
  awk '/Number of cells:/ { cells = $4 } / slack \((MET|VIOLATED)\)/ { slack = $1; found = 1 }
    END { if (!found) exit 2; printf "%d | %.1f\n", cells, 10 - slack }' "$work/stat" "$work/log"
}
