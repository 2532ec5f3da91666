#!/bin/sh
# numerics through gemm: what the portable kernel and libraries answer, the right ones and those that
# calculate otherwise than they say.
# shellcheck source=tests/cli/planted
. "${SRC:?}/tests/cli/planted"

# answers FOLDER FACT...: PATTERN=ANSWER of the checks of these cases, which passed; PATTERN!ANSWER: the
# rows are invalid, and that is why.
answers() {
	python3 - "$@" >answers.facts 2>&1 <<'PY'
import fnmatch, glob, json, re, sys
rows = [c for c in json.load(open(glob.glob(sys.argv[1] + "/*.json")[0]))["cases"]
        if not str(c["reasons"]).startswith("['not run")]
for fact in sys.argv[2:]:
    case, sign, answer = re.fullmatch("([^=!]*)([=!])(.*)", fact).groups()
    found = [c for c in rows if fnmatch.fnmatch(c["id"], case)]
    assert found, (case, [c["id"] for c in rows])
    for c in found:
        checks = [v for e in c["executions"] for v in e["verification"].values() if isinstance(v, dict)]
        assert checks and all(re.fullmatch(answer, v["detail"]) for v in checks), (fact, checks)
        assert all(v["passed"] == (sign == "=") for v in checks), (fact, checks)
        assert sign == "=" or c["status"] == "invalid", (fact, c["status"])
PY
}
bits='the accumulator has at least 24 bits'
kept='subnormal inputs are kept, products kept, sums kept'
nearest='sums are rounded to nearest, ties to even'
factors='factors have all 24 bits'

right host:gcc numerics 'acc*,sub*,round*,fact*,out*' 28
answers numerics-host_gcc "accumulator.[bet]*=$bits" "accumulator.f[13]*=$bits" \
	'accumulator.f64*=the accumulator has at least 53 bits' \
	'accumulator.i8*=the accumulator has at least 19 bits and a sign' \
	"subnormals.[ft][63]*=$kept" "subnormals.bf16*=$kept" 'subnormals.f16*=subnormal inputs are kept' \
	'subnormals.e*=subnormal inputs are kept' "rounding*=$nearest" \
	'factors.f64*=factors have all 53 bits' "factors.*f32*=$factors" 'factors.f16*=factors have all 11 bits' \
	'factors.bf16*=factors have all 8 bits' 'factors.e4m3z*=factors have all 4 bits' \
	'output*=outputs are rounded to nearest, ties to even'
check $? "the portable kernel answers as f32, f64 and i32 do" answers.facts
"$EVENHAND" show numerics-host_gcc/*.json >log 2>&1
grep -q '^answer .*factors have all 53 bits: factors.f64' log
check $? "show has each answer below its table" log
"$EVENHAND" show -v --case 'factors.*' numerics-host_gcc/*.json >log 2>&1
grep -q '^arithmetic  *native: f64$' log && grep -q '^arithmetic  *emulated: bf16: stored, calculated in f32$' log
check $? "show -v says of each row whether its arithmetic is native" log
# PoCL compiles each kernel for seconds.
right opencl:pocl numerics 'factors.tf32*' 1

# Libraries under OpenBLAS' name.
cat >library.c <<'C'
#include <math.h>
#include <string.h>
const char *openblas_get_config(void) { return "OpenBLAS 0.3.99 planted"; }
const char *openblas_get_corename(void) { return "planted"; }
static int wanted = 1;
int openblas_get_num_threads(void) { return wanted; }
int openblas_get_parallel(void) { return 1; }
void openblas_set_num_threads(int threads) { wanted = threads; }
static inline float cut(float x, unsigned bits)
{
	unsigned u;
	memcpy(&u, &x, sizeof u);
	u &= ~0u << (24 - bits);
	memcpy(&x, &u, sizeof u);
	return x;
}
static inline float toward_zero(double x)
{
	const float near = (float)x;
	return fabs((double)near) > fabs(x) ? nextafterf(near, 0) : near;
}
#ifndef FACTOR
#define FACTOR(x) (x)
#endif
#ifndef SUM
#define SUM(x) (x)
#endif
#ifndef PART
#define PART 1000000
#endif
void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                 const float *b, int ldb, float beta, float *c, int ldc)
{
	const int down = tb == 112 ? 1 : ldb, right = tb == 112 ? ldb : 1;
	(void)order, (void)ta, (void)beta;
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0, part = 0;
			for (int l = 0; l < k; l++) {
				const float x = a[i * lda + l], y = b[l * down + j * right];
				part = SUM((double)part + (double)FACTOR(x) * (double)FACTOR(y));
				if (l % PART == PART - 1 || l == k - 1) {
					sum += part;
					part = 0;
				}
			}
			c[i * ldc + j] = alpha * sum;
		}
}
void cblas_dgemm(void);
void cblas_dgemm(void) { }
C
# planted TEXT DEFINES FACT...: the answers of a library with these defines
planted() {
	text=$1 defines=$2
	shift 2
	rm -rf planted.so library
	# The compiler and the defines are lists of words on purpose.
	# shellcheck disable=SC2086
	${CC:?} -O1 -fPIC -shared $defines -o planted.so library.c -lm >log 2>&1
	"$EVENHAND" run "$SRC/tests/protocols/numerics.ini" --case "library*vendor${also:-}" --on host:gcc -q \
		--set host.gemm=openblas --set "host.openblas=$T/planted.so" -o library >>log 2>&1
	answers library "$@"
	check $? "$text" answers.facts log
}
planted "a library that does as it says" -DNONE "*accum*vendor=$bits" "*subn*vendor=$kept" \
	"*round*vendor=$nearest" "*factors*vendor=$factors"
also=',library*factors*'
planted "factors of tf32 under the name of f32" '-DFACTOR(x)=cut(x,11)' "*accum*vendor=$bits" \
	'*factors*vendor!factors are cut to 11 bits: the product is one of tf32' "*factors*k77=$factors"
also=''
planted "the same in some rows" '-DFACTOR(x)=(i%3?(x):cut(x,11))' \
	'*factors*vendor!the bits that a product takes of its factors differ between dot products'
planted "subnormal factors are flushed" '-DFACTOR(x)=(fabsf(x)<0x1p-126f?0:(x))' \
	'*subn*vendor=subnormal inputs are flushed to 0, products kept, sums kept' "*factors*vendor=$factors"
planted "those of B alone" '-DFACTOR(z)=(&(z)==&x||fabsf(z)>=0x1p-126f?(z):0)' \
	'*subn*vendor!subnormal inputs are now kept, now flushed, products kept, sums kept'
planted "sums of 14 bits" '-DSUM(x)=cut(toward_zero(x),14)' \
	'*accum*vendor!the accumulator has 14 bits' \
	'*round*vendor!sums have fewer than 24 bits, and no last one to be seen'
planted "sums of 14 bits in parts of 8 terms" '-DSUM(x)=cut(toward_zero(x),14) -DPART=8' \
	'*accum*vendor!the accumulator has 14 bits for neighbours, and 24 for terms 36 apart'
planted "sums that are cut behind the last bit" '-DSUM(x)=toward_zero(x)' "*accum*vendor=$bits" \
	'*round*vendor=sums are rounded toward zero'

caught "a kernel that leaves out the last place of K" numerics/gemm 'accumulator.i8*' \
	's/from + d < k \&\&/from + d < k - 1 \&\&/' A
caught "one that cuts what it narrows" numerics/gemm 'output.bf16*' \
	's/EH_G_STORE(c, at + e, lanes.e\[e\])/c[at + e].bits = (eh_u16)(eh_bits_of_(lanes.e[e]) >> 16)/' A

sed '/^\[case /,$d' "$SRC/tests/protocols/numerics.ini" >kernel.ini
cat >>kernel.ini <<'END'
[case kernel]
workload = numerics
groups = 1
tier = portable, vendor
END
"$EVENHAND" run kernel.ini --on host:gcc -q -o kernel >log 2>&1
python3 - kernel/*.json >facts 2>&1 <<'PY'
import json, sys
row = [c for c in json.load(open(sys.argv[1]))["cases"] if c["tier"] == "vendor"][0]
assert row["status"] == "unsupported" and "No library does the work of numerics through=kernel" in str(row), row
PY
check $? "no library does the work of the plain loop" facts log
finish
