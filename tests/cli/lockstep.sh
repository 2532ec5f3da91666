#!/bin/sh
# A run in lockstep: executors take turns in rounds; deaths, hangs, signals and a full disk cost what
# they cost in a sequence.
set -u
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}"
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s "$said" ] || { echo "# $2: ${said##*/}:"; tail -n 10 "$said"; } >&2; done
}
run() { # arguments of evenhand; stdout in out, stderr in err, status in rc
	"$EVENHAND" "$@" >out 2>err </dev/null
	rc=$?
}
fine() { [ $rc -eq 0 ] || [ $rc -eq 7 ]; }
cd "$T" || exit 1
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0"
turns=$SRC/tests/protocols/turns.ini
ask() { # folder expression over rs, the results by the name of the executor in the run
	python3 - "$1" "$2" <<'PY'
import glob, json, sys
rs = {}
for f in glob.glob(sys.argv[1] + "/*.json"):
    r = json.load(open(f))
    rs[r["run"].get("label", r["executor"]["name"])] = r
a = rs.get("host:0") or next((rs[k] for k in sorted(rs) if "#" not in k), None)
b = next((rs[k] for k in sorted(rs) if "#" in k), None)
def es(r): return [e for c in r["cases"] for e in c["executions"]]
def spans(e):
    begin = e["turns"]["origin_ns"] + e["turns"]["first_ns"]
    times = e.get("host_ns", e["samples_ns"])
    return [(begin + s, begin + s + t, n) for s, t, n in zip(e["starts_ns"], times, e["turns"]["rounds"])]
sys.exit(0 if eval(sys.argv[2]) else 1)
PY
}

run run "$turns" --on host:0,host:0 -o twice
fine && ask twice 'len(rs) == 2 and b["run"]["label"].endswith("#2") and a["executor"]["name"] == b["executor"]["name"]'
check $? "the same executor named twice gives two results, the second with a name of its own"
ask twice 'all(r["run"]["design"]["kind"] == "lockstep" and len(r["run"]["design"]["executors"]) == 2 for r in (a, b))'
check $? "the record says that both took turns"
ask twice 'all(len(e["turns"]["rounds"]) == len(e["samples_ns"]) == len(e["starts_ns"]) and
	e["turns"]["rounds"] == sorted(e["turns"]["rounds"]) for r in (a, b) for e in es(r) if "samples_ns" in e)'
check $? "every sample carries its round and its start"
ask twice 'all(len(set(x["turns"]["rounds"]) & set(y["turns"]["rounds"])) >= 6 and
	x["turns"]["origin_ns"] == y["turns"]["origin_ns"] for x, y in zip(es(a), es(b)) if "turns" in x and "turns" in y)'
check $? "both have at least six rounds in common in each execution"
ask twice 'all(p[1] <= q[0] for x, y in zip(es(a), es(b)) if "turns" in x and "turns" in y
	for all_ in [sorted(spans(x) + spans(y))] for p, q in zip(all_, all_[1:]))'
check $? "no samples of the two overlap in time"
ask twice 'any(p[2] == q[2] and (p in spans(x)) != (q in spans(x)) for x, y in list(zip(es(a), es(b)))[:1]
	for all_ in [sorted(spans(x) + spans(y))] for p, q in zip(all_, all_[1:]))'
check $? "within a round they alternate"
run compare twice
[ $rc -le 2 ]
check $? "compare has an answer"
run verify twice/*.json
[ $rc -eq 0 ]
check $? "both results verify"

run run "$turns" --on host:0 -o alone
fine && ask alone 'a["run"]["design"]["kind"] == "sequence" and "one executor" in a["run"]["design"]["reason"]'
check $? "one executor has nobody to take turns with, and the record says so"
ask alone 'all(len(set(e["turns"]["rounds"])) >= 6 for e in es(a) if "turns" in e)'
check $? "its samples have rounds all the same"

# A worker that dies or hangs in a turn: its case is lost, the other executor goes on.  The first case is
# long, for something to happen in.
sed -e 's/^timeout = .*/timeout = 10s/; s/^executions = .*/executions = 1/' \
	-e 's/^\[case triad\]/&\ntime-max = 1s\nhalf-width = 0.001%\nmargin = 0.1%\nsamples-max = 1000000/' "$turns" >slow.ini
gone() { # processes; true when all are gone within 10 s
	tries=0
	while [ $tries -lt 100 ]; do
		alive=
		for p; do
			case $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$p/status" 2>/dev/null) in
			'' | Z) ;;
			*) alive=yes ;;
			esac
		done
		[ -n "$alive" ] || return 0
		sleep 0.1
		tries=$((tries + 1))
	done
	return 1
}
strike() { # signal folder: sent to one of two workers in its first case
	"$EVENHAND" run slow.ini --on host:0,host:0 -o "$2" --quiet >out 2>err </dev/null &
	pid=$!
	i=0
	while [ "$(grep -c '"kind":"instrument"' "$2/run.journal" 2>/dev/null)" != 2 ] && [ $i -lt 600 ]; do
		sleep 0.02
		i=$((i + 1))
	done
	sleep 0.5
	worker=$(cut -d ' ' -f 1 "/proc/$pid/task/$pid/children")
	kill -"$1" "$worker"
	wait $pid
	rc=$?
	{ echo "code $rc"; grep -o '"kind":"case".*"status":"failed".*' "$2/run.journal"; } >>err
}
for signal in KILL SEGV STOP; do
	strike $signal $signal
	[ $rc -eq 7 ] && [ "$(grep '"kind":"case"' $signal/run.journal | grep -c '"status":"failed"')" -eq 1 ]
	check $? "SIG$signal of a worker costs one case of one executor"
	[ "$(grep -c '"kind":"case"' $signal/run.journal)" -eq 6 ] &&
		[ "$(grep '"kind":"case"' $signal/run.journal | grep -c replacement-worker)" -ge 1 ]
	check $? "the rest of its cases are measured by a fresh worker, those of the other as ever"
done

# A coordinator that is killed, and a signal: the run is completed later, nothing is done twice.
"$EVENHAND" run slow.ini --on host:0,host:0 -o killed --quiet >out 2>err </dev/null &
pid=$!
i=0
while ! grep -q '"kind":"case"' killed/run.journal 2>/dev/null && [ $i -lt 2000 ]; do sleep 0.02; i=$((i + 1)); done
workers=$(cat /proc/$pid/task/$pid/children)
kill -KILL $pid
wait $pid
# shellcheck disable=SC2086
gone $workers
check $? "no worker outlives its coordinator"
run run --resume killed
fine && [ "$(grep '"kind":"case"' killed/run.journal | sed 's/.*"executor":"\([^"]*\)","execution":\([0-9]*\),"id":"\([^"]*\)".*/\1 \2 \3/' | sort | uniq -d | wc -l)" -eq 0 ] &&
	[ "$(grep -c '"kind":"case"' killed/run.journal)" -eq 6 ]
check $? "a killed run is completed, and no case is measured twice"
run verify killed/*.json
[ $rc -eq 0 ]
check $? "its results verify"

"$EVENHAND" run slow.ini --on host:0,host:0 -o stopped --quiet >out 2>err </dev/null &
pid=$!
i=0
while ! grep -q '"kind":"case"' stopped/run.journal 2>/dev/null && [ $i -lt 2000 ]; do sleep 0.02; i=$((i + 1)); done
kill -INT $pid
wait $pid
rc=$?
[ $rc -eq 6 ] && [ "$(grep -c '"kind":"executor"' stopped/run.journal)" -ge 1 ] && tail -n 1 stopped/run.journal | grep -q interrupted
check $? "a run that is interrupted ends as such and keeps the record of its stacks"
run run --resume stopped
fine && [ "$(grep -c '"kind":"case"' stopped/run.journal)" -eq 6 ]
check $? "it is completed like a killed one"

(
	ulimit -f 24
	exec "$EVENHAND" run slow.ini --on host:0,host:0 -o full --quiet >out 2>err </dev/null
)
rc=$?
[ $rc -eq 5 ] && grep -q 'run --resume' err && [ -s full/run.journal ]
check $? "a journal that cannot grow ends the run with the way to go on"
run run --resume full
fine && [ "$(grep -c '"kind":"case"' full/run.journal)" -eq 6 ]
check $? "and with room it is completed"

# What is asked for.
run run "$turns" --on host:0,host:0 -o some --case 'tri*,launch*'
fine && ask some '[len(c["executions"]) > 0 for c in a["cases"]] == [True, False, True] and len(a["run"]["asked"]) == 2'
check $? "--case measures the cases that match, and the record says which were asked for"
run run "$turns" --on host:0 -o none --case 'gem*'
[ $rc -eq 4 ] && [ ! -e none ] && grep -q "no case of turns matches 'gem\*'" err
check $? "a pattern that matches nothing is refused before anything is measured"
run run "$turns" --on host:0,host:0 --plan
[ $rc -eq 0 ] && grep -q '^triad' out && grep -q 'design lockstep' out && [ ! -e results ]
check $? "--plan prints what would be done and does nothing"
run run "$turns" --on host:0 --plan --json
[ $rc -eq 0 ] && python3 -c 'import json; p = json.load(open("out")); assert len(p["cases"]) == 3 and p["executions"] == 2'
check $? "--plan --json has the same"
sed 's/^bytes = 1MiB/bytes = 1MiB | 2MiB | 4MiB/' "$turns" >sized.ini
run run sized.ini --on host:0 -o sized --case 'triad*' --class medium
fine && ask sized 'a["protocol"]["canonical"]["size_class"] == "medium" and a["cases"][0]["id"].endswith("2MiB")'
check $? "--class chooses the sizes, and the plan says which"
run verify sized/*.json
[ $rc -eq 0 ]
check $? "such a result verifies"

# What cannot fit is said before the time is spent, once.
sed -e 's/^samples-min = .*/samples-min = 1000/; s/^bytes = .*/bytes = 64MiB/; s/^time-max = .*/time-max = 10ms/' "$turns" >long.ini
run run long.ini --on host:0,host:0 -o long --case 'triad*'
[ "$(grep -c 'triad.f32.64MiB: a sample takes .*, so samples-min (1000) needs .* and time-max allows 10.00 ms' err)" -eq 2 ]
check $? "a case that cannot fit in time-max says so, once for each executor"

# A budget is kept, whatever the machine is doing besides; it is used unless every case was decided early.
sed -e 's/^seed = .*/seed = 1\nbudget = 12s/; s/^time-max = .*/time-max = 10s/; s/^samples-max = .*/samples-max = 1000000/; s/^margin = .*/margin = 0.01%/' "$turns" >budget.ini
run run budget.ini --on host:0,host:0 -o budget
fine && ask budget 'all(4e9 * (e["status"] != "valid") < a["run"]["design"]["spent_ns"] < 16e9
	for r in (a, b) for e in es(r))'
check $? "a budget of 12 s is used and kept"

# A budget that leaves no time: nothing is opened, and every row says why.
sed 's/^budget = .*/budget = 1.6s/' budget.ini >short.ini
run run short.ini --on host:0,host:0 -o short
[ $rc -eq 7 ] && ask short '(all(e["status"] == "out-of-time" and "samples_ns" not in e for e in es(a)) and
	all(c["status"] == "out-of-time" for c in a["cases"]) and a["run"]["design"]["spent_ns"] < 6e9)'
check $? "a case that comes when the budget is over is out of time"
run run short.ini --on host:0 -o single
"$EVENHAND" verify single/*.json >single.log 2>&1 && grep -q '"status":"out-of-time"' single/run.journal
check $? "the same of one executor alone, and its result verifies"
run verify short/*.json
[ $rc -eq 0 ]
check $? "such a result verifies"
run compare short
grep -q 'no time' out && [ $rc -eq 3 ]
check $? "and compare shows where there was no time"
run run --resume short
[ "$(grep -c '"kind":"case"' short/run.journal)" -eq 12 ]
check $? "nothing is left to resume"
echo "1..$n"
exit $bad
