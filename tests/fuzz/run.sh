#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/fuzz/run.sh TARGET|all [RUNS]: builds and runs libFuzzer targets (docs/dev/fuzzing.md) with RUNS inputs each (default:
# 1,000,000). No input may take more than a second of CPU time or 2 GiB, or leak memory. Exits with 1 if a target fails; the
# input is then in build/fuzz/findings. RANKSCOPE_FUZZ_CORPUS: folder that keeps interesting inputs for the next run.
set -euo pipefail
cd "$(dirname "$0")/../.."

runs=${2:-1000000}
all=$(sed -n 's/^rankscope_fuzz_target(\([a-z_]*\).*/\1/p' tests/fuzz/CMakeLists.txt)
case ${1:-} in
    "") echo "usage: tests/fuzz/run.sh TARGET|all [RUNS]; targets:" $all >&2; exit 2 ;;
    all) targets=$all ;;
    *) targets=$1 ;;
esac
command -v clang++ >/dev/null || { echo "clang++ is missing: apt-get install clang libclang-rt-14-dev" >&2; exit 2; }

[ -f build/fuzz/CMakeCache.txt ] || cmake --preset fuzz >/dev/null
cmake --build build/fuzz --target $(printf 'fuzz_%s ' $targets)
mkdir -p build/fuzz/findings
# undefined behavior is an error; unsigned arithmetic may wrap
# the stacks of a recursive parser all differ: keeping them whole would use up the memory that an input may take
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:malloc_context_size=8
broken=0
for target in $targets; do
    corpus=${RANKSCOPE_FUZZ_CORPUS:-build/fuzz/corpus}/$target
    mkdir -p "$corpus"
    words=()
    [ -f "tests/fuzz/$target.dict" ] && words=(-dict="tests/fuzz/$target.dict")
    seeds=tests/fuzz/seeds/$target
    log=build/fuzz/findings/$target.log
    # the maximum length of an input: room for the largest seed and as much again
    most=$(find "$seeds" -type f -printf '%s\n' | sort -n | tail -1)
    if build/fuzz/bin/fuzz_$target "$corpus" "$seeds" "${words[@]}" -runs="$runs" -timeout=20 -rss_limit_mb=2048 \
            -malloc_limit_mb=1024 -max_len=$((most * 2 < 4096 ? 4096 : most * 2)) -artifact_prefix="build/fuzz/findings/$target-" \
            -print_final_stats=1 ${RANKSCOPE_FUZZ_OPTIONS:-} >"$log" 2>&1; then
        printf '%-12s %s\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, $(
            sed -n 's/^stat::average_exec_per_sec: *//p' "$log")/s, slowest $(sed -n 's/^stat::slowest_unit_time_sec: *//p' "$log") s, $(
            sed -n 's/^stat::peak_rss_mb: *//p' "$log") MiB"
    else
        echo "$target BROKEN: $(grep -m1 -E '^broken:|ERROR:|runtime error:' "$log" || tail -1 "$log") ($log)"
        broken=1
    fi
done
exit $broken
