#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes a small synthetic speech set: utterances spoken by espeak-ng, generated noise, and NeMo manifests for them.
# Safe to run again; does nothing when the set is up to date.
#
#   resources/sample/make.sh [OUT_DIR]     default: resources/sample/data
#
# Needs espeak-ng and python3 (no further Python packages). A set that is interrupted leaves nothing half-made behind.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
case ${1:-} in
  -h|--help) sed -n '3,8p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
  -*) echo "make.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
esac
if [ $# -gt 1 ]; then echo "make.sh: one folder at most is expected (see --help)" >&2; exit 2; fi
for tool in espeak-ng python3; do
  if ! command -v "$tool" >/dev/null; then
    echo "make.sh: $tool is not installed: run packaging/setup.sh, or apt-get install $tool" >&2
    exit 2
  fi
done
exec python3 "$here/make_sample.py" "${1:-$here/data}"
