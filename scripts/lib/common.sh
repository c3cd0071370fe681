# shellcheck shell=bash
# Messages and logged commands for the other scripts.

say() { printf '%s\n' "$*" >&2; }

# The message ends the script; the further arguments are lines that say how to mend it.
die() {
    say "error: $1"
    shift
    local line
    for line in "$@"; do say "  $line"; done
    exit 1
}

# run_logged NAME COMMAND...: output goes to logs/setup/NAME.log, whose tail is shown on failure.
run_logged() {
    local name=$1 log=$HICRISP_ROOT/logs/setup/$1.log status
    shift
    mkdir -p "${log%/*}"
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    if [ "$status" -ne 0 ]; then
        say "--- the end of $log ($name failed with status $status):"
        tail -n 25 "$log" >&2
        say "---"
    fi
    return "$status"
}
