#!/usr/bin/env bash
# Renews requirements/locked, the hashes by which set-up knows what it installs: `scripts/lib/lock.sh [LIST...]`, with lists of
# requirements/ by name; all that are locked by default. The hashes are those of every file that the index has of a version, so
# that any machine's own wheel is among them.

. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$HICRISP_ROOT" || exit 1
venv=$HICRISP_ROOT/.venv-audit
[ $# -gt 0 ] || mapfile -t lists < <(find requirements/locked -name '*.txt' -printf '%f\n' | sort)
[ $# -eq 0 ] || lists=("${@/%/.txt}")
if [ -f requirements/locked/audit.txt ]; then
    ensure_audit
else
    make_venv "$venv" /usr/bin/python3
    run_logged pip-uv "$venv/bin/python3" -m pip install --no-input "$(grep -o '^uv==[^ ]*' requirements/audit.txt)" || die "no uv"
fi
index=${PIP_INDEX_URL:-$("$venv/bin/python3" -m pip config get global.index-url 2>/dev/null)}
for list in "${lists[@]}"; do
    case $list in
        noetic.txt | dev38.txt) python=3.8 ;;
        *) python=3.11 ;;
    esac
    made=$(mktemp)
    "$venv/bin/uv" pip compile "requirements/$list" --no-deps --generate-hashes --no-header --no-annotate --no-config --upgrade \
        --quiet --python-version "$python" ${index:+--default-index "$index"} --output-file "$made" >/dev/null ||
        die "no hashes for requirements/$list" "is this machine on the network, and does the index have every version?"
    { echo "# Made by scripts/lib/lock.sh from ../$list: its pins with the hashes of their files."; cat "$made"; } \
        >"requirements/locked/$list"
    rm -f "$made"
    say "requirements/locked/$list: $(grep -c -- --hash "requirements/locked/$list") hashes"
done
