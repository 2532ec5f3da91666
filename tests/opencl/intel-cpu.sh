#!/bin/sh
# Intel's OpenCL runtime for processors: the whole conformance suite and every precision, half among
# them.  EVENHAND_INTEL_OPENCL names the folder that build-aux/intel-opencl.sh
# filled.
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}"
cd "$T" || exit 1
n=0 bad=0
check() { # status text file with detail...
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	shift 2
	tail -n 12 "$@" >&2
}
skip() { echo "ok 1 - Intel's OpenCL runtime # SKIP $1"; echo "1..1"; exit 0; }
plugin=$BUILD/lib/evenhand/backends/opencl.so
icd=${EVENHAND_INTEL_OPENCL:-}/vendors/intel-cpu.icd
[ -f "$plugin" ] || skip "the OpenCL backend is not built"
[ -f "$icd" ] || skip "it is not fetched: sh build-aux/intel-opencl.sh DIR, then EVENHAND_INTEL_OPENCL=DIR"
export OCL_ICD_VENDORS="$icd"

"$EVENHAND" devices >listed 2>&1
grep -q '^opencl:intel-cpu-0 .* fp16 .* bf16-store' listed
check $? "its device has half precision" listed
"$EVENHAND" plugin check "$plugin" >suite 2>&1
rc=$?
[ "$rc" -eq 0 ] && tail -n 1 suite | grep -q '^[1-9][0-9]* passed, [0-9]* skipped, 0 failed$'
check $? "it passes the conformance suite: $(tail -n 1 suite)" suite
# Rows need not have settled: the machine may be busy.  None may be wrong or fail.
"$EVENHAND" run "$SRC/tests/protocols/half.ini" --on opencl:intel-cpu-0 -o half -q >half.log 2>&1
rc=$?
{ [ "$rc" -eq 0 ] || [ "$rc" -eq 7 ]; } &&
	! grep '"kind":"case"' half/run.journal | grep -q '"status":"\(failed\|unsupported\|invalid\)"'
check $? "no row of half, bf16, single and double precision is wrong, fails or is not supported" half.log
[ "$(grep '"kind":"case"' half/run.journal | grep -c '"id":"gemm[.]b\{0,1\}f16[.]')" -eq 2 ]
check $? "half and bf16 are among them" half.log
"$EVENHAND" verify half/opencl-intel-cpu-0.json >verified 2>&1
check $? "its result verifies" verified

echo "1..$n"
exit $bad
