# shellcheck shell=bash
# Where ROS and its Python come from. This is decided here and nowhere else, by what is there and never by a system's name:
# HICRISP_ROS is the prefix of a ROS 1 (the one that the user names, an active conda environment, or one below /opt/ros), or
# empty where ROS is to come from the system's own packages.

# A prefix of ROS 2 has a setup.bash, too, but no rospy.
is_ros1() { [ -f "$1/setup.bash" ] && [ -d "$1/share/rospy" ]; }

find_ros() {
    local prefix
    if [ -n "${HICRISP_ROS:-}" ]; then
        if [ -f "$HICRISP_ROS/setup.bash" ]; then printf '%s\n' "$HICRISP_ROS" && return; fi
        printf '%s\n' "HICRISP_ROS=$HICRISP_ROS has no setup.bash: ROS comes from the system's own packages" >&2
        return
    fi
    for prefix in "${CONDA_PREFIX:-/nowhere}" "/opt/ros/${ROS_DISTRO:-nowhere}" /opt/ros/*; do
        if is_ros1 "$prefix"; then printf '%s\n' "$prefix" && return; fi
    done
}

HICRISP_ROS=$(find_ros)
on_conda() { [ -n "$HICRISP_ROS" ] && [ -d "$HICRISP_ROS/conda-meta" ]; }
if [ -z "${HICRISP_PYTHON:-}" ]; then
    # ROS's modules are made for this interpreter.
    if on_conda; then HICRISP_PYTHON=$HICRISP_ROS/bin/python3; else HICRISP_PYTHON=/usr/bin/python3; fi
fi
export HICRISP_ROS HICRISP_PYTHON

# Prints the list of requirements/ that the interpreter takes; fails where it takes none.
requirements_list() {
    "$HICRISP_PYTHON" -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if v >= (3, 11) else 8 if v >= (3, 8) else 1)' 2>/dev/null
    case $? in
        0) echo runtime ;;
        8) echo noetic ;;
        *) return 1 ;;
    esac
}

python_version() { "$HICRISP_PYTHON" --version 2>/dev/null || echo "no $HICRISP_PYTHON"; }

# The embedded worlds, the tools for style and the training need packages that older interpreters do not have.
on_old_python() { [ "$(requirements_list)" = noetic ]; }

# Enters ROS's own environment, without the workspace's.
source_ros() {
    unset CMAKE_PREFIX_PATH ROS_PACKAGE_PATH PYTHONPATH
    # shellcheck source=/dev/null
    if [ -n "$HICRISP_ROS" ]; then . "$HICRISP_ROS/setup.bash" --; fi
    # ROS's tools take the first interpreter on the path.
    PATH=${HICRISP_PYTHON%/*}:/usr/bin:/bin:$PATH
}

# Whether ROS comes from the system's own packages, be it below a workspace that HICRISP_ROS names.
on_system_packages() (
    [ -z "$HICRISP_ROS" ] || { source_ros && [ "$(rospack find rospy 2>/dev/null)" = /usr/share/rospy ]; }
)

needs_embedded_world() {
    on_old_python || return 0
    die "$1 runs the embedded world, which needs Python 3.11 or newer; here is $(python_version)" \
        "the same in Gazebo: source scripts/env && roslaunch hicrisp_bringup gazebo_panda.launch (docs/noetic.md)"
}
