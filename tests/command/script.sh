# shellcheck shell=bash disable=SC2034 # The scripts use `work`.
# SPDX-License-Identifier: Apache-2.0
# To be sourced by a test that is a script: a folder of its own, and how it fails.
set -euo pipefail
export LC_ALL=C
work=$(mktemp -d)
trap 'chmod -R u+w -- "$work"; rm -rf -- "$work"' EXIT

fail() {
  printf 'failed: %s\n' "$*"
  exit 1
}
