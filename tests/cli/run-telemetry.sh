#!/bin/sh
# What reading the sensors costs is told where it may count.
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}"
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
cd "$T" || exit 1
# Rows of many periods, because one reading is already a large part of a row of a few milliseconds.
sed 's/^executions.*/executions = 1/; s/^time-min.*/time-min = 500ms/; s/^time-max.*/time-max = 1s/
	s/^samples-max.*/samples-max = 100000/' "$SRC/tests/protocols/tiny.ini" >long.ini
for period in 1us 100ms; do
	sed "s/^\[measure\]/[measure]\ntelemetry = $period/" long.ini >"$period.ini"
	"$EVENHAND" run "$period.ini" --on host:0 -o "$period" --quiet >"$period.log" 2>&1 </dev/null
	"$EVENHAND" show -v "$period"/host-*.json >"$period.shown" 2>&1
done
grep -q '"period_ns":1000,' 1us/run.journal && grep -q '"period_ns":100000000,' 100ms/run.journal
check $? "the sensors are read as often as the protocol says" 1us.log
[ "$(grep '"kind":"case"' 1us/run.journal | grep -c '"flags":\[[^]]*"telemetry-heavy"')" -eq 2 ]
check $? "reading them all the time is flagged in every row" 1us.log
[ "$(grep -c '^flag *telemetry-heavy: Reading the sensors took' 1us.shown)" -eq 2 ]
check $? "show -v explains it for each case" 1us.shown
! grep -q telemetry-heavy 100ms/run.journal
check $? "reading them now and then is not" 100ms.log

# Files of the process run out before the last probe has its process: it is not there, not "ok".
for most in 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do
	# shellcheck disable=SC3045 # dash and bash have it
	(ulimit -n $most && exec "$EVENHAND" devices -v --json) 2>few.log </dev/null | sed -n '/"probes":/,$p' >few.json
	grep -q 'cannot make a pipe' few.json && break
done
grep -q 'cannot make a pipe' few.json && ! grep -B 1 'cannot make a pipe' few.json | grep -q '"status":.*"ok"'
check $? "a probe whose process cannot be started is an error with its reason" few.json
echo "1..$n"
exit $bad
