# shellcheck shell=bash
# The virtual environments: .venv over the system's packages, and .venv38 for the core's tests under Python 3.8.

# stamp_of FILE...: a hash of the files, of where the checkout lies and of its interpreter.
stamp_of() { { printf '%s\n' "$HICRISP_ROOT" "$VENV_BASE_PYTHON"; cat "$@"; } | sha256sum | cut -d' ' -f1; }

# pins_of REQUIREMENTS: its pins, one a line, as pip compares names.
pins_of() {
    awk -F'==' '/^[A-Za-z0-9]/ { name = tolower($1); gsub(/[-_.]+/, "-", name); split($2, version, /[ \\;#]/)
        print name "==" version[1] }' "$1" | sort
}

# locked_list REQUIREMENTS: the list with the hashes of the same pins; the list itself where it has none.
locked_list() {
    local locked=${1%/*}/locked/${1##*/}
    [ -f "$locked" ] || { printf '%s\n' "$1" && return; }
    [ "$(pins_of "$1")" = "$(pins_of "$locked")" ] || die "$locked has other pins than $1" \
        "renew its hashes: scripts/lib/lock.sh $(basename "$1" .txt)"
    printf '%s\n' "$locked"
}

# pip_install VENV REQUIREMENTS NAME
pip_install() {
    local venv=$1 requirements=$2 name=$3
    local -a strict=()
    [[ $requirements != */locked/* ]] || strict=(--require-hashes)
    say "set-up: installing $(grep -c '==' "$requirements") Python packages into ${venv##*/} (${requirements##*/}) ..."
    if ! run_logged "$name" "$venv/bin/python3" -m pip install --disable-pip-version-check --no-input --no-deps \
        "${strict[@]}" --requirement "$requirements"; then
        ! grep -q 'DO NOT MATCH THE HASHES' "$HICRISP_ROOT/logs/setup/$name.log" ||
            die "a package is not the file that $requirements names: it was replaced, or a mirror made it anew" \
                "look at who serves it; where you trust them, scripts/lib/lock.sh $(basename "$requirements" .txt) takes their files"
        die "pip could not install $requirements" \
            "are there wheels for $("$venv/bin/python3" --version)? The lists were tried on Python 3.8, 3.11 and 3.13" \
            "is this machine on the network? Behind a proxy set HTTPS_PROXY and PIP_CERT; with a mirror set PIP_INDEX_URL"
    fi
}

# ensure_list VENV REQUIREMENTS: does nothing when the list was installed before.
ensure_list() {
    local venv=$1 requirements stamp_file stamp
    requirements=$(locked_list "$2") || exit 1
    stamp_file=$venv/.installed-$(basename "$requirements" .txt)
    stamp=$(stamp_of "$requirements")
    [ "$(cat "$stamp_file" 2>/dev/null)" = "$stamp" ] && return 0
    pip_install "$venv" "$requirements" "pip-$(basename "$requirements" .txt)"
    printf '%s\n' "$stamp" >"$stamp_file"
}

# make_venv VENV PYTHON [OPTION...]: makes it anew when it belongs to another place or another interpreter.
make_venv() {
    local venv=$1 python=$2 made_for
    shift 2
    made_for="$venv $python"
    [ -x "$venv/bin/python3" ] && [ "$(cat "$venv/.made-for" 2>/dev/null)" = "$made_for" ] && return 0
    rm -rf "$venv"
    run_logged "venv-${venv##*/}" "$python" -m venv "$@" "$venv" || die "could not make $venv with $python"
    printf '%s\n' "$made_for" >"$venv/.made-for"
}

# A rospkg or catkin_pkg from pip would hide the system's, and with it every ROS package of the system.
check_not_shadowed() {
    local found
    found=$(find "$HICRISP_ROOT/.venv/lib" -maxdepth 3 \( -name rospkg -o -name catkin_pkg \) -print -quit)
    [ -z "$found" ] || die "$found hides the system's own" "remove it: $HICRISP_ROOT/.venv/bin/pip uninstall rospkg catkin_pkg"
}

# ensure_venv [EXTRA...]: with further lists of requirements/. For an older interpreter there is one list, and no wheels for the
# others.
ensure_venv() {
    local venv=$HICRISP_ROOT/.venv own list
    own=$(requirements_list) || die "the workspace needs Python 3.8 or newer, and here is $(python_version)"
    VENV_BASE_PYTHON=$HICRISP_PYTHON
    make_venv "$venv" "$VENV_BASE_PYTHON" --system-site-packages
    for list in "$own" "$@"; do
        if [ "$own" = noetic ] && [ "$list" != noetic ]; then continue; fi
        ensure_list "$venv" "$HICRISP_ROOT/requirements/$list.txt"
    done
    check_not_shadowed
}

# Prints a Python 3.8, or fails. HICRISP_PYTHON38 names one that is not found by itself.
find_python38() {
    local candidate
    for candidate in "${HICRISP_PYTHON38:-}" python3.8 "$HOME"/.pyenv/versions/3.8*/bin/python3.8 \
        "$HOME"/.local/share/uv/python/cpython-3.8*/bin/python3.8 /opt/python*3.8*/bin/python3.8 /usr/local/bin/python3.8; do
        [ -n "$candidate" ] || continue
        if "$candidate" -c 'import sys, venv; sys.exit(sys.version_info[:2] != (3, 8))' >/dev/null 2>&1; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

# ensure_venv38 PYTHON
ensure_venv38() {
    VENV_BASE_PYTHON=$1
    make_venv "$HICRISP_ROOT/.venv38" "$1"
    ensure_list "$HICRISP_ROOT/.venv38" "$HICRISP_ROOT/requirements/noetic.txt"
    ensure_list "$HICRISP_ROOT/.venv38" "$HICRISP_ROOT/requirements/dev38.txt"
}

# The LIBERO benchmark with the MuJoCo, NumPy and robosuite that it needs, apart from everything else.
ensure_libero() {
    VENV_BASE_PYTHON=$HICRISP_PYTHON
    make_venv "$HICRISP_ROOT/.venv-libero" "$VENV_BASE_PYTHON"
    ensure_list "$HICRISP_ROOT/.venv-libero" "$HICRISP_ROOT/requirements/libero.txt"
}

# What scripts/audit and scripts/lib/lock.sh work with, apart from everything else.
ensure_audit() {
    VENV_BASE_PYTHON=/usr/bin/python3
    mkdir -p "$HICRISP_ROOT/logs/setup"
    make_venv "$HICRISP_ROOT/.venv-audit" "$VENV_BASE_PYTHON"
    ensure_list "$HICRISP_ROOT/.venv-audit" "$HICRISP_ROOT/requirements/audit.txt"
}
