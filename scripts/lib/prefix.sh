# shellcheck shell=bash
# What the workspace needs where ROS has a prefix of its own (Noetic, ROS One, RoboStack): the dependencies in the package.xml
# files, by rosdep or by conda.

# missing_dependencies [--drivers]: prints what is not there, one a line: what every run needs, or what single drivers, worlds and
# launch files ask for beside that.
missing_dependencies() (
    source_ros
    "$HICRISP_PYTHON" "$HICRISP_ROOT/scripts/lib/dependencies.py" "$HICRISP_ROOT/src" "$@"
)

# how_to_install PACKAGE...: prints the command that brings ROS packages, where the scripts do not do it themselves.
how_to_install() {
    local distro=noetic each
    on_system_packages || distro=$(source_ros && printf '%s' "${ROS_DISTRO:-noetic}")
    if on_conda; then printf 'conda install'; else printf 'apt-get install'; fi
    for each in "$@"; do
        case $each in
            python3-*) printf ' %s' "$each" ;; # Not of ROS, but of the system.
            *) printf ' ros-%s-%s' "$distro" "$each" ;;
        esac
    done | tr _ -
}

rosdep_install() (
    source_ros
    cd "$HICRISP_ROOT" || exit 1
    "$@" rosdep install --from-paths src --ignore-src --rosdistro "${ROS_DISTRO:-noetic}" -y -r
)

# What single drivers ask for is tried once: a distribution need not have all of it.
ensure_prefix() {
    local root tried=$HICRISP_ROOT/logs/setup/rosdep.tried
    local -a missing lacking
    mapfile -t missing < <(missing_dependencies)
    mapfile -t lacking < <(missing_dependencies --drivers)
    [ "${#missing[@]}" -gt 0 ] || [ "${lacking[*]}" != "$(cat "$tried" 2>/dev/null)" ] || return 0
    if on_conda || ! root=$(as_root) || ! command -v rosdep >/dev/null; then
        [ "${#missing[@]}" -gt 0 ] || return 0
        die "${#missing[@]} packages are missing in $HICRISP_ROS: ${missing[*]}" "install them: $(how_to_install "${missing[@]}")" \
            "all that the workspace can use comes by rosdep, as root or with sudo (docs/noetic.md)"
    fi
    [ "$root" = sudo ] && [ -t 0 ] && { sudo -v || die "sudo refused"; }

    say "set-up: $((${#missing[@]} + ${#lacking[@]})) packages are missing; installing them (MoveIt and Gazebo take minutes) ..."
    run_logged apt-update $root env DEBIAN_FRONTEND=noninteractive apt-get update ||
        die "apt-get update failed" "did ROS's key expire? docs/noetic.md says how to renew it"
    if [[ " ${missing[*]} " = *" python3-venv "* ]]; then
        run_logged apt-venv $root apt-get install -y python3-venv || die "apt-get could not install python3-venv"
    fi
    [ -n "$(find /etc/ros/rosdep/sources.list.d -name '*.list' 2>/dev/null)" ] || run_logged rosdep-init $root rosdep init ||
        die "rosdep init failed" "is raw.githubusercontent.com reachable?"
    run_logged rosdep-update rosdep update --include-eol-distros || die "rosdep update failed"
    run_logged rosdep-install rosdep_install env DEBIAN_FRONTEND=noninteractive ||
        say "set-up: rosdep could not install everything; the log: $HICRISP_ROOT/logs/setup/rosdep-install.log"
    mapfile -t missing < <(missing_dependencies)
    [ "${#missing[@]}" -eq 0 ] || die "rosdep installed what it knows, and still missing is: ${missing[*]}" \
        "by hand: $(how_to_install "${missing[@]}")"
    mapfile -t lacking < <(missing_dependencies --drivers)
    [ "${#lacking[@]}" -eq 0 ] || say "set-up: without ${lacking[*]}; launch files that need them say so"
    printf '%s\n' "${lacking[*]}" >"$tried"
    say "set-up: packages installed"
}

# noetic_stages [NAME]: the tests over ROS that need the real stack, or the one of them with that name.
noetic_stages() {
    local only=$1 tests=$HICRISP_ROOT/src/hicrisp_bringup/test
    local -a files missing
    mapfile -t files < <(find "$tests/noetic" -name "${only:-*}.test" 2>/dev/null | sort)
    [ "${#files[@]}" -gt 0 ] || die "no test '${only:-*}' in $tests/noetic" \
        "there are: $(find "$tests/noetic" -name '*.test' -printf '%f ' 2>/dev/null)"
    ensure_workspace
    mapfile -t missing < <(python3 "$tests/missing_packages.py" "${files[@]}")
    [ "${#missing[@]}" -eq 0 ] || die "these tests need real MoveIt, Gazebo or move_base, and here is no ${missing[*]}" \
        "they run where ROS has a prefix of its own with these packages, or in the container: docker/ (docs/noetic.md)" \
        "in such a place: $(how_to_install "${missing[@]}")"
    HICRISP_ROSTESTS=noetic pytest_stage rostests-noetic python3 -m pytest "$tests/run_rostests.py${only:+::test_rostest[$only]}"
}
