#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds one preset: packaging/build.sh [PRESET] [TARGET...]. Used by run.sh, test.sh and deb.sh, which share
# the folder of the preset `release`, so that none compiles again what another has compiled.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${1:-release}
shift || true
cd "$root"
build=build/$preset
mkdir -p "$build"
cmake --preset "$preset" >"$build/configure.log" 2>&1 ||
  { tail -n 20 "$build/configure.log" >&2; echo "build.sh: configuring failed (full log: $build/configure.log)" >&2; exit 1; }
# the largest source takes 1.2 GB to compile: run no more jobs than fit into memory
jobs=$(nproc)
by_memory=$(awk '/MemAvailable/ {print int($2 / 1400000)}' /proc/meminfo)
if [ "$by_memory" -lt "$jobs" ]; then jobs=$((by_memory > 0 ? by_memory : 1)); fi

# Estimates the time from a cold build without ccache (packaging/build_cost.sh): core seconds for a source of the trainer,
# which reads LibTorch's headers, and for any other source.
todo=$(ninja -C "$build" -n "${@:-all}")
steps=$(grep -c '^\[' <<<"$todo" || true)
if [ "$steps" = 0 ]; then echo "build.sh: $build is up to date"; exit 0; fi
guess=$(awk -v jobs="$jobs" '
  /Building CXX/ { seconds += /\/trainer\/|_torch\.dir/ ? 22 : 3 }
  END { minutes = seconds / jobs / 60; if (minutes < 1) print "a minute or less"; else printf "%.0f minutes\n", minutes }' <<<"$todo")
log=$build/build.log
echo "build.sh: $steps steps in $build with $jobs jobs, about $guess, less with ccache (log: $log)"
terminal=0
if [ -t 1 ]; then terminal=1; fi
progress() { # one line that is overwritten; without a terminal, a line for each tenth
  awk -v terminal="$terminal" '
    match($0, /^\[[0-9]+\/[0-9]+\]/) {
      split(substr($0, 2, RLENGTH - 2), part, "/")
      percent = int(100 * part[1] / part[2])
      if (terminal) printf "\r  %3d %%  %d of %d ", percent, part[1], part[2]
      else if (int(percent / 10) > tenth) { tenth = int(percent / 10); printf "  %d %% (%d of %d)\n", 10 * tenth, part[1], part[2] }
      fflush()
    }
    END { if (terminal) printf "\r%40s\r", "" }'
}
began=$SECONDS
if ! NINJA_STATUS='[%f/%t] ' cmake --build "$build" -j "$jobs" ${1:+--target "$@"} 2>&1 | tee "$log" | progress; then
  sed -n '/^FAILED: /,$p' "$log" | tail -n 40 >&2
  echo "build.sh: a step failed (see above; full log: $log)" >&2
  exit 1
fi
echo "build.sh: built in $(((SECONDS - began) / 60)) min $(((SECONDS - began) % 60)) s"
