# shellcheck shell=bash
# The environment of the workspace, for HICRISP_ROOT: ROS packages, .venv and the scripts on the paths.

# It brings the environment of the ROS that it was built on too. The -- keeps it from reading the caller's arguments.
if [ -n "${ZSH_VERSION:-}" ]; then . "$HICRISP_ROOT/devel/setup.zsh" --; else . "$HICRISP_ROOT/devel/setup.bash" --; fi
export PATH="$HICRISP_ROOT/.venv/bin:$HICRISP_ROOT/src/hicrisp_nodes/scripts:$PATH"
export ROS_MASTER_URI="${ROS_MASTER_URI:-http://localhost:11311}"
# Pictures without a display: by OSMesa where it is, else by EGL.
if [ -z "${MUJOCO_GL:-}" ]; then
    if /sbin/ldconfig -p 2>/dev/null | grep -q libOSMesa; then export MUJOCO_GL=osmesa; else export MUJOCO_GL=egl; fi
fi
# A host name that does not resolve makes every ROS connection fail; a local master needs none.
case $ROS_MASTER_URI in
    http://localhost:* | http://127.0.0.1:*)
        if [ -z "${ROS_IP:-}${ROS_HOSTNAME:-}" ]; then export ROS_IP=127.0.0.1; fi
        ;;
esac
