#!/bin/sh
# Scenarios, from the protocol to the comparison.  A client that shares a busy machine may be late,
# and then its rows are invalid and say so; what may never happen is a number that does not follow.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	# What the program said last, so that a log explains itself.
	for said in out err verified; do [ ! -s "$said" ] || { echo "# $2: ${said##*/}:"; tail -n 10 "$said"; } >&2; done
}
cd "$T" || exit 1
"$EVENHAND" run "$SRC/tests/protocols/load.ini" --on host:0 -o run --quiet >out 2>err </dev/null
rc=$?
[ $rc -eq 0 ] || [ $rc -eq 7 ]
check $? "every scenario is measured or says why not"
result=$(echo run/host-*.json)
"$EVENHAND" verify "$result" >verified 2>&1
check $? "what is derived from the requests is derived again"
grep '"kind":"case"' run/run.journal |
	sed 's/.*"id":"\([^"]*\)".*"record":{[^}]*"status":"\([a-z-]*\)".*"reasons":\(\[[^]]*\]\).*/\1 \2 \3/' >rows
# What a busy machine does to an honest executor, and to which of the scenarios.
late='^\["The client issued requests too late (p99 of the lag '
proof='^\["\(The samples claim\|A sample claims\) .* each by the host clock up to '
wide='^\["The interval of the [a-z0-9]* is ±[0-9.]* % wide after '
few='^\["Only [0-9]* \(samples\{0,1\} fits\{0,1\} in the budget\|of the [0-9]* samples are of the steady part\)'
load='^\["\(The queue grew: \|The latency is \|[0-9]* requests are too few \)'
accepted() { # case status reasons
	# Beside another reason these would still be an executor's, or ours.
	case $3 in *wrong*|*Waiting*|*grow\ with*|*overwritten*|*claims\ *of\ the\ host*) return 1 ;; esac
	case $2 in
	valid) [ "$3" = '[]' ] ;;
	not-converged) case $1 in
		single|offline) echo "$3" | grep -q -e "$wide" -e "$few" -e "no steady state" -e "depend on each other" ;;
		knee|closed|server) echo "$3" | grep -q "$load" ;;
		esac ;;
	unproven) ;;
	invalid) echo "$3" | grep -q "$proof" || case $1 in
		closed|server|knee) echo "$3" | grep -q "$late" ;;
		*) false ;;
		esac ;;
	*) false ;;
	esac
}
rows=0 wrong=
while read -r id status reasons; do
	rows=$((rows + 1))
	accepted "${id%%.*}" "$status" "$reasons" || wrong="$wrong ${id%%.*}"
done <rows
[ -z "$wrong" ] && [ $rows -eq 5 ]
check $? "no other reason than a late client or a disturbed machine:$wrong"
[ -z "$wrong" ] || cat rows >&2
python() { /usr/bin/python3 "$@" 2>/dev/null || python3 "$@"; }
if command -v python3 >/dev/null; then
	python - "$result" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
rows = {c["id"].split(".")[0]: c for c in r["cases"]}
load = [e for k in ("closed", "server", "knee") for e in rows[k]["executions"] if "requests" in e]
assert load, "no requests are recorded"
for e in load:
    q = e["requests"]
    assert len(q["due_ns"]) == len(q["issued_ns"]) == len(q["done_ns"]) == len(e["samples_ns"])
    assert all(d <= i <= x for d, i, x in zip(q["due_ns"], q["issued_ns"], q["done_ns"]))
    assert all(s == x - d for s, d, x in zip(e["samples_ns"], q["due_ns"], q["done_ns"]))
for e in rows["server"]["executions"]:
    # Sensors' times count from the first request, as those of samples do.
    for channel in e.get("telemetry", {}).get("channels", []):
        assert all(abs(t) < 600e9 for t in channel["times_ns"]), channel["times_ns"][:3]
for e in rows["closed"]["executions"]:
    q = e["requests"]
    out = [sum(1 for j in range(i) if q["done_ns"][j] > q["issued_ns"][i]) for i in range(len(q["due_ns"]))]
    assert max(out) <= 3, max(out)
for e in rows["offline"]["executions"]:
    assert e["batch"] == 32
for e in rows["single"]["executions"]:
    assert e["batch"] == 1 and e["clock"] == "host"
PY
	check $? "requests, samples and places agree with each other"
else
	n=$((n + 1))
	echo "ok $n - requests, samples and places agree with each other # SKIP python3 is missing (package python3)"
fi
sed 's/"done_ns":\[\([0-9]*\),/"done_ns":[1\1,/' "$result" >edited.json
"$EVENHAND" verify edited.json >verified 2>&1
[ $? -eq 1 ] && ! cmp -s "$result" edited.json
check $? "an edited request does not verify"
# So few samples that there is no p90: the median is shown, and by its name.
sed '/^\[case offline\]/,$d; s/^time-max.*/time-max = 5ms/; s/^bytes.*/bytes = 64MiB/' \
	"$SRC/tests/protocols/load.ini" >few.ini
"$EVENHAND" run few.ini --on host:0 -o few --quiet >out 2>err </dev/null
"$EVENHAND" show few/host-*.json >shown 2>&1
grep -q 'values: median' shown && grep -q 'not-converged' shown && ! grep -q p90 shown
rc=$?
check $rc "where a percentile cannot be stated, the median that is shown is called one"
[ $rc -eq 0 ] || cat err shown >&2
for key in 'scenario = server' 'scenario = knee' 'load-rate = 10'; do
	sed "s/^\[measure\]/[measure]\n$key/" "$SRC/tests/protocols/tiny.ini" >bad.ini
	"$EVENHAND" protocol check bad.ini >out 2>err
	[ $? -eq 4 ] && [ "$(wc -l <err)" -le 2 ] && grep -q 'bad.ini:' err
	check $? "a protocol with '$key' alone is refused with one sentence"
done
echo "1..$n"
exit $bad
