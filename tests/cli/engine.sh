#!/bin/sh
# The measuring engine on the host and, where there is one, an OpenCL processor: cold and warm
# caches, declared data, the sustained regime, a neighbour that starts half-way.
set -u
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || head -40 "$3" >&2; fi
}
if [ ! -x /usr/bin/python3 ]; then
	echo "ok 1 - the engine # SKIP python3 is missing (package python3)"
	echo 1..1
	exit 0
fi
cd "$T" || exit 1
cat >look.py <<'PYTHON'
import glob, json, os, sys
rows = {}
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.json"))):
    result = json.load(open(path))
    for row in result["cases"]:
        rows[result["executor"]["name"].split(":")[0], row["id"]] = row
host = {case: row for (backend, case), row in rows.items() if backend == "host"}
def one(case):
    return host[case]["executions"][0]
exec(sys.argv[2])
PYTHON
look() { # folder code
	/usr/bin/python3 look.py "$1" "$2" >look.out 2>&1
}
host=$("$EVENHAND" devices 2>/dev/null | sed -n 's/^\(host:[^ ]*\) .*/\1/p' | head -1)
[ -n "$host" ]
check $? "there is a host executor"
also=
"$EVENHAND" devices 2>/dev/null | grep -q '^opencl:pocl' && also=,opencl:pocl

cat >engine.ini <<'INI'
[protocol]
name = engine
version = 1
intent = the engine's own test
executions = 1
canary = no
[measure]
warmup-min = 2ms
warmup-max = 10ms
samples-min = 10
samples-max = 700
time-min = 10ms
time-max = 150ms
half-width = 50%
proof = 5ms
timeout = 60s
repeats = 0
[case warm]
workload = stream
operation = triad
bytes = 256KiB
[case cold]
workload = stream
operation = triad
bytes = 256KiB
cache = cold
[case zeros]
workload = gemm
m = 128
n = 128
k = 128
input-data = zeros
[case p99]
workload = gemm
m = 128
n = 128
k = 128
statistic = p99
samples-max = 700
time-max = 5s
[case steady]
workload = gemm
m = 128
n = 128
k = 128
regime = sustained
sustain-time = 1s
sustain-window = 100ms
INI
"$EVENHAND" run engine.ini --on "$host$also" -o out -q >run.out 2>run.err
check $? "cold, zeros, p99 and sustained are measured" run.err

look out '
cache = one("cold.triad.256KiB")["cache"]
needed = 1 + -(-2 * cache["cache_bytes"] // cache["set_bytes"])
if needed <= 512:
    assert cache["method"] == "rotation" and cache["sets"] == needed, cache
else:
    assert cache["method"] == "eviction" and cache["evicted_bytes"] == 2 * cache["cache_bytes"], cache
assert "cache" not in one("warm.triad.256KiB")
ratio = host["cold.triad.256KiB"]["derived"]["median_ns"] / host["warm.triad.256KiB"]["derived"]["median_ns"]
print("cold / warm", ratio)
assert ratio > 1.2'
check $? "what fits the cache is slower when it is cold: $(tail -1 look.out)" look.out

look out '
row = one("zeros.128")
assert row["data"]["distribution"] == "zeros" and "stale-not-excluded" in row["flags"], row["flags"]
for (backend, case), row in rows.items():
    assert row["executions"][0]["data"] == one(case)["data"], (backend, case)
assert one("zeros.128")["data"]["sha256"] != one("p99.128")["data"]["sha256"]
assert one("warm.triad.256KiB")["data"] == one("cold.triad.256KiB")["data"]'
check $? "the declared data are the same bytes on every backend" look.out

look out '
row = one("p99.128")
assert row["batch"] == 1 and len(row["samples_ns"]) >= 662, (row["status"], len(row["samples_ns"]))'
check $? "a percentile has the samples it needs, one operation each" look.out

look out '
row, derived = one("steady.128"), host["steady.128"]["derived"]["sustained"][0]
starts, times = row["starts_ns"], row["samples_ns"]
assert starts[0] == 0 and starts[-1] + times[-1] > 950e6
assert all(b >= a + t for a, b, t in zip(starts, starts[1:], times))
assert row["sustained"]["window_ns"] == 100000000 and 5 <= len(derived["rates"]) <= 11
assert max(derived["rates"]) == derived["best"] >= derived["steady"] > 0
assert derived["ratio"] == derived["steady"] / derived["best"]'
check $? "a sustained run is seen through its windows" look.out

"$EVENHAND" show out/host-*.json >show.out 2>show.err
check $? "and the results are read again" show.err

# Twice as many busy processes as processors, half-way.
cat >neighbour.ini <<'INI'
[protocol]
name = neighbour
version = 1
intent = a neighbour starts half-way
executions = 1
[measure]
warmup-min = 2ms
warmup-max = 10ms
samples-max = 1000000
time-min = 3s
time-max = 4s
half-width = 50%
proof = 5ms
timeout = 30s
[case gemm]
workload = gemm
m = 512
n = 512
k = 512
INI
# The case uses every processor: one that needs less may keep its fair share beside any neighbour.
(
	trap 'kill $busy 2>/dev/null' EXIT
	busy=
	until grep -q '"kind":"instrument"' near/run.journal 2>/dev/null || [ -e over ]; do sleep 0.1; done
	sleep 1.5
	: >begun
	for _ in $(seq $(($(nproc) * 4))); do
		(exec timeout 30 sh -c 'while [ ! -e over ]; do :; done') &
		busy="$busy $!"
	done
	while [ ! -e over ]; do sleep 0.1; done
) &
neighbour=$!
"$EVENHAND" run neighbour.ini --on "$host" -o near -q >run.out 2>run.err
rc=$?
: >over
wait $neighbour 2>/dev/null
# Where processors are taken for most of the time, the proof may contradict honest samples
# (docs/method.md, "Disturbance"): then the row says just that, and keeps them.
look near '
row = one("gemm.512")
print(row["status"], row["reasons"], len(row["samples_ns"]))
assert row["samples_ns"]
assert row["status"] != "invalid" or all("by the host clock up to" in r for r in row["reasons"])'
seen=$?
[ $seen -eq 0 ] && [ -e begun ] && { [ $rc -eq 0 ] || [ $rc -eq 7 ]; }
check $? "a case with a neighbour ends with its samples: $(tail -1 look.out)" look.out
look near '
row = one("gemm.512")
assert "disturbed" in row["flags"] or row["status"] == "invalid" or row.get("attempts"), row["flags"]
said = row.get("disturbed", []) + [w for a in row.get("attempts", []) for w in a["disturbed"]]
assert said, said'
check $? "and says that it was disturbed, by what" look.out
echo "1..$n"
exit $bad
