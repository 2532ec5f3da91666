#!/bin/sh
# Killing at any moment: no finished case is lost or measured twice, and no worker stays behind.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	# What the program said last, so that a log explains itself.
	for said in out err; do [ ! -s "$said" ] || { echo "# $2: ${said##*/}:"; tail -n 10 "$said"; } >&2; done
}
children() { # of process $1
	cat "/proc/$1/task/$1/children" 2>/dev/null
}
gone() { # processes; true when all are gone within 5 s
	tries=0
	while [ $tries -lt 50 ]; do
		alive=
		for p; do
			case $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$p/status" 2>/dev/null) in
			'' | Z) ;;
			*) alive=yes ;;
			esac
		done
		[ -n "$alive" ] || return 0
		sleep 0.1
		tries=$((tries + 1))
	done
	return 1
}
finished() { # whole case lines of a journal, without their samples
	sed -n 's/^\({"kind":"case","executor":"[^"]*","execution":[0-9]*,"id":"[^"]*"\).*}$/\1/p' "$1" 2>/dev/null
}
cd "$T" || exit 1
tiny=$SRC/tests/protocols/tiny.ini
executions=24

# Warm kernel cache, so that the moments below fall into measuring too.
"$EVENHAND" run "$tiny" --on host:0 -o warm --executions 1 --quiet >/dev/null 2>&1 </dev/null

# A moment is so many more cases in the journal, and a little later: fast machines are caught too.
lost=0 orphans=0 refused=0 kills=0
: >before
for moment in 0:0 3:0 1:0.05 2:0.1 0:0.02 4:0 1:0.15 2:0; do
	if [ -f run/run.journal ]; then
		"$EVENHAND" run --resume run --quiet >out 2>err </dev/null &
	else
		"$EVENHAND" run "$tiny" --on host:0 -o run --executions $executions --quiet >out 2>err </dev/null &
	fi
	pid=$!
	want=$(($(wc -l <before) + ${moment%:*}))
	i=0
	while [ $i -lt 1000 ] && kill -0 $pid 2>/dev/null; do
		[ ! -f run/run.journal ] || [ "$(finished run/run.journal | wc -l)" -lt $want ] || break
		sleep 0.02
		i=$((i + 1))
	done
	sleep ${moment#*:}
	workers=$(children $pid)
	kill -KILL $pid 2>/dev/null && kills=$((kills + 1))
	wait $pid 2>/dev/null
	grep -q 'evenhand run:' err && refused=$((refused + 1))
	# shellcheck disable=SC2086
	gone $workers || orphans=$((orphans + 1))
	finished run/run.journal >after
	# What was there is there still, in the same order.
	[ "$(head -n "$(wc -l <before)" after)" = "$(cat before)" ] || lost=$((lost + 1))
	cp after before
done
[ $kills -eq 8 ]
check $? "the coordinator was killed several times ($kills)"
[ $lost -eq 0 ]
check $? "no finished case was lost"
[ $orphans -eq 0 ]
check $? "no worker outlived its coordinator"
[ $refused -eq 0 ]
check $? "resuming at once was never refused"
"$EVENHAND" run --resume run --quiet >out 2>err </dev/null
rc=$?
[ $rc -eq 0 ] || [ $rc -eq 7 ]
check $? "the last resume completes the run"
finished run/run.journal | sort >all
[ "$(wc -l <all)" -eq $((2 * executions)) ] && [ "$(sort -u all | wc -l)" -eq $((2 * executions)) ]
check $? "every case of every execution was measured once"
grep '"kind":"case"' run/run.journal >cases && ! grep -q '"status":"failed"' cases
check $? "no case is failed because its coordinator was killed"
tail -n 1 run/run.journal | grep -q '"status":"complete"'
check $? "the journal ends as complete"
"$EVENHAND" show run/host-*.json >shown 2>&1
check $? "the result can be read"

# A line torn in the middle, as a machine that lost its power leaves it.
size=$(wc -c <run/run.journal)
cp -r run torn
head -c $((size - size / 4)) run/run.journal >torn/run.journal
"$EVENHAND" run --resume torn --quiet >out 2>err </dev/null
rc=$?
[ $rc -eq 0 ] || [ $rc -eq 7 ]
check $? "a run whose journal was cut anywhere is completed"
[ "$(finished torn/run.journal | sort -u)" = "$(sort -u all)" ] &&
	[ "$(finished torn/run.journal | wc -l)" -eq $((2 * executions)) ]
check $? "again with every case once"

# A worker killed from outside costs at most its case.
"$EVENHAND" run "$tiny" --on host:0 -o worker --executions 8 --quiet >out 2>err </dev/null &
pid=$!
killed=0 i=0
while [ $i -lt 3000 ] && [ $killed -lt 2 ] && kill -0 $pid 2>/dev/null; do
	# One that already measures: it has said so in the journal.
	worker=$(children $pid)
	if [ -n "$worker" ] && tail -n 1 worker/run.journal 2>/dev/null | grep -q '"kind":"instrument"'; then
		# shellcheck disable=SC2086
		kill -KILL $worker 2>/dev/null && killed=$((killed + 1))
		sleep 0.3
	fi
	i=$((i + 1))
	sleep 0.01
done
wait $pid
rc=$?
[ $killed -gt 0 ] && { [ $rc -eq 0 ] || [ $rc -eq 7 ]; }
check $? "a run whose workers are killed ends ($killed killed)"
finished worker/run.journal | sort >all
[ "$(wc -l <all)" -eq 16 ] && [ "$(sort -u all | wc -l)" -eq 16 ]
check $? "and has a line for every case"
failed=$(grep '"kind":"case"' worker/run.journal | grep -c '"status":"failed"')
[ "$failed" -le $((2 * killed)) ]
check $? "few of them failed ($failed)"
[ "$failed" -eq 0 ] || grep '"status":"failed"' worker/run.journal | grep -q 'signal 9 (SIGKILL'
check $? "with the signal as the reason"

echo "1..$n"
exit $bad
