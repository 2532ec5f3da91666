#!/bin/sh
# A worker that dies before it comes as far as a case costs that start: it is started again, at most three
# times, and what failed all the same is measured by --resume.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s $said ] || { echo "# $2: $said:"; tail -n 10 $said; } >&2; done
}
cd "$T" || exit 1
mkdir backends
cp "$BUILD/tests/backends/saboteur.so" backends/
export EVENHAND_BACKEND_PATH="$T/backends" EVENHAND_SABOTAGED="$BUILD/lib/evenhand/backends/host.so"
export SABOTAGE=faint SABOTAGE_STARTS="$T/starts" SABOTAGE_FAINTS=0-0
cases() { grep -c '"kind":"case"' "$1/run.journal"; }
failed() { grep '"kind":"case"' "$1/run.journal" | grep -c '"status":"failed"'; }
go() { # which starts die, arguments; the first start lists the devices
	: >starts
	SABOTAGE_FAINTS=$1
	export SABOTAGE_FAINTS
	shift
	timeout 200 "$EVENHAND" run "$@" -q >out 2>err </dev/null
	rc=$?
}
fine() { [ $rc -eq 0 ] || [ $rc -eq 7 ]; }
device=$("$EVENHAND" devices 2>/dev/null | sed -n 's/^\(saboteur:[^ ]*\) .*/\1/p' | head -n 1)
for protocol in tiny turns; do
	ini=$SRC/tests/protocols/$protocol.ini
	all=$(grep -c '^\[case ' "$ini")
	go 2-3 "$ini" --on "$device" --executions 2 -o $protocol-twice
	fine && [ "$(cases $protocol-twice)" -eq $((2 * all)) ] && [ "$(failed $protocol-twice)" -eq 0 ]
	check $? "$protocol: two starts that die cost no case"
	grep -q 'before it measured anything; it is started again (3 of 3)' err
	check $? "$protocol: and each is told"
	go 2-4 "$ini" --on "$device" --executions 2 -o $protocol-thrice
	[ $rc -eq 7 ] && [ "$(failed $protocol-thrice)" -eq "$all" ] &&
		grep -q "\"starts\":3.*measuring could not start, tried 3 times: .*killed by signal 9" $protocol-thrice/run.journal
	check $? "$protocol: three cost the cases of one execution, and the reason says how often it was tried"
	"$EVENHAND" show $protocol-thrice/*.json >shown 2>err
	check $? "$protocol: the result can be read"
	go 0-0 --resume $protocol-thrice
	fine && [ "$(cases $protocol-thrice)" -eq $((3 * all)) ] && ! grep -q 'could not start' $protocol-thrice/*.json
	check $? "$protocol: --resume measures them, and the result has nothing of the failure"
	go 0-0 --resume $protocol-thrice
	fine && [ "$(cases $protocol-thrice)" -eq $((3 * all)) ]
	check $? "$protocol: and once"
done

# Beside another executor.
go 2-3 "$SRC/tests/protocols/turns.ini" --on "host:0,$device" --executions 2 -o beside
fine && [ "$(failed beside)" -eq 0 ] && ! grep -q 'measured alone' err
check $? "beside another executor two starts that die cost no case"

# A backend that ends the worker where it describes its stack.
SABOTAGE=mute
for protocol in tiny turns; do
	ini=$SRC/tests/protocols/$protocol.ini
	go 0-0 "$ini" --on "$device" --executions 2 -o $protocol-mute
	fine && [ "$(cases $protocol-mute)" -eq $((2 * $(grep -c '^\[case ' "$ini"))) ] && [ "$(failed $protocol-mute)" -eq 0 ] &&
		grep -q 'where its backend described its stack; it is started again without that' err &&
		"$EVENHAND" verify $protocol-mute/*.json >out 2>err
	check $? "$protocol: a backend that cannot describe its stack costs no case"
done
SABOTAGE=faint

# A signal that somebody else sends to the worker ends the case in progress, or a start; not what follows.
ini=$SRC/tests/protocols/tiny.ini
for signal in TERM HUP; do
	sed 's/^time-min = .*/time-min = 2s/; s/^time-max = .*/time-max = 2s/; s/^samples-max = .*/samples-max = 20000/; s/^half-width = .*/half-width = 0.01%/' \
		"$ini" >slow.ini
	"$EVENHAND" run ./slow.ini --on host:0 --executions 1 -o told-$signal -q >out 2>err </dev/null &
	pid=$!
	until grep -q '"kind":"instrument"' told-$signal/run.journal 2>/dev/null; do
		kill -0 $pid 2>/dev/null || break
		sleep 0.02
	done
	read -r worker </proc/$pid/task/$pid/children
	kill -$signal "$worker"
	wait $pid
	[ "$(cases told-$signal)" -eq 2 ] && [ "$(failed told-$signal)" -le 1 ] &&
		! grep '"status":"failed"' told-$signal/run.journal | grep -qv 'by a signal that evenhand did not send'
	check $? "SIG$signal to the worker costs at most the case in progress, with the reason"
	"$EVENHAND" verify told-$signal/*.json >out 2>err
	check $? "and the result holds"
done

# What fails in itself is not measured again.
cp "$BUILD/tests/backends/liar.so" backends/
go 0-0 "$SRC/tests/protocols/tiny.ini" --on liar --set liar.fault=wrong --executions 1 -o itself
before=$(cases itself)
[ $rc -eq 7 ]
check $? "cases that fail in themselves"
go 0-0 --resume itself
[ "$(cases itself)" -eq "$before" ] && ! grep -q '"starts"' itself/run.journal
check $? "are not repeated"

# A plugin that may not be used: another of its name takes its place, and that is said.
mkdir -p first second
cp "$BUILD/tests/backends/liar.so" first
cp "$BUILD/tests/backends/liar.so" second
chmod o+w first/liar.so
for on in liar all; do
	EVENHAND_BACKEND_PATH=$T/first:$T/second go 0-0 "$SRC/tests/protocols/tiny.ini" --on $on --executions 1 -o "copy-$on"
	[ -s "copy-$on/liar-honest.json" ] && grep -q "warning: $T/second/liar.so is used as backend liar; another file of that name is refused: $T/first/liar.so .*others can write to it" err &&
		[ "$(grep -c "$T/first/liar.so" err)" -eq 1 ]
	check $? "--on $on: a plugin that may not be used is named, with the one that is used in its place"
done
sed -i '/"kind":"case"/q' copy-liar/run.journal
EVENHAND_BACKEND_PATH=$T/first:$T/second go 0-0 --resume copy-liar
[ "$(grep -c 'another file of that name is refused' err)" -eq 1 ]
check $? "and again when the run is resumed"
EVENHAND_BACKEND_PATH=$T/second:$T/backends go 0-0 "$SRC/tests/protocols/tiny.ini" --on liar --executions 1 -o copy-sound
! grep -q 'another file of that name' err
check $? "a copy that is only shadowed is no news"

# Killed from outside, at any moment: each kill costs one case at most.  Two kills at most in a row: a
# third before anything is measured ends the execution, as above.
for protocol in tiny turns; do
	ini=$SRC/tests/protocols/$protocol.ini
	: >starts
	"$EVENHAND" run "$ini" --on "$device" --executions 6 -o killed-$protocol -q >out 2>err </dev/null &
	pid=$!
	kills=0 i=0 idle=0 lines=0
	while kill -0 $pid 2>/dev/null && [ $kills -lt 6 ] && [ $i -lt 400 ]; do
		sleep "0.$(awk -v s=$((kills * 7919 + i + ${EVENHAND_FUZZ_SEED:-1})) 'BEGIN { srand(s); printf "%03d", 50 + rand() * 600 }')"
		i=$((i + 1))
		[ -e killed-$protocol/run.journal ] || continue
		[ "$(wc -l <killed-$protocol/run.journal)" -eq "$lines" ] || idle=0
		lines=$(wc -l <killed-$protocol/run.journal)
		[ $idle -lt 2 ] || continue
		# shellcheck disable=SC2013
		for worker in $(cat /proc/$pid/task/$pid/children 2>/dev/null); do
			kill -KILL "$worker" 2>/dev/null && kills=$((kills + 1)) idle=$((idle + 1))
		done
	done
	wait $pid
	rc=$?
	lost=$(failed killed-$protocol)
	fine && [ $kills -gt 0 ] && [ "$lost" -le $kills ] && [ "$(cases killed-$protocol)" -eq $((6 * $(grep -c '^\[case ' "$ini"))) ]
	check $? "$protocol: $kills workers killed cost $lost cases"
done

echo "1..$n"
exit $bad
