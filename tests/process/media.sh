#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# media.sh KIND BIN CONFIG WORK: a lost, a stopped and a finished run on a medium that can no longer be written to, and
# what the commands print for them. KIND: bind (mounted read-only), error (ext4, remounted after an error), full-ext4,
# full-xfs, overlay (two lower layers), mode (chmod -R a-w, as a user other than root). It leaves in WORK: `before` and
# `after` (every file with size, mode, time and checksum), RUN.COMMAND.{out,err,rc} (with KIND error also for a live
# run), and later.*, once there is room.
# Run it as root, in its own mount namespace.
set -e
kind=$1 bin=$2 config=$3 work=$4
disk=$work/disk runs=$work/disk/runs as=
mkdir -p "$disk"
case $kind in
error | full-ext4 | full-xfs)
    truncate -s 320M "$work/image"
    if [ "$kind" = full-xfs ]; then
        mkfs.xfs -q "$work/image"
        mount -o loop "$work/image" "$disk"
    else
        mkfs.ext4 -qF "$work/image"
        mount -o loop,errors=remount-ro "$work/image" "$disk"
    fi
    ;;
mode)
    chmod 711 "$work" "$work/.."
    chown 65534:65534 "$disk"
    as="setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=$disk"
    ;;
esac

# launch NAME SIGNAL TARGET: starts the run runs/NAME; if SIGNAL is not empty, ends its supervisor after two seconds
launch() {
    RANKSCOPE_TARGET=$3 $as "$bin/rankscopectl" launch "$config" --runs "$disk/new" > /dev/null 2> "$work/$1.log" &
    pid=$!
    if [ -n "$2" ]; then
        sleep 2
        case $kind in full-*) [ "$1" != lost ] || { cat /dev/zero > "$disk/fill" || true; sleep 3; } 2> /dev/null ;; esac
        $as kill "-$2" "$pid"
    fi
    wait "$pid" || true
    $as mkdir -p "$runs"
    mv "$disk"/new/2* "$runs/$1"
}
launch finished "" "steps=100 ms=5"
launch stopped TERM "steps=100000 ms=5"
launch lost KILL "steps=100000 ms=5"
if [ "$kind" = error ]; then
    RANKSCOPE_TARGET="steps=100000 ms=5" "$bin/rankscopectl" launch "$config" --runs "$disk/live" > /dev/null 2> "$work/live.log" &
    live=$!
    tries=0 # on a busy machine a run takes a while to begin
    until "$bin/rankscopectl" show "$disk"/live/2* --json 2> /dev/null | grep -q '"steps": [1-9]' || [ "$tries" = 100 ]; do
        tries=$((tries + 1))
        sleep 0.2
    done
fi

seen=$runs
case $kind in
bind)
    mkdir "$work/seen"
    mount --bind "$disk" "$work/seen"
    mount -o remount,bind,ro "$work/seen"
    seen=$work/seen/runs
    ;;
error)
    echo here > "/sys/fs/ext4/$(basename "$(findmnt -no SOURCE "$disk")")/trigger_fs_error"
    ! touch "$disk/x" 2> /dev/null
    ;;
overlay)
    mkdir "$work/seen" "$work/empty"
    mount -t overlay -o "lowerdir=$disk:$work/empty" none "$work/seen"
    seen=$work/seen/runs
    ;;
mode) chmod -R a-w "$runs" ;;
esac

# contents FILE: lists the files without access times and, on a disk that is only full, without those being written to
contents() {
    but=none
    case $kind in full-*) but='/run\.sqlite\|/lock ' ;; esac
    (cd "$seen" && find . -type f -printf '%p %s %m %T@ ' -exec md5sum {} \; -o -printf '%p %m\n') | grep -v "$but" | sort > "$work/$1"
}
try() {
    name=$1
    shift
    rc=0
    $as "$bin/rankscopectl" "$@" > "$work/$name.out" 2> "$work/$name.err" || rc=$?
    echo "$rc" > "$work/$name.rc"
}
# export needs a writable folder
mkdir -m 777 "$work/exported"
contents before
for run in lost stopped finished; do
    try $run.show show "$seen/$run"
    try $run.json show "$seen/$run" --json
    try $run.diagnose diagnose "$seen/$run"
    try $run.waits waits "$seen/$run"
    try $run.export export "$seen/$run" --csv "$work/exported/$run"
    try $run.stop stop "$seen/$run"
    if [ -x "$bin/rankscope" ]; then
        rc=0
        QT_QPA_PLATFORM=offscreen HOME=$work/exported $as "$bin/rankscope" "$seen/$run" --screenshot "$work/exported/$run.png" \
            > "$work/$run.window.out" 2> "$work/$run.window.err" || rc=$?
        echo "$rc" > "$work/$run.window.rc"
    fi
done
try list list --runs "$seen"
contents after
if [ "$kind" = error ]; then
    try live.json show "$disk"/live/2* --json
    try live.stop stop "$disk"/live/2*
    wait "$live" || true
fi
case $kind in full-*)
    rm "$disk/fill"
    try later.json show "$seen/lost" --json
    ;;
esac
for mounted in "$work/seen" "$disk"; do
    ! mountpoint -q "$mounted" || umount "$mounted"
done
