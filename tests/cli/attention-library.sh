#!/bin/sh
# Attention of a library, the test library of oneDNN: the row beside the portable one, what is recorded of it, and what
# a library that lies or has none makes of it.
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}"
cd "$T" || exit 1
export PYTHONPATH="$SRC/tests/drivers" PYTHONDONTWRITEBYTECODE=1
n=0 bad=0
check() { # status text file with detail...
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	shift 2
	tail -n 20 "$@" >&2
}
library=$BUILD/tests/drivers/onednn/cpu/libdnnl.so.3
# run FAULT NAME PROTOCOL: the result is NAME/*.json
run() {
	rm -rf "${T:?}/$2"
	EVENHAND_TEST_FAULT=$1 "$EVENHAND" run "$3" --on host:gcc -q --set "host.onednn=$library" -o "$2" >log 2>&1
}
# says NAME EXPRESSION: of the rows of the vendor tier
says() {
	python3 - "$T/$1"/*.json "$2" >facts 2>&1 <<'PY'
import json, sys
import rows
cases = json.load(open(sys.argv[1]))["cases"]
vendor = [c for c in cases if c["tier"] == "vendor"]
for c in vendor:
    print(c["id"], c["status"], c.get("reasons"))
assert vendor and not rows.accused([c for c in cases if c["tier"] == "portable"])
good = lambda c: rows.honest(c) and c["executions"][0]["verification"]["before"]["passed"] and c["executions"][0]["verification"]["after"]["passed"]
sys.exit(not eval(sys.argv[2]))
PY
}

# Every mode and form at odd sizes, with and without heads that share keys.
sed 's/^workload = attention$/&\ntier = portable, vendor/' "$SRC/tests/protocols/attention.ini" >all.ini
run '' all all.ini
check $? "a run with all of them" log
says all 'all(c["status"] == "unsupported" and "form=naive is what one pass is compared with" in str(c["reasons"]) for c in vendor if ".naive." in c["id"])'
check $? "the three kernels are no library's" facts
says all 'len([c for c in vendor if ".naive." not in c["id"]]) >= 7 and all(good(c) for c in vendor if ".naive." not in c["id"])'
check $? "prompts and single tokens, masks, shared heads, f32, f16 and bf16 are right" facts log
says all 'all(c["executions"][0]["library"]["name"] == "oneDNN" and "kernel=one partition of " in c["executions"][0]["library"]["detail"] and "program" not in c["executions"][0] for c in vendor if good(c))'
check $? "the rows name the library and what of it ran" facts
python3 - all/*.json >facts 2>&1 <<'PY'
import json, sys
layers = [x for x in json.load(open(sys.argv[1]))["executor"]["layers"] if x["layer"] == "library" and x["name"] == "oneDNN"]
assert len(layers) == 1 and layers[0]["version"] == "3.12.7" and layers[0]["sha256"], layers
PY
check $? "the stack has it, with its digest" facts
"$EVENHAND" verify all/*.json >log 2>&1
check $? "verify holds" log

sed '/^\[case /,$d' all.ini >few.ini
cat >>few.ini <<'END'
[case few]
workload = attention
query = 5
keys = 9
heads = 2
causal = yes
tier = portable, vendor
END
for fault in wrong stale; do
	run "dnnl_graph_compiled_partition_execute=$fault" lied few.ini
	says lied 'vendor[0]["status"] == "invalid"'
	check $? "a library that is $fault makes the row invalid" facts log
done
run 'dnnl_graph_graph_get_partition_num=pieces' pieces few.ini
says pieces 'vendor[0]["status"] == "unsupported" and "in 5 pieces on this CPU" in str(vendor[0]["reasons"])'
check $? "one that has attention in pieces alone has none" facts log
run 'dnnl_graph_partition_compile=5' failed few.ini
says failed 'vendor[0]["status"] == "failed" and "dnnl_graph_partition_compile returned 5" in str(vendor[0]["reasons"])'
check $? "one that fails is a failed row with the function and its status" facts log

echo "1..$n"
exit $bad
