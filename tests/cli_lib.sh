# For the scripts in cli/: expect EXIT-CODE REGEX COMMAND..., a scratch folder in $tmp, and finish.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
checks=0 failures=0

# Runs the command; its exit code must be $1 and its output (stdout and stderr) must have a line matching $2.
expect() {
    local code=$1 pattern=$2 output status=0
    shift 2
    output=$("$@" 2>&1 < /dev/null) || status=$?
    checks=$((checks + 1))
    if [ $status != "$code" ] || ! grep -Eq -- "$pattern" <<< "$output"; then
        failures=$((failures + 1))
        printf 'FAILED: %s\n  expected exit %s and /%s/, got exit %s and:\n%s\n' "$*" "$code" "$pattern" $status "$output"
    fi
}

# Compares two strings.
same() { # WHAT EXPECTED ACTUAL
    checks=$((checks + 1))
    [ "$2" = "$3" ] && return
    failures=$((failures + 1))
    printf 'FAILED: %s\n  expected %s\n  got      %s\n' "$1" "$2" "$3"
}

finish() {
    printf '%d checks, %d failed\n' $checks $failures
    [ $checks -gt 0 ] && [ $failures = 0 ]
}
