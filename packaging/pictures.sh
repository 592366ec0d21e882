#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Regenerates every picture of README and docs/ with the real programs: trains the quickstart, waits for its stall, and takes
# screenshots with the window's own option; then the same with a PyTorch program that is only watched. Needs no display. Takes
# about four minutes.
#
#   packaging/pictures.sh [BIN_DIR [OUT_DIR]]     default: build/release/bin docs/images
#
# RANKSCOPE_TORCH_PYTHON: a Python with torch, for the watched program; default: the one of packaging/setup.sh. Without one, the
# picture watched-light is left as it is. If pngquant is installed, it makes the files smaller; a picture above 150 KB is an error.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ${1:-} in
  -h|--help) sed -n '3,11p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
esac
bin=$(realpath "${1:-$root/build/release/bin}")
out=$(realpath "${2:-$root/docs/images}")
for program in rankscope rankscopectl rankscope-trainer; do
  if [ ! -x "$bin/$program" ]; then
    echo "pictures.sh: $bin/$program does not exist: build it with packaging/build.sh release" >&2
    exit 2
  fi
done
"$root/resources/sample/make.sh"

# the pictures show paths, so the folder's name must reveal nothing about this machine
work=/tmp/rankscope-pictures
if ! mkdir -m 700 "$work"; then
  echo "pictures.sh: $work already exists: remove it if no other pictures.sh is running" >&2
  exit 2
fi
runs=$work/runs
finish() {
  "$bin/rankscopectl" stop last --now --runs "$runs" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap finish EXIT
ln -s "$root/resources" "$work/resources"
cp "$root/configs/quickstart.yaml" "$work/quickstart.yaml"
cd "$work"
export LC_ALL=C.UTF-8 TZ=UTC

shot() { # name, then the window's options
  local name=$1
  shift
  "$bin/rankscope" --runs "$runs" --size 1440x900 "$@" --screenshot "$work/$name.png"
  echo "$name"
}
incident_is_open() {
  "$bin/rankscopectl" diagnose last --json --runs "$runs" 2>/dev/null |
    python3 -c 'import json, sys; sys.exit(not any(i["closed_s"] is None for i in json.load(sys.stdin)["incidents"]))' 2>/dev/null
}

wait_for_incident() { # at most so many fifths of a second
  for ((tries = 0; ; ++tries)); do
    if incident_is_open; then break; fi
    if [ "$tries" -ge "$1" ]; then echo "pictures.sh: the stall was not seen in time" >&2; exit 1; fi
    sleep 0.2
  done
}

shot welcome-light --theme light --lang en
shot configure-light --theme light --lang en --config quickstart.yaml --page configure
shot explain-light --theme light --lang en --page explain \
  --explain "$root/tests/data/explain/hangs/2.11.0/extra_collective/dumps/end"
shot configure-zh --theme light --lang zh --config quickstart.yaml --page configure

"$bin/rankscopectl" launch quickstart.yaml '~rankscope.faults' trainer.max_steps=110 \
  --fault data_loading:rank=1,step=60,seconds=25 --runs "$runs" --detach >/dev/null
wait_for_incident 300
shot review-light --theme light --lang en --run last --page review
shot review-dark --theme dark --lang en --run last --page review
if ! incident_is_open; then echo "pictures.sh: the stall was over before its pictures were taken" >&2; exit 1; fi
"$bin/rankscopectl" watch last --runs "$runs" >/dev/null

shot timeline-light --theme light --lang en --run last --page timeline
shot incidents-light --theme light --lang en --run last --page incidents
shot logs-light --theme light --lang en --run last --page logs

"$bin/rankscopectl" launch --relaunch last model.train_ds.num_workers=2 --runs "$runs" --detach >/dev/null
"$bin/rankscopectl" watch last --runs "$runs" >/dev/null
shot runs-light --theme light --lang en --run last --page runs

# The program of a user: it only needs a Python with torch, and its run is in a separate folder.
torch_python=${RANKSCOPE_TORCH_PYTHON:-$root/.venv/bin/python}
if [ -x "$torch_python" ]; then "$torch_python" -B "$root/tests/observer/cuda_stand_ins.py" "$work/cuda" c++; fi
with_torch() {
  env LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$work/cuda" PATH="$(dirname "$torch_python"):$PATH" OMP_NUM_THREADS=1 "$@"
}
if with_torch "$torch_python" -c 'import torch' 2>/dev/null; then
  runs=$work/own
  cp "$root/tests/observer/programs/slow_sample.py" train.py
  with_torch "$bin/rankscopectl" run --runs "$runs" --detach -- torchrun --standalone --nproc-per-node 2 train.py seconds=40 >/dev/null
  wait_for_incident 900
  shot watched-light --theme light --lang en --run last --page review
  if ! incident_is_open; then echo "pictures.sh: the stall was over before its picture was taken" >&2; exit 1; fi
else
  echo "pictures.sh: $torch_python has no torch: watched-light stays as it is" >&2
fi

for picture in "$work"/*.png; do
  if command -v pngquant >/dev/null; then pngquant --force --skip-if-larger --speed 1 --output "$picture" 256 "$picture" || [ $? -eq 98 ]; fi
  if [ "$(stat -c %s "$picture")" -gt 150000 ]; then
    echo "pictures.sh: $(basename "$picture") has $(stat -c %s "$picture") bytes; the limit is 150000: install pngquant" >&2
    exit 1
  fi
done
mkdir -p "$out"
cp "$work"/*.png "$out/"
if [ "$out" = "$root/docs/images" ]; then python3 "$root/tests/docs/picture_age.py" "$root" --write; fi
echo "pictures.sh: $(ls "$work"/*.png | wc -l) pictures in $out"
