#!/bin/sh
# gemm, fused and attention at sizes that fill no tile: on the host and on PoCL every output is right, and
# kernels with one fault give no number.
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}"
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

# Statuses that busy machines cause are as good as valid ones: the outputs were right.
right() { # EXECUTOR NAME CASES: these rows of tests/protocols/NAME.ini
	folder=$2-$(echo "$1" | tr -c 'a-z0-9\n' _)
	"$EVENHAND" run "$SRC/tests/protocols/$2.ini" --on "$1" --case "$3" -q -o "$folder" >"$folder.log" 2>&1
	python3 - "$folder"/*.json >"$folder.facts" 2>&1 <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
rows = [c for c in r["cases"] if not str(c["reasons"]).startswith("['not run")]
assert rows
wrong = [c["id"] + ": " + c["status"] + " " + str(c["reasons"]) for c in rows
         if c["status"] in ("failed", "unsupported") or any("output" in x or "results" in x for x in c["reasons"])]
assert not wrong, wrong
PY
	check $? "$2 on $1: every output is right" "$folder.facts" "$folder.log"
}
pocl=no
! "$EVENHAND" devices 2>/dev/null | grep -q '^opencl:pocl' || pocl=yes
# PoCL compiles each kernel for seconds.
while read -r name some; do
	right host:gcc "$name" '*'
	if [ "$pocl" = yes ]; then
		right opencl:pocl "$name" "$some"
	else
		skip "$name on PoCL" "PoCL is not installed (package pocl-opencl-icd)"
	fi
done <<'END'
gemm odd.e4m3*,turned-ab*
fused rest.softmax.f16*
attention prefill*yes*fused*
END

# The kernel's text with one fault, for the workload as it is.
mkdir faulty
EVENHAND_WORKLOAD_PATH=$T/faulty
export EVENHAND_WORKLOAD_PATH
caught() { # TEXT WORKLOAD CASES SED-SCRIPT
	cp "$BUILD/lib/evenhand/workloads/$2.so" faulty/
	sed "$4" "$SRC/workloads/$2/$2.k" >"faulty/$2.k"
	rm -rf lie
	"$EVENHAND" run "$SRC/tests/protocols/$2.ini" --case "$3" --on host:gcc -q -o lie >lie.log 2>&1
	! cmp -s "faulty/$2.k" "$SRC/workloads/$2/$2.k" && python3 - lie/*.json >lie.facts 2>&1 <<'PY'
import json, sys
rows = [c for c in json.load(open(sys.argv[1]))["cases"] if not str(c["reasons"]).startswith("['not run")]
assert rows and all(c["status"] == "invalid" and ("output" in str(c["reasons"]) or "results" in str(c["reasons"])) for c in rows), \
    [(c["id"], c["status"], c["reasons"]) for c in rows]
PY
	check $? "$1" lie.facts lie.log
	rm -f faulty/*
}
odd='odd.f32*,odd.e4m3*,odd.i8*'
caught "gemm: a tail of k that is left out" gemm "$odd" 's/from < k; from += EH_G_DEEP/from + EH_G_DEEP <= k; from += EH_G_DEEP/'
caught "gemm: rows of A taken for those of B" gemm "$odd" 's/(row + t) \* lda + from + d/(column + t) % m * lda + from + d/'
caught "gemm: a sum that loses bits" gemm "odd.f32*" 's/EH_P(sums).v\[i\] = s\[i\];/EH_P(sums).v[i] = s[i] * EH_SPLAT(EH_G_VECTOR, EH_G_REAL, 1.0001f);/'
caught "gemm: a row that is not stored" gemm "$odd" 's/if (whole || (at_row < m/if (at_row != 77 \&\& (whole || (at_row < m/; s/at_column + e < n))/at_column + e < n)))/'
caught "gemm: an output that stays as it was" gemm "odd.f32*,odd.bf16*" 's/EH_G_STORE(c, at + e, lanes.e\[e\]);/;/'
caught "fused: a wrong mean" fused 'norm*' 's|1.0f / EH_U_WIDTH|1.01f / EH_U_WIDTH|'
caught "fused: a wrong sigmoid" fused 'rest.swiglu*' 's/EH_EXP32(-g.one\[e\])/EH_EXP32(-1.02f * g.one[e])/'
caught "attention: a wrong scale" attention 'long*fused*' 's/\* EH_A_SCALE/* (EH_A_SCALE * 1.05f)/'

echo "1..$n"
exit $bad
