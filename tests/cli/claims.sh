#!/bin/sh
# Claims, diagnosis and reproduction on results that are measured here; which stack is faster, and
# how quiet the machine is, does not matter.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
json() { # expression over d, the JSON on stdin
	python3 -c "import json,sys; d=json.load(sys.stdin); print($1)"
}
gives() { # exit codes, words on stdout or stderr, command...
	want=$1 words=$2
	shift 2
	"$EVENHAND" "$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
	case " $want " in *" $rc "*) cat "$T/out" "$T/err" | tr '\n' ' ' | grep -q -e "$words" ;; *) false ;; esac
	good=$?
	[ $good -eq 0 ] || echo "# exit code $rc, wanted $want" >>"$T/err"
	cat "$T/out" >>"$T/err"
	check $good "evenhand $(echo "$*" | sed "s|$T/||g; s|$SRC/||g"): $words" "$T/err"
}
cd "$T" || exit 1
rm -rf runs again again2 ./*.evenhand
protocol=$SRC/tests/protocols/claim-tiny.ini

# ---- files ------------------------------------------------------------------------------------

"$EVENHAND" claim template >mine.ini
gives 0 'my-claim' claim check mine.ini
sed 's/^relation = .*/relation = better/' mine.ini >wrong.ini
gives 4 "'relation' is one of" claim check wrong.ini
sed 's/^cases = .*/cases = nothing.*/' mine.ini >wrong.ini
gives 4 "no case of quick@2 fits 'nothing" claim check wrong.ini
sed 's/^cases = .*/cases = gemm.*, nothing.*/' mine.ini >wrong.ini
gives 4 "no case of quick@2 fits 'nothing" claim check wrong.ini
sed 's/^cases = .*/cases = triad.f32.128MiB, triad.f32.1GiB/' mine.ini >sized.ini
gives 0 'my-claim' claim check sized.ini
gives 0 'quick@2' claim list
for file in "$SRC"/protocols/claims/*.ini; do
	gives 0 'claimed by' claim check "$file"
done
gives 4 'CLAIM is missing' claim
gives 4 'RESULT is missing' claim clang-gemm
gives 5 'no-such' claim ./no-such.ini "$SRC/tests/golden/host-gcc-12.json"
gives 2 'No result fits a' claim clang-gemm "$SRC/tests/golden/host-gcc-12.json"
gives 4 'RESULT is missing' diagnose
gives 4 'did you mean' diagnose "$SRC/tests/golden/host-gcc-12.json" --case gemm.f32.255
gives 0 'hardware-bound (memory).*software-bound' diagnose "$SRC/tests/golden/host-gcc-12.json"
gives 4 'RESULT is missing' reproduce

# ---- measured here ------------------------------------------------------------------------------

"$EVENHAND" devices --json >devices.json 2>/dev/null
names=$(json '"\n".join(x["executor"] for b in d["backends"] for x in b["devices"] if x["status"] == "ok")' <devices.json)
first=$(printf '%s\n' "$names" | grep -m 1 '^host:gcc')
second=$(printf '%s\n' "$names" | grep -m 1 '^host:clang')
pocl=$(printf '%s\n' "$names" | grep -m 1 '^opencl:pocl')
file() { printf 'runs/%s.json' "$(printf %s "$1" | tr ':/' '--')"; }
[ -n "$first" ] || first=$(printf '%s\n' "$names" | grep -m 1 '^host:')

"$EVENHAND" run "$protocol" --on "$first${second:+,$second}${pocl:+,$pocl}" -q -o runs >out 2>err
rc=$?
[ $rc -eq 0 ] || [ $rc -eq 7 ]
check $? "the stacks are measured" err
a=$(file "$first") b=$(file "$second") c=$(file "$pocl")

claim() { # file, a, b, cases, relation lines...
	name=$1 x=$2 y=$3 cases=$4
	shift 4
	{ printf '[claim]\nname = %s\ntext = t\nclaimant = c\nprotocol = claim-tiny@1\n' "$name"
	  printf 'a = %s\nb = %s\ncases = %s\n' "$x" "$y" "$cases"
	  printf '%s\n' "$@"; } >"$name.ini"
}
if [ -z "$second" ] || [ -z "$pocl" ]; then
	skip "claims about measured stacks" "they need gcc, clang (package clang) and PoCL (package pocl-opencl-icd)"
else
	# Absurd factors: no machine makes these otherwise, but a row of a busy one may be invalid.
	claim huge 'opencl:*' "$first" 'triad.*' 'relation = at-least' 'factor = 1000'
	gives '1 2 3' 'refuted: \|undecided: \|refused: ' claim huge.ini "$a" "$c"
	claim tiny 'opencl:*' "$first" 'triad.*' 'relation = at-least' 'factor = 0.0001'
	gives '0 2 3' 'supported: \|undecided: \|refused: ' claim tiny.ini "$a" "$c"
	claim layer 'opencl:*' "$first" 'triad.*' 'relation = faster' 'subject = compiler'
	gives 3 'Confounded' claim layer.ini "$a" "$c"
	claim compiler "$second" "$first" 'triad.*' 'relation = at-least' 'factor = 0.0001' 'subject = compiler'
	gives '0 2 3' 'supported: \|undecided: \|refused: ' claim compiler.ini "$a" "$b"
	[ -s out ] && ! grep -q Confounded out
	check $? "two compilers of the host differ in the compiler alone" out
	claim which 'host:*' 'opencl:*' 'triad.*' 'relation = faster'
	gives 2 'results fit a' claim which.ini "$a" "$b" "$c"
	"$EVENHAND" claim tiny.ini "$a" "$c" --json >out 2>err
	rc=$?
	[ "$(json 'd["exit_code"]' <out)" = $rc ] && [ "$(json 'len(d["cases"])' <out)" = 2 ] &&
		[ "$(json 'd["claim"]["name"] + " " + d["a"] + " " + d["comparison"]["other"]["path"]' <out)" = "tiny $c $c" ]
	check $? "as JSON with the same exit code, and b as the baseline" out
	gives '0 1 2' 'limited by' diagnose "$c" "$a" -v
	"$EVENHAND" diagnose "$c" "$a" --case 'triad.*' --json >out 2>err
	rc=$?
	[ "$(json 'd["exit_code"]' <out)" = $rc ] && [ "$(json 'len(d["cases"])' <out)" = 2 ]
	check $? "a diagnosis of some cases as JSON" out
fi

# ---- reproduction -------------------------------------------------------------------------------

gives '0 1 2' 'reproduced\|inconclusive' reproduce "$a" -q -o again
[ -f again/run.journal ] && cmp -s again/protocol.ini "$protocol"
check $? "it ran the protocol that is in the result" err
gives 4 'holds a run already' reproduce "$a" -q -o again
"$EVENHAND" reproduce "$a" --resume again -q --json >out 2>err
rc=$?
[ "$(json 'd["exit_code"]' <out)" = $rc ] && [ "$(json 'len(d["executors"][0]["cases"])' <out)" = 3 ] &&
	[ "$(json 'd["status"] + str(d["executors"][0]["reproduced"] + d["executors"][0]["not_reproduced"] + d["executors"][0]["inconclusive"])' <out)" = complete3 ]
check $? "a run that is whole is only looked at again" err
"$EVENHAND" bundle "$a" -o a.evenhand >out 2>err
check $? "the result is bundled" err
gives 4 'name one with --of' reproduce a.evenhand --of host:none -o again2
gives '0 1 2' 'reproduced\|inconclusive' reproduce a.evenhand ${second:+--on "$second"} -q -o again2
python3 - "$a" <<'PY'
import re, sys
text = open(sys.argv[1]).read()
open('altered.json', 'w').write(re.sub(r'"samples_ns":(\s*)\[(\s*)(\d)', r'"samples_ns":\1[\g<2>9\3', text, count=1))
PY
gives 3 'the file was altered' reproduce altered.json -q -o never
[ ! -e never ]
check $? "nothing is run for a result that does not hold"
"$BUILD/tests/bench/make_result" 1 old.json
gives 3 'plans its protocol differently' reproduce old.json -q -o never

# Stopped in the middle of more executions than end meanwhile, it goes on.
rm -rf six stopped
"$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on "$first" --executions 6 -q -o six >out 2>err
rc=$?
[ $rc -eq 0 ] || [ $rc -eq 7 ]
check $? "six executions are measured" err
"$EVENHAND" reproduce six/*.json -q -o stopped >out 2>err &
pid=$!
for _ in $(seq 2000); do
	[ -f stopped/run.journal ] && [ "$(grep -c '"kind":"case"' stopped/run.journal)" -ge 1 ] && break
	kill -0 $pid 2>/dev/null || break
	sleep 0.02
done
kill -INT $pid 2>/dev/null
wait $pid
rc=$?
[ $rc -eq 6 ] && grep -q 'next: evenhand reproduce six/.*json --resume stopped' out
check $? "interrupted, it says how to go on: exit code 6" err
kept=$(grep -c '"kind":"case"' stopped/run.journal)
gives '0 1 2' 'reproduced\|inconclusive' reproduce six/*.json --resume stopped -q
[ "$kept" -ge 1 ] && [ "$(grep -c '"kind":"case"' stopped/run.journal)" -eq 12 ]
check $? "and has every case once, $kept of them from before" err

echo "1..$n"
exit $bad
