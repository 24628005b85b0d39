#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Includes point down only (README.md of every folder): what a folder may include, for the tree at $1; and this check
# finds each kind of include that is not allowed.
set -euo pipefail
root=$1

# Prints the includes below folder $1 that do not name a path that begins with one of the words after it.
against() {
  local folder=$1 allowed
  shift
  allowed=$(printf '|%s' "$@")
  { grep -rnHE '^#include "' --include='*.h' --include='*.cpp' "$folder" || true; } |
    { grep -vE "#include \"(${allowed:1})" || true; }
}

# The rooms of its own folder that a room may include, besides itself.
rooms() {
  cat <<'ROOMS'
models/machine
models/contract machine
models/node machine contract
models/static_check machine
models/processor machine
models/exchange machine processor
models/combine machine processor
models/shuffle machine processor static_check
models/family machine combine processor
models/broadcast family combine
models/scatter family combine
models/presets machine node exchange combine
models/gather family combine
models/all_gather family combine
models/reduce_scatter family combine
models/scan family combine
models/collectives family broadcast scatter gather all_gather reduce_scatter scan
models/fit machine shuffle
models/ideal machine contract node exchange
sw/api
sw/exchange api
sw/combine api exchange
sw/family api combine
sw/shuffle api
sw/traffic api
sw/micro_benchmarks api
sw/examples api exchange program
sw/program api
sw/goal api
testbench/system
testbench/text system
testbench/publication text system
testbench/command_line text
testbench/machine text system
testbench/trace text system machine
testbench/run text system publication command_line machine trace
testbench/collective text system run
testbench/exchange text system machine run collective
testbench/combine text system machine run collective
testbench/shuffle text system machine run collective
testbench/traffic text system machine run
testbench/report text system publication machine trace run exchange sweep
testbench/lesson text system run workloads report
testbench/program text system command_line machine run
testbench/goal text system machine run
testbench/router text system command_line machine run
testbench/workloads run exchange combine shuffle traffic program goal family
testbench/sweep text system machine run goal program workloads
testbench/family text system machine run collective combine
testbench/figure text system machine
testbench/validation text system machine run collective exchange combine shuffle family figure
testbench/reproduction text system machine run collective exchange combine shuffle figure
testbench/commands text system publication command_line machine trace run collective exchange combine shuffle traffic program workloads sweep report lesson validation reproduction family router
ROOMS
}

# The other folders that a room may include.
below() {
  case $1 in
    models/*) ;;
    sw/*) printf 'models/ ' ;;
    testbench/*) printf 'models/ sw/ hw/ testbench/version.h ' ;;
  esac
}

# All such includes of a tree.
check() {
  (
    cd -- "$1"
    local room others top allowed
    while read -r room others; do
      [[ -d $room ]] || continue
      top=${room%%/*}
      allowed="$room/ $(below "$room")"
      for other in $others; do allowed+=" $top/$other/"; done
      # shellcheck disable=SC2086
      against "$room" $allowed
    done < <(rooms)
    # A file or room that the list does not know.
    find models sw testbench -mindepth 1 -maxdepth 1 -name '*.h' -o -maxdepth 1 -name '*.cpp'
    for room in models/*/ sw/*/ testbench/*/; do
      case $room in testbench/examples/ | testbench/studies/ | testbench/pictures/ | '*'*) continue ;; esac
      [[ -n $(find "$room" -name '*.h' -o -name '*.cpp') ]] || continue
      rooms | grep -qE "^${room%/}( |$)" || printf '%s: unknown room\n' "$room"
    done
    against hw/observed models/ hw/observed/
    against hw/program models/ hw/program/
    against hw/clocked models/ hw/observed/ hw/program/ hw/clocked/
    against hw/rtl models/ hw/clocked/ hw/rtl/
    against hw/event models/ hw/observed/ hw/event/
    against hw/folded models/ hw/observed/ hw/event/ hw/folded/
    for file in hw/*.h hw/*.cpp; do against "$file" models/ hw/observed/ hw/program/ hw/event/ 'hw/[a-z_]*\.h'; done
    grep -rnE '#include <(systemc|sysc/)' --include='*.h' --include='*.cpp' models sw hw/event hw/folded hw/observed || true
  )
}

found=$(check "$root")
if [[ -n $found ]]; then
  printf 'against the arrows:\n%s\n' "$found"
  exit 1
fi

tree=$(mktemp -d)
trap 'rm -rf -- "$tree"' EXIT
mkdir -p "$tree"/{models/machine,models/fit,sw/api,sw/shuffle,hw/observed,hw/program,hw/event,hw/folded,hw/clocked,hw/rtl,testbench/text,testbench/run,testbench/new}
touch "$tree"/hw/{a.h,a.cpp}
for planted in 'models/machine/a.h hw/a.h' 'models/machine/a.h sw/api/a.h' 'models/machine/a.h models/fit/a.h' 'sw/api/a.cpp hw/a.h' 'sw/api/a.h sw/shuffle/a.h' 'hw/a.h sw/a.h' 'hw/a.cpp hw/clocked/a.h' \
  'hw/clocked/a.h hw/a.h' 'hw/observed/a.h hw/clocked/a.h' 'hw/rtl/a.h hw/event/a.h' 'hw/program/a.h hw/event/a.h' 'hw/event/a.h hw/clocked/a.h' 'hw/event/a.h hw/a.h' 'hw/event/a.h hw/folded/a.h' 'hw/folded/a.h hw/clocked/a.h' 'testbench/text/a.h testbench/run/a.h' 'testbench/run/a.h tests/a.h'; do
  read -r file included <<<"$planted"
  printf '#include "%s"\n' "$included" >"$tree/$file"
  if [[ -z $(check "$tree") ]]; then
    printf 'not found: %s in %s\n' "$included" "$file"
    exit 1
  fi
  : >"$tree/$file"
done
for unknown in testbench/new/a.cpp sw/a.h; do
  touch "$tree/$unknown"
  if [[ -z $(check "$tree") ]]; then
    printf 'not found: %s, of no room\n' "$unknown"
    exit 1
  fi
  rm -- "$tree/$unknown"
done
printf '#include <systemc>\n' >"$tree/hw/event/a.h"
if [[ -z $(check "$tree") ]]; then
  printf 'not found: SystemC in hw/event\n'
  exit 1
fi
: >"$tree/hw/event/a.h"
[[ -z $(check "$tree") ]]
