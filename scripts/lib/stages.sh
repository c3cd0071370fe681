# shellcheck shell=bash
# Stages of a test run: each shows one line with its seconds, or all of its output when it fails.

stage_started=$(date +%s)
stages_failed=()
tests_passed=0 tests_failed=0 tests_skipped=0

# report_stage NAME STATUS SECONDS [NOTE]
report_stage() { printf '%-22s %-7s %6s s  %s\n' "$1" "$2" "$3" "${4:-}"; }

# stage NAME COMMAND...
stage() {
    local name=$1 log=$HICRISP_ROOT/logs/test/$1.log began status
    shift
    mkdir -p "${log%/*}"
    began=$(date +%s.%N)
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    stage_seconds=$(awk -v a="$began" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
    stage_note=$(stage_summary "$log")
    if [ "$status" -eq 0 ]; then
        report_stage "$name" ok "$stage_seconds" "$stage_note"
    else
        tail -n 200 "$log"
        report_stage "$name" FAILED "$stage_seconds" "$stage_note"
        stages_failed+=("$name")
    fi
    return "$status"
}

skip_stage() { report_stage "$1" skipped - "$2"; }

# The summary of pytest, without its seconds.
stage_summary() { sed -n 's/^=* *\([0-9][0-9]* [a-z].*\) in [0-9.]*s.*$/\1/p' "$1" | tail -n 1; }

count_of() { sed -n "s/.*\b\([0-9][0-9]*\) $1.*/\1/p" <<<"$2"; }

# pytest_stage NAME COMMAND...: adds what passed and failed to the closing line.
pytest_stage() {
    local name=$1 failed errors
    shift
    stage "$name" "$@" -q -p no:cacheprovider --color=no --disable-warnings
    failed=$(count_of failed "$stage_note")
    errors=$(count_of error "$stage_note")
    tests_passed=$((tests_passed + $(count_of passed "$stage_note" | grep . || echo 0)))
    tests_skipped=$((tests_skipped + $(count_of skipped "$stage_note" | grep . || echo 0)))
    tests_failed=$((tests_failed + ${failed:-0} + ${errors:-0}))
}

# The last line, in pytest's form; exits with 1 when anything failed.
closing_line() {
    local line="$tests_passed passed"
    [ "$tests_failed" -gt 0 ] && line="$tests_failed failed, $line"
    [ "$tests_skipped" -gt 0 ] && line="$line, $tests_skipped skipped"
    [ "${#stages_failed[@]}" -gt 0 ] && echo "failed stages: ${stages_failed[*]} (logs: $HICRISP_ROOT/logs/test/)"
    echo "======== $line in $(($(date +%s) - stage_started))s ========"
    [ "${#stages_failed[@]}" -eq 0 ] || exit 1
    exit 0
}
