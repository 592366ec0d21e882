#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to the window: installs what is missing, builds, makes the sample data, opens configs/quickstart.yaml.
# Without a display it trains the quickstart and prints the run's table and its folder.
#
#   packaging/run.sh [CONFIG.yaml [key=value ...]]
#
# The first time takes a while: a minute or two for the download of LibTorch, then the build, which says how long it will take.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ${1:-} in
  -h|--help) sed -n '3,8p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
esac
config=$root/configs/quickstart.yaml
if [ $# -gt 0 ]; then config=$(realpath "$1"); shift; fi
echo "run.sh: 1 of 3, installing what Rankscope needs"
"$root/packaging/setup.sh"
echo "run.sh: 2 of 3, building Rankscope"
"$root/packaging/build.sh" release rankscope rankscopectl rankscope-trainer
echo "run.sh: 3 of 3, making the sample speech"
"$root/resources/sample/make.sh"
cd "$root"
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec build/release/bin/rankscope "$config"
fi
echo "run.sh: no display; training $config on this machine instead (the window can review the run later)"
exec build/release/bin/rankscopectl launch "$config" "$@"
