#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records the run of the tour anew: trains configs/quickstart.yaml, whose rank 1 stalls in its data loader at step 60, with the real
# programs, and packs what the window needs of its folder into resources/tour/run. Takes about a minute.
#
#   resources/tour/make.sh [BIN_DIR]     default: build/release/bin
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
case ${1:-} in
  -h|--help) sed -n '3,7p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
esac
bin=$(realpath "${1:-$root/build/release/bin}")
"$root/resources/sample/make.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/quickstart"
ln -s "$root/resources" "$work/quickstart/resources"
cp "$root/configs/quickstart.yaml" "$work/quickstart/"
cd "$work/quickstart"
"$bin/rankscopectl" launch quickstart.yaml trainer.max_steps=120 --runs "$work/runs" >/dev/null
exec python3 "$here/pack.py" "$work/runs" "$work/quickstart" "$root" "$here/run"
