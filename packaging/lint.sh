#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the sources of app, core and widgets with clang-tidy 14 and the checks of .clang-tidy, and the wording of all
# comments, texts and documents with lint_words.py. Prints each finding once and exits with 1 if there is one, with 77 if
# clang-tidy is not installed.
#
#   packaging/lint.sh [FOLDER...]               everything, or the sources of these folders
#   packaging/lint.sh --diff [COMMIT]           the sources that differ from COMMIT (default: HEAD~1), changed headers included
#   packaging/lint.sh --diff [COMMIT] --seconds N
#                                               stops after N seconds and says how many batches are left
#
# The sources are read in the batches in which each library is compiled: most of the time is spent on headers, which a batch
# reads once. A full run takes a quarter of an hour on two cores.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
diff='' seconds=0 wanted=()
while [ $# -gt 0 ]; do
  case $1 in
    -h|--help) sed -n '3,13p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
    --diff) diff=HEAD~1; if [ $# -gt 1 ] && [[ $2 != --* ]]; then diff=$2; shift; fi ;;
    --seconds) seconds=${2:?lint.sh: --seconds needs a number}; shift ;;
    -*) echo "lint.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
    *) wanted+=("${1%/}") ;;
  esac
  shift
done
words=0
python3 packaging/lint_words.py . || words=1
tidy=$(command -v clang-tidy-14 || true)
if [ -z "$tidy" ]; then echo "lint.sh: clang-tidy-14 is not installed (apt-get install clang-tidy-14)"; exit 77; fi

if [ -n "$diff" ]; then
  if ! git rev-parse --quiet --verify "$diff^{commit}" >/dev/null; then echo "lint.sh: there is no commit $diff" >&2; exit 2; fi
  mapfile -t wanted < <(git diff --name-only --diff-filter=d "$diff" -- app core widgets | grep -E '\.(h|cpp)$' || true)
  if [ ${#wanted[@]} = 0 ]; then echo "lint.sh: no source differs from $diff"; exit "$words"; fi
fi

build=build/lint
mkdir -p "$build"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DRANKSCOPE_TESTS=OFF -DRANKSCOPE_WERROR=OFF \
  ${RANKSCOPE_LIBTORCH:+-DRANKSCOPE_LIBTORCH="$RANKSCOPE_LIBTORCH"} >"$build/configure.log" 2>&1 ||
  { tail -n 20 "$build/configure.log" >&2; echo "lint.sh: configuring failed (full log: $build/configure.log)" >&2; exit 1; }
ninja -C "$build" core/base/chinese_messages.cpp core/config/facts_data.cpp >"$build/generated.log"

# The batches that read a wanted source. A changed header is read by the batch of its own source.
mapfile -t units < <(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | grep -vE 'mocs_compilation|/resources/' | sort -u)
selected=()
for unit in "${units[@]}"; do
  sources=$unit
  if [[ $unit == */Unity/* ]]; then sources=$(sed -n 's/^#include "\(.*\)"$/\1/p' "$unit"); fi
  if [ ${#wanted[@]} = 0 ]; then selected+=("$unit"); continue; fi
  for name in "${wanted[@]}"; do
    if grep -qE "^$root/${name%.*}(/|\.cpp$)" <<<"$sources"; then selected+=("$unit"); break; fi
  done
done
if [ ${#selected[@]} = 0 ]; then echo "lint.sh: no source to check"; exit 0; fi

findings=$build/findings left=$build/left
: >"$findings"; : >"$left"
began=$SECONDS
check() { # unit: appends its findings as one write
  if [ "$LINT_SECONDS" -gt 0 ] && [ $(($(date +%s) - LINT_BEGAN)) -ge "$LINT_SECONDS" ]; then echo "$1" >>"$LINT_LEFT"; return; fi
  local found
  found=$("$LINT_TIDY" -p "$LINT_BUILD" --quiet --header-filter="^$LINT_ROOT/(app|core|widgets)/" \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-ignored-optimization-argument "$1" 2>"$LINT_BUILD/errors.$$" || true)
  if grep -q 'error: ' <<<"$found"; then printf '%s\n' "$found" >>"$LINT_FINDINGS"; fi
  rm -f "$LINT_BUILD/errors.$$"
}
export -f check
export LINT_TIDY=$tidy LINT_BUILD=$build LINT_ROOT=$root LINT_FINDINGS=$findings LINT_LEFT=$left LINT_SECONDS=$seconds
LINT_BEGAN=$(date +%s) && export LINT_BEGAN
printf '%s\0' "${selected[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$0"'

# Many batches read the same header: print each finding once, with the lines that explain it.
awk -v root="$root/" '/: (error|warning): / { shown = !seen[$0]++ } shown { sub(root, ""); print }' "$findings" >"$findings.once"
cat "$findings.once"
count=$(grep -c ': error: ' "$findings.once" || true)
rest=$(wc -l <"$left")
echo "lint.sh: ${#selected[@]} batches, $count findings, $((SECONDS - began)) s$([ "$rest" = 0 ] || echo "; $rest batches left for packaging/lint.sh")"
[ "$count" = 0 ] && [ "$words" = 0 ]
