#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# full_disk.sh CTL CONFIG DISK OUT [end]: a run on its own disk, which is full from the run's second second to its
# fourth or, with `end`, until its supervisor ends.
# Run it in its own mount namespace.
set -e
mount -t tmpfs -o size=8m none "$3"
"$1" launch "$2" --runs "$3" > "$4/out" 2> "$4/err" &
pid=$!
sleep 1.5
dd if=/dev/zero of="$3/fill" bs=64k 2> /dev/null || true
code=0
if [ "$5" = end ]; then
    wait "$pid" || code=$?
    rm "$3/fill"
else
    sleep 2
    rm "$3/fill"
    wait "$pid" || code=$?
fi
mkdir "$4/runs"
cp -r "$3"/2* "$4/runs/"
exit "$code"
