#!/bin/bash
# ctest: quick asan
# Commands, options and their refusals: exit codes and messages.
set -uo pipefail
build=$1
source "$(dirname "$0")/../cli_lib.sh"

expect 2 "a command is missing" "$build/cuzk"
expect 2 'no command "prof"' "$build/cuzk" prof
expect 2 "the kind of proof is missing" "$build/cuzk" prove
expect 2 "--c1 FILE is missing" "$build/cuzk" prove porep
expect 2 "unexpected argument" "$build/cuzk" prove porep --c1 x y
expect 2 "--partition takes a whole number" "$build/cuzk" prove porep --c1 x --partition -1
expect 2 "--threads takes a whole number" "$build/cuzk" prove porep --c1 x --threads 99999999999999999999
expect 2 "--r and --s go together" "$build/cuzk" prove porep --c1 x --r "$(printf '%064d' 1)"
expect 2 "64 hexadecimal digits" "$build/cuzk" prove porep --c1 x --r 12 --s 12
expect 2 "not below the scalar field's modulus" "$build/cuzk" prove porep --c1 x --r "$(printf 'f%.0s' {1..64})"
expect 2 'unknown option "--nonsense=1"' "$build/cuzk" prove porep --nonsense=1
expect 2 'unknown option "-x"' "$build/cuzk" prove porep -x
expect 2 'unknown option "--.x1b"' "$build/cuzk" prove porep $'--\e'
expect 2 '"--par" begins more than one option' "$build/cuzk" prove porep --par 1
expect 2 "--json takes no value" "$build/cuzk" prove porep --json=1
expect 2 "--output takes a value" "$build/cuzk" prove porep -o
expect 2 "--c1 FILE is missing" "$build/cuzk" verify porep
expect 2 "exclude each other" "$build/cuzk" verify porep --c1 x --proof y --miner-id 1 --prover-id "$(printf '%064d' 0)"
expect 2 "list, generate or verify" "$build/cuzk" params
expect 2 'no "params mend"' "$build/cuzk" params mend
expect 2 "--circuit ID is missing" "$build/cuzk" params verify
expect 2 'no circuit "porep-3k"; known: porep-2k' "$build/cuzk" circuit porep-3k
expect 2 "exactly one circuit id" "$build/cuzk" circuit
expect 2 "exactly one circuit id" "$build/cuzk" plan
expect 2 'no circuit "porep-3k"' "$build/cuzk" plan porep-3k
expect 2 "--threads takes a whole number" "$build/cuzk" plan porep-2k --threads x
expect 2 "--threads is given more than once" "$build/cuzk" plan porep-2k --threads 1 --threads 2
expect 0 "^total +[0-9]+\.[0-9] MiB" "$build/cuzk" plan winning-32g --threads 4
expect 0 '"partitions": *10' "$build/cuzk" plan porep-32g --threads 4 --json
expect 0 '"parameters_mapped_bytes": *47373928632' "$build/cuzk" plan porep-32g --json
expect 0 "usage" "$build/cuzk" plan --help
"$build/cuzk" doctor --param-cache "$tmp" | grep "^cpu paths.* ifma" > /dev/null || expect 69 "does not have it" env CUZK_CPU=ifma "$build/cuzk" doctor
expect 2 "CUZK_CPU" env CUZK_CPU=quantum "$build/cuzk" doctor
expect 0 "^cuzk [0-9]" "$build/cuzk" --version
expect 0 "usage" "$build/cuzk" --help
expect 0 "usage" "$build/cuzk" prove --help
expect 0 "usage" "$build/cuzk" prove winning --help
expect 0 "usage" "$build/cuzk" verify snap --help
expect 0 "usage" "$build/cuzk" params generate --help
expect 0 "usage" "$build/cuzk" verify --help
expect 0 "usage" "$build/cuzk" params --help
expect 0 "usage" "$build/cuzk" circuit --help
# Every command: a usage error is its cause and where to read more, nothing else; --help may stand anywhere.
for command in cuzk "cuzk prove porep" "cuzk verify snap" "cuzk params list" "cuzk circuit x" "cuzk pce info" "cuzk plan x" "cuzk doctor" cuzk-bench \
    "cuzk-bench single" "cuzk-bench batch" "cuzk-bench stress" "cuzk-bench status" "cuzk-bench metrics" "cuzk-bench preload" "cuzk-bench synth-only" \
    "cuzk-bench pce-bench" "cuzk-bench pce-pipeline" "cuzk-bench gen-vanilla porep" "cuzk-bench gen-vanilla snap-prove" "cuzk-bench field" \
    "cuzk-bench ntt" "cuzk-bench msm" cuzk-daemon; do
    read -r program name rest <<< "$command"
    same "$command --nonsense" "$(printf 'error: unknown option "--nonsense"\nsee %s' "'$program${name:+ $name} --help'")" "$("$build"/$command --nonsense 2>&1)"
    expect 0 "^usage: $program" "$build"/$command --help
    expect 0 "^usage: $program" "$build"/$program $name -h $rest x
done
expect 2 "see 'cuzk prove --help'" "$build/cuzk" prove
expect 2 "see 'cuzk --help'" "$build/cuzk"
expect 2 "see 'cuzk-daemon --help'" "$build/cuzk-daemon" x

# Options that say nothing about what is asked for.
expect 2 "--circuit does not apply to params list" "$build/cuzk" params list --circuit porep-2k
expect 2 "--points does not apply to params generate" "$build/cuzk" params generate --circuit porep-2k --points
expect 2 "--trapdoor does not apply to params verify" "$build/cuzk" params verify --circuit porep-2k --trapdoor x
expect 2 "--count and --concurrency are for batch" "$build/cuzk-bench" single --type porep --count 3
expect 2 "field takes no option" "$build/cuzk-bench" field --threads 2
expect 2 "--type TYPE is missing" "$build/cuzk-bench" single

# A whole number is digits, and within what the option can mean.
for option in "cuzk prove porep --c1 x --threads" "cuzk prove snap --vanilla x --registered-proof" "cuzk params verify --threads" "cuzk plan x --threads" \
    "cuzk-bench gen-vanilla porep --seed" "cuzk-bench gen-vanilla window-post --synthetic --sectors" "cuzk-bench synth-only --iterations" \
    "cuzk-bench ntt --log2" "cuzk-bench pce-pipeline --num-proofs" "cuzk-bench batch --count" "cuzk-bench stress --within"; do
    for number in -1 +5 0x10 1.5 " 5" "5 " x 18446744073709551616; do
        expect 2 "^error: ${option##* } takes a whole number from 0 to [0-9]+, not .$number" "$build"/$option "$number"
    done
done
expect 2 "http://127.0.0.1:99999: expected a port from 0 to 65535" "$build/cuzk-bench" status -a http://127.0.0.1:99999

# Standard input can be read once.
hex=$(printf '%064d' 0)
expect 2 "--c1 and --proof are both standard input" "$build/cuzk" verify porep --c1 - --proof -
expect 2 "--vanilla and --proof are both standard input" "$build/cuzk" verify winning --vanilla /dev/stdin --registered-proof 0 --randomness "$hex" --proof -
expect 2 "--c1 and --token-file are both standard input" "$build/cuzk-bench" single --type porep --c1 - --token-file /dev/fd/0
expect 2 "--c1 and --vanilla are both standard input" "$build/cuzk-bench" stress --type porep --c1 - --vanilla -
expect 0 "parameters in $tmp/none .absent or unreadable" "$build/cuzk" params list --param-cache "$tmp/none"
expect 0 "parameters   .*absent or unreadable" "$build/cuzk" doctor --param-cache "$tmp/none"
expect 0 "porep-32g +47373928632 bytes" "$build/cuzk" params list --param-cache "$tmp"
expect 0 "snap-64g +35507495352 bytes +absent" "$build/cuzk" params list --param-cache "$tmp"
same "all circuits are listed" 20 "$("$build/cuzk" params list --param-cache "$tmp" | grep -c "bytes  absent")"
same "and by doctor" 20 "$("$build/cuzk" doctor --param-cache "$tmp" | grep -c " absent$")"
for command in "cuzk --help" "cuzk prove --help" "cuzk params list" "cuzk doctor" "cuzk circuit winning-2k" "cuzk-bench ntt --log2 3" "cuzk-bench --version" \
    "cuzk-daemon --keys"; do
    same "$command > /dev/full" "74 error: cannot write to standard output: No space left on device (output-failed)" \
        "$(code=0; text=$("$build"/$command 2>&1 > /dev/full) || code=$?; echo $code "$text")"
done
finish
