#!/bin/sh
# Experiments on data whose truth is known.  Each is a program or script that prints its figures
# and TAP; one that is not there, or says "not ok", fails.
# usage (through make): make stat [STAT="coverage classifier ..."]
set -u
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(for f in "$SRC"/tests/stat/*.c "$SRC"/tests/stat/*.sh; do
	name=$(basename "$f")
	case $name in run.sh | '*'*) ;; *) echo "${name%.*}" ;; esac
done)
bad=0
for name; do
	echo "== $name"
	if [ -f "$SRC/tests/stat/$name.sh" ]; then
		sh "$SRC/tests/stat/$name.sh" || bad=1
	elif [ -x "$BUILD/tests/stat/$name" ]; then
		"$BUILD/tests/stat/$name" || bad=1
	else
		echo "not ok - there is no experiment \"$name\""
		bad=1
	fi
done
exit $bad
