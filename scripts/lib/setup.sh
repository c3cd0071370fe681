# shellcheck shell=bash
# Set-up for the other scripts: source this file, then call `ensure_workspace [EXTRA...]`, with lists of requirements/ by name.

HICRISP_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
for part in common platform system noetic venv build; do
    # shellcheck source=/dev/null
    . "$HICRISP_ROOT/scripts/lib/$part.sh"
done
unset part

# Installs and builds what is missing, then enters the workspace's environment. One at a time in a checkout.
ensure_workspace() {
    local lock
    case $HICRISP_ROOT in
        *[[:space:]]*) die "the path '$HICRISP_ROOT' has a space in it, which catkin does not take" "move the checkout" ;;
    esac
    mkdir -p "$HICRISP_ROOT/logs/setup" || die "cannot write in $HICRISP_ROOT" "clone the repository to a place of your own"
    exec {lock}>"$HICRISP_ROOT/logs/setup/lock"
    flock -n "$lock" || { say "set-up: waiting for another one in this checkout ..."; flock "$lock"; }
    ensure_system "$@"
    ensure_venv "$@"
    ensure_build
    exec {lock}>&-
    # shellcheck source=/dev/null
    . "$HICRISP_ROOT/scripts/lib/env.sh"
}
