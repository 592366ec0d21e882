#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds one preset: packaging/build.sh [PRESET] [TARGET...]. Used by run.sh and test.sh.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${1:-release}
shift || true
cd "$root"
cmake --preset "$preset" >/dev/null
# a Torch file takes 1.5 GB to compile: no more jobs than memory has room for
jobs=$(nproc)
by_memory=$(awk '/MemAvailable/ {print int($2 / 2000000)}' /proc/meminfo)
if [ "$by_memory" -lt "$jobs" ]; then jobs=$((by_memory > 0 ? by_memory : 1)); fi
cmake --build "build/$preset" -j "$jobs" ${1:+--target "$@"}
