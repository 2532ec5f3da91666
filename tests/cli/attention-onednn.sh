#!/bin/sh
# Attention by the oneDNN that is installed: right rows, or the reason why there are none.  Only oneDNN 3.7 and later
# has it, so CI runs this on Debian 13, too.
: "${T:?}" "${EVENHAND:?}" "${SRC:?}"
cd "$T" || exit 1
export PYTHONPATH="$SRC/tests/drivers" PYTHONDONTWRITEBYTECODE=1
sed -e '/^\[case /,$d' "$SRC/tests/protocols/attention.ini" >real.ini
cat >>real.ini <<'END'
[case prompt]
workload = attention
query = 37
keys = 65
batch = 2
heads = 6
kv-heads = 3, 6
causal = no, yes
tier = portable, vendor

[case token]
workload = attention
mode = decode
keys = 100
heads = 8
kv-heads = 2
head = 128
tier = portable, vendor
END
rm -rf real
"$EVENHAND" run real.ini --on host:gcc -q -o real >log 2>&1
python3 - real/*.json >facts 2>&1 <<'PY'
import json, sys
import rows
vendor = [c for c in json.load(open(sys.argv[1]))["cases"] if c["tier"] == "vendor"]
assert len(vendor) == 5, vendor
reasons = {str(c["reasons"]) for c in vendor if c["status"] == "unsupported"}
if any("oneDNN is not here" in r for r in reasons):
    print("# SKIP oneDNN is not here (package libdnnl3.6)")
elif any("oneDNN 3.7 has" in r or "pieces on this CPU" in r or "has no attention of f32" in r for r in reasons):
    assert len(reasons) == 1 and all(c["status"] == "unsupported" for c in vendor), vendor
    print("# SKIP the oneDNN that is installed has none for this CPU (package libdnnl3.6)")
else:
    for c in vendor:
        e = c["executions"][0]
        assert rows.honest(c) and e["verification"]["before"]["passed"] and e["verification"]["after"]["passed"], c
        assert e["library"]["name"] == "oneDNN" and "kernel=one partition of " in e["library"]["detail"], c
PY
rc=$?
echo "1..1"
skipped=$(grep '^# SKIP' facts)
if [ $rc -eq 0 ]; then
	echo "ok 1 - attention by the oneDNN that is installed${skipped:+ $skipped}"
else
	echo "not ok 1 - attention by the oneDNN that is installed"
	cat facts log >&2
fi
exit $rc
