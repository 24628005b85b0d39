#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares the output of two builds of the program: compare_programs.sh BEFORE AFTER [LIST]. Runs every command of LIST
# (compared_commands.txt) with both, two at a time, and compares standard output, standard error and exit status byte
# for byte, except figures of the host. Exit 1 with the differences.
set -euo pipefail

if (($# < 2)) || [[ ! -x $1 || ! -x $2 ]]; then
  echo "usage: compare_programs.sh BEFORE AFTER [LIST]" >&2
  exit 2
fi
here=$(cd -P -- "$(dirname -- "$0")" && pwd)
list=${3:-$here/compared_commands.txt}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export work before=$1 after=$2
cd -- "$here/../.."

one() {
  local number=$1 command=$2 name
  for name in before after; do
    local status=0
    # Commands are quoted as in a shell.
    eval "${!name} $command" >"$work/$number.$name" 2>"$work/$number.$name.error" </dev/null || status=$?
    {
      sed -E '/"(wall_s|peak_rss_mib|circuits_per_s)":/d; s/about [0-9.]+ (ms|s|min)//' "$work/$number.$name"
      sed -E 's/\r.*\r//' "$work/$number.$name.error"
      echo "exit $status"
    } >"$work/$number.$name.all"
  done
  if ! cmp -s "$work/$number.before.all" "$work/$number.after.all"; then
    printf 'differs: %s\n' "$command"
    diff "$work/$number.before.all" "$work/$number.after.all" | head -n 10
    touch "$work/differs"
  fi
}
export -f one

count=0
while read -r command; do
  count=$((count + 1))
  printf '%s\0%s\0' "$count" "$command"
done <"$list" >"$work/list"
xargs -0 -a "$work/list" -P 2 -n 2 bash -c 'one "$@"' one
printf '%s commands compared\n' "$(($(tr -cd '\0' <"$work/list" | wc -c) / 2))"
[[ ! -e $work/differs ]]
