#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the packages: three .deb files (rankscope, rankscopectl, rankscope-trainer) and a tarball that runs from any folder.
#
#   packaging/deb.sh [PRESET]     default: release, the folder that run.sh and test.sh build in
#
# They are in build/PRESET/packages. packaging/check_deb.sh tests them on a clean root.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ${1:-} in
  -h|--help) sed -n '3,7p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
  -*) echo "deb.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
esac
preset=${1:-release}
for tool in dpkg-shlibdeps dpkg-deb; do
  if ! command -v "$tool" >/dev/null; then echo "deb.sh: $tool is not installed: apt-get install dpkg-dev" >&2; exit 2; fi
done
cd "$root"
"$root/packaging/build.sh" "$preset" packaged
out=$root/build/$preset/packages
rm -rf -- "$out"
cpack --config "build/$preset/CPackConfig.cmake" -B "$out" >"build/$preset/cpack.log" 2>&1 ||
  { cat "build/$preset/cpack.log" >&2; echo "deb.sh: cpack failed (see above)" >&2; exit 1; }
rm -rf -- "$out/_CPack_Packages"
for package in "$out"/*.deb; do
  echo "$package"
  dpkg-deb --field "$package" Package Version Depends Recommends | sed 's/^/    /'
  if dpkg-deb --field "$package" Depends | grep -qiE 'torch|cuda|nvidia'; then
    echo "deb.sh: $package depends on a package with LibTorch's libraries, which rankscope-setup installs" >&2
    exit 1
  fi
done
ls -l "$out"
