# shellcheck shell=bash
# Where ROS comes from. This is decided here and nowhere else: from /opt/ros/noetic (or the prefix in HICRISP_ROS) where that
# is there, else from Debian 12's own packages.

export HICRISP_ROS=${HICRISP_ROS:-/opt/ros/noetic}
if [ -f "$HICRISP_ROS/setup.bash" ]; then
    export HICRISP_PLATFORM=noetic HICRISP_REQUIREMENTS=noetic
else
    export HICRISP_PLATFORM=debian HICRISP_REQUIREMENTS=runtime
fi

on_noetic() { [ "$HICRISP_PLATFORM" = noetic ]; }

# Enters ROS's own environment, without the workspace's.
source_ros() {
    unset CMAKE_PREFIX_PATH ROS_PACKAGE_PATH PYTHONPATH
    # shellcheck source=/dev/null
    if on_noetic; then . "$HICRISP_ROS/setup.bash" --; fi
    # ROS's tools are made for the system's interpreter.
    PATH=/usr/bin:/bin:$PATH
}

# The embedded worlds need packages that Python 3.8 does not have.
needs_embedded_world() {
    on_noetic || return 0
    die "$1 runs the embedded world, which needs Debian 12 and Python 3.11; here ROS comes from $HICRISP_ROS" \
        "the same in Gazebo: source scripts/env && roslaunch hicrisp_bringup gazebo_panda.launch (docs/noetic.md)"
}
