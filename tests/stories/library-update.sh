#!/bin/sh
# An update of a library on the host: the oneDNN that is installed, then oneDNN 3 of PyPI.  The kernel's
# texts, compilers and machine stay.  Does the row run with both, and is the library named?
#   make stories TESTS=library-update
. "$SRC/tests/stories/telling"
no_story() { skip "an update of oneDNN" "$1"; finish; }
cd "$T" || exit 1
if ! python3 -m pip download --quiet --disable-pip-version-check --retries 1 --no-deps --only-binary=:all: \
	--dest wheel onednn-cpu-gomp==2023.2.0 >log 2>&1 || ! python3 -m zipfile -e wheel/*.whl new >log 2>&1; then
	no_story "oneDNN 3 could not be fetched from PyPI: $(tail -n 1 log)"
fi
new=$(find "$T/new" -name libdnnl.so.3)

cat >product.ini <<'END'
[protocol]
name = library-update
version = 1
intent = the products of oneDNN beside the portable ones
executions = 5
seed = 5
canary = no

[measure]
warmup-max = 200ms
samples-min = 10
samples-max = 400
time-max = 500ms
half-width = 5%

[case product]
workload = gemm
precision = f32, bf16, i8
m = 256
n = 320
k = 192
tier = portable, vendor
END
"$EVENHAND" run product.ini --on host:gcc --set host.gemm=onednn -q -o before >before.txt 2>&1
rc=$?
! grep -q 'oneDNN is not here' before.txt || no_story "oneDNN is not installed (package libdnnl2)"
[ $rc -eq 0 ] && "$EVENHAND" verify before/*.json >out 2>err
check $? "measured with the oneDNN that is installed" before.txt
"$EVENHAND" run product.ini --on host:gcc --set host.gemm=onednn --set "host.onednn=$new" -q -o after >after.txt 2>&1 &&
	"$EVENHAND" verify after/*.json >out 2>err
check $? "measured with oneDNN 3" after.txt
python3 - before/*.json after/*.json >facts 2>&1 <<'PY'
import json, sys
for path, major in zip(sys.argv[1:], ("", "3.")):
    for c in json.load(open(path))["cases"]:
        if c["tier"] != "vendor" or c["status"] == "unsupported":
            continue
        e = c["executions"][0]
        print(c["id"], c["status"], e["library"])
        assert e["verification"]["before"]["passed"] and e["verification"]["selftest"]["passed"], c["reasons"]
        assert e["library"]["name"] == "oneDNN" and e["library"]["version"].startswith(major), e["library"]
PY
check $? "the outputs are right with both, and each row has its version" facts
"$EVENHAND" attribute before/*.json after/*.json >attribute.txt 2>&1
grep -q 'oneDNN' attribute.txt && grep -q '3\.2\.0' attribute.txt
check $? "attribute names oneDNN and its new version" attribute.txt
finish
