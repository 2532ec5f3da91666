#!/bin/sh
# Decides whether everything must be linked again.  NEW has the flags of linking in its first
# line and then the files that are made; it becomes FILE.  What only FILE names is made no more: it
# is removed, with the folder of its kernels where it is their .stamp.  FILE gets a new time, upon
# which all is linked again, if the flags differ or something is made no more.
# usage: links.sh FILE NEW
set -eu
file=$1 new=$2
if [ -f "$file" ]; then
	gone=$(awk 'FNR == 1 { next } NR == FNR { made[$0] = 1; next } !($0 in made)' "$new" "$file")
	printf '%s\n' "$gone" | while IFS= read -r old; do
		case $old in
		'' | /* | *..*) ;;
		*/.stamp) rm -rf "${old%/.stamp}" ;;
		*.o) rm -f "$old" "${old%.o}.d" ;;
		*) rm -f "$old" ;;
		esac
	done
	if [ -z "$gone" ] && [ "$(head -n 1 "$file")" = "$(head -n 1 "$new")" ]; then
		touch -r "$file" "$new"
	fi
fi
mv "$new" "$file"
