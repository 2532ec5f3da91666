#!/bin/sh
# SIGINT, SIGTERM, SIGHUP and a reader that leaves end a run cleanly; --resume completes it.
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

for signal in INT TERM HUP; do
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

# Its messages go into a pipe whose reader leaves.
{ "$EVENHAND" -v run "$tiny" --on host:0 -o pipe --executions 100 2>&1 >out </dev/null; echo $? >exited; } | head -n 1 >/dev/null
[ "$(cat exited)" = 6 ] && tail -n 1 pipe/run.journal | grep -q '"kind":"end".*"status":"interrupted"' &&
	grep -q '"status": "incomplete"' pipe/host-*.json
check $? "the reader of its messages leaves: incomplete, with its result"

# The terminal that it runs in is closed.
if command -v python3 >/dev/null 2>&1; then
	timeout 100 python3 - "$EVENHAND" run "$tiny" --on host:0 -o window --executions 100 <<-'PY' >out 2>err
		import os, pty, sys, time
		pid, window = pty.fork()
		if pid == 0:
		    os.execv(sys.argv[1], sys.argv[1:])
		end = time.time() + 60
		while time.time() < end:
		    os.set_blocking(window, False)
		    try: os.read(window, 65536)
		    except BlockingIOError: pass
		    try:
		        if '"kind":"case"' in open("window/run.journal").read(): break
		    except FileNotFoundError: pass
		    time.sleep(0.05)
		os.close(window)
		print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	PY
	[ "$(cat out)" = 6 ] && tail -n 1 window/run.journal | grep -q '"status":"interrupted"' &&
		grep -q '"status": "incomplete"' window/host-*.json
	check $? "its terminal is closed: incomplete, with its result"
else
	n=$((n + 1))
	echo "ok $n - its terminal is closed # SKIP needs python3"
fi

# A run that was started to outlive its terminal does.
(trap '' HUP; exec "$EVENHAND" run "$tiny" --on host:0 -o nohup --quiet >out 2>err </dev/null) &
pid=$!
await nohup/run.journal '"kind":"case"' $pid
kill -HUP $pid
wait $pid
rc=$?
{ [ $rc -eq 0 ] || [ $rc -eq 7 ]; } && tail -n 1 nohup/run.journal | grep -q '"status":"complete"'
check $? "SIGHUP with nohup: the run goes on"

# A reader of what commands print leaves: a run wrote its results before; the others are as quiet.
mkfifo fifo
leaves() { # command; the reader has left before anything is printed
	(: <fifo) &
	{ sleep 0.2; "$@" 2>err; } >fifo </dev/null
	rc=$?
	wait $!
	[ $rc -eq 141 ] && ! grep -v 'warning: other work runs' err
}
leaves "$EVENHAND" run "$tiny" --on host:0 -o read --executions 1 -q && grep -q '"status": "complete"' read/host-*.json
check $? "the reader of its report leaves: the results are complete, and it ends by SIGPIPE"
leaves "$EVENHAND" help --markdown
check $? "so does what only prints"
leaves "$EVENHAND" show read/host-*.json
check $? "and what reads a result"

# calibrate and reproduce end as run does. One execution may be over before its first line is seen: 20 are not.
"$EVENHAND" run "$tiny" --on host:0 -o claim --executions 20 --quiet >out 2>err </dev/null
for signal in TERM HUP; do
	XDG_STATE_HOME=$T/state "$EVENHAND" calibrate --on host:0 >out 2>err </dev/null &
	pid=$!
	sleep 1
	kill -$signal $pid
	wait $pid
	[ $? -eq 6 ] && grep -q interrupted err && [ -z "$(find state -type f)" ]
	check $? "SIG$signal while it calibrates: exit code 6, and nothing is stored"
	"$EVENHAND" reproduce claim/host-*.json -q -o "again-$signal" >out 2>err </dev/null &
	pid=$!
	await "again-$signal/run.journal" '"kind":"instrument"' $pid
	kill -$signal $pid
	wait $pid
	rc=$?
	echo "code $rc" >>err
	[ $rc -eq 6 ] && grep -q 'next: evenhand reproduce' out && grep -q '"status": "incomplete"' "again-$signal"/host-*.json
	check $? "SIG$signal while it reproduces: exit code 6, and its result is incomplete"
done

# While a run that is resumed looks for its devices: a compiler that takes its time.
real=$(command -v gcc || command -v clang)
if [ -n "$real" ]; then
	mkdir slow
	# Only of the run that is resumed: the first may still ask one when it is killed.
	# shellcheck disable=SC2016 # it expands inside
	printf '#!/bin/sh\n[ -z "$SLOW" ] || { : >"%s/asked"; sleep 2; }\nexec %s "$@"\n' "$T" "$real" >slow/gcc
	for tool in as ld rm; do ln -s "$(command -v $tool)" slow/$tool; done
	ln -s "$(command -v sleep)" slow/sleep
	chmod +x slow/gcc
	env PATH="$T/slow" "$EVENHAND" run "$tiny" --on host:0 -o looks --executions 50 --quiet >out 2>err </dev/null &
	pid=$!
	await looks/run.journal '"kind":"case"' $pid
	kill -KILL $pid
	wait $pid 2>/dev/null
	env PATH="$T/slow" SLOW=yes "$EVENHAND" run --resume looks --quiet >out 2>err </dev/null &
	pid=$!
	while [ ! -e asked ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
	kill -TERM $pid
	wait $pid
	[ $? -eq 6 ] && grep -q 'interrupted before anything more was measured' err && [ "$(grep -vc 'warning: other work' err)" -eq 1 ]
	check $? "while it looks for the devices of a run: interrupted, and no device is called missing"
else
	n=$((n + 1))
	echo "ok $n - while it looks for devices # SKIP needs gcc or clang (package gcc)"
fi

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
