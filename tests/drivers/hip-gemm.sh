#!/bin/sh
# The vendor tier of the hip backend on the test runtime, with the test libraries of products: the rows that
# right libraries make, the rows of libraries that lie, fail or are not there, and where they are looked for.
: "${T:?}" "${BUILD:?}" "${EVENHAND:?}" "${SRC:?}" "${CC:?}"
cd "$T" || exit 1
n=0 bad=0
ok() { # status text [file with detail...]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	shift 2
	[ $# -eq 0 ] || tail -n 20 "$@" >&2
}
finish() {
	echo "1..$n"
	exit $bad
}
skip() {
	n=$((n + 1))
	echo "ok $n - products of the hip backend # SKIP $1"
	finish
}
driver=$BUILD/tests/drivers/hip7
log=$T/log
unset EVENHAND_TEST_FAULT EVENHAND_TEST_CALLS EVENHAND_TEST_HIP_ARCH EVENHAND_TEST_HIP_DEVICES
unset HIP_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES ROCM_PATH
for variable in $(env | sed -n 's/^\(\(HIPBLASLT\|ROCBLAS\|TENSILE\|GRIDBASED\)_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$variable"; done
[ -f "$BUILD/lib/evenhand/backends/hip.so" ] || skip "it was switched off"
[ -f "$driver/libhipblaslt.so.1" ] ||
	skip "the test runtime is built only where hip/hip_runtime_api.h is (package libamdhip64-dev)"
echo 'int main(){return 0;}' | $CC -x c++ -c -o probe.o - 2>/dev/null ||
	skip "$CC knows no C++, which the test hiprtc needs (package g++)"
EVENHAND_TEST_CACHE=$BUILD/tests/drivers/hip-cache
export EVENHAND_TEST_CACHE
mkdir -p "$EVENHAND_TEST_CACHE" && chmod 700 "$EVENHAND_TEST_CACHE"
umask 022

# protocol PRECISION > FILE
protocol() {
	sed -e '/^\[case /,$d' -e 's/^name = .*/name = vendor/' "$SRC/tests/protocols/gemm.ini"
	cat <<END
[case product]
workload = gemm
precision = $1
m = 17
n = 33
k = 19
tier = portable, vendor
END
}
protocol f32 > f32.ini
protocol f64 > f64.ini
# row NAME FAULT PROTOCOL OPTIONS...: the vendor row of a run, as NAME/*.json; $rc is the run's status.
row() {
	name=$1 fault=$2 protocol=$3
	shift 3
	rm -rf "${T:?}/$name"
	EVENHAND_TEST_FAULT=$fault "$EVENHAND" run "$protocol.ini" --on hip:0 -q -o "$name" \
		--set "hip.hiprtc=$driver/libhiprtc.so.7" "$@" > "$log" 2>&1
	rc=$?
}
# says NAME EXPRESSION: of the vendor row c, its library l and the whole result r
says() {
	python3 - "$T/$1/hip-0.json" "$2" > "$T/facts" 2>&1 <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
c = [c for c in r["cases"] if c["tier"] == "vendor"][0]
l = c["executions"][0].get("library") if c["executions"] else None
print(c["status"], c.get("reasons"), l)
good = c["status"] in ("valid", "not-converged") and c["executions"][0]["verification"]["before"]["passed"]
sys.exit(not eval(sys.argv[2]))
PY
}
ours=hip.library=$driver/libamdhip64.so.7

row right '' f32 --set "$ours" --set hip.gemm=hipblaslt --set "hip.hipblaslt=$driver/libhipblaslt.so.1" --set "hip.rocblas=$driver/librocblas.so.5"
[ $rc -eq 0 ] && says right good
ok $? "the library's product is measured and verified" "$log" "$T/facts"
! grep -q 'misspelt' "$log"
ok $? "the backend knows the settings of its libraries" "$log"
says right 'l["name"] == "hipBLASLt" and l["version"] == "1.1.2 (7e57ab1e)" and "kernel=algorithm 671200000020; picked=hipblasLtMatmulAlgoGetHeuristic, rank 2 of 3 (hip.gemm); workspace=8192" in l["detail"]'
ok $? "the row names version, algorithm, rank and workspace" "$T/facts"
says right '(lambda l: len(l) == 1 and l[0]["fields"]["kernel"]["value"].startswith("algorithm 67") and l[0]["sha256"])([x for x in r["executor"]["layers"] if x["layer"] == "library" and x["name"] == "hipBLASLt"])'
ok $? "the stack has the library, its digest and its kernel" "$T/facts"
"$EVENHAND" verify right/*.json > "$log" 2>&1
ok $? "verify holds" "$log"
"$EVENHAND" devices -v --set "$ours" > "$log" 2>&1 && grep -q hiprtc "$log" && ! grep -q 'hipBLASLt\|rocBLAS' "$log"
ok $? "who asks for no product has no such layer" "$log"
row other '' f64 --set "$ours" --set hip.hipblastl=none
says other 'good and l["name"] == "rocBLAS" and "kernel=not told; picked=rocblas_gemm_algo_standard; workspace=0; passed-over=hipBLASLt has no product of f64; " in l["detail"]'
ok $? "what hipBLASLt has not is made by rocBLAS, and the row says why" "$log" "$T/facts"
grep -q 'hip.hipblastl.*misspelt' "$log"
ok $? "a setting that is none would be seen" "$log"

# Libraries that lie.
for fault in 'hipblasLtMatmul=wrong' 'hipblasLtMatmul=stale' 'hipblasLtMatmul=narrow'; do
	row lied "$fault" f32 --set "$ours"
	says lied 'c["status"] == "invalid"'
	ok $? "$fault: the row is invalid" "$log" "$T/facts"
done
row lied 'rocblas_gemm_strided_batched_ex=wrong' f64 --set "$ours"
says lied 'c["status"] == "invalid"'
ok $? "rocblas_gemm_strided_batched_ex=wrong: the row is invalid" "$log" "$T/facts"

# Workloads of which it does a part.
sed 's/^precision = f32/precision = bf16/' "$SRC/tests/protocols/parts.ini" > parts.ini
row parts '' parts --set "$ours"
says parts 'all(c["status"] in ("valid", "not-converged") and c["executions"][0]["verification"]["before"]["passed"] and c["executions"][0]["library"]["name"] == "hipBLASLt" for c in r["cases"] if c["tier"] == "vendor")'
ok $? "it makes the products of moe and block, and the program the rest" "$log" "$T/facts"

# Libraries that fail; tests/unit/test_hip_gemm.c has the other ways.
row refused 'hipblasLtMatmul=5' f32 --set "$ours"
says refused 'c["status"] == "failed" and "HIPBLAS_STATUS_EXECUTION_FAILED (5)" in str(c["reasons"])'
ok $? "a product that fails is a failed row with the status" "$log" "$T/facts"

# Where they are looked for: beside the runtime, where the loader looks, in $ROCM_PATH/lib and in /opt/rocm/lib.
real=$({ ldconfig -p; ls /opt/rocm/lib; } 2>/dev/null | grep -m 1 'libhipblaslt\.so\|librocblas\.so')
if [ -n "$real" ]; then
	n=$((n + 1))
	echo "ok $n - where libraries are looked for # SKIP AMD's own are here: $(echo "$real" | tr -s ' \t#' ' ')"
	finish
fi
mkdir -p alone rocm/lib
ln -s "$driver/libamdhip64.so.7" alone/
alone=hip.library=$T/alone/libamdhip64.so.7
row missing '' f32 --set "$alone"
says missing 'c["status"] == "unsupported" and "hipBLASLt is not here (looked for libhipblaslt.so.1); install hipblaslt" in str(c["reasons"]) and "rocBLAS is not here (looked for librocblas.so.5); install rocblas" in str(c["reasons"])'
ok $? "libraries that are not there: no number, and what to install, for both" "$log" "$T/facts"
echo 'int gone(void); int gone(void) { return 0; }' > gone.c
echo 'int gone(void); int there(void); int there(void) { return gone(); }' > there.c
"$CC" -shared -fPIC -Wl,-soname,libgone.so.3 -o libgone.so gone.c &&
	"$CC" -shared -fPIC -o rocm/lib/libhipblaslt.so.1 there.c -L. -lgone && rm libgone.so
ROCM_PATH=$T/rocm
export ROCM_PATH
row needs '' f32 --set "$alone"
grep -q 'A hipBLASLt is left out: libgone.so.3: cannot open shared object file' "$log" &&
	says needs 'c["status"] == "unsupported" and "hipBLASLt cannot be used: libgone.so.3: cannot open shared object file" in str(c["reasons"])'
ok $? "a library that a library needs and that is not there is named" "$log" "$T/facts"
rm rocm/lib/libhipblaslt.so.1
cp "$driver/libhipblaslt.so.1" rocm/lib/
row home '' f32 --set "$alone"
says home "good and '$T/rocm/lib/libhipblaslt.so.1' in str(l)"
ok $? "the one in \$ROCM_PATH is found" "$log" "$T/facts"
chmod o+w rocm/lib/libhipblaslt.so.1
row open '' f32 --set "$alone"
grep -q 'A hipBLASLt is left out: .*/libhipblaslt.so.1 is not used because others can write to' "$log" &&
	says open 'c["status"] == "unsupported" and "because others can write to" in str(c["reasons"]) and "rocBLAS is not here" in str(c["reasons"])'
ok $? "not when others can change it" "$log" "$T/facts"
unset ROCM_PATH
mkdir older
ln -s "$BUILD/tests/drivers/hip6/libamdhip64.so.6" "$BUILD/tests/drivers/hip6/librocblas.so.4" older/
row six '' f32 --set "hip.library=$T/older/libamdhip64.so.6"
says six 'good and l["name"] == "rocBLAS" and "passed-over=hipBLASLt is not here (looked for libhipblaslt.so.0 and others), install" in l["detail"]'
ok $? "without hipBLASLt rocBLAS makes the product, and the row says why" "$log" "$T/facts"
row five '' f32 --set "hip.library=$BUILD/tests/drivers/hip5/libamdhip64.so.5"
says five 'c["status"] == "unsupported" and "evenhand knows no hipBLASLt for the runtime of ROCm 5. rocBLAS is not here (looked for librocblas.so.3 and others)" in str(c["reasons"])'
ok $? "for ROCm 5 rocBLAS alone is looked for" "$log" "$T/facts"
finish
