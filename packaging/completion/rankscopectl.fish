# SPDX-License-Identifier: Apache-2.0
# Completion of rankscopectl for fish. Commands and options are read from the program's own --help: none is listed here.
function __rankscopectl_runs
    set -l dir $RANKSCOPE_RUNS
    test -n "$dir"; or set dir (test -n "$XDG_DATA_HOME"; and echo $XDG_DATA_HOME; or echo ~/.local/share)/rankscope/runs
    for run in $dir/*/run.json
        basename (dirname $run)
    end
    echo last
end
function __rankscopectl_watches # after the two dashes of run comes the command that is watched
    set -l words (commandline -opc)
    test "$words[2]" = run; and contains -- -- $words
end
function __rankscopectl_command
    set -l words (commandline -opc) (commandline -ct)
    complete -C (string join ' ' -- (string escape -- $words[(math (contains -i -- -- $words) + 1)..-1]))
end
function __rankscopectl_options
    rankscopectl (commandline -opc)[2..2] --help 2>/dev/null | sed -n 's/^  \(-[^ ]*\).*/\1/p' | tr , '\n'
end
set -l taking_runs show stop diagnose watch export stacks waits batch scaling
complete -c rankscopectl -n __fish_use_subcommand -f -a "(rankscopectl --help | sed -n '/^Subcommands:/,\$ s/^  \([a-z][a-z-]*\)  *\(.*\)/\1\t\2/p')"
complete -c rankscopectl -n __rankscopectl_watches -f -a '(__rankscopectl_command)'
complete -c rankscopectl -n "not __rankscopectl_watches; and string match -q -- '-*' (commandline -ct)" -f -a '(__rankscopectl_options)'
complete -c rankscopectl -n "__fish_seen_subcommand_from $taking_runs compare" -f -a '(__rankscopectl_runs)'
complete -c rankscopectl -n '__fish_seen_subcommand_from compare' -F
