#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures what a cold build costs: configures a scratch folder without ccache, builds the product, then everything else, and
# prints processor seconds (user and system) per folder and in total, compiled units, programs, and the largest compiler process.
#
#   packaging/build_cost.sh [--source DIR] [--libtorch DIR] [--product] [--touch FILE]... [--keep DIR] [-D...]
#
#   --source DIR    the checkout to build (default: this one), so that one script can measure two checkouts
#   --libtorch DIR  the LibTorch to build with (default: the .venv of the checkout that holds this script)
#   --product       only the three programs, without the tests
#   --touch FILE    also print the processor seconds of a rebuild of everything after FILE has changed, from the costs just
#                   measured; FILE is a path in the checkout; may be given several times
#   --keep DIR      build in DIR, which must not exist, and keep it (default: a temporary folder that is removed)
#   -D...           passed on to CMake
#
# Takes as long as a cold build: half an hour on two cores. Run nothing else meanwhile.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source=$root libtorch= everything=1 keep= touched=() options=()
value() { [ $# -ge 2 ] || { echo "build_cost.sh: $1 needs a value (see --help)" >&2; exit 2; }; }
while [ $# -gt 0 ]; do
  case $1 in
    --source) value "$@"; source=$(realpath "$2"); shift ;;
    --libtorch) value "$@"; libtorch=$(realpath "$2"); shift ;;
    --product) everything=0 ;;
    --touch) value "$@"; touched+=("$2"); shift ;;
    --keep) value "$@"; keep=$(realpath -m "$2"); shift ;;
    -D*) options+=("$1") ;;
    -h|--help) sed -n '3,16p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
    *) echo "build_cost.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
  esac
  shift
done
timer=$(type -P time || true)
if [ -z "$timer" ]; then echo "build_cost.sh: GNU time is not installed: apt-get install time" >&2; exit 2; fi
if [ -z "$libtorch" ]; then
  for folder in "$root"/.venv/lib/python3*/site-packages/torch; do libtorch=$folder; done
fi
if [ ! -d "$libtorch/include" ]; then echo "build_cost.sh: there is no LibTorch in $libtorch: run packaging/setup.sh or give --libtorch" >&2; exit 2; fi
for file in "${touched[@]}"; do
  if [ ! -e "$source/$file" ]; then echo "build_cost.sh: --touch $file: there is no such file in $source" >&2; exit 2; fi
done

if [ -n "$keep" ]; then
  mkdir "$keep" || exit 2
  work=$keep
else
  work=$(mktemp -d -t rankscope-cost-XXXXXX)
  trap 'rm -rf -- "$work"' EXIT
fi
build=$work/build log=$work/steps
# Each step appends one short line, so that lines of parallel steps do not mix.
cat >"$work/launchers.cmake" <<END
set_property(GLOBAL PROPERTY RULE_LAUNCH_COMPILE "$timer --append --output=$log --format=\"compile %U %S %M <OBJECT>\"")
set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "$timer --append --output=$log --format=\"link %U %S %M <TARGET>\"")
END
echo "build_cost.sh: $source in $build, $(nproc) cores, without ccache"
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DRANKSCOPE_LIBTORCH="$libtorch" \
  -DCCACHE_PROGRAM=OFF -DCMAKE_PROJECT_INCLUDE_BEFORE="$work/launchers.cmake" "${options[@]}" >"$work/configure.log" 2>&1 ||
  { tail -n 30 "$work/configure.log" >&2; echo "build_cost.sh: configuring failed (see above)" >&2; exit 1; }

stage() { # name, target...
  local began=$SECONDS name=$1
  shift
  : >"$log"
  "$timer" --output="$work/$name.total" --format='%U %S %e' cmake --build "$build" -j "$(nproc)" --target "$@" >"$work/$name.log" 2>&1 ||
    { tail -n 30 "$work/$name.log" >&2; echo "build_cost.sh: the build of $name failed (see above)" >&2; exit 1; }
  mv "$log" "$work/$name.steps"
  echo "build_cost.sh: $name built in $((SECONDS - began)) s"
}
stages=(product)
stage product rankscope rankscopectl rankscope-trainer
if [ "$everything" = 1 ]; then stages+=(rest); stage rest all; fi
python3 "$root/packaging/build_cost_table.py" "$work" "${stages[*]}" "$(realpath "$source")" "${touched[@]}"
