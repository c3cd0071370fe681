# shellcheck shell=bash
# The packages that the system must have, and their installation: the list below where ROS comes from the system's own packages,
# else see prefix.sh.

message_packages=(std-msgs geometry-msgs nav-msgs sensor-msgs trajectory-msgs visualization-msgs diagnostic-msgs
    move-base-msgs std-srvs)

# Prints the packages that the workspace needs from Debian or a system made from it, one a line; those of the tests where "dev" is
# asked for.
apt_packages() {
    local name
    # Ubuntu has no such package; apt knows of none at all before its lists are there.
    case " $* " in
        *" dev "*) apt-cache show chromium >/dev/null 2>&1 || ! apt-cache show catkin >/dev/null 2>&1 && echo chromium ;;
    esac
    printf '%s\n' catkin cmake make g++ python3-venv python3-dev \
        ros-environment ros-message-generation ros-message-runtime rosout rosbash rospack-tools \
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

ensure_system() { if on_system_packages; then ensure_packages "$@"; else ensure_prefix; fi; }

# unavailable_packages NAME...: prints those that no package source of the system has.
unavailable_packages() {
    comm -23 <(printf '%s\n' "$@" | sort) <(LC_ALL=C apt-cache policy "$@" 2>/dev/null |
        awk '/^[^ ].*:$/ { name = substr($1, 1, length($1) - 1) } $1 == "Candidate:" && $2 != "(none)" { print name }' | sort)
}

# Prints why ROS cannot come from the system's packages, and what else there is.
no_packages() {
    die "this is $(os_name), and $1" \
        "ROS 1 is in the packages of Debian 12 and 13, and of Ubuntu 22.04 and newer (section universe)" \
        "or it has a prefix: ROS One or Noetic below /opt/ros, RoboStack in an active conda environment (docs/noetic.md)" \
        "HICRISP_ROS names another prefix; docker/ has a container"
}

ensure_packages() {
    local root
    local -a missing unavailable
    command -v apt-get >/dev/null || no_packages "there is neither a ROS 1 prefix nor apt-get"
    mapfile -t missing < <(missing_apt_packages "$@")
    [ "${#missing[@]}" -eq 0 ] && return 0
    root=$(as_root) || die "${#missing[@]} packages are missing, and you are neither root nor may you use sudo" \
        "ask an administrator to run:" \
        "apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    [ "$root" = sudo ] && [ -t 0 ] && { sudo -v || die "sudo refused"; }

    say "set-up: ${#missing[@]} packages are missing; installing them (up to two minutes) ..."
    if ! run_logged apt-update $root env DEBIAN_FRONTEND=noninteractive apt-get update; then
        die "apt-get update failed" "is this machine on the network, and are /etc/apt's sources right?"
    fi
    mapfile -t unavailable < <(unavailable_packages "${missing[@]}")
    [ "${#unavailable[@]}" -eq 0 ] || no_packages "its package sources have no ${unavailable[*]}"
    if ! run_logged apt-install $root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${missing[@]}"; then
        die "apt-get could not install: ${missing[*]}"
    fi
    say "set-up: packages installed"
}
