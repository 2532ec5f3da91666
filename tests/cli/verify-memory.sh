#!/bin/sh
# Verifying takes as much memory for a large result as for a small one: cases are read one by one.
set -u
maker=$BUILD/tests/bench/make_result peak=$SRC/tests/fuzz/hostile.py
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
cd "$T" || exit 1
# measure FILE: sets code, took and kilobytes.
measure() {
	read -r code took kilobytes <<-END
		$(python3 "$peak" peak 60 "$EVENHAND" verify "$1" 2>err | tail -n 1)
	END
}
# less TEXT: the last measurement took less than 25 MB, which is half of what their samples take as structs.
less() {
	if [ -n "${SANITIZE:-}" ]; then skip "$1" "a sanitizer's own memory counts too"; return; fi
	[ "$kilobytes" -lt 25000 ]
	check $? "$1 ($kilobytes kB in $took s)"
}

# In many cases, and in few.
"$maker" -n 1000 1000 many.json && "$maker" -n 40000 70 few.json
check $? "two large results"
for kind in many few; do
	[ "$(wc -c <$kind.json)" -gt 15000000 ]
	check $? "$kind cases of 15 MB or more"
	measure $kind.json
	[ "$code" -eq 0 ]
	check $? "hold"
	less "in 25 MB or less"
done

# A bit that is flipped in the middle is found as before.
sed 's/"samples_ns":\[1/"samples_ns":[2/' few.json >flipped.json
measure flipped.json
[ "$code" -eq 1 ]
check $? "altered samples are found"
less "in as little memory"
rm -f many.json few.json flipped.json

# Exhaustion has a sentence and an exit code.
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
