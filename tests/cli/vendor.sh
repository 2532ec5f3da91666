#!/bin/sh
# The vendor tier: the library's product beside the portable kernel, what is recorded of it, and what a
# library that lies, lacks a function or is not there makes of it.
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}" "${CC:?}"
cd "$T" || exit 1
n=0 bad=0
check() { # status text file with detail...
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	shift 2
	tail -n 20 "$@" >&2
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
protocol() { # FILE TIERS PRECISIONS
	sed -e '/^\[case /,$d' -e 's/^name = .*/name = vendor/' "$SRC/tests/protocols/gemm.ini" >"$1"
	cat >>"$1" <<END
[case product]
workload = gemm
precision = $3
m = 33
n = 65
k = 129
tier = $2
END
}

protocol alone.ini vendor f32
"$EVENHAND" protocol check alone.ini >log 2>&1
[ $? -eq 4 ] && grep -q "write tier = portable, vendor" log
check $? "a library's number stands beside the portable one" log
sed 's/^workload = .*/workload = fma/; /^[mnk] =/d; s/^tier = .*/tier = portable, vendor/' alone.ini >fma.ini
"$EVENHAND" protocol check fma.ini >log 2>&1
[ $? -eq 4 ] && grep -q 'no library does the work of fma' log
check $? "a workload that no library does is refused" log

"$EVENHAND" devices --set host.gemm=mkl >log 2>&1
grep -q 'host.gemm=mkl is none of openblas, onednn and blis' log
check $? "an unknown library is refused at the start" log

# The same library, for few tokens: a row for W and tokens of one format.
protocol layer.ini 'portable, vendor' f32
sed -i -e 's/^workload = .*/workload = linear/; s/^m = .*/m = 3/; s/^k = .*/k = 128/' -e 's/^precision = .*/weights = f32, i4/' layer.ini

# It does a part of these, and the program the rest: experts of several numbers of rows, and a stack whose
# products are added to what was there.
cp "$SRC/tests/protocols/parts.ini" parts.ini
cat >>parts.ini <<'END'
[case odd]
workload = moe
precision = f32
n = 33
k = 32
tier = portable, vendor
END

# A library of this name that has none of the functions, and one that is not there.
protocol both.ini 'portable, vendor' 'f32'
echo 'int nothing(void); int nothing(void) { return 0; }' >empty.c
"$CC" -shared -fPIC -o libempty.so empty.c
for file in "$T/libempty.so" "$T/missing.so"; do
	"$EVENHAND" run both.ini --on host:gcc -q --set "host.openblas=$file" --set host.gemm=openblas -o none >log 2>&1
	python3 - none/*.json >facts 2>&1 <<'PY'
import json, sys
row = [c for c in json.load(open(sys.argv[1]))["cases"] if c["tier"] == "vendor"][0]
assert row["status"] in ("unsupported", "failed") and "OpenBLAS" in str(row["reasons"]), row["reasons"]
PY
	check $? "$(basename "$file"): no number, and a sentence that names the library" facts log
	rm -rf none
done

"$EVENHAND" run both.ini --on host:gcc -q --set host.gemm=openblas -o right >log 2>&1
rc=$?
if python3 - right/*.json >facts 2>&1 <<'PY'
import json, sys
row = [c for c in json.load(open(sys.argv[1]))["cases"] if c["tier"] == "vendor"][0]
sys.exit(0 if row["status"] == "unsupported" and "OpenBLAS is not here" in str(row["reasons"]) else 1)
PY
then
	[ $rc -eq 0 ] && grep -q ": OpenBLAS is not here" log && grep -q "libopenblas0-pthread" log
	check $? "without OpenBLAS the row is unsupported, and the package is named" log
	skip "OpenBLAS makes the product" "OpenBLAS is not installed (package libopenblas0-pthread)"
	echo "1..$n"
	exit $bad
fi
[ $rc -eq 0 ]
check $? "OpenBLAS makes the product" log
! grep -q 'misspelt' log
check $? "the backend knows the settings of its libraries" log
python3 - right/*.json >facts 2>&1 <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
row = [c for c in r["cases"] if c["tier"] == "vendor"][0]
e = row["executions"][0]
assert e["verification"]["before"]["passed"] and "program" not in e, e.get("program")
l = e["library"]
assert l["name"] == "OpenBLAS" and l["version"] and "kernel=" in l["detail"] and "picked=" in l["detail"], l
layers = [x for x in r["executor"]["layers"] if x["layer"] == "library" and x["name"] == "OpenBLAS"]
assert len(layers) == 1 and "kernel" in layers[0]["fields"], layers
PY
check $? "the row names library, version and kernel, and the stack has them" facts log
"$EVENHAND" explain 'product*vendor' right/*.json >log 2>&1 && grep -q '^library  *OpenBLAS .*kernel=' log
check $? "explain says which kernel of which library ran" log
"$EVENHAND" explain 'product*k129' right/*.json >log 2>&1 && grep -q '^arithmetic  *native: f32$' log &&
	"$EVENHAND" explain 'product*vendor' right/*.json >log 2>&1 && grep -q '^arithmetic  *not told by the library' log
check $? "the kernel's arithmetic is native, and OpenBLAS does not tell" log
"$EVENHAND" verify right/*.json >log 2>&1
check $? "verify holds" log

"$EVENHAND" run layer.ini --on host:gcc -q --set host.gemm=openblas -o layer >log 2>&1
python3 - layer/*.json >facts 2>&1 <<'PY'
import json, sys
f32, i4 = [c for c in json.load(open(sys.argv[1]))["cases"] if c["tier"] == "vendor"]
e = f32["executions"][0]
assert e["verification"]["before"]["passed"] and e["library"]["name"] == "OpenBLAS", f32
assert i4["status"] == "unsupported" and "weights=i4 with tokens of bf16" in str(i4["executions"][0]["reasons"]), i4
PY
check $? "it is the vendor tier of linear, too, and none where W has another format than the tokens" facts log

"$EVENHAND" run parts.ini --on host:gcc -q --set host.gemm=openblas -o parts >log 2>&1
python3 - parts/*.json >facts 2>&1 <<'PY'
import json, sys
experts, prefill, decode, odd = [c for c in json.load(open(sys.argv[1]))["cases"] if c["tier"] == "vendor"]
for row, kernel in ((experts, "gemm"), (prefill, "block"), (decode, "block")):
    e = row["executions"][0]
    assert e["verification"]["before"]["passed"] and e["verification"]["after"]["passed"], row
    assert e["library"]["name"] == "OpenBLAS" and e["program"]["kernel"] == kernel, e
assert odd["status"] == "unsupported" and "a row of X has 128 bytes, of Y 132" in str(odd["reasons"]), odd
PY
check $? "it makes the products of moe and of block, and the program the rest" facts log
"$EVENHAND" verify parts/*.json >log 2>&1
check $? "verify holds of them" log

# A wrong library under OpenBLAS' name: everything is passed on but for one element.
real=$(python3 -c 'import json,sys
print([c for c in json.load(open(sys.argv[1]))["cases"] if c["tier"] == "vendor"][0]["executions"][0]["library"]["path"])' right/*.json)
cat >wrong.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc)
{
	void (*real)(int, int, int, int, int, int, float, const float *, int, const float *, int, float,
	             float *, int) = dlsym(RTLD_NEXT, "cblas_sgemm");
	real(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
	c[(m / 2) * ldc + n / 3] += 1;
}
C
if "$CC" -shared -fPIC -Wl,--no-as-needed -o libwrong.so wrong.c "$real" -ldl >log 2>&1; then
	"$EVENHAND" run both.ini --on host:gcc -q --set "host.openblas=$T/libwrong.so" --set host.gemm=openblas -o wrong >log 2>&1
	python3 - wrong/*.json >facts 2>&1 <<'PY'
import json, sys
row = [c for c in json.load(open(sys.argv[1]))["cases"] if c["tier"] == "vendor"][0]
assert row["status"] == "invalid", (row["status"], row["reasons"])
PY
	check $? "a library that gets one element wrong gives no number" facts log
	"$EVENHAND" run layer.ini --on host:gcc -q --set "host.openblas=$T/libwrong.so" --set host.gemm=openblas -o wrong-layer >log 2>&1
	python3 - wrong-layer/*.json >facts 2>&1 <<'PY'
import json, sys
row = [c for c in json.load(open(sys.argv[1]))["cases"] if c["tier"] == "vendor"][0]
assert row["status"] == "invalid", (row["status"], row["reasons"])
PY
	check $? "nor in linear" facts log
	"$EVENHAND" run parts.ini --on host:gcc -q --set "host.openblas=$T/libwrong.so" --set host.gemm=openblas -o wrong-parts >log 2>&1
	python3 - wrong-parts/*.json >facts 2>&1 <<'PY'
import json, sys
rows = [c for c in json.load(open(sys.argv[1]))["cases"] if c["tier"] == "vendor" and c["status"] != "unsupported"]
assert len(rows) == 3 and all(c["status"] == "invalid" for c in rows), [(c["id"], c["status"]) for c in rows]
PY
	check $? "nor in moe and block" facts log
else
	skip "a library that gets one element wrong" "$real cannot be linked against here"
fi
echo "1..$n"
exit $bad
