#!/bin/sh
# Prints version.h: the commit of the source tree and whether it differs from it.
# usage: version.sh SOURCE-FOLDER BUILD-FLAGS
src=$1
flags=$2
commit=unknown
dirty=-1
real=$(cd "$src" && pwd -P)
# Whoever runs make here runs what the owner of the tree wrote: the settings of the owner's repository
# are no more than that.  Without locks git leaves no file of this user in it.
repository() { GIT_OPTIONAL_LOCKS=0 git -c safe.directory="$real" -C "$src" "$@" 2>/dev/null; }
if [ -f "$src/COMMIT" ]; then
	commit=$(cat "$src/COMMIT")
	dirty=0
elif top=$(repository rev-parse --show-toplevel) && [ "$top" = "$real" ] && head=$(repository rev-parse HEAD); then
	commit=$head
	if changes=$(repository status --porcelain); then
		if [ -n "$changes" ]; then dirty=1; else dirty=0; fi
	fi
fi
printf '#define EVENHAND_VERSION "%s"\n' "$(cat "$src/VERSION")"
printf '#define EVENHAND_COMMIT "%s"\n' "$commit"
printf '#define EVENHAND_DIRTY (%s)\n' "$dirty"
printf '#define EVENHAND_BUILD_FLAGS "%s"\n' "$(printf %s "$flags" | sed 's/[\\"]/\\&/g')"
