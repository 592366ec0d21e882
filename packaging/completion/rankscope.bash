# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of rankscope for bash. Options are read from the program's own --help: none is listed here.

_rankscope_words() {
    local word
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$cur")
}

_rankscope_paths() { # [ENDING...]: folders, and files with these endings
    local path ending
    compopt -o filenames 2>/dev/null
    while IFS= read -r path; do
        if [[ -d $path ]]; then COMPREPLY+=("$path"); fi
        for ending in "$@"; do if [[ ! -d $path && $path == *".$ending" ]]; then COMPREPLY+=("$path"); fi; done
    done < <(compgen -f -- "$cur")
}

_rankscope_files() {
    local path
    compopt -o filenames 2>/dev/null
    while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen -f -- "$cur")
}

_rankscope_runs() {
    local i run dir=${RANKSCOPE_RUNS:-${XDG_DATA_HOME:-$HOME/.local/share}/rankscope/runs}
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == --runs ]]; then dir=${COMP_WORDS[i + 1]/#\~/$HOME}; fi
    done
    for run in "$dir"/*/run.json; do
        run=${run%/run.json}
        run=${run##*/}
        if [[ $run != '*' && $run == "$cur"* ]]; then COMPREPLY+=("$run"); fi
    done
    if [[ last == "$cur"* ]]; then COMPREPLY+=(last); fi
}

_rankscope() {
    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    case $previous in
        --runs) _rankscope_paths ;;
        --theme) _rankscope_words 'light dark system' ;;
        --lang) _rankscope_words 'en zh' ;;
        --page) _rankscope_words 'configure review timeline incidents logs runs explain' ;;
        --run) _rankscope_runs ;;
        --config | --launch) _rankscope_paths yaml yml ;;
        --screenshot) _rankscope_paths png ;;
        --explain) _rankscope_files ;;
        --size) _rankscope_words '1024x640 1440x900 2560x1440' ;;
        *)
            if [[ $cur == -* ]]; then
                _rankscope_words "$("${COMP_WORDS[0]/#\~/$HOME}" --help 2>/dev/null | sed -n 's/^  \(-.*\)/\1/p' |
                    grep -o -- '--*[a-z][a-z-]*' | sort -u)"
            else
                _rankscope_runs
                _rankscope_paths yaml yml
            fi
            ;;
    esac
}

complete -F _rankscope rankscope
