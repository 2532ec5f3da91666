#!/bin/sh
# Large results: in many cases and in few, verify takes as much memory as for a small one but for the plan.
# Show keeps the rows, but for their numbers.  `make check` tries 10 MB of each; make fuzz tries 1 GB.
set -u
. "$SRC/tests/fuzz/counts"
fuzz_counts 10 1000 # MB
maker=$BUILD/tests/bench/make_result
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; cat err >&2; fi
}
cd "$T" || exit 1
# measure WORDS CODE MOST_KB: the command ends with the code, within that much memory.
measure() {
	# shellcheck disable=SC2086 # words
	python3 "$SRC/tests/fuzz/hostile.py" peak 600 "$EVENHAND" $1 large.json >out 2>err </dev/null
	read -r code took kilobytes <<-END
		$(tail -n 1 out)
	END
	[ "$code" -eq "$2" ] && { [ -n "${SANITIZE:-}" ] || [ "$kilobytes" -lt "$3" ]; }
	check $? "$1 of $megabytes MB in $kind cases: code $code after $took s and $kilobytes kB"
}
for kind in many few; do
	case $kind in
	many) "$maker" -n 1000 $((60 * rounds)) large.json && kept=1300 ;;
	few) "$maker" -n $((2000 * rounds)) 70 large.json && kept=150 ;;
	esac
	megabytes=$(($(wc -c <large.json) / 1000000))
	[ "$megabytes" -ge "$rounds" ]
	check $? "a result of $rounds MB or more in $kind cases"
	# The samples of 10 MB take 33 MB as structs; a plan takes 1.2 kB a case, and its text as much.
	measure verify 0 $((25000 + 200 * megabytes))
	measure show 0 $((60000 + kept * megabytes))
	measure "show --json" 0 $((60000 + kept * megabytes))
	measure "compare large.json" 0 $((60000 + 2 * kept * megabytes))
	sed 's/"samples_ns":\[1/"samples_ns":[2/' large.json >flipped.json
	mv flipped.json large.json
	measure verify 1 $((25000 + 200 * megabytes))
	rm -f large.json*
done
echo "1..$n"
exit $bad
