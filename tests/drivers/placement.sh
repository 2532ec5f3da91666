#!/bin/sh
# A worker runs near its device: threads and memory at the NUMA node that a test driver's device claims,
# on a machine of two nodes that hwloc is told.
: "${T:?}" "${BUILD:?}" "${EVENHAND:?}" "${SRC:?}"
n=0 bad=0
ok() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || tail -n 40 "$3" >&2; fi
}
driver=$BUILD/tests/drivers/cuda
if [ ! -f "$BUILD/lib/evenhand/backends/cuda.so" ] || [ ! -f "$driver/libcuda.so.1" ]; then
	echo "ok 1 - a worker runs near its device # SKIP the cuda backend or its test driver was not built (package nvidia-cuda-toolkit)"
	echo "1..1"
	exit 0
fi
unset EVENHAND_TEST_FAULT EVENHAND_TEST_CALLS CUDA_VISIBLE_DEVICES
LD_LIBRARY_PATH=$driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
cd "$T" || exit 1
# The card at 40 is near node 0, the one at 41 near a node that the machine lacks.
for card in 40:0 41:7; do
	mkdir -p "root/sys/bus/pci/devices/0000:${card%:*}:00.0"
	echo "${card#*:}" >"root/sys/bus/pci/devices/0000:${card%:*}:00.0/numa_node"
done
sed 's/^workload = stream/workload = xfer/; s/^operation = .*/direction = h2d/; s/^executions = .*/executions = 1/; /^precision/d' \
	"$SRC/tests/protocols/tiny.ini" | sed '/^\[case copy\]/,$d' >xfer.ini
placed() { # FOLDER EXECUTOR SETTINGS...: the placement of the first execution, as JSON
	folder=$1 executor=$2
	shift 2
	"$EVENHAND" run xfer.ini --on "$executor" -q -o "$folder" "$@" >log 2>&1
	python3 -c 'import json, sys
print(json.dumps(json.load(open(sys.argv[1]))["instruments"][0].get("placement"), sort_keys=True))' "$folder"/*.json
}
# The first processor that this process may use is that of node 0.
first=$(taskset -cp $$ 2>/dev/null | sed 's/.*: *\([0-9]*\).*/\1/')
HWLOC_SYNTHETIC='pack:2 [numa] core:1 pu:1' HWLOC_THISSYSTEM=1
export HWLOC_SYNTHETIC HWLOC_THISSYSTEM
placed near cuda:0 --set cuda.root="$T/root" >placement
if [ "$first" = 0 ]; then
	grep -q '"cpus": "0"' placement && grep -q '"numa_node": 0' placement && grep -q '"threads": true' placement
	ok $? "threads run on the processors of the device's node alone" placement
else
	echo "ok $((n += 1)) - threads run on the processors of the device's node alone # SKIP processor 0 may not be used here"
fi
placed far cuda:1 --set cuda.root="$T/root" >placement
grep -q '"reason": "the topology has no such node"' placement && grep -q '"threads": false' placement
ok $? "a node that the machine lacks is recorded, and nothing is bound" placement
unset HWLOC_SYNTHETIC HWLOC_THISSYSTEM
placed unknown cuda:0 >placement
grep -qx null placement
ok $? "nothing is done for a device whose node is unknown" placement
placed cpu host:0 >placement
grep -qx null placement
ok $? "nor for a processor" placement
echo "1..$n"
exit $bad
