# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# To be sourced with BUILD SOURCE PROGRAM_FLAGS LINK_FLAGS: installs the libraries and builds a foreign design with
# them in $work/build.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
build() {
  cmake --install "$1" --prefix "$work/prefix" &&
    cmake -S "$2" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_FLAGS="$3" \
      -DCMAKE_EXE_LINKER_FLAGS="$4" &&
    cmake --build "$work/build"
}
if ! build "$@" >"$work/log" 2>&1; then
  cat -- "$work/log"
  exit 1
fi
