#!/bin/sh
# Memory that is used up has a sentence and an exit code.
set -u
maker=$BUILD/tests/bench/make_result
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
cd "$T" || exit 1
if [ -n "${SANITIZE:-}" ]; then
	skip "memory that is used up is exit 5" "a sanitizer's own memory counts too"
else
	"$maker" -n 2000 200 kept.json
	# Each thread that finds no memory says so.  127: not even the libraries fit.
	wrong=0 refused=0
	for most in 50000 70000 90000 110000 130000 150000; do
		# shellcheck disable=SC3045 # every sh of the systems that are tested has -v
		(ulimit -v $most && exec "$EVENHAND" show kept.json >out 2>err)
		case $? in
		0 | 127) ;;
		5) refused=1; grep -q 'the memory that this process may have is used up' err || wrong=1 ;;
		*) wrong=1 ;;
		esac
	done
	[ $wrong -eq 0 ] && [ $refused -eq 1 ]
	check $? "memory that is used up is exit 5, with a sentence"
	rm -f kept.json
fi
echo "1..$n"
exit $bad
