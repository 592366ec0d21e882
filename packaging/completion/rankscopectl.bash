# SPDX-License-Identifier: Apache-2.0
# Completion of rankscopectl for bash. Commands and options are read from the program's own --help: none is listed here.

_rankscopectl_help() { # COMMAND or nothing
    "${COMP_WORDS[0]/#\~/$HOME}" "$@" --help 2>/dev/null
}

_rankscopectl_runs_dir() {
    local i
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == --runs ]]; then
            printf '%s' "${COMP_WORDS[i + 1]/#\~/$HOME}"
            return
        fi
    done
    printf '%s' "${RANKSCOPE_RUNS:-${XDG_DATA_HOME:-$HOME/.local/share}/rankscope/runs}"
}

_rankscopectl_add_runs() {
    local dir run
    dir=$(_rankscopectl_runs_dir)
    for run in "$dir"/*/run.json; do
        run=${run%/run.json}
        run=${run##*/}
        if [[ $run != '*' && $run == "$cur"* ]]; then COMPREPLY+=("$run"); fi
    done
    if [[ last == "$cur"* ]]; then COMPREPLY+=(last); fi
}

_rankscopectl_add_files() { # [ENDING...]: folders, and files with these endings; without endings, all files
    local path ending
    compopt -o filenames 2>/dev/null
    while IFS= read -r path; do
        if [[ $# == 0 || -d $path ]]; then
            COMPREPLY+=("$path")
            continue
        fi
        for ending in "$@"; do if [[ $path == *".$ending" ]]; then COMPREPLY+=("$path"); fi; done
    done < <(compgen -f -- "$cur")
}

_rankscopectl_add_words() {
    local word
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$cur")
}

_rankscopectl_value() { # COMMAND OPTION: completes the option's value; returns 1 if it takes none
    case $2 in
        --runs | --csv) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
        --output | --on-incident | --python) _rankscopectl_add_files ;;
        --trainer) _rankscopectl_add_words 'rankscope nemo' ;;
        --resume | --relaunch | --baseline) _rankscopectl_add_runs ;;
        --with) _rankscopectl_add_runs; _rankscopectl_add_files yaml yml ;;
        --config | --recipe) _rankscopectl_add_files yaml yml ;;
        --weights) _rankscopectl_add_files nemo ckpt pt safetensors ;;
        --format) _rankscopectl_add_words "$(_rankscopectl_help "$1" | sed -n 's/^ *\(--format .*\)/\1/p' | grep -o '{.*}' | tr '{},' '   ')" ;;
        --lang) _rankscopectl_add_words 'en zh' ;;
        --fault) compopt -o nospace 2>/dev/null
            _rankscopectl_add_words "$(_rankscopectl_help launch | sed -n 's/^ *\([a-z_]*\): .*(.*)$/\1/p')" ;;
        --ranks | --rank | --pid | --series | --name | --stall-seconds | --join-seconds | --stop-grace | --from-step | --to-step | --from | --to) ;;
        *) return 1 ;;
    esac
}

_rankscopectl_positional() { # COMMAND
    case $1 in
        show | stop | diagnose | watch | export | stacks | waits | batch | scaling) _rankscopectl_add_runs ;;
        compare) _rankscopectl_add_runs; _rankscopectl_add_files yaml yml ;;
        launch | plan | resolve) _rankscopectl_add_files yaml yml ;;
        verify) _rankscopectl_add_files safetensors yaml yml ;;
        weights | convert) _rankscopectl_add_files nemo ckpt pt safetensors ;;
        import | collect | explain) _rankscopectl_add_files ;;
        attach | observe-env) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    esac
}

_rankscopectl() {
    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [[ $command == run && " ${COMP_WORDS[*]:2:COMP_CWORD-2} " == *' -- '* ]]; then
        mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
    elif ((COMP_CWORD == 1)); then
        _rankscopectl_add_words "$(_rankscopectl_help | sed -n -e '/^Subcommands:/,$ s/^  \([a-z][a-z-]*\).*/\1/p' \
            -e 's/^  \(-[^ ]*\).*/\1/p' | tr , ' ')"
    elif [[ $previous == -* ]] && _rankscopectl_value "$command" "$previous"; then
        return
    elif [[ $cur == -* ]]; then
        _rankscopectl_add_words "$(_rankscopectl_help "$command" | sed -n 's/^  \(-[^ ]*\).*/\1/p' | tr , ' ')"
    else
        _rankscopectl_positional "$command"
    fi
}

complete -F _rankscopectl rankscopectl
