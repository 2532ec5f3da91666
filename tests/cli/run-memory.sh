#!/bin/sh
# The coordinator's own memory in a run of 1,000 cases stays below 64 MB: it never holds samples.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	# What the program said last, so that a log explains itself.
	for said in out err; do [ ! -s "$said" ] || { echo "# $2: ${said##*/}:"; tail -n 10 "$said"; } >&2; done
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
cd "$T" || exit 1

cat >thousand.ini <<END
[protocol]
name = thousand
version = 1
intent = many cases, each as short as it can be
executions = 1
seed = 7
canary = no

[measure]
warmup-min = 0ms
warmup-max = 1ms
samples-min = 6
samples-max = 400
time-min = 1ms
time-max = 2ms
half-width = 50%
proof = 1ms
timeout = 20s
END
# 4 operations, 2 precisions, 5 sizes in each of 25 sections.
i=0
while [ $i -lt 25 ]; do
	k=$((20 * i))
	cat >>thousand.ini <<END

[case s$i]
workload = stream
operation = copy, mul, add, triad
precision = f32, f64
bytes = $((k + 4))KiB, $((k + 8))KiB, $((k + 12))KiB, $((k + 16))KiB, $((k + 20))KiB
END
	i=$((i + 1))
done
"$EVENHAND" run thousand.ini --on host:0 -o run --quiet >out 2>err </dev/null &
pid=$!
peak=0
while kill -0 $pid 2>/dev/null; do
	now=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' /proc/$pid/status 2>/dev/null)
	[ "${now:-0}" -gt "$peak" ] && peak=$now
	sleep 0.1
done
wait $pid
rc=$?
[ $rc -eq 0 ] || [ $rc -eq 7 ]
check $? "a run of 1,000 cases ends"
[ "$(grep -c '"kind":"case"' run/run.journal)" -eq 1000 ]
check $? "with a line for each"
if [ -n "${SANITIZE:-}" ]; then
	skip "the coordinator stays below 64 MB" "a sanitizer's own memory counts too"
else
	[ "$peak" -gt 1000 ] && [ "$peak" -lt 64000 ]
	check $? "the coordinator stays below 64 MB ($peak kB at its peak)"
fi

echo "1..$n"
exit $bad
