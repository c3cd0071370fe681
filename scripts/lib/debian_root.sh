#!/usr/bin/env bash
# Runs the scripts on another Debian, beside the one of this machine: `scripts/lib/debian_root.sh --help`.

. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
usage="usage: scripts/lib/debian_root.sh SUITE FOLDER [COMMAND...]"
case ${1:-} in
    "" | -h | --help)
        echo "$usage"
        echo "  makes a root of the Debian SUITE (trixie) in FOLDER by debootstrap, unless it is there, copies the checkout into it as"
        echo "  /hicrisp, and runs COMMAND there, scripts/test by default. As root. Packages come from where this machine has its"
        echo "  own from: apt's Debian mirror, and pip's indexes, with those that lie on its disk."
        exit 0
        ;;
esac
suite=$1 root=${2:?$usage}
shift 2
[ $# -gt 0 ] || set -- scripts/test
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
[ "$(id -u)" -eq 0 ] || die "debootstrap and chroot need root"

# The mirror is the one of this machine's Debian, without its further archives.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Created-By: Packages' 2>/dev/null | grep -v security | head -n 1)
if [ ! -d "$root/var/lib/dpkg/info" ]; then
    command -v debootstrap >/dev/null || die "there is no debootstrap" "apt-get install debootstrap"
    say "making $root of Debian's $suite ..."
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" ${mirror:+"$mirror"} >/dev/null || die "debootstrap failed"
fi

# What the checkout has no more must not stay in a copy of before; what git ignores stays: the builds, the logs, the environments.
mkdir -p "$root/hicrisp"
(cd "$root/hicrisp" && git --git-dir="$(git -C "$checkout" rev-parse --absolute-git-dir)" --work-tree=. clean -d --force --quiet) ||
    die "the copy of before could not be cleared"
(cd "$checkout" && git ls-files -z --cached --others --exclude-standard |
    xargs -0 sh -c 'for file; do [ ! -e "$file" ] || printf "%s\0" "$file"; done' files |
    tar --null --files-from=- --create) | tar --extract --directory "$root/hicrisp" || die "the checkout could not be copied"

# pip's settings, and the folders that they name, are this machine's; the files of an index on disk lie beside its pages.
mapfile -t settings < <(find /etc/pip.conf /etc/xdg/pip "$HOME/.config/pip" "$HOME/.pip" -type f 2>/dev/null)
{ cat "${settings[@]}" /dev/null; env | grep '^PIP_'; } >"$root/tmp/pip_settings"
mapfile -t folders < <(sed 's#file://\(/[^ ]*\)/[^/ ]*#\1#g' "$root/tmp/pip_settings" | grep -o '/[[:alnum:]_./-]*' | sort -u)
for each in "${settings[@]}"; do
    install -D --mode=644 "$each" "$root${each/#$HOME/\/root}"
done

# In namespaces of its own: what the command mounts and leaves running is gone with it.
export root folders_there="${folders[*]}"
exec unshare --mount --pid --fork --kill-child bash -c '
    mount --make-rprivate / && mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount -t tmpfs tmpfs "$root/dev/shm"
    for each in $folders_there; do
        if [ -d "$each" ]; then
            mkdir -p "$root$each" && mount --bind -o ro "$each" "$root$each"
        elif [ -f "$each" ] && ! [ "$each" -ef "$root$each" ]; then
            install -D --mode=644 "$each" "$root$each"
        fi
    done
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    mapfile -t kept < <(env | grep "^PIP_\|^HICRISP_TEST_JOBS=")
    exec chroot "$root" /usr/bin/env -i HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin "${kept[@]}" \
        bash -c "cd /hicrisp && exec \"\$@\"" command "$@"
' command "$@"
