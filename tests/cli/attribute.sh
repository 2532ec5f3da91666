#!/bin/sh
# Attribution for real: two compilers of the host differ in one layer; a compiler of the host and
# an OpenCL stack differ in more, and the runs that are proposed lead to the layer.  Which of them
# is faster does not matter.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # skip $2"; }
json() { # expression over d, the JSON on stdin
	python3 -c "import json,sys; d=json.load(sys.stdin); print($1)"
}
# Whether answer, exit code, owner and runs fit what moved and what is open: JSON on stdin.
agrees() { # exit code
	[ "$(json '(
		d["exit_code"] == '"$1"'
		and d["exit_code"] == {"attributable": 0, "no-effect": 0, "no-change": 0, "conditions": 1, "unexplained": 1, "not-comparable": 3}.get(d["answer"], 2)
		and ("owner" not in d or len(d["moved"]) > 0)
		and {"attributable": d["moved"] and not d["open"], "partly-attributable": d["moved"] and d["open"],
			"no-effect": not d["moved"] and not d["open"], "undecided": not d["moved"] or len(d["steps"]) > 1}.get(d["answer"], True) not in (False, [], 0)
		and len(d["runs"]) in (0, 2))')" = True ]
}
cd "$T" || exit 1
protocol=$SRC/tests/protocols/attribute-tiny.ini

"$EVENHAND" devices --json >devices.json 2>/dev/null
names=$(json '"\n".join(x["executor"] for b in d["backends"] for x in b["devices"] if x["status"] == "ok")' <devices.json)
host=$(printf '%s\n' "$names" | grep '^host:')
first=$(printf '%s\n' "$host" | grep -m 1 gcc)
second=$(printf '%s\n' "$host" | grep -m 1 clang)
pocl=$(printf '%s\n' "$names" | grep -m 1 '^opencl:pocl')
# A busy machine can make a row contradict itself; then it is measured again, three times at most.
measure() { # folder, executors
	for _ in 1 2 3; do
		rm -rf "$1"
		"$EVENHAND" run "$protocol" --on "$2" -q -o "$1" >out 2>err
		rc=$?
		[ $rc -eq 7 ] || break
	done
	[ "$rc" -eq 0 ] || [ "$rc" -eq 7 ]
}
sound() { ! "$EVENHAND" compare "$@" 2>&1 | grep -q 'refused status-invalid'; } # results
file() { printf '%s/%s.json' "$1" "$(printf %s "$2" | tr ':/' '--')"; }

if [ -z "$first" ] || [ -z "$second" ]; then
	skip "two compilers of the host are attributable" "only one compiler family is here (package clang)"
else
	measure runs "$first,$second${pocl:+,$pocl}"
	check $? "the stacks are measured" err
	sound runs/*.json || pocl=
	a=$(file runs "$first") b=$(file runs "$second")
	if ! sound "$a" "$b"; then
		skip "two compilers of the host are attributable" "this machine is too busy for a valid row"
	else
		# Nobody is named but beside cases that moved; which answer it is depends on the machine.
		"$EVENHAND" attribute "$a" "$b" --json >out.json 2>err
		rc=$?
		agrees $rc <out.json && [ "$(json 'str(len(d["groups"])) + " " + d["groups"][0]["layer"]' <out.json)" = "1 compiler" ]
		check $? "$first and $second differ in the compiler alone, and the answer follows from what moved" out.json
		[ "$(json '"LLVM project" if d["moved"] and "maker" in d else d.get("maker", "")' <out.json)" = "$(json 'd.get("maker", "")' <out.json)" ]
		check $? "its maker is named only where cases moved" out.json
		"$EVENHAND" attribute "$a" "$b" >out 2>err
		sed -n 4p out | grep -q "^$(json '{"no-effect": "no effect"}.get(d["answer"], d["answer"])' <out.json)" && grep -q '^layers: 1 change' out
		check $? "which is said in words" out
		"$EVENHAND" attribute "$b" "$a" --json >back.json 2>err
		agrees $? <back.json && [ "$(json 'd["answer"]' <back.json)" = "$(json 'd["answer"]' <out.json)" ]
		check $? "and the same the other way round" back.json
		"$EVENHAND" attribute "$a" "$a" >out 2>err
		rc=$?
		{ [ $rc -eq 0 ] && grep -q '^no change' out; } || { [ $rc -eq 2 ] && grep -q '^undecided' out; }
		check $? "a result differs from itself in no layer" out
	fi
fi

if [ -z "$first" ] || [ -z "$second" ] || [ -z "$pocl" ]; then
	skip "a host compiler and PoCL are confounded" "it needs PoCL with valid rows (package pocl-opencl-icd) and two compilers"
elif [ ! -f "$(file runs "$pocl")" ]; then
	check 1 "PoCL was measured" err
else
	c=$(file runs "$pocl")
	"$EVENHAND" attribute "$a" "$c" --json >out.json 2>err
	agrees $? <out.json && [ "$(json 'len(d["groups"])' <out.json)" -ge 2 ]
	check $? "$first and $pocl differ in more, and the answer follows from what moved" out.json
	answer=$(json 'd["answer"]' <out.json)
	if [ "$answer" != confounded ]; then
		skip "what moved by several changes is confounded" "nothing was seen to move: $answer"
	else
	"$EVENHAND" attribute "$a" "$c" >out 2>err
	grep -q 'to separate them' out && grep -q 'programming interface host -> opencl' out
	check $? "which is said with what would separate them" out
	"$EVENHAND" attribute "$a" "$c" --no-look >out 2>err
	[ $? -eq 2 ] && grep -q 'a stack like' out && ! grep -q 'evenhand run' out
	check $? "without a look at this machine it says what stack to measure" out
	proposed=$(json '",".join(d["proposed"])' <out.json)
	missing=$(json 'd["missing"]' <out.json)
	if [ -z "$proposed" ] || [ "$missing" -gt 1 ]; then
		skip "the proposed run leads to the layer" "no clang of the version of PoCL's LLVM is here"
	else
		measure between "$proposed"
		check $? "the proposed run can be made as printed: $proposed" err
		if ! sound "$a" between/*.json; then
			skip "its result leads to the layer" "this machine is too busy for a valid row"
		else
			"$EVENHAND" attribute "$a" "$c" between/*.json --json >out.json 2>err
			agrees $? <out.json && [ "$(json '[len(s["groups"]) for s in d["steps"]]' <out.json)" = "[1, 1]" ] &&
				[ "$(json 'd["steps"][0]["groups"][0]["layer"]' <out.json)" = compiler ]
			check $? "and with its result each step changes one thing" out.json
		fi
	fi
	fi
fi

# Other results, and what is none.
"$EVENHAND" attribute "$SRC/tests/golden/host-gcc-12.json" "$SRC/tests/golden/host-clang-14.json" --no-look --json >out.json 2>err
[ "$(json '" ".join(sorted(g["layer"] for g in d["groups"]))' <out.json)" = "compiler runtime" ]
check $? "results of an older program, without owners, are read as well" out.json
"$EVENHAND" attribute "$SRC/tests/golden/host-gcc-12.json" "$SRC/tests/golden/host-clang-14.json" --no-look >out 2>err
grep -q '^confounded: 7 cases moved (7 faster, 0 slower)' out && grep -q '^  xfer.h2d.4KiB: status-failed: other: The worker was killed' out && ! grep -q project out
check $? "the answer comes first, open cases say why, and nobody is accused" out
width=$(sed -n 's/^#define TABLE_WIDTH \([0-9]*\).*/\1/p' "$SRC/core/report/report.h")
! grep -v '^from \|^to ' out | awk -v width="$width" 'length > width' | grep -q .
check $? "within $width columns, but for paths" out
"$EVENHAND" attribute "$SRC/tests/golden/host-gcc-12.json" >out 2>err
[ $? -eq 4 ] && grep -q 'TO is missing; usage: evenhand attribute FROM TO' err
check $? "one result is too few" err
"$EVENHAND" attribute "$protocol" "$protocol" >out 2>err
[ $? -eq 4 ]
check $? "a protocol is no result" err

echo "1..$n"
exit $bad
