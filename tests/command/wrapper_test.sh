#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The start script waits for other processes that build, names them, and never waits for itself; a build that fails
# shows its first error; a tree that cannot be written is refused; a Debian package is made. Runs a copy of the script
# with a build of its own that takes no time.
#   wrapper_test.sh ECUBE_SCRIPT
set -euo pipefail

script=$(readlink -f -- "$1")
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
fail() {
  printf 'failed: %s\n' "$*"
  exit 1
}

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
chmod +x "$tree/cmake/packages/install" "$work/bin/cmake" "$work/bin/cpack"
export PATH=$work/bin:$PATH FAKE=$work
# The test may itself run in a build of another preset.
unset ECUBE_BUILD
cd -- "$tree"

[[ $(./ecube run one 2>/dev/null) == "ran with run one" ]] || fail "the first command"

# While another process builds, the build becomes stale: the script waits, and the program gets the lock.
sleep 0.01
touch models
exec 7<>build/release/.lock
flock 7
printf 'process 4711\n' >build/release/.lock
./ecube run two >"$work/out" 2>"$work/err" 7>&- &
waiting=$!
for _ in {1..200}; do
  grep -q waiting "$work/err" && break
  sleep 0.05
done
grep -q 'waiting for process 4711, which is building in' "$work/err" || fail "who is waited for: $(cat "$work/err")"
kill -0 $waiting || fail "it did not wait"
# The other process has built everything: nothing is left to do once the lock is free.
touch build/release/.built-ecube
exec 7>&-
wait $waiting || fail "the second command: $(cat "$work/out")"
[[ $(cat "$work/out") == "ran with run two" ]] || fail "the second command printed $(cat "$work/out")"

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
status=0
./ecube package --al >"$work/out" 2>"$work/err" || status=$?
[[ $status == 2 ]] || fail "package --al: exit $status"

# A build folder that cannot be made.
rm -rf build
touch build
if ./ecube run four >"$work/out" 2>"$work/err"; then fail "no build folder is an error"; fi
grep -q 'cannot write into' "$work/err" || fail "what cannot be written: $(cat "$work/err")"
grep -q "cmake -S $tree -B DIR" "$work/err" || fail "how to build elsewhere: $(cat "$work/err")"
echo passed
