#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The table of cells in hw/rtl/README.md has the numbers of synthesis, for the given "DIM PORTS" or for all of them.
# shellcheck source=tests/command/rtl/rtl.sh
. "$(dirname -- "$0")/rtl.sh"

made=$(./verify cells "$@") # A synthesis that fails ends this test.
in_readme "$made"
exit "$status"
