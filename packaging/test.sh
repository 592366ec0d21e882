#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to a tested build: installs what is missing, builds everything, runs every test.
# What packaging/run.sh has built is not built again.
#
#   packaging/test.sh [ctest options, e.g. -L unit or -R journal]
#
# If RANKSCOPE_NEMO_PYTHON names a Python that has nemo_toolkit[asr]==2.7.3, that NeMo loads the files that we write, and
# its training is among the programs that are watched.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ${1:-} in
  -h|--help) sed -n '3,9p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
esac
"$root/packaging/setup.sh"
"$root/packaging/build.sh" release
"$root/resources/sample/make.sh"
# real recordings for the tests that can use them; without them those tests say so and use synthetic speech
if [ -z "${RANKSCOPE_TEST_AUDIO:-}" ] && [ -d "$root/../shared/audio" ]; then
  RANKSCOPE_TEST_AUDIO=$(cd "$root/../shared/audio" && pwd)
  export RANKSCOPE_TEST_AUDIO
fi
cd "$root"
exec ctest --test-dir build/release -j "$(nproc)" --output-on-failure --no-tests=error "$@"
