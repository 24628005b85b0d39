#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The start script waits for other processes that build, and never for itself; a link is never written through; what a
# killed build leaves is not taken for built; a build that fails shows its first error; a tree that cannot be written is
# refused; a Debian package is made. Runs a copy of the script with a build of its own that takes no time.
#   wrapper_test.sh ECUBE_SCRIPT
# shellcheck source=tests/command/script.sh
source "$(dirname -- "$0")/script.sh"

script=$(readlink -f -- "$1")

# A tree like the real one, in which cmake is a program of this test, and `ecube` takes the build lock itself, as the
# program does for the RTL.
tree=$work/tree
mkdir -p "$tree"/cmake/packages "$tree"/{models,hw,sw,testbench,tests} "$work/bin"
cp -- "$script" "$tree/ecube"
touch "$tree/CMakeLists.txt" "$tree/CMakePresets.json"
printf '#!/bin/sh\nexit 0\n' >"$tree/cmake/packages/install"
cat >"$work/bin/cmake" <<'CMAKE'
#!/bin/bash
if [[ -e $FAKE/broken ]]; then
  for i in {1..60}; do echo "[1/60] Building usage_error.cpp.o"; done
  if [[ -s $FAKE/broken ]]; then cat $FAKE/broken; else echo "file.cpp:1:1: error: the first one"; fi
  for i in {1..60}; do echo "noise"; done
  exit 1
fi
mkdir -p build/release/testbench
if [[ -e $FAKE/slow && $1 == --build ]]; then
  echo "echo half a program" >build/release/testbench/ecube
  touch $FAKE/half
  for ((i = 0; i < 3000; ++i)); do [[ ! -e $FAKE/whole ]] || break; sleep 0.02; done  # not for ever, should this test fail
  touch $FAKE/ended
fi
cat >build/release/testbench/ecube <<'PROGRAM'
#!/bin/bash
exec 8<>build/release/.lock
flock -w 10 8 || { echo "the lock is still held"; exit 1; }
echo "ran with $*"
PROGRAM
chmod +x build/release/testbench/ecube
CMAKE
cat >"$work/bin/cpack" <<'CPACK'
#!/bin/bash
if [[ -e $FAKE/no-package ]]; then
  echo "CPack: Create package"
  echo "CPack Error: no such thing"
  exit 1
fi
mkdir -p package
touch package/ecube_1_all.deb
CPACK
# So many tests that a pipe does not hold them.
cat >"$work/bin/ctest" <<'CTEST'
#!/bin/bash
[[ ! -e $FAKE/failing ]] || exit 8
while [[ $1 != --output-junit ]]; do shift || exec echo "  -N,--show-only[=format] = Names. --output-junit <file>"; done
for i in {1..9000}; do printf '  <testcase name="Room.IsNumber%d" classname="Room" time="%d.5">\n' "$i" $((i * 7919 % 9000)); done >"$2"
CTEST
chmod +x "$tree/cmake/packages/install" "$work"/bin/{cmake,cpack,ctest}
export PATH=$work/bin:$PATH FAKE=$work
# The test may itself run in a build of another preset.
unset ECUBE_BUILD
cd -- "$tree"

await() { # until a command succeeds, at most ten seconds
  for _ in {1..200}; do
    "$@" && return
    sleep 0.05
  done
}

[[ $(./ecube run one 2>/dev/null) == "ran with run one" ]] || fail "the first command"

# While another process builds, the build becomes stale: the script waits, and the program gets the lock.
sleep 0.01
touch models
exec 7<>build/release/.lock
flock 7
./ecube run two >"$work/out" 2>"$work/err" 7>&- &
waiting=$!
await grep -q waiting "$work/err"
grep -q 'waiting for another process, which is building in' "$work/err" || fail "what is waited for: $(cat "$work/err")"
kill -0 $waiting || fail "it did not wait"
# The other process has built everything: nothing is left to do once the lock is free.
touch build/release/.built-ecube
exec 7>&-
wait $waiting || fail "the second command: $(cat "$work/out")"
[[ $(cat "$work/out") == "ran with run two" ]] || fail "the second command printed $(cat "$work/out")"

# Links in the places of the script's own files: what they name stays as it is.
printf 'precious\n' >"$work/victim"
for target in "$work/victim" "$work/none"; do
  ln -sf -- "$target" build/release/.lock
  touch models
  status=0
  ./ecube run linked >"$work/out" 2>"$work/err" || status=$?
  [[ $status == 2 ]] || fail "a link as lock: exit $status"
  grep -q '.lock is a link' "$work/err" || fail "why the lock is refused: $(cat "$work/err")"
done
ln -f -- "$work/victim" build/release/.lock
ln -sf -- "$work/victim" build/release/build.log
ln -s -- "$work/none" build/release/.started
[[ $(./ecube run linked 2>/dev/null) == "ran with run linked" ]] || fail "links in the places of files"
[[ $(cat "$work/victim") == precious && ! -e $work/none ]] || fail "a file behind a link was changed"
rm -- build/release/.lock

# A build of something else is killed when half of the program is written: the program is built again, although its own
# sources are as they were. CMake goes on when the script alone is killed: the next build waits for it.
for all in yes no; do
  rm -f -- "$work"/{half,whole,ended} build/release/.built-ecube_benchmarks
  touch "$work/slow"
  setsid ./ecube bench >/dev/null 2>&1 &
  killed=$!
  await test -e "$work/half"
  rm -- "$work/slow"
  if [[ $all == yes ]]; then
    kill -KILL -- "-$killed"
  else
    kill -KILL $(pgrep -P "$killed")
  fi
  wait "$killed" 2>/dev/null || true
  ./ecube run killed >"$work/out" 2>"$work/err" &
  next=$!
  if [[ $all == no ]]; then
    await grep -q waiting "$work/err"
    touch "$work/whole"
  fi
  wait "$next" || fail "after a killed build: $(cat "$work/err")"
  [[ $(cat "$work/out") == "ran with run killed" ]] || fail "after a killed build: $(cat "$work/out")"
  [[ $all == yes || -e $work/ended ]] || fail "it did not wait for what the killed script had started"
done

# The first error, not the last lines.
touch "$work/broken" models
if ./ecube run three >"$work/out" 2>"$work/err"; then fail "a broken build is an error"; fi
grep -q 'error: the first one' "$work/err" || fail "the first error is missing: $(cat "$work/err")"
[[ $(wc -l <"$work/err") -lt 20 ]] || fail "too many lines"
grep -q "all of its output is in" "$work/err" || fail "where the rest is: $(cat "$work/err")"
for first in 'CMake Error at CMakeLists.txt:1 (find_package):' "x.o: undefined reference to \`f()'" \
  '%Error: a.sv:1: syntax error' 'ninja: error: loading build.ninja'; do
  printf '%s\n' "$first" >"$work/broken"
  if ./ecube run three >"$work/out" 2>"$work/err"; then fail "a broken build is an error: $first"; fi
  [[ $(head -n 1 "$work/err") == "$first" ]] || fail "the first error is not '$first': $(cat "$work/err")"
done
rm -- "$work/broken"

# A Debian package: its path, or the reason why there is none.
touch models
package=$(./ecube package 2>"$work/err") || fail "the package: $(cat "$work/err")"
[[ $package == build/release/package/ecube_1_all.deb && -e $package ]] || fail "the package is said to be $package"
grep -q "apt-get install $tree/$package" "$work/err" || fail "how to install it: $(cat "$work/err")"
touch "$work/no-package"
if ./ecube package >"$work/out" 2>"$work/err"; then fail "no package is an error"; fi
grep -q 'CPack Error: no such thing' "$work/err" || fail "why there is no package: $(cat "$work/err")"
for wrong in 'package --al' 'test --output-juni=f' 'test --slowst'; do # CTest itself ignores what it does not know
  status=0
  ./ecube "${wrong% *}" "${wrong#* }" >"$work/out" 2>"$work/err" || status=$?
  [[ $status == 2 ]] || fail "$wrong: exit $status"
done

# The slowest tests, and a status that is that of the tests.
./ecube test --show-only=json --slowest 2 >"$work/out" 2>"$work/err" || fail "slowest tests: exit $?: $(cat "$work/err")"
[[ $(tail -n 2 "$work/out" | tr -s ' ') == $' 8999.5 Room.IsNumber4321\n 8998.5 Room.IsNumber8642' ]] || fail "the slowest tests: $(cat "$work/out")"
touch "$work/failing"
if ./ecube test --slowest 2 >"$work/out" 2>"$work/err"; then fail "tests that fail are an error"; fi

# A build folder that cannot be made.
rm -rf build
touch build
if ./ecube run four >"$work/out" 2>"$work/err"; then fail "no build folder is an error"; fi
grep -q 'cannot write into' "$work/err" || fail "what cannot be written: $(cat "$work/err")"
grep -q "cmake -S $tree -B DIR" "$work/err" || fail "how to build elsewhere: $(cat "$work/err")"
echo passed
