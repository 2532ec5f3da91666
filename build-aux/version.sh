#!/bin/sh
# Prints version.h: the commit of the source tree and whether it differs from it.
# usage: version.sh SOURCE-FOLDER BUILD-FLAGS
src=$1
flags=$2
commit=unknown
dirty=-1
if [ -f "$src/COMMIT" ]; then
	commit=$(cat "$src/COMMIT")
	dirty=0
elif top=$(git -C "$src" rev-parse --show-toplevel 2>/dev/null) &&
     [ "$top" = "$(cd "$src" && pwd -P)" ] && commit=$(git -C "$src" rev-parse HEAD 2>/dev/null); then
	if [ -n "$(git -C "$src" status --porcelain 2>/dev/null)" ]; then dirty=1; else dirty=0; fi
else
	commit=unknown
fi
printf '#define EVENHAND_VERSION "%s"\n' "$(cat "$src/VERSION")"
printf '#define EVENHAND_COMMIT "%s"\n' "$commit"
printf '#define EVENHAND_DIRTY (%s)\n' "$dirty"
printf '#define EVENHAND_BUILD_FLAGS "%s"\n' "$(printf %s "$flags" | sed 's/[\\"]/\\&/g')"
