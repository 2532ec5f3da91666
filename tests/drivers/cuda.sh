#!/bin/sh
# The cuda backend, as shipped, on the test driver: the conformance suite, the sweep that makes each
# call to the driver fail once, and a driver that lies or dies while a protocol runs.
set -u
echo "1..10"
n=0
check() { # check NAME COMMAND...
	n=$((n + 1))
	name=$1
	shift
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; fi
}
skip_rest() {
	while [ $n -lt 10 ]; do
		n=$((n + 1))
		echo "ok $n - cuda on its test driver # SKIP $1"
	done
	exit 0
}
driver=$BUILD/tests/drivers/cuda
backend=$BUILD/lib/evenhand/backends/cuda.so
if [ ! -f "$driver/libcuda.so.1" ] || [ ! -f "$backend" ]; then
	skip_rest "the test driver is built only where cuda.h is: install the CUDA toolkit (package nvidia-cuda-toolkit)"
fi
LD_LIBRARY_PATH=$driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
for folder in /usr/local/cuda/lib64 "${CUDA_HOME:-/usr/local/cuda}/lib64"; do
	[ ! -d "$folder" ] || LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$folder
done
export LD_LIBRARY_PATH
EVENHAND_TEST_CACHE=$driver/cache
export EVENHAND_TEST_CACHE
cd "$T" || exit 1
"$EVENHAND" devices >devices.out 2>&1
if grep -q 'NVRTC cannot\|no NVRTC\|needs no kernel' devices.out; then
	skip_rest "NVRTC is not installed (package nvidia-cuda-toolkit)"
fi

two_devices() {
	grep -q 'cuda:0 .*TEST CUDA device 0.*simulated' devices.out && grep -q 'cuda:1 .*TEST' devices.out
}
check "devices lists two, marked simulated" two_devices

none() {
	EVENHAND_TEST_CUDA_DEVICES=0 "$EVENHAND" devices >none.out 2>&1
	grep -q '^cuda .*sees no device.*nvidia-smi' none.out && ! grep -q 'TEST CUDA' none.out
}
check "a driver without devices lists none" none

# The suite asks whether work begins although nobody waits: the driver does that when it is told to.
conformance() {
	EVENHAND_TEST_PROGRESS=20 "$EVENHAND" plugin check "$backend" >check.out 2>&1
	rc=$?
	grep -q ' passed, .* 0 failed' check.out || { grep -A2 fail check.out >&2; return 1; }
	return $rc
}
check "the conformance suite passes" conformance

sweep() {
	mkdir -p binaries
	EVENHAND_SWEEP_cublaslt=$driver/libcublasLt.so.12 "$BUILD/tests/drivers/sweep" "$backend" "$SRC/workloads/dialect.h" "$T/binaries" libcuda.so.1 unknown \
		cuDriverGetVersion cuDeviceGetAttribute cuDeviceTotalMem_v2 cuDeviceGetUuid_v2 \
		cuDevicePrimaryCtxSetFlags_v2 cublasLtMatmulAlgoCapGetAttribute \
		cublasLtMatmulAlgoConfigGetAttribute >sweep.out 2>&1 && return 0
	grep -v '^ok' sweep.out >&2
	return 1
}
check "every call fails once: one error each or a fact unknown because of it, no crash, nothing left" sweep
swept() { [ "$(grep -c '^ok' sweep.out)" -gt 45 ] && [ "$(grep -c '^ok.*cublasLt' sweep.out)" -eq 16 ]; }
check "the sweep meets more than 45 functions, all 16 of the library of products among them" swept

# A fault during the suite: some test must fail, and the program must not.
found() { # found FAULT
	EVENHAND_TEST_FAULT=$1 timeout 60 "$EVENHAND" plugin check "$backend" >fault.out 2>&1
	rc=$?
	[ $rc -eq 1 ] && grep -q '^  fail ' fault.out
}
check "a driver whose waits return early is found" found early
check "a driver that flips a bit is found" found 'wrong@3+'
check "a driver that keeps old data is found" found 'stale@3+'
check "a driver that loses its device is found" found 'lost@5+'

# The same lies while a protocol is measured: every row is there and is called invalid or failed.
rows() { # FAULT STATUS: runs, and whether it ends with that status; the rows' own go to the file rows
	rm -rf lied
	EVENHAND_TEST_FAULT=$1 timeout 60 "$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on cuda:0 -q -o lied \
		>lied.out 2>&1
	rc=$?
	python3 -c 'import json, sys
for c in json.load(open(sys.argv[1]))["cases"]:
    print(c["status"])' lied/cuda-0.json >rows 2>>lied.out
	[ $rc -eq "$2" ] && [ -s rows ] && return 0
	echo "$1: status $rc" >&2
	cat lied.out >&2
	return 1
}
no_valid_row() {
	for fault in early 'wrong@4+' 'stale@2+' 'lost@6' 'clock=one' 'clock=stuck'; do
		rows "$fault" 7 && ! grep -v '^invalid$\|^failed$' rows >&2 || return 1
	done
}
check "no lie of a driver becomes a valid row" no_valid_row
