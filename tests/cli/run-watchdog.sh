#!/bin/sh
# A worker that hangs or crashes costs its case: a failed row with the reason, the rest measured.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	# What the program said last, so that a log explains itself.
	for said in out err; do [ ! -s "$said" ] || { echo "# $2: ${said##*/}:"; tail -n 10 "$said"; } >&2; done
}
cd "$T" || exit 1
# A sanitizer would turn the planted crash into an exit status of its own.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0"
# Cases long enough to be met by a signal, with a short watchdog.
sed -e 's/^time-min = .*/time-min = 500ms/; s/^time-max = .*/time-max = 600ms/' \
	-e 's/^samples-max = .*/samples-max = 1000000/; s/^timeout = .*/timeout = 3s/' \
	-e 's/^half-width = .*/half-width = 0.001%/; s/^executions = .*/executions = 1/' \
	"$SRC/tests/protocols/tiny.ini" >slow.ini
# Only what hangs should wait for its timeout: a busy machine may need seconds for a case.
sed 's/^timeout = .*/timeout = 30s/' slow.ini >patient.ini

strike() { # signal protocol folder: sent to the worker while it measures its first case
	"$EVENHAND" run "$2" --on host:0 -o "$3" --quiet >out 2>err </dev/null &
	pid=$!
	i=0
	while ! grep -q '"kind":"instrument"' "$3/run.journal" 2>/dev/null && [ $i -lt 600 ]; do
		sleep 0.02
		i=$((i + 1))
	done
	sleep 0.15
	worker=$(cat /proc/$pid/task/$pid/children)
	# shellcheck disable=SC2086
	kill -"$1" $worker
	wait $pid
	rc=$?
}
failed() { # folder: its failed rows
	grep '"kind":"case"' "$1/run.journal" | grep '"status":"failed"'
}

strike SEGV patient.ini crash
[ $rc -eq 7 ]
check $? "the run goes on to its end, with exit code 7"
[ "$(failed crash | wc -l)" -eq 1 ] && failed crash | grep -q 'signal 11 (SIGSEGV'
check $? "a crash costs one case, which names the signal"
[ "$(grep -c '"kind":"case"' crash/run.journal)" -eq 2 ] && grep -q '"replacement-worker"' crash/run.journal
check $? "the other case was measured by a fresh worker, and says so"
grep -q '"kind":"executor"' crash/run.journal
check $? "the executor is described all the same"
"$EVENHAND" show crash/host-*.json >shown 2>&1
check $? "the result can be read"

strike STOP slow.ini hang
[ $rc -eq 7 ]
check $? "a run with a worker that hangs ends"
[ "$(failed hang | wc -l)" -eq 1 ] && failed hang | grep -q 'timed out: the case was not done after 3'
check $? "the case timed out and says so"
[ "$(grep -c '"kind":"case"' hang/run.journal)" -eq 2 ]
check $? "the other case was measured"
alive=0
for w in $worker; do [ -d "/proc/$w" ] && alive=1; done
[ $alive -eq 0 ]
check $? "the worker that hung is gone"

# The backend that lies: at once, and in the middle of the cases.
for fault in crash hang lost crash:40 hang:400; do
	case $fault in
	crash*) reason='killed by signal 11' ;;
	hang*) reason='timed out' ;;
	*) reason=lost ;;
	esac
	name=liar-${fault%:*}-${fault#*:}
	export EVENHAND_LIAR_FAULT="${fault%:*}"
	unset EVENHAND_LIAR_N
	case $fault in *:*) export EVENHAND_LIAR_N="${fault#*:}" ;; esac
	EVENHAND_BACKEND_PATH=$BUILD/tests/backends \
		"$EVENHAND" run slow.ini --on liar -o "$name" --quiet >out 2>err </dev/null
	[ $? -eq 7 ] && [ "$(grep -c '"kind":"case"' "$name/run.journal")" -eq 2 ]
	check $? "$fault: the run ends with a line for every case"
	[ "$(failed "$name" | grep -c "$reason")" -ge 1 ]
	check $? "$fault: the reason is told"
	grep '"kind":"case"' "$name/run.journal" >cases && ! grep -q '"status":"valid"' cases
	check $? "$fault: nothing is valid"
	"$EVENHAND" show "$name"/liar-*.json >shown 2>&1
	check $? "$fault: the result can be read"
done

echo "1..$n"
exit $bad
