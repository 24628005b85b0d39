# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# To be sourced with the program as the first argument: a folder of the script's own, the program's output, and words in it.
set -euo pipefail
program=$(realpath -- "$1")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

fail() {
  printf 'failed: %s\n' "$*"
  exit 1
}
# Runs the program with the words after the status that it has to end with; its output is in $work/out.
expect() {
  local status=0 wanted=$1
  shift
  "$program" "$@" >"$work/out" 2>&1 </dev/null || status=$?
  ((status == wanted)) || fail "ecube $*: exit $status in place of $wanted: $(cat "$work/out")"
}
# The output of the last run has these texts.
says() {
  local text
  for text in "$@"; do grep -qF -- "$text" "$work/out" || fail "no '$text' in: $(cat "$work/out")"; done
}
# The simulated cycles of a run.
cycles() { "$program" run "$@" --json 2>"$work/err" | sed -n '/"measured"/,/}/s/^ *"cycles": \([0-9]*\),$/\1/p'; }
