#!/bin/sh
# The vendor tier of the cuda backend on the test driver, with the test library of products: the row that a
# right library makes, the rows of libraries that lie, fail or are not there, and where the library is
# looked for.
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
	echo "ok $n - products of the cuda backend # SKIP $1"
	finish
}
driver=$BUILD/tests/drivers/cuda
library=$driver/libcublasLt.so.12
log=$T/log
unset EVENHAND_TEST_FAULT EVENHAND_TEST_CALLS CUDA_VISIBLE_DEVICES
[ -f "$BUILD/lib/evenhand/backends/cuda.so" ] || skip "it was switched off"
[ -f "$library" ] ||
	skip "the test driver is built only where cuda.h is: install the CUDA toolkit (package nvidia-cuda-toolkit)"
LD_LIBRARY_PATH=$driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
for folder in /usr/local/cuda/lib64 "${CUDA_HOME:-/usr/local/cuda}/lib64"; do
	[ ! -d "$folder" ] || LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$folder
done
export LD_LIBRARY_PATH
EVENHAND_TEST_CACHE=$driver/cache
export EVENHAND_TEST_CACHE
unset CUDA_HOME
umask 022
if "$EVENHAND" devices 2>/dev/null | grep -q 'needs no kernel can run'; then
	skip "NVRTC is not installed (package nvidia-cuda-toolkit)"
fi

sed -e '/^\[case /,$d' -e 's/^name = .*/name = vendor/' "$SRC/tests/protocols/gemm.ini" > vendor.ini
cat >> vendor.ini <<'END'
[case product]
workload = gemm
precision = f32
m = 17
n = 33
k = 19
tier = portable, vendor
END
# row NAME FAULT OPTIONS...: the vendor row of a run, as NAME/*.json; $rc is the run's status.
row() {
	name=$1 fault=$2
	shift 2
	rm -rf "${T:?}/$name"
	EVENHAND_TEST_FAULT=$fault "$EVENHAND" run vendor.ini --on cuda:0 -q -o "$name" "$@" > "$log" 2>&1
	rc=$?
}
# says NAME EXPRESSION: of the vendor row c and the whole result r
says() {
	python3 - "$T/$1/cuda-0.json" "$2" > "$T/facts" 2>&1 <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
c = [c for c in r["cases"] if c["tier"] == "vendor"][0]
print(c["status"], c.get("reasons"), c["executions"][0].get("library"))
sys.exit(not eval(sys.argv[2]))
PY
}

row right '' --set "cuda.cublaslt=$library"
[ $rc -eq 0 ] && says right 'c["status"] in ("valid", "not-converged") and c["executions"][0]["verification"]["before"]["passed"]'
ok $? "the library's product is measured and verified" "$log" "$T/facts"
! grep -q 'misspelt' "$log"
ok $? "the backend knows the settings of its library" "$log"
says right '(lambda l: l["name"] == "cuBLASLt" and l["version"] == "12.9.1" and "kernel=algorithm 21, tile 20, stages 14, split-k 2, reduction 2, swizzling 1, option 3, inner 4, cluster 5; picked=cublasLtMatmulAlgoGetHeuristic, rank " in l["detail"] and "workspace=8192" in l["detail"])(c["executions"][0]["library"])'
ok $? "the row names version, algorithm, rank and workspace" "$T/facts"
says right 'c["executions"][0]["arithmetic"] == {"kind": "native", "how": "FMA, ACCUMULATOR_32F, INPUT_32F (from the library)"}'
ok $? "its arithmetic is native, by what the library says of its kernel" "$T/facts"
says right '(lambda l: len(l) == 1 and l[0]["fields"]["kernel"]["value"].startswith("algorithm 21") and l[0]["sha256"])([x for x in r["executor"]["layers"] if x["layer"] == "library" and x["name"] == "cuBLASLt"])'
ok $? "the stack has the library, its digest and its kernel" "$T/facts"
"$EVENHAND" verify right/*.json > "$log" 2>&1
ok $? "verify holds" "$log"
"$EVENHAND" devices -v --set "cuda.cublaslt=$library" > "$log" 2>&1 && grep -q NVRTC "$log" && ! grep -q cuBLASLt "$log"
ok $? "who asks for no product has no such layer" "$log"

# Libraries that lie.
for fault in 'cublasLtMatmul=wrong' 'cublasLtMatmul=stale'; do
	row lied "$fault" --set "cuda.cublaslt=$library"
	says lied 'c["status"] == "invalid"'
	ok $? "$fault: the row is invalid" "$log" "$T/facts"
done

# Sums of 8-bit floats may have 14 bits, and the row says so; in fewer, or of other types, they are wrong.
sums() { # PRECISION FAULT EXPRESSION TEXT
	sed '/^\[case /,$d' vendor.ini > sums.ini
	printf '[case product]\nworkload = gemm\nprecision = %s\nm = 64\nn = 96\nk = 32\ntranspose = b\ntier = portable, vendor\n' "$1" >> sums.ini
	rm -rf sums
	EVENHAND_TEST_FAULT=$2 "$EVENHAND" run sums.ini --on cuda:0 -q -o sums --set "cuda.cublaslt=$library" > "$log" 2>&1
	says sums "$3"
	ok $? "$4" "$log" "$T/facts"
}
told='c["executions"][0]["verification"]["before"]'
sums e4m3 cublasLtMatmul=short "${told}['passed'] and ${told}['detail'] == 'sums have fewer bits than those of f32'" \
	"e4m3 in sums of 14 bits is right, and says it"
sums e4m3 '' "${told}['passed'] and ${told}['detail'] == ''" "in those of f32 there is nothing to say"
sums e4m3 cublasLtMatmul=half "c['status'] == 'invalid'" "in those of f16 it is wrong"
sums f16 cublasLtMatmul=short "c['status'] == 'invalid'" "f16 in sums of 14 bits is wrong"

# Workloads of which it does a part.
parts() { # FAULT EXPRESSION TEXT: of each vendor row c
	rm -rf parts
	EVENHAND_TEST_FAULT=$1 "$EVENHAND" run parts.ini --on cuda:0 -q -o parts --set "cuda.cublaslt=$library" > "$log" 2>&1
	python3 - parts/cuda-0.json "$2" > facts 2>&1 <<'PY'
import json, sys
rows = [c for c in json.load(open(sys.argv[1]))["cases"] if c["tier"] == "vendor"]
print([(c["id"], c["status"], c["reasons"]) for c in rows])
good = lambda e: e["verification"]["before"]["passed"] and e["library"]["name"] == "cuBLASLt" and e["program"]
sys.exit(len(rows) != 3 or not all(eval(sys.argv[2], {"c": c, "good": good}) for c in rows))
PY
	ok $? "$3" "$log" facts
}
sed 's/^precision = f32/precision = bf16/' "$SRC/tests/protocols/parts.ini" > parts.ini
parts '' 'c["status"] in ("valid", "not-converged") and good(c["executions"][0])' \
	"moe and block: the library's products, and the program's rest, are right in bf16"
parts cublasLtMatmul=wrong 'c["status"] == "invalid"' "of a wrong library they are invalid"

# Libraries that fail; tests/unit/test_cuda_gemm.c has the other ways.
refused() { # fault, status of the row, words of its reasons
	row refused "$1" --set "cuda.cublaslt=$library"
	says refused "c['status'] == '$2' and '$3' in str(c['reasons'])"
	ok $? "$1: $2, $3" "$log" "$T/facts"
}
refused 'cublasLtMatmulAlgoGetHeuristic=none' unsupported 'cuBLASLt 12.9.1 offers no algorithm for a product of f32 of 17 x 33 x 19'
refused 'cublasLtMatmul=13' failed 'CUBLAS_STATUS_EXECUTION_FAILED (13)'

# What the arithmetic of the library is: it answers as it calculates, not as it was asked.
sed '/^\[case /,$d' vendor.ini > numerics.ini
cat >> numerics.ini <<'END'
[case asked]
workload = numerics
through = gemm
property = accumulator, subnormals, rounding, factors
precision = f32, f16, e4m3
tier = portable, vendor
m = 128
n = 16
k = 64
END
asked() { # FAULT PATTERN ANSWER [invalid]: of the vendor rows of the pattern
	rm -rf asked
	EVENHAND_TEST_FAULT=$1 "$EVENHAND" run numerics.ini --on cuda:0 --case "asked.$2.vendor" -q -o asked \
		--set "cuda.cublaslt=$library" > "$log" 2>&1
	python3 - asked/cuda-0.json "$3" "${4:-}" > facts 2>&1 <<'PY'
import json, sys
rows = [c for c in json.load(open(sys.argv[1]))["cases"] if not str(c["reasons"]).startswith("['not run")]
assert rows
for c in rows:
    check = c["executions"][0]["verification"]["before"]
    print(c["id"], c["status"], check)
    assert check["detail"] == sys.argv[2] and check["passed"] == (sys.argv[3] == "")
    assert (c["status"] == "invalid") == (sys.argv[3] == "invalid")
PY
	ok $? "numerics, ${1:-no fault}, $2: $3" "$log" facts
}
asked '' 'accumulator.*' 'the accumulator has at least 24 bits'
asked 'cublasLtMatmul=short' 'accumulator.e4m3*' 'the accumulator has 14 bits'
asked 'cublasLtMatmul=short' 'rounding.e4m3*' 'sums have fewer than 24 bits, and no last one to be seen'
asked 'cublasLtMatmul=short' 'accumulator.f16*' 'the accumulator has 14 bits' invalid
asked 'cublasLtMatmul=flush' 'subnormals.f16*' 'subnormal inputs are flushed to 0'
asked 'cublasLtMatmul=tf32' 'factors.f32*' 'factors are cut to 11 bits: the product is one of tf32' invalid

# Where it is looked for.
row missing '' --set "cuda.cublaslt=$T/missing.so"
says missing 'c["status"] == "unsupported" and "missing.so cannot be opened" in str(c["reasons"]) and "libcublaslt12" in str(c["reasons"]) and "nvidia-cublas-cu12" in str(c["reasons"])'
ok $? "a library that is not there: no number, and what to install" "$log" "$T/facts"
mkdir -p toolkit/lib64
ln -s "$library" toolkit/lib64/
echo 'int nothing(void); int nothing(void) { return 0; }' > empty.c
"$CC" -shared -fPIC -o toolkit/lib64/libcublasLt.so.13 empty.c
CUDA_HOME=$T/toolkit
export CUDA_HOME
row home ''
says home "c['status'] in ('valid', 'not-converged') and '$T/toolkit/lib64/libcublasLt.so.12' in str(c['executions'][0]['library'])"
ok $? "the one in \$CUDA_HOME comes first" "$log" "$T/facts"
grep -q 'A cuBLASLt is left out: .*libcublasLt.so.13 has no cublasLtCreate; it is no whole cuBLASLt of CUDA 11 or later\.$' "$log"
ok $? "and a newer one beside it that is no use is left out with a warning" "$log"
mv toolkit/lib64/libcublasLt.so.12 toolkit/lib64/libcublasLt.so.11
"$CC" -shared -fPIC -o toolkit/lib64/libcublasLt.so.12 empty.c
chmod o+w toolkit/lib64/libcublasLt.so.13
row two ''
says two "'$T/toolkit/lib64/libcublasLt.so.11' in str(c['executions'][0]['library'])" &&
	grep -q 'left out: .*/libcublasLt.so.13 is not used because others can write to .*; to use it all the same, name the file in --set cuda.cublaslt=FILE\.$' "$log" &&
	grep -q 'left out: .*/libcublasLt.so.12 has no cublasLtCreate; it is no whole cuBLASLt of CUDA 11 or later\.$' "$log"
ok $? "of two that are no use each is named" "$log" "$T/facts"
unset CUDA_HOME
finish
