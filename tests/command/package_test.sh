#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Debian package: its fields, what is in it, and the program of it unpacked at another place: package_test.sh BUILD VERSION
# shellcheck source=tests/command/script.sh
source "$(dirname -- "$0")/script.sh"

# Nothing below depends on how hard it is compressed.
if ! (cd -- "$1" && cpack -G DEB -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -B "$work/package") >"$work/log" 2>&1; then
  cat -- "$work/log"
  exit 1
fi
packages=("$work"/package/*.deb)
package=${packages[0]}
[[ ${package##*/} == "ecube_$2_$(dpkg --print-architecture).deb" ]] || fail "the package is ${package##*/}"
field() { dpkg-deb -f "$package" "$1"; }
[[ $(field Package) == ecube && $(field Version) == "$2" ]] || fail "it is $(field Package) $(field Version)"
for library in libc6 libstdc++6 libsystemc libfmt libsqlite3-0 libxxhash0 libnettle; do
  [[ $(field Depends) == *"$library"* ]] || fail "it does not depend on $library: $(field Depends)"
done
for package_name in verilator cmake g++ libsystemc-dev gtkwave; do
  [[ ", $(field Recommends)," == *", $package_name,"* ]] || fail "it does not recommend $package_name: $(field Recommends)"
done

dpkg-deb -x "$package" "$work/root"
for file in bin/ecube share/man/man1/ecube.1 share/bash-completion/completions/ecube share/ecube/rtl/CMakeLists.txt \
  share/ecube/studies/startup.toml share/doc/ecube/copyright share/doc/ecube/CHANGELOG.md lib/cmake/ecube/ecubeConfig.cmake; do
  [[ -s $work/root/usr/$file ]] || fail "/usr/$file is not in it"
done
[[ $("$work/root/usr/bin/ecube" --version) == "ecube $2" ]] || fail "the program does not run"
! "$work/root/usr/bin/ecube" --help | grep -F ./ecube || fail "the program does not know that it is installed"
[[ -z $(find "$work/root" ! -path "$work/root" ! -path "$work/root/usr*") ]] || fail "it has files outside /usr"
echo passed
