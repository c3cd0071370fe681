# shellcheck shell=bash
# What the workspace needs where ROS is Noetic: the dependencies in the package.xml files, by rosdep.

# Prints the dependencies that are not there, one a line.
missing_dependencies() (
    source_ros
    /usr/bin/python3 "$HICRISP_ROOT/scripts/lib/dependencies.py" "$HICRISP_ROOT/src"
    /usr/bin/python3 -c 'import ensurepip' 2>/dev/null || echo python3-venv
)

rosdep_install() (
    source_ros
    cd "$HICRISP_ROOT" || exit 1
    "$@" rosdep install --from-paths src --ignore-src --rosdistro noetic -y
)

ensure_noetic() {
    local root
    local -a missing
    mapfile -t missing < <(missing_dependencies)
    [ "${#missing[@]}" -eq 0 ] && return 0
    root=$(as_root) && command -v rosdep >/dev/null || die "${#missing[@]} packages are missing: ${missing[*]}" \
        "they come by rosdep, as root or with sudo:" \
        "apt-get install -y python3-rosdep python3-venv; rosdep init; rosdep update --include-eol-distros" \
        "rosdep install --from-paths $HICRISP_ROOT/src --ignore-src --rosdistro noetic -y"
    [ "$root" = sudo ] && [ -t 0 ] && { sudo -v || die "sudo refused"; }

    say "set-up: ${#missing[@]} packages are missing; installing them (MoveIt and Gazebo take minutes) ..."
    run_logged apt-update $root env DEBIAN_FRONTEND=noninteractive apt-get update ||
        die "apt-get update failed" "did ROS's key expire? docs/noetic.md says how to renew it"
    if [[ " ${missing[*]} " = *" python3-venv "* ]]; then
        run_logged apt-venv $root apt-get install -y python3-venv || die "apt-get could not install python3-venv"
    fi
    [ -n "$(find /etc/ros/rosdep/sources.list.d -name '*.list' 2>/dev/null)" ] || run_logged rosdep-init $root rosdep init ||
        die "rosdep init failed" "is raw.githubusercontent.com reachable?"
    run_logged rosdep-update rosdep update --include-eol-distros --rosdistro noetic || die "rosdep update failed"
    run_logged rosdep-install rosdep_install env DEBIAN_FRONTEND=noninteractive || die "rosdep could not install everything"
    mapfile -t missing < <(missing_dependencies)
    [ "${#missing[@]}" -eq 0 ] || die "rosdep installed what it knows, and still missing is: ${missing[*]}"
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
        "they run on Ubuntu 20.04 with ROS Noetic, or in the container: docker/ (docs/noetic.md)" \
        "on Noetic, as root: apt-get install$(printf ' ros-noetic-%s' "${missing[@]//_/-}")"
    HICRISP_ROSTESTS=noetic pytest_stage rostests-noetic python3 -m pytest "$tests/run_rostests.py${only:+::test_rostest[$only]}"
}
