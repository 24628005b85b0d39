# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # `work` is set by the file that sources this one.
# `verify compare`, which sources this file: wrong modules in runs beside the event engine.

# compare [NAME]...: each wrong module of mutants.txt is verilated, without its assertions, and run in the nodes of a cube
# of two dimensions beside the event engine, with random programs until something differs. A line for each, with the
# number of the program and what differs first; those listed in equivalent.txt have to show no difference. `right` is
# the modules without a change, which show none; `rules` the same with every rule of
# properties/ checked in every cycle, and with a fault, which breaks a rule.
compare() {
  need_of base verilator cmake
  local name names found count=0 survived=0 build=../../build/release
  case ${1:-} in
    right) names=(right right_of_worms) ;;
    rules) names=(rules rules_of_worms broken_rules) ;;
    *) names_of_mutants "$@" ;;
  esac
  [[ -f $build/CMakeCache.txt ]] || bad_input 'build the tests first: ./ecube test -R None'
  cmake --build "$build" --target rtl_compare >"$work/log" 2>&1 || { tail -n 3 "$work/log" >&2; bad_input 'rtl_compare cannot be built'; }
  tree_of_libraries
  for name in "${names[@]}"; do
    count=$((count + 1))
    found=$(compare_mutant "$name") || exit 2
    printf '%s: %s\n' "$name" "$found"
    if [[ $name =~ ^(right|rules|broken_rules) ]]; then
      count=$((count - 1))
      if [[ $name == broken_rules ]]; then [[ $found == *ecube_*.sv:* ]] || exit 1; else [[ $found == 'no difference'* ]] || exit 1; fi
    elif grep -q "^$name: " equivalent.txt; then
      [[ $found == 'no difference'* ]] || bad_input "equivalent.txt: $name: it is found"
      count=$((count - 1))
    elif [[ $found == 'no difference'* ]]; then
      survived=$((survived + 1))
    fi
  done
  printf '%d wrong modules that are not equivalent, %d found by the comparison\n' "$count" "$((count - survived))"
  ((survived == 0))
}

# The hash in the names of a build tree's libraries.
hash_of_rtl() { sed -n 's/^ECUBE_RTL_HASH:INTERNAL=//p' "$1/CMakeCache.txt"; }

# What a library needs to be built, in $work/tree; the modules are put there by compare_mutant.
tree_of_libraries() {
  local root
  root=$(realpath ../..)
  mkdir -p "$work/tree/hw/rtl"
  cp "$root/cmake/rtl/CMakeLists.txt" "$work/tree"
  ln -s "$root/cmake" "$work/tree/cmake"
  ln -s "$root/models" "$work/tree/models"
  ln -s "$root/hw/clocked" "$work/tree/hw/clocked"
}

# library_of_mutant TARGET CHECKS: builds this library of the modules in $work/mutant, in $work/built, with assertions and
# rules if CHECKS is ON.
library_of_mutant() {
  local file
  cp CMakeLists.txt ./*.cpp ./*.h "$work/mutant"
  # Only files that changed are newer, so that only these are built again.
  (cd "$work/mutant" && find . -type f) | while read -r file; do
    mkdir -p "$work/tree/hw/rtl/${file%/*}"
    cmp -s "$work/mutant/$file" "$work/tree/hw/rtl/$file" || cp "$work/mutant/$file" "$work/tree/hw/rtl/$file"
  done
  {
    cmake -S "$work/tree" -B "$work/built" -G Ninja -DCMAKE_BUILD_TYPE=Release -DECUBE_RTL_ASSERTIONS="$2" -DECUBE_RTL_PROPERTIES="$2" -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" &&
      cmake --build "$work/built" --target "$1"
  } >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; return 2; }
}

# compare_mutant NAME: what differs first. `make_mutant` sets more than is needed here. First with n ports, then
# with one port, then with three ports of which two are in use at a time.
# shellcheck disable=SC2034
compare_mutant() {
  local name=$1 breaks steps proof=() ports buffer code said library checks=OFF
  if [[ $name =~ ^(right|rules|broken_rules) ]]; then
    proof=(ecube_router)
    [[ $name != *_of_worms ]] || proof=(ecube_worm_router)
    copy_of_modules
  fi
  [[ $name == @(right|rules)* ]] || make_mutant "${name/broken_rules/fault_hop}"
  [[ $name != *rules* ]] || checks=ON
  for ports in n one two; do
    buffer=0
    case $ports in
      n | one) library=ecube_rtl_d2_$ports ;;
      two) library=ecube_rtl_d3_n ;;
    esac
    if [[ ${proof[0]} == ecube_worm* ]]; then
      buffer=1
      [[ $ports != n ]] || buffer=3
      library+=_worms$buffer
    fi
    library_of_mutant "$library" "$checks" || return
    code=0
    # 300 programs take some 20 s of a processor; a wrong machine may never come to an end.
    said=$( (ulimit -t 120 && exec ../../build/release/tests/hw/rtl_compare "$work/built/rtl/${library}_$(hash_of_rtl "$work/built").so" "$ports" "$buffer" "${PROGRAMS:-300}" 2>"$work/log") | tail -n 1) || code=$?
    case $code in
      0) ;;
      1) printf '%s\n' "$said" && return ;;
      2) tail -n 2 "$work/log" >&2 && return 2 ;;
      137 | 152) printf 'a run does not come to an end\n' && return ;;
      *) printf 'the run ended with %d: %s\n' "$code" "$(tail -n 1 "$work/log")" && return ;;
    esac
  done
  printf 'no difference in %d programs\n' "${PROGRAMS:-300}"
}
