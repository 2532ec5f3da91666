#!/bin/sh
# Runs commands on a bare Debian: makes a fresh root with nothing but ca-certificates, git and make,
# clones the committed tree into it, runs the commands there in turn, and removes it.
#
# usage: bare.sh SUITE COMMAND...
#   SUITE    bookworm (Debian 12), trixie (Debian 13) or another one that mmdebstrap knows
#   COMMAND  a line for sh, run by root in a clone of the tree; "user:COMMAND" is run by an ordinary
#            user in a clone of that user's own.  The first that fails ends the script with its status.
# Environment: BARE_ROOT names a folder to keep the root in, which is used again where it exists;
# BARE_PUT copies the files and folders it names (words) to /put of the root.
#
# Needs root and the package mmdebstrap.  Mounts and processes live in namespaces of their own, which
# end with the script: nothing of the machine can be removed with the root.
set -eu
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
fail() { echo "bare.sh: $1" >&2; exit 5; }

# The part inside the namespaces: ROOT COMMAND...
if [ "${1:-}" = --inside ]; then
	root=$2
	shift 2
	for folder in proc sys dev; do mkdir -p "$root/$folder"; done
	mount -t proc proc "$root/proc"
	mount --rbind /sys "$root/sys"
	mount --rbind /dev "$root/dev"
	for command; do
		printf '\n--- %s: %s\n' "$(cat "$root/etc/debian_version")" "$command" >&2
		case $command in
		user:*) who=user home=/home/user command=${command#user:} ;;
		*) who=root home=/root ;;
		esac
		# shellcheck disable=SC2016 # it expands inside
		chroot "$root" /usr/bin/env -i HOME=$home USER=$who LOGNAME=$who LANG=C.UTF-8 \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			setpriv --reuid=$who --regid=$who --init-groups --no-new-privs \
			sh -c 'cd ~/evenhand && exec sh -c "$1"' sh "$command" </dev/null
	done
	exit 0
fi

[ $# -ge 2 ] || usage
suite=$1
shift
[ "$(id -u)" = 0 ] || fail "a root file system is made by root: run it as root, for example by sudo"
command -v mmdebstrap >/dev/null 2>&1 || fail "mmdebstrap is missing: apt-get install mmdebstrap"
src=$(cd "$(dirname "$0")/.." && pwd -P)
if [ -n "${BARE_ROOT:-}" ]; then
	root=$BARE_ROOT
else
	work=$(mktemp -d "${TMPDIR:-/var/tmp}/evenhand-bare.XXXXXX")
	trap 'rm -rf --one-file-system "$work"' EXIT
	trap 'exit 130' INT TERM HUP
	root=$work/root
fi
if [ ! -d "$root/etc" ]; then
	rm -rf --one-file-system "$root.new"
	mmdebstrap --quiet --variant=minbase --include=ca-certificates,git,make "$suite" "$root.new" ||
		fail "mmdebstrap could not make a root of $suite: see its messages above"
	chroot "$root.new" useradd --create-home --shell /bin/sh user
	[ ! -d "$root" ] || rmdir "$root"
	mv "$root.new" "$root"
fi
chmod 755 "$root"
for home in root home/user; do
	rm -rf --one-file-system "${root:?}/$home/evenhand"
	git clone --quiet --no-hardlinks "$src" "$root/$home/evenhand"
done
chroot "$root" chown -R user:user /home/user
rm -rf --one-file-system "${root:?}/put"
for put in ${BARE_PUT:-}; do
	mkdir -p "$root/put"
	cp -r "$put" "$root/put/"
done
unshare --mount --pid --fork --kill-child sh "$0" --inside "$root" "$@"
