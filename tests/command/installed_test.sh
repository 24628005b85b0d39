#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The program is installed, moved, and run where neither its source tree nor its build tree can be seen; every command once.
#   installed_test.sh PREFIX BUILD SOURCE
set -euo pipefail

installed=$(realpath -- "$1")
build=$(realpath -- "$2")
source=$(realpath -- "$3")

if [[ -z ${ECUBE_INSTALLED_TEST:-} ]]; then
  work=$(mktemp -d)
  trap 'rm -rf -- "$work"' EXIT
  # The program finds its files from its present place, not from the place of installation.
  mkdir -- "$work/moved"
  cp -R -- "$installed" "$work/moved/prefix"
  cp -- "${BASH_SOURCE[0]}" "$work/test.sh"
  export ECUBE_INSTALLED_TEST=$work
  mkdir -- "$work/empty"
  hide=(unshare --mount)
  ((EUID == 0)) || hide+=(--map-root-user)
  if "${hide[@]}" mount --bind "$work/empty" "$build" 2>/dev/null; then
    "${hide[@]}" bash "$work/test.sh" "$work/moved/prefix" "$build" "$source"
  else
    rmdir -- "$work/empty"
    # Without the right to hide a folder, the test checks that the folder's name is not in the program.
    strip -o "$work/stripped" "$work/moved/prefix/bin/ecube"
    for path in "$source" "$build"; do
      if grep -qF -- "$path" "$work/stripped"; then
        printf 'failed: %s is in the program\n' "$path"
        exit 1
      fi
    done
    bash "$work/test.sh" "$work/moved/prefix" "$build" "$source"
  fi
  exit
fi

work=$ECUBE_INSTALLED_TEST
prefix=$work/moved/prefix
fail() {
  printf 'failed: %s\n' "$*"
  exit 1
}

if [[ -d $work/empty ]]; then
  # The inner folder first: it cannot be reached once the outer one is hidden.
  for path in "$build" "$source"; do
    [[ ! -d $path ]] || mount --bind "$work/empty" "$path"
    [[ ! -e $path/CMakeCache.txt && ! -e $path/CMakeLists.txt ]] || fail "$path can be seen"
  done
fi

mkdir -p -- "$work/home" "$work/runs"
# RTL that has not changed since the test before is built from the compiler cache.
if command -v ccache >/dev/null; then
  CCACHE_DIR=$(ccache --get-config cache_dir)
  export CCACHE_DIR CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1 CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi
export HOME=$work/home PATH=$prefix/bin:$PATH
unset XDG_CACHE_HOME DISPLAY WAYLAND_DISPLAY
cd -- "$work/runs"

used=
# Runs the program with the words after the status that it has to end with; its output is in $work/out.
expect() {
  local status=0 wanted=$1
  shift
  used+=" $1"
  ecube "$@" >"$work/out" 2>&1 </dev/null || status=$?
  if ((status != wanted)); then
    cat -- "$work/out"
    fail "ecube $*: exit $status in place of $wanted"
  fi
  # The output must not refer to a script or tree that does not exist.
  ! grep -nF -e './ecube' -e "$build" -e "$source" "$work/out" || fail "ecube $*: names what is not installed"
}
# The output of the last run contains a text.
says() { grep -qF -- "$1" "$work/out" || fail "no '$1' in: $(cat "$work/out")"; }

expect 0 --version
expect 0 --help
commands=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' "$work/out")

expect 0 run exchange --machine ideal --dim 3 --partition 2,1 --circuits -o mine
says 'data verified'
expect 0 run exchange --machine ideal --dim 3 --partition direct -o other --trace waves.fst
expect 0 run combine --dim 3 --items 16
expect 0 run shuffle --dim 3 --elements 8 --cycle p2,p1,p0,s0
expect 0 run broadcast --dim 3
expect 0 run pingpong --dim 2
expect 0 run barrier --dim 2
expect 0 run traffic --dim 3 --messages 5
expect 0 run program ring --dim 3
expect 0 run program "$prefix/share/ecube/programs/ring.cpp" --dim 3
says 'compiling ring.cpp'
[[ -n $(find "$HOME/.cache/ecube/programs" -name '*.so') ]] || fail "the program is not in the user's cache"
expect 0 run traffic --dim 2 --messages 5 --engine clocked
expect 0 init project
(cd project && expect 0 run program ./program.cpp --machine machine.toml -d 3)
(cd project && expect 0 sweep study.toml --allow-code --quiet)
expect 2 init project
says 'nothing was written'
expect 0 predict exchange --dim 3
expect 0 predict combine --dim 3
expect 0 predict shuffle --dim 3 --elements 8 --cycle p2,p1,p0,s0
expect 0 best exchange --dim 3
expect 0 best combine --dim 3
expect 0 best shuffle --dim 3 --elements 8 --cycle p2,p1,p0,s0
expect 0 hull exchange --dim 3
expect 0 hull combine --dim 3
expect 0 explain combine --dim 2 --strategy 01
expect 0 explain exchange --dim 2 --partition 1,1
expect 0 explain shuffle --dim 2 --elements 4 --cycle p1,p0,s0
expect 0 calibrate --dim 2
expect 0 validate "exchange hull"
expect 0 reproduce list
expect 0 reproduce bokhari-table4 -o pages
expect 0 check exchange --dim 3
expect 0 compare mine other
expect 0 machines
expect 0 machines ipsc860
expect 0 view other
says 'no display found'

# What an integrator of the hardware reads is there.
for page in hw/README.md hw/clocked/README.md hw/program/README.md hw/rtl/PROTOCOL.md hw/rtl/README.md testbench/examples/README.md; do
  [[ -s $prefix/share/doc/ecube/$page ]] || fail "the installation has no page $page"
done
for example in embed experiment program router; do
  [[ -s $prefix/share/ecube/examples/$example/main.cpp ]] || fail "the installation has no example $example"
done

# Studies come with the program, and help says where they are.
expect 0 sweep --help
study=$(sed -n 's/^  ecube sweep plan //p' "$work/out")
[[ $study == "$prefix/share/ecube/studies/startup.toml" ]] || fail "the study that help names is $study"
for one in "$prefix"/share/ecube/studies/*.toml; do expect 0 sweep plan "$one"; done
expect 0 sweep "$prefix/share/ecube/studies/ports.toml" -o study --quiet
expect 0 sweep export study -o study.csv

expect 0 lesson hold-and-wait --json

# Pages need ECharts, which a build without network does not have.
charts=$prefix/share/ecube/report/echarts.min.js
if [[ -e $charts ]]; then
  expect 0 report mine
  grep -q 'Licensed to the Apache Software Foundation' mine/report.html || fail "the page has no ECharts"
  expect 0 report study
  expect 0 lesson multiphase -o lesson
  mv -- "$charts" "$charts.away"
fi
expect 2 report mine
says "$charts"

# The RTL is built on first use, in the user's cache, once for two processes at a time; later runs use the same build.
rtl=(run traffic --dim 1 --messages 5 --engine rtl)
ecube "${rtl[@]}" >"$work/first.out" 2>&1 &
first=$!
expect 0 "${rtl[@]}"
wait $first || fail "the first of two: $(cat "$work/first.out")"
[[ $(cat "$work/out" "$work/first.out" | grep -c 'verilating and compiling') == 1 ]] || fail "the RTL was not built once"
[[ -n $(find "$HOME/.cache/ecube/rtl" -name '*.so') ]] || fail "nothing in the user's cache"
mv -- "$work/moved" "$work/elsewhere"
prefix=$work/elsewhere/prefix
PATH=$prefix/bin:$PATH
expect 0 "${rtl[@]}"
! grep -q verilating "$work/out" || fail "the RTL was built again"
cp -- "$prefix/share/ecube/rtl/hw/rtl/ecube_router.sv" my_router.sv
expect 0 verify-router my_router.sv --dim 1 --seed 1:2

# Without Verilator, without a place for the cache, and where nothing can be written.
refused() { # NAME=VALUE WORD: what the environment has to be, and what the error has to name
  local status=0
  env "$1" "$prefix/bin/ecube" run traffic --dim 2 --messages 5 --engine rtl >"$work/out" 2>&1 || status=$?
  ((status == 2)) || fail "$1: exit $status in place of 2: $(cat "$work/out")"
  says "$2"
}
mkdir -- "$work/tools"
for tool in cmake ninja g++ pkg-config; do ln -s -- "$(command -v $tool)" "$work/tools/$tool"; done
refused "PATH=$work/tools" 'these Debian packages are missing: verilator'
refused PKG_CONFIG_LIBDIR=/nowhere 'these Debian packages are missing: libsystemc-dev'
refused HOME= 'neither HOME nor XDG_CACHE_HOME'
refused XDG_CACHE_HOME=/proc/none 'cannot write into /proc/none/ecube'

for command in $commands; do
  [[ " $used " == *" $command "* ]] || fail "this test does not run ecube $command"
done
echo passed
