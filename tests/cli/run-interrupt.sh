#!/bin/sh
# SIGINT and SIGTERM end a run cleanly; --resume completes it.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; cat err >&2; fi
}
# until the journal holds the text, or the run has ended without it
await() { # journal text pid
	until grep -q "$2" "$1" 2>/dev/null; do
		kill -0 "$3" 2>/dev/null || return 1
		sleep 0.05
	done
}
cd "$T" || exit 1
tiny=$SRC/tests/protocols/tiny.ini

for signal in INT TERM; do
	# In a shell without job control, background processes ignore SIGINT: env restores it.
	env --default-signal=INT "$EVENHAND" run "$tiny" --on host:0 -o $signal --executions 100 --quiet >out 2>err </dev/null &
	pid=$!
	await $signal/run.journal '"kind":"case"' $pid
	kill -$signal $pid
	wait $pid
	[ $? -eq 6 ]
	check $? "SIG$signal while it measures: the exit code is 6"
	grep -q "evenhand run --resume $signal" err && [ "$(grep -vc 'warning: other work runs' err)" -eq 1 ]
	check $? "one sentence says how to complete it"
	tail -n 1 $signal/run.journal | grep -q '"kind":"end".*"status":"interrupted"'
	check $? "the journal ends as interrupted"
	grep -q '"status": "incomplete"' $signal/host-*.json
	check $? "its result is there, marked incomplete"
	"$EVENHAND" show $signal/host-*.json >shown 2>&1
	check $? "and can be read"
done

# What it had started goes with it, and --resume completes it.
"$EVENHAND" run "$tiny" --on host:0 -o code --executions 12 --quiet >out 2>err </dev/null &
pid=$!
await code/run.journal '"kind":"case"' $pid
worker=$(cat /proc/$pid/task/$pid/children)
kill -TERM $pid
wait $pid
[ $? -eq 6 ]
check $? "the exit code is 6"
sleep 0.1
alive=0
for w in $worker; do [ -d "/proc/$w" ] && alive=1; done
[ $alive -eq 0 ]
check $? "its worker is gone"
"$EVENHAND" run --resume code --quiet >out 2>err </dev/null
rc=$?
[ $rc -eq 0 ] || [ $rc -eq 7 ]
check $? "it is completed with --resume"
grep -q '"status": "complete"' code/host-*.json
check $? "and then marked complete"
[ "$(grep -c '"kind":"case"' code/run.journal)" -eq 24 ]
check $? "with every case once"
! grep '"kind":"case"' code/run.journal | grep -q '"status":"failed"'
check $? "none of them failed"

echo "1..$n"
exit $bad
