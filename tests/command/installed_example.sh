# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# To be sourced with PREFIX SOURCE [OPTION OF CMAKE...]: builds a foreign design in $work/build, with the libraries that are
# installed at PREFIX.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
build() {
  local prefix=$1 source=$2 cache
  shift 2
  # A design and an installation that have not changed are compiled once.
  ! cache=$(command -v ccache) || set -- "$@" "-DCMAKE_CXX_COMPILER_LAUNCHER=$cache"
  cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" "$@" &&
    cmake --build "$work/build"
}
if ! build "$@" >"$work/log" 2>&1; then
  cat -- "$work/log"
  exit 1
fi
