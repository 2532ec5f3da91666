#!/bin/sh
# evenhand export: each format as other people's programs read it, the same numbers in all of them.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s $said ] || { echo "# $2: $said:"; tail -n 10 $said; } >&2; done
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
run() { # arguments of evenhand; stdout in out, stderr in err, status in rc
	timeout 60 "$EVENHAND" "$@" >out 2>err </dev/null
	rc=$?
}
cd "$T" || exit 1
golden=$SRC/tests/golden
gcc=$golden/host-gcc-12.json clang=$golden/host-clang-14.json opencl=$golden/opencl-pocl-0.json

for as in csv samples markdown junit openmetrics; do
	run export "$gcc" "$clang" "$opencl" --as $as
	[ $rc -eq 0 ] && [ -s out ] && [ ! -s err ]
	check $? "$as: to stdout"
	cp out all.$as
	run export "$gcc" "$clang" "$opencl" --as $as -o file.$as
	[ $rc -eq 0 ] && [ ! -s out ] && cmp -s file.$as all.$as
	check $? "$as: the same into a file"
	run export "$gcc" --as $as
	[ $rc -eq 0 ] && [ -s out ]
	check $? "$as: one result alone"
done
run compare "$gcc" "$clang" "$opencl" --markdown
cmp -s out all.markdown
check $? "markdown is that of compare"
run export "$gcc"
[ $rc -eq 4 ] && grep -q -e '--as' err
check $? "without a format: one sentence"
run export "$gcc" --as xml
[ $rc -eq 4 ] && grep -q 'junit' err
check $? "a format that there is not: the sentence has those that there are"
run export "$gcc" --as csv -o no/such/file
[ $rc -eq 5 ] && [ "$(wc -l <err)" -eq 1 ]
check $? "a folder that is not there: exit code 5"
run export "$gcc" "$clang" --as csv --case 'gemm*'
[ "$(wc -l <out)" -eq 5 ]
check $? "--case leaves the others out"

# ---- what others make of them ------------------------------------------------------------------

python=
for p in python3 /usr/bin/python3; do
	if command -v $p >/dev/null 2>&1; then
		python=${python:-$p}
		if $p -c 'import prometheus_client.openmetrics.parser, junitparser' 2>/dev/null; then python=$p; fi
	fi
done
if [ -z "$python" ]; then
	skip "other programs" "needs python3"
	echo "1..$n"
	exit $bad
fi
"$EVENHAND" show --json "$gcc" "$clang" "$opencl" >show.json
$python - >out 2>err <<'PY'
import csv, json
rows = list(csv.DictReader(open("all.csv", newline="")))
results = json.load(open("show.json"))
assert len(rows) == 24, len(rows)
for r in results:
    for case in r["cases"]:
        row = [x for x in rows if x["executor"] == r["executor"]["name"] and x["id"] == case["id"]]
        assert len(row) == 1, case["id"]
        row = row[0]
        derived = case.get("derived", {})
        if "rate" in derived and row["value"]:
            assert float(row["value"]) == derived["rate"], (row["value"], derived["rate"])
            assert float(row["low"]) <= float(row["value"]) <= float(row["high"])
        assert row["status"] in (case["status"], "not run")
        assert row["digest"] == r["digest"]
assert [x["verdict"] for x in rows if x["executor"] == "host:clang-14"].count("FASTER") == 7
assert all(x["verdict"] == "" and x["baseline"] == "" for x in rows if x["executor"] == "host:gcc-12")
PY
check $? "csv: Python's reader finds every case, with the record's numbers to the last digit"
$python - >out 2>err <<'PY'
import csv, json
rows = list(csv.DictReader(open("all.samples", newline="")))
results = json.load(open("show.json"))
want = [(r["executor"]["name"], c["id"], e["execution"], i + 1, ns, e.get("batch", 1))
        for r in results for c in r["cases"] for e in c["executions"] for i, ns in enumerate(e.get("samples_ns", []))]
got = [(x["executor"], x["id"], int(x["execution"]), int(x["sample"]), int(x["time_ns"]), int(x["operations"])) for x in rows]
assert sorted(want) == sorted(got), (len(want), len(got))
assert all(abs(float(x["each_ns"]) * int(x["operations"]) - int(x["time_ns"])) < 1e-6 * int(x["time_ns"]) for x in rows)
PY
check $? "samples: every sample of the records, and no other"
$python - >out 2>err <<'PY'
import xml.etree.ElementTree as tree
root = tree.parse("all.junit").getroot()
assert root.tag == "testsuites" and len(root) == 3
for suite in root:
    cases = suite.findall("testcase")
    assert int(suite.get("tests")) == len(cases) == 8
    assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
    assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped"))
assert [int(s.get("failures")) for s in root] == [0, 1, 7]
assert sum(int(s.get("tests")) for s in root) == int(root.get("tests"))
PY
check $? "junit: well-formed, and the counts are those of its cases"
if $python -c 'import junitparser' 2>/dev/null; then
	$python -c 'import junitparser as j; x = j.JUnitXml.fromfile("all.junit"); assert (x.tests, x.failures, x.skipped) == (24, 8, 1), (x.tests, x.failures, x.skipped)' >out 2>err
	check $? "junit: as junitparser reads it"
else
	skip "junit: junitparser" "it is not here (package python3-junitparser)"
fi
if $python -c 'import prometheus_client.openmetrics.parser' 2>/dev/null; then
	$python - >out 2>err <<'PY'
import csv
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families = {f.name: f for f in text_string_to_metric_families(open("all.openmetrics").read())}
rows = [r for r in csv.DictReader(open("all.csv", newline="")) if r["unit"] == "B/s" and r["value"]]
got = {(s.labels["executor"], s.labels["case"]): s.value for s in families["evenhand_case_bytes_per_second"].samples}
assert got == {(r["executor"], r["id"]): float(r["value"]) for r in rows}
assert len(families["evenhand_case_measured"].samples) == 24
assert sum(s.value for s in families["evenhand_case_measured"].samples) == 21, sum(s.value for s in families["evenhand_case_measured"].samples)
PY
	check $? "openmetrics: as Prometheus's own client reads it, with the numbers of csv"
else
	skip "openmetrics: its parser" "it is not here (package python3-prometheus-client)"
fi
if command -v promtool >/dev/null 2>&1; then
	promtool check metrics <all.openmetrics >out 2>err
	check $? "openmetrics: promtool has nothing to say"
else
	skip "openmetrics: promtool" "it is not here (package prometheus)"
fi

# ---- hostile strings ---------------------------------------------------------------------------

"$BUILD/tests/bench/make_result" -n 20 2 hostile.json >out 2>err
cp hostile.json '=a,"b.json'
run export '=a,"b.json' hostile.json --as csv -o hostile.csv
$python - >>out 2>>err <<'PY'
import csv
rows = list(csv.DictReader(open("hostile.csv", newline="")))
assert len(rows) == 4 and all(len(r) == 29 and None not in r for r in rows), rows
assert not any(v[:1] in "=+@" and v for r in rows for v in r.values()), rows
PY
check $? "csv: no text begins as a formula, and no comma or quote makes a column"

echo "1..$n"
exit $bad
