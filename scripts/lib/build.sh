# shellcheck shell=bash
# The catkin build, done again only when something changed that it looks at.

# What the build reads, a line each, files with a hash. Python modules are used from src/, so a change in one needs no build.
build_fingerprint() {
    local src=$HICRISP_ROOT/src
    {
        printf '%s\n' "$HICRISP_ROOT" "$HICRISP_PYTHON" "$HICRISP_ROS"
        find "$src" \( -name package.xml -o -name CMakeLists.txt -o -name setup.py -o -name '*.msg' -o -name '*.srv' \
            -o -name '*.action' -o -name '*.cfg' -o -name '*.cpp' -o -name '*.h' -o -name '*.hpp' -o -name '*.in' \) \
            -type f -print0 | sort -z | xargs -0 sha256sum
        # catkin_python_setup() and catkin_install_python() read the names of packages and of programs.
        find "$src" \( -path '*/nodes/*' -o -path '*/scripts/*' -o -name __init__.py \) -type f | sort
    }
}

build_is_current() {
    [ -f "$HICRISP_ROOT/devel/setup.bash" ] &&
        [ "$(cat "$HICRISP_ROOT/build/.fingerprint" 2>/dev/null)" = "$(build_fingerprint)" ]
}

# A build that was made in another place, or with another interpreter, cannot be continued.
drop_foreign_build() {
    local cache=$HICRISP_ROOT/build/CMakeCache.txt
    [ -f "$cache" ] || return 0
    grep -q "^CMAKE_HOME_DIRECTORY:INTERNAL=$HICRISP_ROOT/src$" "$cache" &&
        grep -q "^PYTHON_EXECUTABLE:[A-Z]*=$HICRISP_ROOT/.venv/bin/python3$" "$cache" && return 0
    rm -rf "$HICRISP_ROOT/build" "$HICRISP_ROOT/devel"
}

# Make goes by times alone: it would take a file that is another one and no newer, as copies keep it, for the one that was built.
touch_changed_sources() {
    comm -13 <(sort "$HICRISP_ROOT/build/.fingerprint" 2>/dev/null) <(sort <<<"$1") | sed -n 's/^[0-9a-f]\{64\}  //p' |
        xargs --no-run-if-empty --delimiter='\n' touch --no-create --
}

catkin_build() (
    cd "$HICRISP_ROOT" || exit 1
    source_ros
    # Messages are wanted for Python alone; the other generators cost most of the build.
    export ROS_LANG_DISABLE=gencpp:geneus:genlisp:gennodejs
    # CMake runs again, for it alone notices that a message has come to use another one. Catkin calls the interpreter by the
    # first name up to 0.8.10, by the second since.
    exec catkin_make --force-cmake -DPYTHON_EXECUTABLE="$HICRISP_ROOT/.venv/bin/python3" -DPython_EXECUTABLE="$HICRISP_ROOT/.venv/bin/python3"
)

# Half of a node's start is compiling Python, where PYTHONDONTWRITEBYTECODE keeps the interpreter from keeping the result.
compile_python() {
    "$HICRISP_ROOT/.venv/bin/python3" -m compileall -q "$HICRISP_ROOT"/src/*/src \
        "$HICRISP_ROOT/devel/lib/python3/dist-packages" >/dev/null 2>&1 || true
}

ensure_build() {
    local fingerprint
    if ! build_is_current; then
        say "set-up: building the catkin workspace ..."
        drop_foreign_build
        fingerprint=$(build_fingerprint)
        touch_changed_sources "$fingerprint"
        run_logged catkin_make catkin_build ||
            die "catkin_make failed" "the whole log: $HICRISP_ROOT/logs/setup/catkin_make.log"
        printf '%s\n' "$fingerprint" >"$HICRISP_ROOT/build/.fingerprint"
    fi
    compile_python
}
