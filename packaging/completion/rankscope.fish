# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of rankscope for fish. Options are read from the program's own --help: none is listed here.
complete -c rankscope -n "string match -q -- '-*' (commandline -ct)" -f -a "(rankscope --help | sed -n 's/^  \(-.*\)/\1/p' | grep -o -- '--*[a-z][a-z-]*' | sort -u)"
