# shellcheck shell=bash
# Stages of a test run: each shows one line with its seconds, or all of its output when it fails. Many of them wait more
# than they work, so several run at a time.

stage_started=$(date +%s)
stage_run=$$.$RANDOM
stages_failed=()
stages_later=() stages_shown=()
pytest_options=(-q -p no:cacheprovider -p no:anyio --color=no --disable-warnings)
tests_passed=0 tests_failed=0 tests_skipped=0

# report_stage NAME STATUS SECONDS CPU_SECONDS [NOTE]
report_stage() { printf '%-24s %-7s %6s s %5s s CPU  %s\n' "$1" "$2" "$3" "$4" "${5:-}"; }

# run_stage NAME COMMAND...: its output goes to a log, its status and wall and CPU seconds to a file beside that. No process
# of it is left behind.
run_stage() {
    local name=$1 log=$HICRISP_ROOT/logs/test/$1.log status TIMEFORMAT='%R %U %S'
    shift
    mkdir -p "${log%/*}"
    { time env HICRISP_STAGE="$stage_run/$name" "$@" >"$log" 2>&1 </dev/null; } 2>"${log%.log}.time"
    status=$?
    end_stages "$name"
    printf '%s\n' "$status" >"${log%.log}.status"
}

# show_stage NAME: what became of a stage that ran.
show_stage() {
    local name=$1 log=$HICRISP_ROOT/logs/test/$1.log status seconds cpu
    read -r status <"${log%.log}.status"
    read -r seconds cpu < <(awk 'NR == 1 { printf "%.1f %.0f", $1, $2 + $3 }' "${log%.log}.time")
    stage_note=$(stage_summary "$log")
    if [ "$status" -eq 0 ]; then
        report_stage "$name" ok "$seconds" "$cpu" "$stage_note"
    else
        tail -n 200 "$log"
        report_stage "$name" FAILED "$seconds" "$cpu" "$stage_note"
        stages_failed+=("$name")
    fi
    return "$status"
}

# stage NAME COMMAND...
stage() {
    run_stage "$@"
    show_stage "$1"
}

skip_stage() { report_stage "$1" skipped - - "$2"; }

# The summary of pytest, without its seconds.
stage_summary() { sed -n 's/^=* *\([0-9][0-9]* [a-z].*\) in [0-9.]*s.*$/\1/p' "$1" | tail -n 1; }

count_of() { sed -n "s/.*\b\([0-9][0-9]*\) $1.*/\1/p" <<<"$2"; }

# pytest_stage NAME COMMAND...: adds what passed and failed to the closing line.
pytest_stage() {
    run_stage "$@" "${pytest_options[@]}"
    show_pytest_stage "$1"
}

show_pytest_stage() {
    local failed errors
    show_stage "$1"
    failed=$(count_of failed "$stage_note")
    errors=$(count_of error "$stage_note")
    tests_passed=$((tests_passed + $(count_of passed "$stage_note" | grep . || echo 0)))
    tests_skipped=$((tests_skipped + $(count_of skipped "$stage_note" | grep . || echo 0)))
    tests_failed=$((tests_failed + ${failed:-0} + ${errors:-0}))
}

# later stage|pytest_stage NAME COMMAND...: remembers a stage for run_later.
later() {
    local entry
    printf -v entry '%q ' "$@"
    stages_later+=("$entry")
}

# run_later JOBS: what was remembered, so many at a time; each is shown once it has ended.
run_later() {
    local -a entry
    local next=0 running=0 each
    rm -f "$HICRISP_ROOT"/logs/test/*.status
    set -m # Each stage gets a process group of its own, which Ctrl-C and the end of this script end.
    trap 'end_running; exit 130' INT
    trap 'end_running; exit 143' TERM HUP
    while [ "$next" -lt "${#stages_later[@]}" ] || [ "$running" -gt 0 ]; do
        while [ "$running" -lt "$1" ] && [ "$next" -lt "${#stages_later[@]}" ]; do
            eval "entry=(${stages_later[$next]})"
            [ "${entry[0]}" = pytest_stage ] && entry+=("${pytest_options[@]}")
            run_stage "${entry[@]:1}" &
            next=$((next + 1)) running=$((running + 1))
        done
        wait -n
        running=$((running - 1))
        for each in "${!stages_later[@]}"; do show_if_ended "$each"; done
    done
    trap - INT TERM HUP
    set +m
}

show_if_ended() {
    local -a entry
    eval "entry=(${stages_later[$1]})"
    [ -z "${stages_shown[$1]:-}" ] && [ -s "$HICRISP_ROOT/logs/test/${entry[1]}.status" ] || return
    stages_shown[$1]=yes
    "show_${entry[0]}" "${entry[1]}"
}

# The running stages are told to end, then made to.
end_running() {
    local each
    trap '' INT TERM HUP
    for each in $(jobs -p); do kill -INT -- "-$each" 2>/dev/null; done
    end_stages
    for each in $(jobs -p); do kill -KILL -- "-$each" 2>/dev/null; done
    wait
}

# end_stages [NAME]: ends what is left of one stage, or of all of this run: roslaunch gives its nodes process groups of their
# own, but they keep the environment.
end_stages() {
    local signal left tries
    for signal in INT TERM KILL; do
        for tries in {1..20}; do
            mapfile -t left < <(grep -lsz "^HICRISP_STAGE=$stage_run/${1:-.*}\$" /proc/[0-9]*/environ | cut -d/ -f3)
            [ "${#left[@]}" -gt 0 ] || return 0
            [ "$tries" -gt 1 ] || kill -s "$signal" "${left[@]}" 2>/dev/null
            sleep 0.25
        done
    done
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
