#!/bin/sh
# The conformance suite: an honest backend passes, a lying one fails where its lie can be seen, and
# no crash or hang ends the suite.
: "${T:?}" "${BUILD:?}" "${EVENHAND:?}" "${SRC:?}" "${CC:?}"
n=0 bad=0
ok() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
liar=$BUILD/tests/backends/liar.so
log=$T/log
unset EVENHAND_LIAR_FAULT EVENHAND_LIAR_N

"$EVENHAND" plugin check "$liar" > "$log" 2>&1 && grep -q ' 0 failed$' "$log" && ! grep -q '^  fail' "$log"
ok $? "the honest liar, which is the skeleton with a clock, passes" "$log"
for skipped in backend/notes kernel/info; do
	grep -q "^  skip  $skipped .* is not provided$" "$log"
	ok $? "$skipped is skipped with its reason" "$log"
done
passed=$(grep -c '^  pass' "$log")
[ "$passed" -ge 55 ] && grep -q "^$passed passed, [0-9]* skipped, 0 failed$" "$log"
ok $? "the summary counts what was printed" "$log"

"$EVENHAND" plugin check "$BUILD/lib/evenhand/backends/host.so" --device 0 > "$log" 2>&1
ok $? "the host backend passes" "$log"

# fault, part of test names, test that must fail, words of its reason, outcome of another test
seen() {
	EVENHAND_LIAR_FAULT=$1 "$EVENHAND" plugin check "$liar" --only "$2" --deadline "${6:-20s}" > "$log" 2>&1
	rc=$?
	[ $rc -eq 1 ] && grep -q "^  fail  $3 .*$4" "$log" && { [ -z "${5:-}" ] || grep -q "^  $5" "$log"; } &&
		grep -q '^[0-9]* passed, [0-9]* skipped, [1-9][0-9]* failed$' "$log"
	ok $? "$1: $3 fails${5:+; $5}" "$log"
}
seen early wait-waits queue/wait-waits-kernel "the work was not done when the wait said so"
grep -q '^  fail  mark/wait-waits' "$log"
ok $? "early: mark/wait-waits fails too" "$log"
seen tick mark/ mark/clock "at most 1 ns apart" "pass  mark/wait-waits"
seen fast-clock mark/clock mark/clock "the device's clock lies"
seen wrong transfer/ transfer/fill "bytes are wrong"
seen stale transfer/ transfer/fresh "a later download of a buffer that was changed" "pass  transfer/large"
seen skip queue/many queue/many-launches "after 1000 launches"
seen oom buffer/ buffer/huge-size "no memory left" "pass  buffer/kinds"
seen error transfer/ transfer/upload-download "the device failed at command 50" "pass  transfer/copy"
seen lost transfer/ transfer/upload-download "device-lost" "pass  transfer/fill"
# The process dies in one test; the tests behind it run in another process.
seen crash transfer/ transfer/shared "died of signal 11" "pass  transfer/pinned"
seen crash queue/ queue/in-order "died of signal 11"
[ "$(grep -c '^  fail .*died of signal 11' "$log")" -ge 4 ] && grep -q '^  pass  queue/two-queues' "$log"
ok $? "crash: every launching test fails alone, and one that does not launch passes" "$log"
seen hang transfer/ transfer/fill "did not end within" "skip  .*three tests have hung" 1s

EVENHAND_LIAR_FAULT=slow "$EVENHAND" plugin check "$liar" --only kernel/grid > "$log" 2>&1
ok $? "slow: being slow is not a fault" "$log"
EVENHAND_LIAR_FAULT=nonsense "$EVENHAND" plugin check "$liar" --only backend/start > "$log" 2>&1
[ $? -eq 1 ] && grep -q "has no fault called 'nonsense'" "$log"
ok $? "what start says is shown" "$log"
"$EVENHAND" --set liar.fault=tick plugin check "$liar" --only mark/clock > "$log" 2>&1
[ $? -eq 1 ] && grep -q '^  fail  mark/clock' "$log"
ok $? "--set reaches the backend in the child process" "$log"
"$EVENHAND" plugin check "$liar" --only mark/clock --device 1 > "$log" 2>&1
[ $? -eq 4 ] && grep -q 'has no device 1: it has 1' "$log"
ok $? "a device that is not there is a usage error" "$log"
"$EVENHAND" plugin check "$liar" --only no/such/test > "$log" 2>&1
[ $? -eq 4 ]
ok $? "a test that is not there is a usage error" "$log"
"$EVENHAND" plugin check "$BUILD/tests/backends/bad_magic.so" --only transfer/fill > "$log" 2>&1
[ $? -eq 1 ]
ok $? "one selected test does not pass on a plugin that cannot be loaded" "$log"

EVENHAND_LIAR_FAULT=tick "$EVENHAND" plugin check "$liar" --only mark/ --json > "$log" 2>&1
[ $? -eq 1 ] && python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
tests = r["devices"][0]["tests"]
assert r["failed"] == sum(t["outcome"] == "fail" for t in tests) > 0
assert r["passed"] + r["skipped"] + r["failed"] == len(tests)
assert all("reason" in t for t in tests if t["outcome"] != "pass")
' "$log" 2> "$T/err"
ok $? "--json counts the same" "$T/err"

# The skeleton with one fault of its author.
mkdir -p "$T/faults"
faults=$T/faults/faults.so
# shellcheck disable=SC2086 # SANITIZE is a list of flags
"$CC" -std=gnu17 -D_GNU_SOURCE -g ${SANITIZE:-} -DSKELETON_NAME='"faults"' -I "$SRC/core/include" \
	-I "$SRC/plugins/skeleton" -fvisibility=hidden -fPIC -shared -o "$faults" "$SRC/tests/abi/faults.c" \
	-ldl -lpthread > "$log" 2>&1
ok $? "the skeleton with faults builds under a name of its own" "$log"
"$EVENHAND" plugin check "$faults" --only queue/ > "$log" 2>&1
ok $? "without a fault it passes" "$log"
# A symbol is exported, be it global, weak, or unique as C++ makes them.
mkdir -p "$T/second"
sed 's/eh_backend_entry_v1;/& second;/' "$SRC/plugins/skeleton/backend.map" > "$T/second.map"
for kind in global weak unique; do
	case $kind in
	global) text='int second = 1;' ;;
	weak) text='__attribute__((weak)) int second = 1;' ;;
	unique) text='__asm__(".data\n.globl second\n.type second, \"gnu_unique_object\"\n.size second, 4\nsecond: .long 1\n.text");' ;;
	esac
	printf '%s\n' "$text" > "$T/second.c"
	# shellcheck disable=SC2086 # SANITIZE is a list of flags
	"$CC" -std=gnu17 -D_GNU_SOURCE ${SANITIZE:-} -DSKELETON_NAME='"faults"' -I "$SRC/core/include" -I "$SRC/plugins/skeleton" -fPIC \
		-shared -Wl,--version-script="$T/second.map" -o "$T/second/faults.so" "$SRC/tests/abi/faults.c" "$T/second.c" -ldl -lpthread > "$log" 2>&1 &&
		! "$EVENHAND" plugin check "$T/second/faults.so" --only plugin/ > "$log" 2>&1 &&
		grep -q '^  fail  plugin/one-symbol .*eh_backend_entry_v1: .*second.*backend\.map' "$log"
	ok $? "a second symbol that is $kind: plugin/one-symbol fails" "$log"
done
# fault, part of test names, test that must fail, words of its reason
found() {
	FAULT=$1 "$EVENHAND" plugin check "$faults" --only "$2" --deadline "${5:-20s}" > "$log" 2>&1
	[ $? -eq 1 ] && grep -q "^  fail  $3 .*$4" "$log"
	ok $? "$1: $3 fails" "$log"
}
found lazy queue/flush queue/flush "every command must start by itself"
found slow queue/flush queue/flush "every command must start by itself"
found marks mark/clock mark/clock "that of the mark's passing"
found late a queue/wait-waits "its data came later"
[ "$(grep -c '^  fail' "$log")" -eq 1 ] && grep -q '^  skip  [0-9]* tests from .*queue_wait does not wait' "$log"
ok $? "late: nothing that relies on a wait is run or blamed" "$log"
found silent buffer/ buffer/zero-size "the error's code is 0"
found broken queue/many queue/many-launches "queue_wait gave .*: the device failed later"
FAULT=broken "$EVENHAND" plugin check "$faults" --only mark/ > "$log" 2>&1
for name in wait-waits passed; do
	grep -q "^  fail  mark/$name .*the device failed later" "$log"
	ok $? "broken: mark/$name fails" "$log"
done
found stuck backend/start backend/start "did not end within" 1s
FAULT=stuck "$EVENHAND" plugin check "$faults" --only backend/ --deadline 1s 2>&1 | grep -q 'not run: .*deadline'
ok $? "stuck: a time-out is called one"
if [ -n "${SANITIZE:-}" ]; then
	echo "ok $((n = n + 1)) - leak: resource/commands fails # SKIP sanitizers keep freed memory"
	echo "ok $((n = n + 1)) - stack: kernel/stack fails # SKIP sanitizers use more stack"
else
	found leak resource/commands resource/commands "left behind [0-9]* bytes of the heap"
	found stack kernel/stack kernel/stack "at least 1 MiB"
fi
"$EVENHAND" plugin check "$faults" --set faults.compiler=nocc > "$log" 2>&1
[ $? -eq 5 ] && grep -q 'could not be tested here: .*--set faults.compiler=NAME' "$log" && [ "$(wc -l < "$log")" -lt 10 ]
ok $? "a backend that is not available here was not tested: exit code 5" "$log"
# A message of the backend that ends in half a character.
long=$(printf 'é%.0s' $(seq 200))
for name in "$long" "x$long"; do
	"$EVENHAND" plugin check "$faults" --only backend/start --json --set "faults.compiler=$name" > "$log" 2>&1 &&
		python3 -c 'import json, sys; assert "é" in str(json.load(open(sys.argv[1], encoding="utf-8")))' "$log" 2>> "$T/err"
	ok $? "a reason that was cut in the middle of a character is valid JSON" "$T/err"
done
"$EVENHAND" plugin check "$BUILD/lib/evenhand/workloads/stream.so" > "$log" 2>&1
[ $? -eq 4 ] && grep -q 'is a workload; plugin check tests backends' "$log"
ok $? "a workload is told from a backend" "$log"
suite=$BUILD/lib/evenhand/conformance/conformance.so
"$EVENHAND" plugin check "$suite" > "$log" 2>&1
[ $? -eq 4 ] && grep -q 'is a conformance suite; plugin check tests backends' "$log"
ok $? "the suite is no plugin that it can test" "$log"

# Killed in a test that hangs: the file that it shares with the child stays while it lives, and the next one
# removes it.
mkdir "$T/tmp"
ended() { # processes: none of them runs
	for p; do
		case $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$p/status" 2>/dev/null) in '' | Z) ;; *) return 1 ;; esac
	done
}
checked() { TMPDIR=$T/tmp "$EVENHAND" plugin check "$liar" --only "$1" > "$log" 2>&1; }
EVENHAND_LIAR_FAULT=hang TMPDIR=$T/tmp "$EVENHAND" plugin check "$liar" --only transfer/fill --deadline 600s > "$T/out" 2>&1 &
pid=$!
until grep -qr queue_ "$T/tmp" || ! kill -0 $pid 2> /dev/null; do sleep 0.02; done
file=$(ls -A "$T/tmp")
checked plugin/ && [ -n "$file" ] && [ "$(ls -A "$T/tmp")" = "$file" ]
ok $? "the file of a living check is left alone" "$log"
kill -STOP $pid
children=$(cat "/proc/$pid/task/$pid/children")
kill -KILL $pid
wait $pid 2> /dev/null
# shellcheck disable=SC2086
until ended $children; do sleep 0.02; done
[ "$(ls -A "$T/tmp")" = "$file" ]
ok $? "a killed check leaves it" "$log"
checked transfer/fill && [ -z "$(ls -A "$T/tmp")" ]
ok $? "and the next one removes it" "$log"

# The suite is loaded as every plugin is.
mkdir -p "$T/suite"
suite_refused() { # words of the refusal
	EVENHAND_CONFORMANCE_PATH=$T/suite "$EVENHAND" plugin check "$liar" --only plugin/ > "$log" 2>&1 &&
		grep -q "warning: .*$1.*; $suite is used instead" "$log"
	ok $? "a suite that is refused is named, and the next one used: $1" "$log"
}
(umask 022 && cp "$liar" "$T/suite/conformance.so")
suite_refused "does not export eh_conformance_entry_v1"
(umask 022 && cp "$suite" "$T/suite/conformance.so")
chmod 666 "$T/suite/conformance.so"
suite_refused "others can write to it"
chmod 644 "$T/suite/conformance.so"
EVENHAND_CONFORMANCE_PATH=$T/suite "$EVENHAND" plugin list > "$log" 2>&1 &&
	[ "$(grep -A 2 '^conformance$' "$log" | tail -n 1 | tr -d ' ')" = conformance ]
ok $? "plugin list lists the suite" "$log"
"$EVENHAND" plugin check --help 2>&1 | grep -q '^usage: evenhand plugin check'
ok $? "plugin check --help is the help" "$log"
"$EVENHAND" plugin check "$BUILD/tests/backends/bad_magic.so" > "$log" 2>&1
[ $? -eq 1 ] && grep -q '^  fail  plugin/load' "$log" && [ "$(grep -c '^  skip' "$log")" -eq 1 ]
ok $? "after a failed load, one line for all that was not run" "$log"
echo "1..$n"
exit $bad
