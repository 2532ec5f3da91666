#!/bin/sh
# overlap, alloc, coldstart and numerics: on the host and on PoCL every row is right and numerics says
# what it found; on a backend that leaves work out none is a number.
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
protocol=$SRC/tests/protocols/device-work.ini

honest() { # EXECUTOR FOLDER ROWS PATTERNS
	"$EVENHAND" run "$protocol" --on "$1" --case "$4" -q -o "$2" >"$2.log" 2>&1
	python3 - "$2"/*.json "$3" >"$2.facts" 2>&1 <<'PY'
import json, re, sys
cases = [c for c in json.load(open(sys.argv[1]))["cases"] if not str(c["reasons"]).startswith("['not run")]
assert len(cases) == int(sys.argv[2]), len(cases)
def good(c):
    # Measured on a machine that others use; a wrong output says so.
    return c["status"] in ("valid", "not-converged") or \
        c["status"] in ("unproven", "invalid") and not any("output" in r for r in c["reasons"])
wrong = [c["id"] + ": " + c["status"] + " " + str(c["reasons"]) for c in cases if not good(c)]
assert not wrong, wrong
found = {c["id"]: set(re.findall('"detail": "([^"]*)"', json.dumps(c))) - {""} for c in cases}
def says(case, pattern):
    text = [d for i, all in found.items() if i.startswith(case) for d in all]
    assert all(re.fullmatch(pattern, t) for t in text), (case, text)
assert any(found.values()), found
says("accumulator.f32", "the accumulator has 24 bits")
says("accumulator.e4m3", "the accumulator has 24 bits")
says("accumulator.i8", "the accumulator has 31 bits and a sign")
says("subnormals.bf16", "subnormal inputs are .*, products .*, sums .*")
says("subnormals.e5m2z", "subnormal inputs are kept")
says("rounding", "sums are rounded to nearest, ties to even")
says("contraction", "multiply-adds are (fused|separate)")
PY
}
honest host:0 host 20 '*'
check $? "on the host every row is right, and numerics says what it found" host.facts host.log
if "$EVENHAND" devices 2>/dev/null | grep -q '^opencl:pocl'; then
	# Compiling takes long there.
	honest opencl:pocl pocl 11 'overlap*,alloc.*.touched*,coldstart*,acc*f32*,contr*'
	check $? "the same on PoCL" pocl.facts pocl.log
else
	skip "the same on PoCL" "PoCL is not installed (package pocl-opencl-icd)"
fi

# tell FAULT N PATTERNS ROWS TEXT: that many rows of the cases, and all invalid or failed.
mkdir plugins
cp "$BUILD/tests/backends/liar.so" plugins/
export EVENHAND_BACKEND_PATH="$T/plugins"
statuses() {
	grep -o '"kind":"case".*' "$1/run.journal" |
		sed 's/.*"id":"\([^"]*\)".*"record":{[^}]*"status":"\([a-z-]*\)".*/\1 \2/'
}
tell() {
	"$EVENHAND" run "$protocol" --on liar --case "$3" -q -o "$1" --set "liar.fault=$1" \
		--set "liar.n=$2" >"$1.log" 2>&1
	statuses "$1" >"$1.rows"
	[ "$(wc -l <"$1.rows")" -eq "$4" ] && ! grep -qv -E ' (invalid|failed)$' "$1.rows"
	check $? "$1: $5" "$1.rows" "$1.log"
}
"$EVENHAND" run "$protocol" --on liar -q -o none --set liar.fault=honest >none.log 2>&1
statuses none >none.rows
[ "$(wc -l <none.rows)" -eq 20 ] && ! grep -q -E ' (invalid|failed|unsupported)$' none.rows
check $? "no row of the honest one of the same code is invalid" none.rows none.log
tell no-copy 0 'overlap.overlapped*,overlap.serial*,overlap.copy*' 3 "copies that do nothing are found in overlap"
tell no-fill 0 'alloc.*.touched*' 3 "fresh memory that was not filled is found in alloc"
tell twin 0 'alloc.*.untouched*' 3 "memory that was handed out twice is found in alloc"
tell skip 0 'overlap.overlapped*,overlap.serial*,overlap.compute*,coldstart*,acc*,sub*,round*,contr*' 13 \
	"launches that do nothing are found in overlap, coldstart and numerics"
tell wrong 0 'acc*,sub*,round*,contr*' 8 "a changed bit is no lawful answer of numerics"
tell stale 0 'overlap*,alloc*,acc*,sub*,round*,contr*' 18 "results of before are found in all of them"

echo "1..$n"
exit $bad
