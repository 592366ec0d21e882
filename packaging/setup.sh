#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Rankscope needs on Debian 12 or Ubuntu 24.04: Debian packages, and LibTorch from the PyPI wheel in .venv,
# where this torch can also be imported by the tests. Safe to run again; does nothing when everything is there.
#
#   packaging/setup.sh [--cuda|--no-cuda] [--no-gui] [--no-tests] [--no-torch]
#
#   --cuda      also install the wheels that the NCCL plug-in needs (default: if there is an NVIDIA GPU)
#   --no-gui    leave out Qt Widgets, QCustomPlot, fonts and clang-tidy
#   --no-tests  leave out what only the tests need. With --no-gui, no Qt is installed: enough for the preset headless
#   --no-torch  leave LibTorch alone (you pass -DRANKSCOPE_LIBTORCH=DIR). The tests that need a Python with torch are then
#               skipped, unless you pass -DRANKSCOPE_TORCH_PYTHON=PYTHON
#
# RANKSCOPE_TORCH=VERSION: install this LibTorch, one of those in packaging/wheels, instead of 2.11.0.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cuda=auto gui=1 tests=1 torch=1
for arg in "$@"; do
  case $arg in
    --cuda) cuda=1 ;;
    --no-cuda) cuda=0 ;;
    --no-gui) gui=0 ;;
    --no-tests) tests=0 ;;
    --no-torch) torch=0 ;;
    -h|--help) sed -n '3,14p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
    *) echo "setup.sh: unknown option $arg (see --help)" >&2; exit 2 ;;
  esac
done
if [ "$cuda" = auto ]; then
  cuda=0
  if [ -e /dev/nvidia0 ] || [ -e /dev/nvidiactl ]; then cuda=1; fi
fi

if [ ! -r /etc/debian_version ]; then
  echo "setup.sh: this is neither Debian nor Ubuntu; install the packages that this script names with your own package manager, then run cmake --preset release" >&2
  exit 2
fi
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
    echo "setup.sh: not root and no sudo: cannot run: $*" >&2; exit 2
  fi
}

packages=(build-essential cmake ninja-build ccache pkg-config git unzip python3 python3-venv
  libsqlite3-dev zlib1g-dev libdw-dev libyaml-cpp-dev nlohmann-json3-dev libcli11-dev libfmt-dev libexpected-dev
  libsndfile1-dev libsoxr-dev libarchive-dev libre2-dev libgloo-dev espeak-ng)
if [ "$tests" = 1 ]; then # Qt Test runs the tests; neither the trainer nor the command line links Qt
  packages+=(qt6-base-dev libbenchmark-dev librapidcheck-dev mandoc iproute2 dbus-daemon)
fi
if [ "$gui" = 1 ]; then
  packages+=(qt6-base-dev qt6-tools-dev qt6-tools-dev-tools qt6-l10n-tools libqcustomplot-dev
    libgl1-mesa-dev libegl1 libxkbcommon-x11-0 libxtst-dev xvfb openbox desktop-file-utils appstream libxml2-utils shared-mime-info clang-tidy-14)
  # Latin and Chinese glyphs, only if fontconfig knows no font that has them
  if ! command -v fc-list >/dev/null || [ -z "$(fc-list :lang=zh-cn 2>/dev/null)" ]; then packages+=(fontconfig fonts-noto-cjk); fi
  if ! command -v fc-list >/dev/null || [ -z "$(fc-list :lang=en:spacing=100 2>/dev/null)" ]; then packages+=(fonts-dejavu-core); fi
fi
# Qt's SVG module is named differently on Debian and Ubuntu: take the first that exists
missing() { local p; for p in "$@"; do dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || echo "$p"; done; }
need=$(missing "${packages[@]}")
svg_choice=
if [ "$gui" = 1 ] && [ -n "$(missing qt6-svg-dev)" ] && [ -n "$(missing libqt6svg6-dev)" ]; then svg_choice=1; fi
if [ -n "$need$svg_choice" ]; then
  echo "setup.sh: installing: $(echo $need) ${svg_choice:+Qt SVG}"
  as_root apt-get update -qq
  if [ -n "$svg_choice" ]; then
    for p in qt6-svg-dev libqt6svg6-dev; do
      if apt-cache show "$p" >/dev/null 2>&1; then need="$need $p"; break; fi
    done
  fi
  # shellcheck disable=SC2086  # one word per package
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $need >/dev/null
fi

if [ "$torch" = 1 ]; then
  venv=$root/.venv
  if [ ! -x "$venv/bin/pip" ]; then /usr/bin/python3 -m venv "$venv"; fi
  version=${RANKSCOPE_TORCH:-2.11.0}
  list=$root/packaging/wheels/$version.txt
  if [ ! -r "$list" ]; then
    echo "setup.sh: RANKSCOPE_TORCH=$version: known versions are $(cd "$root/packaging/wheels" && echo [0-9]*.txt | sed 's/\.txt//g')" >&2
    exit 2
  fi
  wheels_of() { # LIST KIND...: the wheels of these kinds, one per line
    local list=$1 kind wheel
    shift
    while read -r kind wheel; do
      if [[ " $* " == *" $kind "* ]]; then echo "$wheel"; fi
    done <"$list"
  }
  install_wheels() { # STAMP WHEEL...
    local stamp=$venv/$1
    shift
    if [ "$(cat "$stamp" 2>/dev/null)" = "$*" ]; then return; fi
    "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps "$@" && echo "$*" >"$stamp"
  }
  kinds=(cpu)
  if [ "$cuda" = 1 ]; then kinds+=(cuda); fi
  mapfile -t wheels < <(wheels_of "$list" "${kinds[@]}")
  if [ "$(cat "$venv/.rankscope-wheels" 2>/dev/null)" != "${wheels[*]}" ]; then
    echo "setup.sh: installing ${wheels[0]} and its dependencies into .venv, half a gigabyte to download (cuda=$cuda)"
  fi
  install_wheels .rankscope-wheels "${wheels[@]}"
  mapfile -t wheels < <(wheels_of "$root/packaging/wheels/tests.txt" test)
  if [ "$tests" = 1 ] && ! install_wheels .rankscope-tests "${wheels[@]}"; then
    echo "setup.sh: pip could not install what packaging/wheels/tests.txt names: the tests that need torch are skipped" >&2
  fi
fi
echo "setup.sh: everything is in place"
