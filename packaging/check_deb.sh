#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the packages as a new user would, on a clean Debian 12 in a separate folder: installs them with apt, runs
# rankscope-setup, launches the quickstart as an ordinary user, takes a picture of the window, purges, and compares every
# file and folder of the root with the state before.
#
#   packaging/check_deb.sh [--keep] [--steps N] [PACKAGES] [OUT]
#
#   PACKAGES   folder of the .deb files (default: build/release/packages)
#   OUT        folder for the picture and the lists of files (default: build/check_deb)
#   --steps N  steps of the quickstart (default: 20)
#   --keep     keep the root for inspection
#
# Needs root, debootstrap, and network for apt and pip. Mounts are in a separate mount namespace: none outlives it.
# RANKSCOPE_DEBIAN_MIRROR: the mirror to use (default: the one in this machine's apt sources).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
keep=0 steps=20 folders=()
while [ $# -gt 0 ]; do
  case $1 in
    --keep) keep=1 ;;
    --steps) steps=${2:?check_deb.sh: --steps needs a number}; shift ;;
    -h|--help) sed -n '3,15p' "$0" | sed 's/^# \{0,1\}//'; exit 0 ;;
    -*) echo "check_deb.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
    *) folders+=("$1") ;;
  esac
  shift
done
packages=$(realpath "${folders[0]:-$root/build/release/packages}")
out=$(realpath -m "${folders[1]:-$root/build/check_deb}")
stop() { echo "check_deb.sh: $*" >&2; exit 2; }
if [ "$(id -u)" != 0 ]; then stop "needs root (debootstrap, chroot)"; fi
for tool in debootstrap unshare chroot; do command -v "$tool" >/dev/null || stop "$tool is not installed: apt-get install debootstrap util-linux"; done
shopt -s nullglob
debs=("$packages"/rankscope_*.deb "$packages"/rankscopectl_*.deb "$packages"/rankscope-trainer_*.deb)
if [ "${#debs[@]}" != 3 ]; then stop "$packages contains ${#debs[@]} .deb files instead of one of each of the three packages: run packaging/deb.sh"; fi
mirror=${RANKSCOPE_DEBIAN_MIRROR:-}
if [ -z "$mirror" ]; then
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 2>/dev/null | awk '$2 == "bookworm" {print $1; exit}')
fi
if [ -z "$mirror" ]; then stop "this machine's apt names no mirror of Debian 12: set RANKSCOPE_DEBIAN_MIRROR"; fi

work=$(mktemp -d -t rankscope-check-XXXXXX)
clean=$work/root
finish() {
  if [ "$keep" = 1 ]; then echo "check_deb.sh: the root is kept in $clean"; else rm -rf --one-file-system -- "$work"; fi
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "== a clean Debian 12 in $clean"
debootstrap --variant=minbase bookworm "$clean" "$mirror" >"$work/debootstrap.log" 2>&1 ||
  { tail -n 20 "$work/debootstrap.log" >&2; stop "debootstrap failed (see above)"; }
# what this machine needs to reach the network: name servers, certificates, apt's and pip's settings
cp -L /etc/resolv.conf "$clean/etc/resolv.conf"
mkdir -p "$clean/opt/check" "$clean/etc/ssl/certs"
if [ -r /etc/ssl/certs/ca-certificates.crt ]; then cp -L /etc/ssl/certs/ca-certificates.crt "$clean/opt/check/certificates.crt"; fi
if [ -r /etc/pip.conf ]; then cp -L /etc/pip.conf "$clean/opt/check/pip.conf"; fi
for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*proxy*; do if [ -r "$file" ]; then cp -L "$file" "$clean/etc/apt/apt.conf.d/"; fi; done
cp "${debs[@]}" "$clean/opt/check/"
cp "$root/packaging/deb/check_inside.sh" "$clean/opt/check/"
mkdir -p "$out"
rc=0
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive STEPS="$steps" \
  PIP_INDEX_URL="${PIP_INDEX_URL:-}" HTTPS_PROXY="${HTTPS_PROXY:-}" HTTP_PROXY="${HTTP_PROXY:-}" \
  unshare --mount --pid --fork --kill-child --propagation private bash -euc '
    mount -t proc proc "$1/proc"
    mount -t tmpfs -o mode=755 dev "$1/dev"
    mkdir "$1/dev/shm" "$1/dev/pts"
    mount -t tmpfs shm "$1/dev/shm"
    for node in null zero full random urandom; do touch "$1/dev/$node"; mount --bind "/dev/$node" "$1/dev/$node"; done
    ln -s /proc/self/fd "$1/dev/fd"
    exec chroot "$1" /bin/bash /opt/check/check_inside.sh' bash "$clean" || rc=$?
for file in "$clean"/opt/check/result/*; do cp -- "$file" "$out/"; done
if [ "$rc" = 0 ]; then echo "check_deb.sh: passed; picture and lists are in $out"; else echo "check_deb.sh: failed; the results so far are in $out" >&2; fi
exit "$rc"
