#!/bin/sh
# A probe that hangs or crashes, in its start or while it is read: every case has its samples all the
# same, the record says what is missing, and the probes that are well are read on.
set -u
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}"
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || tail -n 40 "$3" >&2; fi
}
cd "$T" || exit 1
mkdir plugins probes
cp "$BUILD/tests/backends/liar.so" plugins/
cp "$BUILD/tests/backends/unwell.so" "$BUILD/lib/evenhand/probes/linux.so" probes/
export EVENHAND_BACKEND_PATH="$T/plugins" EVENHAND_PROBE_PATH="$T/probes"
cat >three.ini <<'INI'
[protocol]
name = three
version = 1
intent = three cases in two executions, with sensors
executions = 2
seed = 1
canary = no
interleave = no
[measure]
warmup-min = 1ms
warmup-max = 2ms
samples-min = 10
samples-max = 20
time-min = 1ms
time-max = 50ms
half-width = 100%
proof = 1ms
repeats = 0
timeout = 30s
telemetry = 10ms
clock = host
[case copy]
workload = stream
operation = copy
precision = f32
bytes = 256KiB
[case triad]
workload = stream
operation = triad
precision = f32
bytes = 256KiB
[case launch]
workload = launch
mode = round-trip
INI
run() { # folder fault [N]
	EVENHAND_TEST_UNWELL=$2 EVENHAND_TEST_UNWELL_N=${3:-3} "$EVENHAND" run three.ini --on liar -o "$1" --quiet >"$1.log" 2>&1
	rc=$?
	echo "exit code $rc" >>"$1.log"
}
ask() { # folder expression over d, the result, es, its executions of cases, and gaps
	python3 - "$1/liar-honest.json" "$2" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
es = [e for c in d['cases'] for e in c['executions']]
gaps = [g for e in es for g in e.get('telemetry', {}).get('gaps', []) if g['probe'] == 'unwell']
read = lambda e, probe: [c for c in e.get('telemetry', {}).get('channels', []) if c['probe'] == probe]
print(eval(sys.argv[2]))
PY
}
# How samples are judged is not asked: on a busy machine so short a proof may stay unsettled.
whole() { # folder: all cases of all executions have samples
	[ "$(ask "$1" "len(es) == 6 and all(e['status'] in ('valid', 'not-converged', 'unproven') and e['samples_ns'] for e in es)")" = True ]
}
others() { # folder: the other probe is read in all of them
	[ "$(ask "$1" "all(read(e, 'linux') for e in es)")" = True ]
}

run well none
whole well && [ "$(ask well "all(read(e, 'unwell') for e in es) and not gaps")" = True ]
check $? "a probe that is well is read in every case" well.log

for fault in crash-read abort-read; do
	run $fault $fault 8
	whole $fault
	check $? "$fault: every case has its samples" $fault.log
	[ $rc -eq 0 ]
	check $? "$fault: the run ends as any other" $fault.log
	others $fault && [ "$(ask $fault "any('ended an earlier worker' in g['reason'] for g in gaps)")" = True ]
	check $? "$fault: the record says which probe is missing, the other is read on" $fault.log
	grep -q 'in the code of the probe unwell' $fault.log && [ "$(grep -c 'in the code of the probe' $fault.log)" -eq 1 ]
	check $? "$fault: once, with its name" $fault.log
	[ "$(grep -c '"status":"failed"' $fault/run.journal)" -eq 0 ]
	check $? "$fault: no case failed for it" $fault.log
done

run crash-start crash-start
whole crash-start && [ $rc -eq 0 ]
check $? "crash-start: every case has its samples" crash-start.log
others crash-start && [ "$(ask crash-start "len(gaps)")" = 6 ]
check $? "crash-start: the record says which probe is missing, the other is read" crash-start.log

run hang-read hang-read 4
whole hang-read && [ $rc -eq 0 ]
check $? "hang-read: every case has its samples" hang-read.log
[ "$(grep -c "warning: liar:honest: probe unwell.*hangs and is given up" hang-read.log)" -eq 1 ]
check $? "hang-read: a warning says so, once in the run" hang-read.log
others hang-read && [ "$(ask hang-read "any('did not return' in g['reason'] for g in gaps)")" = True ]
check $? "hang-read: the record says which sensor hangs, the other probe is read on" hang-read.log

run stall-read stall-read 4
whole stall-read && [ $rc -eq 0 ]
check $? "stall-read: every case has its samples" stall-read.log
[ "$(ask stall-read "sum('did not return within 2 s (1 of 3 times)' in g['reason'] and g.get('failures') == 1 for g in gaps)")" = 2 ]
check $? "stall-read: the record says that a reading did not return, once in each execution" stall-read.log
[ "$(ask stall-read "len(gaps) == 2 and all(read(e, 'unwell') for e in es[2:])")" = True ]
check $? "stall-read: the sensor is read again when it has returned" stall-read.log

run lost-read lost-read 4
whole lost-read && [ $rc -eq 0 ] && [ "$(ask lost-read "all(read(e, 'unwell') for e in es)")" = True ]
check $? "lost-read: one answer that the device is lost does not end the channel" lost-read.log
[ "$(ask lost-read "sum(g['reason'] == 'device-lost' and g.get('failures') == 1 for g in gaps)")" -ge 1 ]
check $? "lost-read: the record says that a reading failed, once" lost-read.log

run hang-start hang-start
whole hang-start && [ $rc -eq 0 ]
check $? "hang-start: every case has its samples" hang-start.log
others hang-start && [ "$(ask hang-start "len(gaps) == 6 and all('start did not return' in g['reason'] for g in gaps)")" = True ]
check $? "hang-start: the record says which probe is missing, the other is read" hang-start.log

# Nothing else to read: the gap is told all the same.
rm probes/linux.so
run alone crash-read 2
whole alone && [ $rc -eq 0 ] && [ "$(ask alone "len(gaps) >= 5")" = True ]
check $? "the only probe there is may crash, too" alone.log
"$EVENHAND" verify alone/liar-honest.json >verify.log 2>&1
check $? "and the record of it is whole" verify.log

echo "1..$n"
exit $bad
