#!/bin/sh
# The host backend with one slot sabotaged: the conformance suite catches it and names the slot, the
# text or the process.
: "${T:?}" "${BUILD:?}" "${EVENHAND:?}" "${SRC:?}"
n=0 bad=0
ok() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
saboteur=$BUILD/tests/backends/saboteur.so
log=$T/log
EVENHAND_SABOTAGED=$BUILD/lib/evenhand/backends/host.so
export EVENHAND_SABOTAGED
check() { # sabotage, arguments
	SABOTAGE=$1
	export SABOTAGE
	shift
	"$EVENHAND" plugin check "$saboteur" --device 0 "$@" > "$log" 2>&1
}
# sabotage, part of tests' names, test that must fail, words of its reason
caught() {
	check "$1" --only "$2" --deadline "${5:-30s}"
	[ $? -eq 1 ] && grep -q "^  fail  $3 .*$4" "$log"
	ok $? "$1: $3 fails and says '$4'" "$log"
}

for part in /start /order mark/ launch/ resource/; do
	check none --only "$part"
	ok $? "without a sabotage $part passes" "$log"
done

# Clocks.
caught clock-back mark/steady mark/steady "mark_elapsed gave 18446744073709550816 ns, which is -800"
caught clock-clamp mark/steady mark/steady "the clock of the marks"

# Leaks.
if [ -n "${SANITIZE:-}" ]; then
	skip "leaks" "sanitizers keep freed memory"
else
	caught leak-buffer_alloc resource/buffers resource/buffers "left behind [0-9]* bytes of the heap"
	caught leak-queue_create resource/queues resource/queues "left behind [0-9]* bytes of the heap"
	caught leak-mark_create resource/marks resource/marks "left behind [0-9]* bytes of the heap"
	caught leak-launch resource/commands resource/commands "left behind [0-9]* bytes of the heap"
	caught leak-kernel_get resource/kernels resource/kernels "left behind [0-9]* bytes of the heap"
	caught leak-program_build resource/programs resource/programs "left behind [0-9]* bytes of the heap"
	caught leak-device_open resource/devices resource/devices "left behind [0-9]* bytes of the heap"
	caught leak-thread resource/queues resource/queues "left behind"
fi
caught leak-file resource/queues resource/queues "left behind [0-9]* files open"

# Kernels.
check none --only plugin/load
if grep -q 'device 0: gcc' "$log"; then
	caught fast-math kernel/order kernel/order-32 "sums are reassociated"
	grep -q '^  fail  kernel/order-64' "$log"
	ok $? "fast-math: kernel/order-64 fails too" "$log"
else
	skip "fast-math: kernel/order-32 fails" "device 0 is not compiled by gcc"
fi
caught hasty launch/ launch/round-trip "queue_wait returned before the work was done"
check threaded --only launch/
ok $? "threaded: an honest device with a thread of its own passes" "$log"
check delayed --only launch/
ok $? "delayed: an honest device on a busy machine passes" "$log"
check threaded --only wait
ok $? "threaded: its waits pass" "$log"

# What a call does to the process.
caught rounding backend/start backend/start "start changed the rounding mode .* from to nearest to upward"
caught rounding kernel/fp32 kernel/fp32 "start changed the rounding mode"
caught stop-rounding backend/stop backend/stop "stop changed the rounding mode"
caught stop-rounding transfer/fill process/stop "stop changed the rounding mode"
caught locale program/info program/info "program_build changed the locale of the process from C to C.UTF-8"
if [ "$(uname -m)" = x86_64 ]; then
	caught flush queue/many queue/many-launches "queue_create made the calling thread replace subnormal numbers by 0"
else
	skip "flush: queue_create is named" "only x86-64 has the sabotage"
fi
check flush --only transfer/
[ "$(grep -c '^  fail' "$log")" -le 1 ]
ok $? "flush: what a slot does again and again is told once" "$log"

# Crashes, hangs, statuses: the slot is named.
caught crash transfer/fill transfer/fill "signal 11 .* in fill"
caught hang transfer/fill transfer/fill "did not end within 2.000 s in fill" 2s
caught status queue/ "queue/[a-z-]*" "queue_wait returned 42, which is no status of the ABI"
caught exit backend/stop backend/stop "exited with status 0 in stop"
caught exit transfer/fill process/exit "exited with status 0 in stop"

# Processes and descriptors.
caught daemon backend/start process/left "still ran after stop: [0-9]* sleep (sleep 30)"
pid=$(sed -n 's/.*after stop: \([0-9]*\) sleep (sleep.*/\1/p' "$log")
[ -n "$pid" ] && ! kill -0 "$pid" 2> /dev/null
ok $? "daemon: it is ended" "$log"
check scribble --only queue/
rc=$?
[ $rc -eq 1 ] && grep -q "^  fail  process/descriptors .*wrote to the report: 'all well'" "$log"
ok $? "scribble: writing to foreign descriptors is a failure" "$log"
check none --only queue/ --json
cp "$log" "$T/clean"
check scribble --only queue/ --json
python3 -c '
import json, sys
clean, dirty = [{t["name"] for d in json.load(open(f))["devices"] for t in d["tests"]} for f in sys.argv[1:]]
assert clean and dirty - clean == {"process/descriptors"} and not clean - dirty, (clean, dirty)
' "$T/clean" "$log" 2> "$T/err"
ok $? "scribble: every test has an outcome all the same" "$T/err"
caught close device/open-close device/open-close "closed the descriptor of the report"

# Answers.
caught endless device/count device/count "device_count counted 1000000000 devices: a backend has at most 4096"
started=$(date +%s)
EVENHAND_BACKEND_PATH=$BUILD/tests/backends SABOTAGE=endless "$EVENHAND" devices > "$log" 2>&1
grep -q '^saboteur .*counts 1000000000 devices and a backend has at most 4096' "$log" && [ $(($(date +%s) - started)) -lt 60 ]
ok $? "endless: devices says so instead of listing them" "$log"
caught latin1 device/info device/info "the name that device_info gave for index 0 is not UTF-8: byte 14 is 0xfc"
caught escape device/layers device/layers "the version that device_layer gave for index 0 has the control character 0x1b at byte 0"
caught error-escape device/index device/index-beyond "the message of the error of device_info has the control character 0x1b"
caught info-escape program/info program/info "the compiler that program_info gave has the control character"
! grep -q "$(printf '\033')" "$log"
ok $? "no escape reaches the terminal" "$log"
echo "1..$n"
exit $bad
