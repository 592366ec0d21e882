#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds librankscope_c10d-<version>.so, which sees the collectives of a watched program, for each version of PyTorch in
# packaging/observer_kernels.txt. Downloads one wheel after the other (0.5 to 0.9 GB each), checks its hash, unpacks
# headers and two libraries, compiles, and deletes everything but the result (120 kB).
#
#   packaging/observer_kernels.sh [--into DIR] [VERSION...]
#
#   --into DIR  copy the libraries to this folder. They stay in build/observer-kernels, where the build finds them when it
#               is configured next.
#   VERSION     only these minor versions: 2.6 2.11
#
# Safe to run again: what did not change is not built again. Where a library is missing, Python kernels do its work.
# TORCH_DIR: use the `torch` folder of an installed wheel instead of downloading; for one VERSION.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=$root/build/observer-kernels
list=$root/packaging/observer_kernels.txt
into='' versions=()
while [ $# -gt 0 ]; do
  case $1 in
    --into) into=${2:?"observer_kernels.sh: --into needs a folder"}; shift ;;
    -h|--help) sed -n '3,14p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
    -*) echo "observer_kernels.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
    *) versions+=("$1") ;;
  esac
  shift
done
if [ -n "${TORCH_DIR:-}" ] && [ ${#versions[@]} != 1 ]; then
  echo "observer_kernels.sh: TORCH_DIR needs one VERSION" >&2
  exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$cache"
cd "$root"
compiler=${CXX:-g++}
sources=(app/observer/c10d/*.cpp app/observer/c10d/python/*.cpp)

# What the libraries are made of: if this changes, they are built again.
state() { # WHEEL
  { echo "$1"; "$compiler" --version | head -n 1; cat app/observer/c10d/*.* app/observer/c10d/python/* core/observer/rank_interface.h \
    core/telemetry/format/{records,limits,phase}.h packaging/observer_kernels.sh; } | sha256sum | cut -d ' ' -f 1
}

# A stand-in for a library at link time: only its name and, for our own, its functions are needed.
stand_in() { # NAME FUNCTION...
  local name=$1 code=''
  shift
  for function in "$@"; do code+="void $function(void) {}"$'\n'; done
  "$compiler" -x c -shared -fPIC -w -Wl,-soname,"$name" -o "$work/lib/$name" - <<<"$code"
}

unpack() { # REQUIREMENT HASH
  echo "$1 --hash=sha256:$2" >"$work/requirement.txt"
  python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
    --implementation cp --python-version 3.11 --abi cp311 \
    --platform manylinux_2_28_x86_64 --platform manylinux1_x86_64 -d "$work/wheel" -r "$work/requirement.txt"
  unzip -q "$work"/wheel/*.whl 'torch/include/*' torch/lib/libc10.so torch/lib/libtorch_cpu.so -d "$work"
  rm -rf "$work/wheel"
}

build() { # VERSION ABI LIBRARY TORCH
  local version=$1 abi=$2 library=$3 torch=$4 own_abi=0 link
  mkdir -p "$work/lib"
  # shellcheck disable=SC2046  # one word per function
  stand_in librankscope_rank.so $(grep -oE '\brs_[a-z_]+\(' core/observer/rank_interface.h | tr -d '(' | sort -u)
  if nm -D "$torch/lib/libc10.so" | grep -qE '_ZN3c105ErrorC.*__cxx11'; then own_abi=1; fi
  if [ "$own_abi" = "$abi" ]; then
    link=(-L"$torch/lib" "-Wl,-z,defs" "-Wl,--allow-shlib-undefined")
  else # the same version with the other ABI, which is not in the registry
    stand_in libc10.so
    stand_in libtorch_cpu.so
    link=("-Wl,--no-as-needed")
  fi
  for source in "${sources[@]}"; do echo "#include \"$root/$source\""; done >"$work/kernels.cpp"
  "$compiler" -std=c++20 -O2 -DNDEBUG -fPIC -shared -fvisibility-inlines-hidden -Wall -Wextra -Werror \
    -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -Wl,-z,relro -Wl,-z,now \
    -D_GLIBCXX_USE_CXX11_ABI="$abi" -DUSE_DISTRIBUTED "-ffile-prefix-map=$root/=" "-ffile-prefix-map=$torch/=torch/" \
    -I"$root" -isystem "$torch/include" \
    -isystem "$torch/include/torch/csrc/api/include" "$work/kernels.cpp" -o "$work/$library" \
    "${link[@]}" -L"$work/lib" -lc10 -ltorch_cpu -lrankscope_rank -ldl -Wl,-rpath,\$ORIGIN -Wl,-s \
    -Wl,--version-script="$root/app/observer/c10d/c10d_exports.map"
  mv "$work/$library" "$cache/$library"
}

wanted() { # VERSION
  [ ${#versions[@]} = 0 ] || [[ " ${versions[*]} " == *" $1 "* ]]
}

unpacked=''
while read -r version wheel abi hash; do
  if [[ $version == \#* ]] || ! wanted "$version"; then continue; fi
  library=librankscope_c10d-$version.so
  if [ "$abi" = 0 ]; then library=librankscope_c10d-$version-precxx11.so; fi
  now=$(state "$wheel $abi")
  if [ ! -f "$cache/$library" ] || [ "$(cat "$cache/$library.state" 2>/dev/null)" != "$now" ]; then
    echo "observer_kernels.sh: $library"
    if [ -z "${TORCH_DIR:-}" ] && [ "$unpacked" != "$wheel" ]; then
      rm -rf "$work/torch"
      unpack "torch==$wheel" "$hash"
      unpacked=$wheel
    fi
    build "$version" "$abi" "$library" "${TORCH_DIR:-$work/torch}"
    echo "$now" >"$cache/$library.state"
  fi
  if [ -n "$into" ]; then install -D -m 644 "$cache/$library" "$into/$library"; fi
done <"$list"
