#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Where nothing can be installed - another system than Debian, or Debian without root and sudo - the start script says what
# to install, and ends with status 2. Runs a copy of the script with a PATH of this test's own.
#   other_system_test.sh SOURCE
# shellcheck source=tests/command/script.sh
source "$(dirname -- "$0")/script.sh"

source=$(realpath -- "$1")

tree=$work/tree
mkdir -p "$tree"/{cmake,models,hw,sw,testbench,tests} "$work/bin"
cp -- "$source/ecube" "$tree/ecube"
cp -r -- "$source/cmake/packages" "$tree/cmake/packages"
touch "$tree/CMakeLists.txt" "$tree/CMakePresets.json"
printf 'NAME=Other\nPRETTY_NAME="Other Linux 7"\n' >"$work/os-release"
for tool in bash sh env cat cut date dirname find flock grep head id mkdir mv readlink realpath rm sed sort tail touch tr; do
  ln -s -- "$(command -v "$tool")" "$work/bin/$tool"
done
# Only its owner could read a directory of mktemp.
chmod -R go+rwX "$work"
as_user=()
((EUID != 0)) || as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
run() { # runs ./ecube --version, which has to end with status 2; its output is in $work/err
  local status=0
  "${as_user[@]}" env -i PATH="$work/bin" ECUBE_OS_RELEASE="$work/os-release" "$tree/ecube" --version >"$work/err" 2>&1 || status=$?
  [[ $status == 2 ]] || fail "exit $status: $(cat "$work/err")"
}
says() { grep -qF -- "$1" "$work/err" || fail "no '$1' in: $(cat "$work/err")"; }

# Another system: the missing program, the system's name, and every package with its use.
run
says 'missing here: g++ cmake ninja pkg-config'
says 'this is Other Linux 7'
says 'podman build'
while IFS='#' read -r package use; do
  [[ -n ${package// /} ]] || continue
  says "${package// /}:$use"
done < <(grep -v '^#' "$source/cmake/packages/base.txt")

# Debian, as a user without sudo: the command that root has to type, with every package.
printf '#!/bin/sh\nexit 0\n' >"$work/bin/dpkg-query"
printf '#!/bin/sh\necho "$*" >>%s/apt\nexit 1\n' "$work" >"$work/bin/apt-get"
chmod +x "$work/bin/dpkg-query" "$work/bin/apt-get"
run
says 'there is neither root nor sudo'
says 'apt-get update && apt-get install --no-install-recommends g++ cmake ninja-build'
[[ ! -e $work/apt ]] || fail "apt-get was called: $(cat "$work/apt")"

# With sudo that refuses.
printf '#!/bin/sh\necho "sudo: a password is required" >&2\nexit 1\n' >"$work/bin/sudo"
chmod +x "$work/bin/sudo"
run
says 'type as root:'
echo passed
