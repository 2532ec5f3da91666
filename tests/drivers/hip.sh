#!/bin/sh
# The hip backend, as shipped, on its test runtimes: the conformance suite, the sweep that makes each
# call to the runtime and to hiprtc fail once, planted mistakes, and a runtime that lies or dies.
# shellcheck disable=SC2317 # functions are called through check
set -u
: "${T:?}" "${BUILD:?}" "${EVENHAND:?}" "${SRC:?}" "${CC:?}"
n=0 bad=0
check() { # check NAME COMMAND...
	n=$((n + 1))
	name=$1
	shift
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; bad=1; fi
}
finish() {
	echo "1..$n"
	exit $bad
}
drivers=$BUILD/tests/drivers
so=$BUILD/lib/evenhand/backends/hip.so
unset EVENHAND_TEST_FAULT EVENHAND_TEST_CALLS EVENHAND_TEST_TEXTS EVENHAND_TEST_HIP_ARCH EVENHAND_TEST_HIP_DEVICES
unset HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES
if [ ! -f "$so" ] || [ ! -f "$drivers/hip5/libamdhip64.so.5" ]; then
	echo "ok 1 - hip on its test runtimes # SKIP the test runtime is built only where hip/hip_runtime_api.h is (package libamdhip64-dev)"
	echo "1..1"
	exit 0
fi
# The compiler may know C alone.
if ! echo 'int main(){return 0;}' | $CC -x c++ -c -o "$T/probe.o" - 2>/dev/null; then
	echo "ok 1 - hip on its test runtimes # SKIP $CC knows no C++, which the test hiprtc needs (package g++)"
	echo "1..1"
	exit 0
fi
EVENHAND_TEST_CACHE=$drivers/hip-cache
export EVENHAND_TEST_CACHE
mkdir -p "$EVENHAND_TEST_CACHE" && chmod 700 "$EVENHAND_TEST_CACHE"
cd "$T" || exit 1
on() { # on VERSION COMMAND...: with that test runtime in the loader's way
	version=$1
	shift
	LD_LIBRARY_PATH=$drivers/hip$version${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"
}
# The suite of the one that is found by its soname: another, newer, may be installed.
devices() { # VERSION
	on "$1" "$EVENHAND" --set "hip.library=libamdhip64.so.$1" devices >"devices$1" 2>&1
	grep -q "^hip:0 .*TEST HIP device 0.*HIP $1\.2.*simulated" "devices$1" && grep -q '^hip:1 .*TEST' "devices$1"
}
for version in 5 6 7; do
	check "ROCm $version: two devices, marked simulated" devices $version
done

none() { EVENHAND_TEST_HIP_DEVICES=0 on 7 "$EVENHAND" devices >none 2>&1; grep -q '^hip .*sees no device.*rocminfo' none; }
check "a runtime without devices is a note that says where to look" none

# The suite asks whether work begins although nobody waits: the runtime does that when it is told to.
conformance() { # VERSION...
	chosen=$1
	shift
	EVENHAND_TEST_PROGRESS=20 on "$chosen" "$EVENHAND" --set "hip.library=libamdhip64.so.$chosen" plugin check "$so" "$@" \
		>"check$chosen" 2>&1
	rc=$?
	grep -q ' passed, .* 0 failed' "check$chosen" || { grep -A2 ' fail' "check$chosen" >&2; return 1; }
	return "$rc"
}
check "the conformance suite passes, hiprtc in the runtime and in a child (ROCm 5)" conformance 5
check "the conformance suite passes, hiprtc a library of its own (ROCm 6)" conformance 6 --device 0
must() { # PART: of what must not have been skipped
	grep -q "^ *pass  *$1" check5 && ! grep -q "^ *skip  *$1" check5
}
for part in graph/ peer/ transfer/shared transfer/pinned kernel/scalar-arguments; do
	check "$part passed and nothing of it was skipped" must "$part"
done

# No cache of the backend's, so that each job compiles.  What only describes a device or a library may fail.
sweep() { # LIBRARY of products
	EVENHAND_SWEEP_gemm=$1 on 7 "$drivers/sweep" "$so" "$SRC/workloads/dialect.h" "$T/none" libamdhip64.so.7 unknown \
		hipDriverGetVersion hipRuntimeGetVersion hipDeviceGetAttribute hipDeviceTotalMem hipDeviceGetUuid \
		hipDeviceGetPCIBusId hipSetDeviceFlags hiprtcGetProgramLogSize hiprtcGetProgramLog hipblasLtGetGitRevision \
		>"sweep-$1" 2>&1 && return 0
	grep -v '^ok' "sweep-$1" >&2
	return 1
}
for library in hipblaslt rocblas; do
	check "with $library every call fails once: one error each or a fact unknown because of it, no crash, nothing left" \
		sweep $library
done
swept() {
	[ "$(grep -c '^ok' sweep-hipblaslt)" -gt 55 ] && grep -q hiprtcGetCode sweep-hipblaslt &&
		grep -q hipGraphLaunch sweep-hipblaslt && [ "$(grep -c '^ok.*hipblasLt' sweep-hipblaslt)" -eq 15 ] &&
		[ "$(grep -c '^ok.*rocblas_' sweep-rocblas)" -eq 8 ]
}
check "the sweeps meet more than 55 functions, hiprtc's and all 23 of the libraries of products among them" swept

planted() {
	on 7 "$drivers/planted" "$so" "$SRC/workloads/dialect.h" "$T/none" >planted 2>&1
	rc=$?
	grep '^not ok\|^#' planted >&2
	[ "$rc" -eq 0 ] && [ "$(grep -c '^ok' planted)" -eq 5 ]
}
check "a missing barrier, a missing wait and a store beyond a buffer are found" planted

# A fault during the suite: some test must fail, and the program must not.
found() { # found FAULT PARTS
	EVENHAND_TEST_FAULT=$1 on 7 timeout 60 "$EVENHAND" plugin check "$so" --device 0 --only "$2" --deadline 20s >fault 2>&1
	rc=$?
	[ "$rc" -eq 1 ] && grep -q '^  fail ' fault
}
check "a runtime whose waits return early is found" found early transfer/
check "a runtime that flips a bit is found" found 'wrong@3+' transfer/
check "a runtime that keeps old data is found" found 'stale@3+' kernel/
check "a runtime that loses its device is found" found 'lost@5+' kernel/

# Errors, each planted in the runtime.
says() { # fault, part of test names, words that must be said
	EVENHAND_TEST_FAULT=$1 on 7 timeout 60 "$EVENHAND" plugin check "$so" --device 0 --only "$2" --deadline 8s >said 2>&1
	rc=$?
	[ "$rc" -ne 0 ] && [ "$rc" -lt 124 ] && grep -q "$3" said && return 0
	head -n 5 said >&2
	return 1
}
check "out of memory names the call and the remedy" says 'hipMalloc@1+=2' buffer/alignment \
	'hipMalloc returned hipErrorOutOfMemory (2).*rocm-smi'
check "a bad address says that a new process helps" says 'hipModuleLaunchKernel@1=700' kernel/values \
	'hipErrorIllegalAddress (700).*new process'
check "a driver that is too old says so" says 'hipInit=35' device/info 'hipErrorInsufficientDriver (35).*update the driver'
dies() {
	EVENHAND_TEST_HIP_ARCH=gfx942 on 5 "$EVENHAND" --set hip.library=libamdhip64.so.5 plugin check "$so" --device 0 \
		--only kernel/values >died 2>&1 && return 1
	grep -q 'killed by signal 6.*gfx942.*newer ROCm.*gfx942 is not known' died
}
check "a compiler that dies is one error, with its last words" dies
hangs() { EVENHAND_CACHE_DIR=$T/hangs says 'hiprtcCompileProgram=hang' kernel/values 'did not end within'; }
check "a compiler that hangs is ended" hangs
finish
