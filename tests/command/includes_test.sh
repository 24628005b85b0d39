#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Includes point down only (README.md of every folder): what a folder may include, for the tree at $1; and this check
# finds each kind of include that is not allowed.
set -euo pipefail
root=$1

# Prints the includes below folder $1 that name something else than a path that begins with one of the words after it.
against() {
  local folder=$1 allowed
  shift
  allowed=$(printf '|%s' "$@")
  { grep -rnHE '^#include "' --include='*.h' --include='*.cpp' "$folder" || true; } |
    { grep -vE "#include \"(${allowed:1})" || true; }
}

# All such includes of a tree.
check() {
  (
    cd -- "$1"
    against models models/
    against sw models/ sw/
    against hw/observed models/ hw/observed/
    against hw/program models/ hw/program/
    against hw/clocked models/ hw/observed/ hw/program/ hw/clocked/
    against hw/rtl models/ hw/clocked/ hw/rtl/
    against hw/event models/ hw/observed/ hw/event/
    for file in hw/*.h hw/*.cpp; do against "$file" models/ hw/observed/ hw/program/ hw/event/ 'hw/[a-z_]*\.h'; done
    against testbench models/ sw/ hw/ testbench/
    grep -rnE '#include <(systemc|sysc/)' --include='*.h' --include='*.cpp' models sw hw/event hw/observed || true
  )
}

found=$(check "$root")
if [[ -n $found ]]; then
  printf 'against the arrows:\n%s\n' "$found"
  exit 1
fi

tree=$(mktemp -d)
trap 'rm -rf -- "$tree"' EXIT
mkdir -p "$tree"/{models,sw,hw/observed,hw/program,hw/event,hw/clocked,hw/rtl,testbench}
touch "$tree"/hw/{a.h,a.cpp}
for planted in 'models/a.h hw/a.h' 'models/a.h sw/a.h' 'sw/a.cpp hw/a.h' 'hw/a.h sw/a.h' 'hw/a.cpp hw/clocked/a.h' \
  'hw/clocked/a.h hw/a.h' 'hw/observed/a.h hw/clocked/a.h' 'hw/rtl/a.h hw/event/a.h' 'hw/program/a.h hw/event/a.h' 'hw/event/a.h hw/clocked/a.h' 'hw/event/a.h hw/a.h' 'testbench/a.h tests/a.h'; do
  read -r file included <<<"$planted"
  printf '#include "%s"\n' "$included" >"$tree/$file"
  if [[ -z $(check "$tree") ]]; then
    printf 'not found: %s in %s\n' "$included" "$file"
    exit 1
  fi
  : >"$tree/$file"
done
printf '#include <systemc>\n' >"$tree/hw/event/a.h"
if [[ -z $(check "$tree") ]]; then
  printf 'not found: SystemC in hw/event\n'
  exit 1
fi
: >"$tree/hw/event/a.h"
[[ -z $(check "$tree") ]]
