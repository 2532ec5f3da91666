#!/bin/sh
# `evenhand series` on series whose truth is known, its refusals, and the short form of the
# experiments of `make stat`.
n=0 bad=0
check() { # status text [detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
corpus=$SRC/tests/stat/corpus
series() { "$EVENHAND" series "$@" >"$T/out" 2>"$T/err"; }
json_has() { # text without white space, in $T/out...
	tr -d ' \n\t' <"$T/out" >"$T/tight"
	for text; do grep -qF -e "$text" "$T/tight" || return 1; done
}
has() { # text in $T/out...
	for text; do grep -qF -e "$text" "$T/out" || return 1; done
}
refused() { # what, wanted message
	series "$T/in"
	[ $? -eq 4 ] && grep -qF -e "$2" "$T/err" && [ ! -s "$T/out" ]
	check $? "$1" "$T/err"
}

"$BUILD/tests/stat/classifier" 100 >"$T/log" 2>&1
check $? "100 synthetic series of each class: at least 95 of 100 are told right" "$T/log"
"$BUILD/tests/stat/classifier" "$corpus"/*.txt >"$T/log" 2>&1
check $? "every stored series is told right" "$T/log"
"$BUILD/tests/stat/coverage" 40 >"$T/log" 2>&1
check $? "intervals cover, and what spoils them is flagged, in 40 experiments each" "$T/log"

"$BUILD/tests/stat/family" 20 >"$T/log" 2>&1
check $? "comparisons of one executor with itself claim a difference in at most 5 of 100, however many cases" "$T/log"

series "$corpus/warm-up-compiler.txt" && has "warm-up: steady from sample 71 on" "1 to 25:" "steady =" "yes: ±" "p90 "
check $? "a warm-up is found, and where it ends" "$T/out"
series "$corpus/slowdown-power.txt" && has "slowdown: steady from sample 81 on" "power cap"
check $? "a slowdown is found, with what to look at" "$T/out"
series --strict "$corpus/no-steady-state-toggle.txt"
[ $? -eq 1 ] && has "no: there is no steady state"
check $? "without a steady state nothing has converged: exit code 1 with --strict" "$T/out"
series "$corpus/flat-modes.txt" && has "2 (multimodal)"
check $? "two modes are seen" "$T/out"
series "$corpus/short-few.txt" && has "short: 20 samples are needed" "p90 needs 64 samples"
check $? "few samples: said so" "$T/out"
series --strict --half-width 0.001% "$corpus/flat-spikes.txt"
[ $? -eq 1 ] && has "%; about" "is wider than" && ! grep -q "about.*e+" "$T/out"
check $? "too wide: said by how much, and how many samples would do" "$T/out"

printf '5\n4\n6\n5\n4\n6\n5\n' >"$T/seven"
series --json "$T/seven" && json_has '"median":5,' '"n":7,' '"converged":false' '"class":"short"'
check $? "one number a line, as JSON" "$T/out"
series --json - <"$T/seven" && json_has '"n":7,'
check $? "stdin" "$T/out"
json_has '"interval":[4,6]'
check $? "its interval" "$T/out"

{
	echo 'first; second, third # of three'
	echo
	for i in 1 2 3 4 5 6 7 8; do echo "10$i, 20$i; 30$i"; done
	echo '109,,309'
	printf '  110\t\t\t;;310  # the end'
} >"$T/in"
series --json "$T/in" && json_has '"name":"second"' '"executions":3,' '"median":204.5,' '"name":"third"'
check $? "columns, header, comments, separators, columns that end earlier" "$T/out"
[ "$(grep -c '"n":.10' "$T/out")" -eq 2 ] && [ "$(grep -c '"n":.8' "$T/out")" -eq 1 ]
check $? "and how long each is" "$T/out"
series "$T/in" && has "over executions and samples" "third" "a comparison needs at least 5"
check $? "several executions for people" "$T/out"
if command -v python3 >/dev/null; then
	series --json "$T/in"
	python3 -c 'import json,sys; r=json.load(open(sys.argv[1])); assert r["interval"][0] <= r["median"] <= r["interval"][1]; assert len(r["series"]) == 3' "$T/out"
	check $? "the JSON is JSON, and the interval holds the median" "$T/out"
fi

printf '1\n2\n3 x\n' >"$T/in"; refused "a word is refused with its line" "$T/in:3: \"x\" is not a number"
printf '# c\n1\n-2\n' >"$T/in"; refused "a negative time is refused" "$T/in:3: -2 is negative"
printf '1\nnan\n' >"$T/in"; refused "so is nan" "$T/in:2: \"nan\""
printf '1\n1e999\n' >"$T/in"; refused "so is what no double holds" "$T/in:2: \"1e999\""
printf '1e999\n1\n' >"$T/in"; refused "also in the first line, which is then no header" "$T/in:1: \"1e999\""
printf 'nan\n1\n' >"$T/in"; refused "nor is nan one" "$T/in:1: \"nan\""
printf '1\n1e308\n' >"$T/in"; refused "so is what has no square" "$T/in:2: 1e308 is not between"
printf '1\n1e-320\n' >"$T/in"; refused "or one that is zero" "$T/in:2: 1e-320 is not between"
printf '\357\273\2771\r\n2\r\n3\r\n' >"$T/in"
series --json "$T/in" && json_has '"n":3,' '"min":1,'
check $? "a byte-order mark and line ends of another system do not cost a sample" "$T/out"
printf '4KiB,8KiB\n1,2\n' >"$T/in"
series --json "$T/in" && json_has '"name":"4KiB"' '"n":1,'
check $? "a header may begin with a digit" "$T/out"
printf 'a,b\n1,2\n2,\n3,4\n' >"$T/in"; refused "so is a gap in a column" "$T/in:4: column b has nothing in the line before"
printf '# only\n\n' >"$T/in"; refused "so is a file without a number" "holds no number"
printf 'a,b\n1\n2\n' >"$T/in"; refused "so is a column without one" "column b holds no number"
printf '1\0002\n' >"$T/in"; refused "so is what is not text" "is not text"
series "$T/seven" --half-width 0; [ $? -eq 4 ] && grep -q -e "--half-width takes a share from 0.001% to 100%" "$T/err"
check $? "so is a half-width of nothing" "$T/err"
series; [ $? -eq 4 ] && grep -q "FILE is missing" "$T/err"
check $? "so is no file at all" "$T/err"
series "$T/none"; [ $? -eq 5 ] && grep -q "$T/none" "$T/err"
check $? "a missing file is named" "$T/err"

awk 'BEGIN { for (i = 0; i < 20000; i++) { s = (s * 16807 + 7) % 2147483647; print 1000 + s % 97 } }' >"$T/in"
timeout 60 "$EVENHAND" series "$T/in" >"$T/out" 2>"$T/err" && has "20000" "p99.9 "
check $? "20,000 samples" "$T/err"

echo "1..$n"
exit $bad
