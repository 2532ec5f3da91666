#!/bin/sh
# executions-max: the first executions are a pilot, and as many more follow as their spread asks for.
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}"
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	# What the program said last, so that a log explains itself.
	for said in out err; do [ ! -s "$said" ] || { echo "# $2: ${said##*/}:"; tail -n 10 "$said"; } >&2; done
}
run() { # arguments of evenhand; stdout in out, stderr in err, status in rc
	"$EVENHAND" "$@" >out 2>err </dev/null
	rc=$?
}
fine() { [ $rc -eq 0 ] || [ $rc -eq 7 ]; } # a row may be invalid for a good reason
cases() { grep -c '"kind":"case"' "$1/run.journal"; }
order() { # of executions and executors, as they ran
	grep '"kind":"case"' "$1/run.journal" | sed 's/.*"executor":"\([^"]*\)","execution":\([0-9]*\),"id":"\([^"]*\)".*/\2 \1 \3/'
}
cd "$T" || exit 1
protocol=$SRC/tests/protocols/pilot.ini
# Its launches sleep for 20 ms, so that no other work on the machine makes its executions differ.
mkdir -p backends
cp "$BUILD/tests/backends/liar.so" backends/
sed -e 's/^half-width.*/half-width = 100%/; s/^executions = .*/executions = 4/; s/^time-max.*/time-max = 500ms/' \
	-e '/^\[case long\]/,$d' "$protocol" >enough.ini

EVENHAND_BACKEND_PATH=$T/backends run run enough.ini --on liar --set liar.fault=slow -o enough -v
fine && [ "$(cases enough)" -eq 4 ] && [ "$(grep -c '"kind":"pilot"' enough/run.journal)" -eq 1 ]
check $? "where there is nothing to gain the run ends after the pilot"
grep -q 'first 4 executions are enough' err
check $? "and -v says so"
tail -n 1 enough/run.journal | grep -q '"status":"complete"'
check $? "and it is complete"
grep -q '"executions":{"declared":4,"done":4,"planned":4,"pilot":{"executions":4,"most":5,"reached":true,"deciding":{"id":' enough/liar-*.json
check $? "the result has the pilot and its plan"

# The interval of two executions is never that narrow, unless both cases have equal medians.
run run "$protocol" --on host:0,host:1 -o more -v
two=$(find more -name 'host-*.json' | wc -l)
[ "$two" -eq 2 ] || echo "# one compiler only"
fine && [ "$(cases more)" -eq $((10 * two)) ] && grep -q 'asks for 5' err
check $? "where the spread asks for it there are as many as are allowed"
grep -q '"declared":2,"done":5,"planned":5,"pilot":{"executions":2,"most":5,"reached":false' more/host-gcc*.json
check $? "and the result says that even they are too few"
[ "$(grep -o '"order":\[[^]]*\]' more/host-gcc*.json | grep -o '"execution":[0-9]*' | sort -u | wc -l)" -eq 5 ]
check $? "its order lists all five"
"$EVENHAND" verify more/*.json >out 2>&1
check $? "the results hold"
"$EVENHAND" show -v more/host-gcc*.json >out 2>&1 && tr -s ' \n' ' ' <out | grep -q '5 of 5 executions (a pilot of 2'
check $? "show -v tells of the pilot"

run run "$protocol" --on host:0,host:1 -o again
order more >order1
order again >order2
fine && [ -s order1 ] && cmp -s order1 order2
check $? "the order is that of the seed, also after the pilot"
[ "$(grep '"kind":"pilot"' more/run.journal | grep -o '"order":.*' | grep -o '"position":[0-9]*' | tr '\n' ' ')" = \
	"$(i=$((2 * two)); while [ $i -lt $((5 * two)) ]; do i=$((i + 1)); printf '"position":%d ' $i; done)" ]
check $? "positions go on after those of the pilot"

# The lines of a journal with a chain that fits them again.
rechain() {
	chain=
	while IFS= read -r line; do
		body=${line%%,\"chain\":*}
		chain=$(printf '%s%s}' "$chain" "$body" | sha256sum | cut -c 1-64)
		printf '%s,"chain":"%s"}\n' "$body" "$chain"
	done
}
# Resuming: before the pilot was evaluated, amid what followed, and with a plan that cannot be.
pilot=$(grep -n '"kind":"pilot"' again/run.journal | cut -d: -f1)
for cut in $((pilot - 1)) "$pilot" $((pilot + 4)); do
	rm -rf resumed
	mkdir resumed
	head -n "$cut" again/run.journal >resumed/run.journal
	run run --resume resumed
	order resumed | sort -u >order2
	fine && sort -u order1 | cmp -s - order2 && [ "$(grep -c '"kind":"pilot"' resumed/run.journal)" -eq 1 ]
	check $? "a run resumed at line $cut of its journal ends as one that was not stopped"
done
rm -rf resumed
mkdir resumed
head -n "$pilot" again/run.journal | sed 's/"planned":5,"reached"/"planned":6,"reached"/' | rechain >resumed/run.journal
run run --resume resumed
[ $rc -ne 0 ] && [ $rc -ne 7 ] && grep -q 'pilot' err
check $? "a plan beyond executions-max is refused"

run run "$protocol" --on host:0 -o fixed --executions 3
fine && [ "$(cases fixed)" -eq 6 ] && ! grep -q '"kind":"pilot"' fixed/run.journal
check $? "--executions replaces the pilot and what it plans"
sed 's/^executions-max.*/executions-max = 1/' "$protocol" >below.ini
run protocol check below.ini
[ $rc -eq 4 ] && grep -q executions-max out err
check $? "executions-max below executions is refused"
sed 's/^executions = .*/executions = 1/' "$protocol" >one.ini
run protocol check one.ini
[ $rc -eq 4 ] && grep -q 'one execution has no spread' out err
check $? "a pilot of one is refused"

echo "1..$n"
exit $bad
