# shellcheck shell=bash disable=SC2034 # The scripts end with `status`.
# SPDX-License-Identifier: Apache-2.0
# To be sourced by a test of the RTL: it then is in hw/rtl, has a folder of its own, and ends with `exit "$status"`.
set -euo pipefail
rtl=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../../hw/rtl" && pwd)
cd -- "$rtl"
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
status=0

# wrong TEXT [FILE]...: says so, with what the files have, and lets the test fail.
wrong() {
  printf '%s\n' "$1"
  shift
  cat -- /dev/null "$@"
  status=1
}

# ends CODE PATTERN COMMAND...: the command's exit status, and a pattern in its output, which is then in $work/out.
ends() {
  local wanted=$1 pattern=$2 code=0
  shift 2
  "$@" >"$work/out" 2>&1 || code=$?
  if ((code != wanted)) || ! grep -qE -- "$pattern" "$work/out"; then
    wrong "$*: exit status $code instead of $wanted, or not \"$pattern\":" "$work/out"
  fi
}

# in_readme TEXT: every line of it stands in README.md.
in_readme() {
  local line
  while read -r line; do
    grep -qxF -- "$line" README.md || wrong "not in hw/rtl/README.md: $line"
  done <<<"$1"
}

# tools NAME...: a folder with these tools and no other, in $work/bin.
tools() {
  local tool
  mkdir "$work/bin"
  for tool in "$@"; do ln -s "$(command -v "$tool")" "$work/bin"; done
}
