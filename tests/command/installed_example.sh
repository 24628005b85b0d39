# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# To be sourced with PREFIX SOURCE PROGRAM_FLAGS LINK_FLAGS: builds a foreign design in $work/build, with the libraries that are
# installed at PREFIX.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
build() {
  cmake -S "$2" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$1" -DCMAKE_CXX_FLAGS="$3" -DCMAKE_EXE_LINKER_FLAGS="$4" &&
    cmake --build "$work/build"
}
if ! build "$@" >"$work/log" 2>&1; then
  cat -- "$work/log"
  exit 1
fi
