#!/bin/sh
# Damaged journals: an end is cut and measured again, a line in the middle is refused, and salvaged on
# request; the result says so.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s "$said" ] || { echo "# $2: $said:"; tail -n 10 "$said"; } >&2; done
}
ended() { # status; whether a run ended with a result
	[ "$1" -eq 0 ] || [ "$1" -eq 7 ]
}
resume() { # folder options...
	folder=$1
	shift
	"$EVENHAND" run --resume "$folder" --quiet "$@" >out 2>err </dev/null
}
samples() { # the first sample of a case
	sed -n 's/^{"kind":"case",.*"id":"copy[^"]*".*"samples_ns":\[\([0-9]*\).*$/\1/p' "$1"
}
cd "$T" || exit 1
rm -rf ./*
"$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on host:0 -o run --executions 1 --quiet >out 2>err </dev/null
rc=$?
ended $rc && [ "$(wc -l <run/run.journal)" -eq 6 ]
check $? "a run: plan, instrument, two cases, executor, end"

# ---- the end -------------------------------------------------------------------------------------
cp -r run torn
printf '{"kind":"case","executor":"host:x","execution":1,"id":"c","rec\000\000\377\n' >>torn/run.journal
resume torn
rc=$?
ended $rc && grep -q "line 7, the [0-9]* bytes from byte $(wc -c <run/run.journal) on, is cut off" err &&
	grep -q 'a line of kind case of host:x, execution 1, case c' err
check $? "a torn end is cut off and named, and the run is completed"
cmp -s run/run.journal torn/run.journal && cmp -s run/host-*.json torn/host-*.json
check $? "nothing else changes"
cp -r run last
sed -i '$s/"spent_ns":[0-9]*/"spent_ns":7/' last/run.journal
resume last
rc=$?
ended $rc && grep -q 'line 6, .*of kind end' err && "$EVENHAND" verify last/host-*.json >out 2>err
check $? "a last line that was changed costs only that line"

# ---- the middle ----------------------------------------------------------------------------------
cp -r run digit
at=$(grep -n '^{"kind":"case",.*"id":"copy' run/run.journal | cut -d: -f1)
before=$(samples run/run.journal)
sed -i "${at}s/\"samples_ns\":\\[$before/\"samples_ns\":[${before}0/" digit/run.journal
cp digit/run.journal changed
[ "$(samples changed)" = "${before}0" ]
check $? "a sample of ten times its time, in line $at"
byte=$(head -n $((at - 1)) run/run.journal | wc -c)
resume digit
rc=$?
[ $rc -eq 4 ] && grep -q "digit/run.journal, line $at at byte $byte: " err && grep -q 'run --resume digit --salvage' err &&
	[ "$(grep -vc '^Try: ' err)" -eq 1 ]
check $? "is refused with the place and the remedy"
cmp -s digit/run.journal changed && cmp -s run/host-*.json digit/host-*.json && [ "$(find digit -type f | wc -l)" -eq 2 ]
check $? "and nothing is changed"
"$EVENHAND" bundle run/host-*.json --journal changed -o x.evenhand >out 2>err
rc=$?
[ $rc -eq 4 ] && grep -q 'its chain does not fit' err && [ ! -e x.evenhand ]
check $? "nor is such a journal bundled"
resume digit --salvage
rc=$?
ended $rc && grep -q "line $at at byte $byte: lost, [0-9]* bytes: .*of kind case of host:.*, execution 1, case copy" err &&
	grep -q '5 lines kept, 1 lost, 0 left out' err
check $? "--salvage goes on without the line, and names it"
cmp -s digit/run.journal.damaged-* changed
check $? "the damaged journal stays beside"
[ "$(samples digit/run.journal | wc -l)" -eq 1 ] && [ "$(samples digit/run.journal)" != "${before}0" ] &&
	grep '^{"kind":"case",.*"id":"triad' run/run.journal | sed 's/,"chain.*//' >kept &&
	grep '^{"kind":"case",.*"id":"triad' digit/run.journal | sed 's/,"chain.*//' | cmp -s - kept
check $? "its case was measured again, the other one is as it was"
"$EVENHAND" verify digit/host-*.json >out 2>err
check $? "the result holds"
"$EVENHAND" show digit/host-*.json >out 2>err && tr -s '\n ' ' ' <out | grep -q 'deviations: .*damaged and salvaged: lines lost: 1, left out: 0, kept: 5'
check $? "show says that the journal was salvaged"
"$EVENHAND" compare digit/host-*.json run/host-*.json --json >out 2>err
grep -q 'damaged and salvaged: lines lost: 1' out
check $? "and so does compare"
resume digit
rc=$?
ended $rc && [ ! -s err ]
check $? "it is resumed like any other then"

# ---- what is lost with an instrument, and with the plan --------------------------------------------
cp -r run clocks
sed -i '2s/"execution":1/"execution":2/' clocks/run.journal
resume clocks --salvage
rc=$?
ended $rc && grep -q '3 lines kept, 1 lost, 2 left out' err &&
	[ "$(grep -c '"kind":"case"' clocks/run.journal)" -eq 2 ] && "$EVENHAND" verify clocks/host-*.json >out 2>err
check $? "without their instrument, cases are measured again"
cp -r run stack
sed -i '5s/"execution":1/"execution":2/' stack/run.journal
resume stack --salvage
rc=$?
ended $rc && grep -q 'line 3 at byte [0-9]*: left out: the line that describes its executor may be lost' err &&
	grep -q '3 lines kept, 1 lost, 2 left out' err && [ "$(grep -c '"kind":"case"' stack/run.journal)" -eq 2 ] &&
	"$EVENHAND" verify stack/host-*.json >out 2>err
check $? "and without the description of the stack that they were measured on"
cp -r run killed-stack
sed -i '5,$d' killed-stack/run.journal
(
	export MALLOC_ARENA_MAX=1
	resume killed-stack
)
rc=$?
ended $rc && grep -q 'executor changed during the run' killed-stack/host-*.json
check $? "a run that was killed before that line, and is described on another stack, says so"
# Resumed on another stack, and killed before the last line of its executor: that execution is described.
"$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on host:0 -o again --executions 1 --quiet >out 2>err </dev/null
/usr/bin/python3 - again/run.journal <<'PY'
import hashlib, json, sys
lines = [l[:l.rfind(b',"chain":"')] + b"}" for l in open(sys.argv[1], "rb").read().splitlines()]
run, clocks, first, second, stack, end = lines
other = json.loads(clocks)
other["worker"], other["stack"] = 7, "ab" * 32
late = json.loads(second)
late["worker"] = 7
chain, out = "", b""
for l in [run, clocks, first, stack, end, json.dumps(other, separators=(",", ":")).encode(), json.dumps(late, separators=(",", ":")).encode()]:
    chain = hashlib.sha256(chain.encode() + l).hexdigest()
    out += l[:-1] + b',"chain":"' + chain.encode() + b'"}\n'
open(sys.argv[1], "wb").write(out)
PY
rm -f again/host-*.json
resume again
rc=$?
ended $rc && grep -q 'executor changed during the run: its digest before the cases was [0-9a-f]* and is abababababab in the last cases' again/host-*.json
check $? "a worker that was killed on another stack than the one that is described says so"

# ---- what salvage does not touch -------------------------------------------------------------------
cat >seal.py <<'PY'
import hashlib, sys
chain = ""
for line in sys.stdin.buffer.read().splitlines():
    body = line[:line.rfind(b',"chain":"')] + b"}"
    chain = hashlib.sha256(chain.encode() + body).hexdigest()
    sys.stdout.buffer.write(body[:-1] + b',"chain":"' + chain.encode() + b'"}\n')
PY
for edit in 's/"commit":"[^"]*"/"commit":"0123456789ab"/:4:resume it with that program' 's/{/{"novelty":1,/:4:novelty'; do
	said=${edit##*:} rest=${edit%:*}
	code=${rest##*:} change=${rest%:*}
	rm -rf other && cp -r run other
	sed "1$change" run/run.journal | python3 seal.py | sed '3s/"execution":1/"execution":2/' >other/run.journal
	cp other/run.journal changed
	resume other --salvage
	[ $? -eq "$code" ] && grep -q "$said" err && cmp -s changed other/run.journal && [ "$(find other -type f | wc -l)" -eq 2 ]
	check $? "the journal of another version stays as it is ($said)"
done
cp -r run plan
sed -i '1s/"seed":[0-9]*/"seed":7/' plan/run.journal
cp plan/run.journal changed
said=0
for option in '' --salvage; do
	# shellcheck disable=SC2086
	resume plan $option
	[ $? -eq 4 ] && grep -q 'line 1 at byte 0: .*not with --salvage either' err && cmp -s changed plan/run.journal ||
		said=1
done
check $said "a plan that was changed is refused, and nothing is changed"
"$EVENHAND" run quick --salvage >out 2>err
[ $? -eq 4 ]
check $? "--salvage belongs to --resume"

# ---- whose it is ---------------------------------------------------------------------------------------

if [ "$(id -u)" -eq 0 ]; then
	cp -r digit whose
	mv whose/run.journal.damaged-* whose/run.journal
	chown 1111:2000 whose/run.journal
	chmod 660 whose/run.journal
	"$EVENHAND" run --resume whose --salvage -q >out 2>err </dev/null
	[ "$(stat -c '%a %u:%g' whose/run.journal)" = 660\ 1111:2000 ] && [ "$(stat -c '%a %u:%g' whose/run.journal.damaged-*)" = 660\ 1111:2000 ]
	check $? "a salvaged journal stays whose it was, and as closed as it was"
fi

# ---- the time of a run with a budget -----------------------------------------------------------------
sed -e 's/^executions = .*/executions = 14/; s/^seed = .*/seed = 1\nbudget = 5s/; s/^time-max = .*/time-max = 10s/' \
	-e 's/^samples-max = .*/samples-max = 300000/; s/^margin = .*/margin = 0.01%/' "$SRC/tests/protocols/turns.ini" >budget.ini
"$EVENHAND" run budget.ini --on host:0,host:0 -o budget --quiet >out 2>err </dev/null
spent='"spent_ns":[0-9]*'
grep -q '"status":"out-of-time"' budget/run.journal && tail -n 1 budget/run.journal | grep -q "$spent" &&
	grep -q "$spent" budget/host-*.json
check $? "a budget of 5 s is used up, and the results have the time of the run"
cp -r budget flipped
sed -i '$s/"ended":"2/"ended":"3/' flipped/run.journal
cp -r budget killed
sed -i '$d' killed/run.journal
for folder in flipped killed; do
	resume "$folder"
	rc=$?
	cat err >"$folder.err"
	ended $rc && "$EVENHAND" verify "$folder"/host-*.json >out 2>err && ! grep -q "$spent" "$folder"/host-*.json
	check $? "$folder: without the end line the time is unknown, and the results hold"
done
cp -r budget middle
sed -i '$h;$s/"ended":"2/"ended":"3/;$G' middle/run.journal
resume middle --salvage
rc=$?
ended $rc && grep -q '1 lost, 0 left out' err && "$EVENHAND" verify middle/host-*.json >out 2>err &&
	! grep -q "$spent" middle/host-*.json
check $? "the same of an end line that salvage loses"

# ---- leftovers -----------------------------------------------------------------------------------
cp -r run left
: >left/.evenhand-0123456789abcdef && : >left/.evenhand-other
resume left
rc=$?
ended $rc && [ "$(find left -name '.evenhand-*')" = left/.evenhand-other ]
check $? "what killed runs left of their files is removed, and nothing else"
echo "1..$n"
exit $bad
