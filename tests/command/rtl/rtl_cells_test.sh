#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The table of cells in hw/rtl/README.md has the numbers of synthesis, for the given "DIM PORTS" or for all of them.
set -euo pipefail
cd -- "$(dirname -- "$0")/../../../hw/rtl"
status=0
made=$(./verify cells "$@") # A synthesis that fails ends this test.
while read -r line; do
  if ! grep -qxF -- "$line" README.md; then
    printf 'not in hw/rtl/README.md: %s\n' "$line"
    status=1
  fi
done <<<"$made"
exit "$status"
