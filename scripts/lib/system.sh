# shellcheck shell=bash
# The packages that the system must have, and their installation: on Debian 12 the list below, on Noetic see noetic.sh.

message_packages=(std-msgs geometry-msgs nav-msgs sensor-msgs trajectory-msgs visualization-msgs diagnostic-msgs
    move-base-msgs std-srvs)

# Prints the packages that the workspace needs on Debian 12, one a line; those of the tests where "dev" is asked for.
apt_packages() {
    local name
    case " $* " in *" dev "*) echo chromium ;; esac
    printf '%s\n' catkin cmake make g++ python3-venv python3-dev \
        ros-message-generation ros-message-runtime rosout rosbash rospack-tools \
        python3-{rospy,roslaunch,rostest,actionlib,actionlib-msgs,rostopic,rosservice,rosparam,rosnode,rosmsg,rosbag} \
        python3-{message-filters,tf2-ros,tf2-geometry-msgs,dynamic-reconfigure,yaml,setuptools} \
        librostest-dev libactionlib-dev libactionlib-msgs-dev libdynamic-reconfigure-config-init-mutex-dev \
        ros-actionlib-msgs ros-rosgraph-msgs ros-tf2-msgs ros-robot-state-publisher joint-state-publisher \
        libosmesa6 libegl1 libgl1-mesa-dri
    # The Python module, the CMake configuration and the .msg files: each is a package of its own.
    for name in "${message_packages[@]}"; do
        printf '%s\n' "python3-$name" "lib$name-dev" "ros-$name"
    done
}

# missing_apt_packages [EXTRA...]: prints those of the packages that are not installed.
missing_apt_packages() {
    comm -23 <(apt_packages "$@" | sort) \
        <(apt_packages "$@" | xargs dpkg-query -W -f='${Package} ${db:Status-Abbrev}\n' 2>/dev/null | sed -n 's/ ii *$//p' | sort)
}

os_name() { (. /etc/os-release 2>/dev/null && printf '%s' "${PRETTY_NAME:-$ID}") || uname -s; }
os_codename() { (. /etc/os-release 2>/dev/null && printf '%s' "${VERSION_CODENAME:-}"); }

# Prints how to become root, or fails.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        printf 'env'
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        printf 'sudo'
    else
        return 1
    fi
}

ensure_system() { if on_noetic; then ensure_noetic; else ensure_debian "$@"; fi; }

ensure_debian() {
    local root
    local -a missing
    if command -v dpkg-query >/dev/null; then
        mapfile -t missing < <(missing_apt_packages "$@")
        [ "${#missing[@]}" -eq 0 ] && return 0
    fi
    [ "$(os_codename)" = bookworm ] || die "this is $(os_name); the workspace runs on Debian 12 and on Ubuntu 20.04 with ROS Noetic" \
        "on Ubuntu 20.04: install ROS Noetic (http://wiki.ros.org/noetic/Installation/Ubuntu)" \
        "anywhere else: use the containers in docker/, or a Debian 12 machine or container"
    root=$(as_root) || die "${#missing[@]} Debian packages are missing, and you are neither root nor may you use sudo" \
        "ask an administrator to run:" \
        "apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    [ "$root" = sudo ] && [ -t 0 ] && { sudo -v || die "sudo refused"; }

    say "set-up: ${#missing[@]} Debian packages are missing; installing them (up to two minutes) ..."
    if ! run_logged apt-update $root env DEBIAN_FRONTEND=noninteractive apt-get update; then
        die "apt-get update failed" "is this machine on the network, and are /etc/apt's sources right?"
    fi
    if ! run_logged apt-install $root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${missing[@]}"; then
        die "apt-get could not install: ${missing[*]}" "the packages are in Debian 12's main section"
    fi
    say "set-up: Debian packages installed"
}
