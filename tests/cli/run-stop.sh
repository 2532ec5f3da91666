#!/bin/sh
# What is not the device's failure stops a run with one sentence, and --resume completes it; what
# a run started is gone with it.
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
mkdir prefix
cp -r "$BUILD/bin" "$BUILD/lib" "$BUILD/share" prefix/ || exit 1
own=$T/prefix/bin/evenhand

# A file that a worker needs is away for a moment, as while an upgrade goes on.
for file in workloads/stream.so backends/host.so; do
	name=${file%%/*}
	executions=30
	[ "$name" = workloads ] || executions=8
	"$own" run "$tiny" --on host:0 -o "$name" --executions $executions --quiet >out 2>err </dev/null &
	pid=$!
	await "$name/run.journal" '"kind":"executor"' $pid
	check $? "$file away: it was there when the run began"
	mv "prefix/lib/evenhand/$file" away.so
	wait $pid
	[ $? -eq 5 ]
	check $? "$file away: the run stops with exit code 5"
	[ "$(grep -vc '^evenhand: warning: ' err)" -eq 1 ] && grep -q "then complete the run with evenhand run --resume $name$" err
	check $? "$file away: one sentence says how to complete it"
	tail -n 1 "$name/run.journal" | grep -q '"kind":"end".*"status":"interrupted"'
	check $? "$file away: the journal ends as interrupted"
	cases=$(grep -c '"kind":"case"' "$name/run.journal")
	[ "$cases" -gt 0 ] && [ "$cases" -lt $((2 * executions)) ]
	check $? "$file away: what was measured is kept, the rest is open"
	! "$own" run --resume "$name" --quiet >out 2>err </dev/null &&
		[ "$(grep -c '"kind":"case"' "$name/run.journal")" -eq "$cases" ]
	check $? "$file away: resumed too early, nothing is lost"
	mv away.so "prefix/lib/evenhand/$file"
	"$own" run --resume "$name" --quiet >out 2>err </dev/null
	rc=$?
	{ [ $rc -eq 0 ] || [ $rc -eq 7 ]; } &&
		[ "$(grep -c '"kind":"case"' "$name/run.journal")" -eq $((2 * executions)) ]
	check $? "$file there again: --resume completes the run"
	! grep '"kind":"case"' "$name/run.journal" | grep -q '"status":"failed"'
	check $? "$file there again: none of it failed"
done

# A compiler that hangs in a child of its own, and the watchdog kills the worker.
real=$(command -v gcc || command -v clang)
if [ -n "$real" ]; then
	marker=hang-$$-marker
	mkdir bin
	for tool in as ld grep; do ln -s "$(command -v $tool)" bin/$tool; done
	ln -s "$(command -v sleep)" "bin/$marker"
	cat >bin/gcc <<-SCRIPT
		#!/bin/sh
		if [ -f kernel.c ] && ! grep -q trial_entry kernel.c; then
			echo hung >>$T/hung
			$marker 300
			exit 1
		fi
		exec $real "\$@"
	SCRIPT
	chmod +x bin/gcc
	sed -e 's/^timeout = .*/timeout = 2s/; s/^executions = .*/executions = 1/' \
		-e '/^\[case copy\]/,$d' "$tiny" >short.ini
	env PATH="$T/bin" EVENHAND_CACHE_DIR="$T/cache" \
		"$own" run short.ini --on host:0 -o hang --quiet >out 2>err </dev/null
	[ $? -eq 7 ] && grep '"kind":"case"' hang/run.journal | grep -q 'timed out'
	check $? "a compiler that hangs: its case times out"
	[ -s hung ]
	check $? "a compiler that hangs: it was started"
	left=0
	for process in /proc/[0-9]*; do
		if { tr '\0' ' ' <"$process/cmdline"; } 2>/dev/null | grep -q "^$marker 300"; then
			left=1
			kill -KILL "${process#/proc/}"
		fi
	done
	[ $left -eq 0 ]
	check $? "a compiler that hangs: nothing of it is left"
fi

echo "1..$n"
exit $bad
