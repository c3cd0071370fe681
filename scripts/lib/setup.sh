# shellcheck shell=bash
# Set-up for the other scripts: source this file, then call `ensure_workspace [EXTRA...]`, with lists of requirements/ by name.

HICRISP_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
for part in common platform system prefix venv build; do
    # shellcheck source=/dev/null
    . "$HICRISP_ROOT/scripts/lib/$part.sh"
done
unset part

# A checkout that root has set up, or a folder of it that root has made, is of no use to another user.
check_writable() {
    local found
    mkdir -p "$HICRISP_ROOT/logs/setup" 2>/dev/null
    found=$(find "$HICRISP_ROOT" -maxdepth 2 -name .git -prune -o \( -type d -o -path '*/logs/setup/*' \) ! -writable -print -quit)
    [ -z "$found" ] || die "$(id -un) may not write in $found, which belongs to $(stat -c %U "$found")" \
        "clone the repository to a place of your own, or have root run: chown -R $(id -un) $HICRISP_ROOT"
}

# Installs and builds what is missing, then enters the workspace's environment. One at a time in a checkout.
ensure_workspace() {
    local lock
    case $HICRISP_ROOT in
        *[[:space:]]*) die "the path '$HICRISP_ROOT' has a space in it, which catkin does not take" "move the checkout" ;;
    esac
    check_writable
    exec {lock}>"$HICRISP_ROOT/logs/setup/lock"
    flock -n "$lock" || { say "set-up: waiting for another one in this checkout ..."; flock "$lock"; }
    ensure_system "$@"
    ensure_venv "$@"
    ensure_build
    exec {lock}>&-
    # shellcheck source=/dev/null
    . "$HICRISP_ROOT/scripts/lib/env.sh"
}
