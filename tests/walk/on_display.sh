#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# on_display.sh COMMAND ARGS...: runs a command on its own X display, with a window manager.
set -euo pipefail
size=${RANKSCOPE_WALK_SIZE:-1440x900}
for program in Xvfb openbox; do
  if ! command -v "$program" >/dev/null; then
    echo "on_display.sh: $program is not installed; packaging/setup.sh installs it" >&2
    exit 2
  fi
done
work=$(mktemp -d)
started=()
finish() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT
mkfifo -m 600 "$work/display"
Xvfb -displayfd 3 -screen 0 "${size}x24" -nolisten tcp 3<>"$work/display" 2>"$work/xvfb.log" &
started+=($!)
if ! read -r -t 30 number <>"$work/display"; then
  echo "on_display.sh: Xvfb does not start:" >&2
  cat "$work/xvfb.log" >&2
  exit 2
fi
export DISPLAY=:$number XDG_CONFIG_HOME=$work
openbox --sm-disable >"$work/openbox.log" 2>&1 &
started+=($!)
status=0
"$@" || status=$?
exit "$status"
