#!/bin/sh
# Installs what $INSTALLED says (lines "MODE|FOLDER|FILES"; FILE.in becomes FILE, edited by $EDITS),
# and notes every file, and every folder it had to make, in LIST.  What LIST noted from an earlier
# install and is installed no more is removed.  uninstall removes what LIST notes, the folders only
# if they are empty: what others put there stays.
# usage: install.sh install|uninstall DESTDIR LIST
set -eu
umask 022
export LC_ALL=C
action=$1 root=$2 list=$3
fail() { echo "$action: $1" >&2; exit 2; }
remove() { # reads files and folders/ from standard input
	sort -r | while IFS= read -r old; do
		case $old in
		*/) rmdir "$root$old" 2>/dev/null || : ;;
		*) rm -f "$root$old" ;;
		esac
	done
}

if [ "$action" = uninstall ]; then
	[ -f "$root$list" ] || fail "there is no $root$list, which would say what was installed: give the prefix and DESTDIR of the install"
	noted=$(cat "$root$list")
	printf '%s\n' "$noted" "$list" | remove
	exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
new=$work/new
: >"$new"
folder() { # makes it, and the folders above it
	case $1 in /*) ;; *) fail "$1 is no absolute path" ;; esac
	[ ! -d "$root$1" ] || return 0
	[ "$1" = / ] || folder "$(dirname "$1")"
	mkdir -p "$root$1"
	printf '%s/\n' "${1%/}" >>"$new"
}
printf '%s\n' "$INSTALLED" | while IFS='|' read -r mode to files; do
	[ -n "$files" ] || continue
	folder "$to"
	# The files are words and patterns on purpose.
	for from in $files; do
		[ -f "$from" ] || fail "$from is missing: run make first"
		name=${from##*/}
		case $name in *.in)
			name=${name%.in}
			sed "$EDITS" "$from" >"$work/edited"
			from=$work/edited
			;;
		esac
		${INSTALL:-install} -m "$mode" "$from" "$root$to/$name"
		printf '%s\n' "$to/$name" >>"$new"
	done
done
folder "$(dirname "$list")"
if [ -f "$root$list" ]; then
	grep '/$' "$root$list" >>"$new" || : # folders that were made then are still ours
	grep -vxF -f "$new" "$root$list" >"$work/gone" || :
	remove <"$work/gone"
fi
sort -u "$new" >"$work/edited"
${INSTALL:-install} -m 644 "$work/edited" "$root$list"
