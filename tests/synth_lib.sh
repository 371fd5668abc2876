# For cli/ scripts that run synth-only; sourced behind cli_lib.sh and vanilla_lib.sh.
export CUZK_PARAM_CACHE=$tmp/params
mkdir "$CUZK_PARAM_CACHE"
synth() { "$build/cuzk-bench" synth-only "$@"; }

# all ROWS OPTION...: every path, every value compared.
all() {
    local rows=$1
    shift
    output=$(synth --path all --validate --json --threads 2 "$@" 2> "$tmp/stderr")
    same "paths of $*" "native csr lc" "$(sed 's/.*"path":"\([a-z]*\)".*/\1/' <<< "$output" | xargs)"
    while read -r line; do
        same "rows of $*" "$rows" "$(field "$line" rows)"
        same "rate of $*" 1 "$(python3 -c "print(int($(field "$line" rows_per_core_second) > 0))")"
        [[ $line == *'"path":"native"'* ]] || same "validated: $*" true "$(field "$line" validated)"
    done <<< "$output"
}
