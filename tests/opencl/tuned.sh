#!/bin/sh
# The tuned tier where samples are on the device's clock, on PoCL: the candidates are timed by it too,
# and groups of several sizes are right.
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}"
skip() { echo "ok 1 - the tuned tier on PoCL # SKIP $1"; echo "1..1"; exit 0; }
[ -f "$BUILD/lib/evenhand/backends/opencl.so" ] || skip "the OpenCL backend is not built"
[ -f /etc/OpenCL/vendors/pocl.icd ] || skip "PoCL is not installed (package pocl-opencl-icd)"
cd "$T" || exit 1
cat >tuned.ini <<'INI'
[protocol]
name = tuned
version = 1
intent = a search whose candidates are timed by the device
executions = 1
seed = 1
[measure]
warmup-min = 1ms
warmup-max = 20ms
samples-min = 6
samples-max = 20
time-min = 1ms
time-max = 200ms
half-width = 100%
proof = 5ms
timeout = 60s
tune-budget = 5s
clock = device
[case triad]
workload = stream
operation = triad
precision = f32
bytes = 1MiB
tier = tuned
INI
OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd "$EVENHAND" run tuned.ini --on opencl:pocl-0 -o out -q >log 2>&1
python3 - out/opencl-pocl-0.json >>log 2>&1 <<'PY'
import json, sys
case, = json.load(open(sys.argv[1]))["cases"]
execution, = case["executions"]
assert execution["clock"] == "device" and execution["samples_ns"], case["status"]
trials = execution["tuning"]["trials"]
assert all(t["status"] == "valid" for t in trials), trials
assert len({t["parameters"]["group"] for t in trials}) > 1, trials
PY
rc=$?
words="candidates are timed by the device's clock"
if [ $rc -eq 0 ]; then
	echo "ok 1 - $words"
else
	echo "not ok 1 - $words"
	tail -n 20 log >&2
fi
echo "1..1"
exit $rc
